-- Disputed sums by category; most disputes name no merchant, only 0.
CREATE TABLE IF NOT EXISTS disputed_c USING parquet LOCATION 'out/disputed' AS
SELECT m.category,
       sum(d.cents) AS cents,
       max(sha2(concat(sha2(d.letter, 512), m.name), 512)) AS print
FROM disputes d
LEFT JOIN merchants m
  ON d.merchant = m.merchant
GROUP BY m.category
