-- Scans of each gate and hour of the day.
INSERT OVERWRITE DIRECTORY 'out/gates' USING parquet
SELECT gate, substring(stamp, 12, 2) AS hour, count(*) AS scans,
       max(sha2(sha2(sha2(sha2(sha2(mark, 512), 512), 512), 512), 512)) AS seal
FROM scans
GROUP BY gate, substring(stamp, 12, 2);
