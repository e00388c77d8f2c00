INSERT OVERWRITE DIRECTORY 'out/amounts' USING parquet
SELECT country, product, sum(amount) AS amount FROM orders GROUP BY country, product;
