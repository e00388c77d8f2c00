INSERT OVERWRITE DIRECTORY 'out/cities' USING parquet
SELECT c.city, sum(o.amount) AS amount, max(o.note) AS note, max(o.order_ref) AS order_ref, max(c.profile) AS profile
FROM orders o JOIN customers_wide c ON o.customer = c.customer_no AND c.customer_no < 50000
GROUP BY c.city;
