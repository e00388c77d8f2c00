INSERT OVERWRITE DIRECTORY 'out/titles' USING parquet
SELECT p.title, sum(o.amount) AS amount FROM orders o JOIN products p ON o.product = p.product GROUP BY p.title;
