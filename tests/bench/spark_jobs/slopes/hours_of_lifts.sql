-- Guests of each lift and hour.
SET spark.sql.shuffle.partitions = 1600;

INSERT OVERWRITE DIRECTORY 'out/hours_of_lifts' USING parquet
SELECT h.lift, h.hour, h.guests, d.guests AS guests_of_the_day
FROM (SELECT lift, cast(second / 3600 AS int) AS hour, count(*) AS guests FROM scans GROUP BY lift, cast(second / 3600 AS int)) h
JOIN (SELECT lift, cast(second / 86400 AS int) AS day, count(*) AS guests FROM scans GROUP BY lift, cast(second / 86400 AS int)) d
  ON h.lift = d.lift AND cast(h.hour / 24 AS int) = d.day;
