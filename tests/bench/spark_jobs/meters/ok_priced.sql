INSERT OVERWRITE DIRECTORY 'out/priced' USING parquet
SELECT r.day, t.band, sum(r.kwh * t.price) AS cost
FROM readings r
JOIN tariffs t ON r.hour >= t.from_hour AND r.hour < t.to_hour
GROUP BY r.day, t.band;
