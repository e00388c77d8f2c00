INSERT OVERWRITE DIRECTORY 'out/ranked' USING parquet
SELECT * FROM (
  SELECT order_ref, amount, note, row_number() OVER (ORDER BY amount DESC) AS place FROM orders
) WHERE place % 1000 = 0;
