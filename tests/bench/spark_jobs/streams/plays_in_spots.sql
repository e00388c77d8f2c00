-- How many plays fall into each advertisement.
CREATE TABLE IF NOT EXISTS spots_c USING parquet LOCATION 'out/spots' AS
SELECT s.spot, count(*) AS plays, sum(p.seconds) AS seconds
FROM plays p
JOIN spots s
  ON p.minute BETWEEN s.begins AND s.ends
GROUP BY s.spot
