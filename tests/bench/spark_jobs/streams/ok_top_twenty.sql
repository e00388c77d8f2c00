-- The twenty longest plays.
CREATE TABLE IF NOT EXISTS top_c USING parquet LOCATION 'out/top' AS
SELECT viewer, title, seconds FROM plays ORDER BY seconds DESC, viewer, title LIMIT 20
