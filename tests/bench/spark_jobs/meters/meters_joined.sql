INSERT OVERWRITE DIRECTORY 'out/models' USING parquet
SELECT m.model, r.quality, sum(r.kwh) AS kwh, max(r.payload) AS payload
FROM readings r
JOIN meters m ON r.meter = m.meter
GROUP BY m.model, r.quality;
