-- Weight of each fruit on each day.
INSERT OVERWRITE DIRECTORY 'out/fruit_days' USING parquet
SELECT p.fruit, floor(w.second / 86400) AS day, sum(w.grams) AS grams, max(w.ticket) AS ticket
FROM weighings w
JOIN plots p ON w.plot = p.plot
GROUP BY p.fruit, floor(w.second / 86400);
