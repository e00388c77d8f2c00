-- Scans of each region and event. The depots are few and Spark broadcasts them.
CREATE TABLE IF NOT EXISTS regions_p USING parquet LOCATION 'out/by_region' AS
SELECT d.region, s.event, count(*) AS scans, avg(s.grams) AS grams
FROM scans s
JOIN depots d ON s.depot = d.depot
WHERE s.grams > 100
GROUP BY d.region, s.event;
