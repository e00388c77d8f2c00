-- What the scanned parcels would cost by their weight.
CREATE TABLE IF NOT EXISTS priced_p USING parquet LOCATION 'out/priced' AS
WITH pairs AS (
  SELECT a.depot AS depot, b.sender AS sender, a.region AS region
  FROM depots a
  JOIN parcels b
    ON a.depot > b.home_depot
)
SELECT region, count(*) AS pairs, count(DISTINCT sender) AS senders
FROM pairs
GROUP BY region;
