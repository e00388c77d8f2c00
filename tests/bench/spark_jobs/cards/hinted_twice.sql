-- Cards and what they spent; someone hinted a repartition long ago.
CREATE TABLE IF NOT EXISTS spent_c USING parquet LOCATION 'out/spent' AS
WITH spread AS (
  SELECT /*+ REPARTITION(16, merchant) */ card, merchant, cents, memo
  FROM payments
)
SELECT card, sum(cents) AS cents, max(memo) AS memo, count(DISTINCT merchant) AS merchants
FROM spread
GROUP BY card
