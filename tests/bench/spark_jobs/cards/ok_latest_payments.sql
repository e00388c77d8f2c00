-- The latest payment of each card; one row each.
CREATE TABLE IF NOT EXISTS latest_c USING parquet LOCATION 'out/latest' AS
SELECT card, cents, paid_at
FROM (
  SELECT card, cents, paid_at, row_number() OVER (PARTITION BY card ORDER BY paid_at DESC, cents) AS place
  FROM payments
)
WHERE place = 1
