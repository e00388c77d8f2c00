INSERT OVERWRITE DIRECTORY 'out/cities' USING parquet
SELECT c.city, sum(o.amount) AS amount, max(o.note) AS note
FROM orders o JOIN customers_wide c ON o.customer = c.customer_no AND c.customer_no < 80000
GROUP BY c.city;
