-- Two figures of each viewer: the distinct titles, and what was watched with a remark. Both need every row moved.
CREATE TABLE IF NOT EXISTS viewer_days_c USING parquet LOCATION 'out/viewer_days' AS
SELECT a.viewer, a.titles, b.remark
FROM (SELECT viewer, count(DISTINCT title, minute) AS titles FROM plays GROUP BY viewer) a
JOIN (SELECT viewer, max(remark) AS remark FROM ratings GROUP BY viewer) b
  ON a.viewer = b.viewer
