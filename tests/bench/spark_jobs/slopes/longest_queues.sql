-- The place of every wait of the season among all of them.
INSERT OVERWRITE DIRECTORY 'out/longest_queues' USING parquet
SELECT
  pass,
  lift,
  waited,
  rank() OVER worst_first AS place,
  lag(gate) OVER worst_first AS gate_before
FROM scans
WINDOW worst_first AS (ORDER BY waited DESC, second);
