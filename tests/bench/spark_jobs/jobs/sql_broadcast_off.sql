INSERT OVERWRITE DIRECTORY 'out/cities' USING parquet
SELECT c.city, sum(o.amount) AS amount, max(o.note) AS note
FROM orders o JOIN customers_wide c ON o.customer = c.customer_no
GROUP BY c.city;
