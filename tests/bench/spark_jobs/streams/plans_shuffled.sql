-- Seconds watched by plan; the viewers are a small table and every play is moved for it.
CREATE TABLE IF NOT EXISTS plans_c USING parquet LOCATION 'out/plans' AS
SELECT v.plan, sum(p.seconds) AS seconds, max(p.trace) AS trace
FROM plays p
JOIN viewers v
  ON p.viewer = v.viewer
GROUP BY v.plan
