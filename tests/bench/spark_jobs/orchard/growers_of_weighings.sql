-- Weight of each village.
INSERT OVERWRITE DIRECTORY 'out/villages' USING parquet
SELECT p.fruit, p.grower, count(DISTINCT w.picker) AS pickers, sum(w.grams) AS grams
FROM weighings w
JOIN plots p ON w.plot = p.plot
GROUP BY p.fruit, p.grower;
