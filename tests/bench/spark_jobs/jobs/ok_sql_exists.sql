INSERT OVERWRITE DIRECTORY 'out/without' USING parquet
SELECT c.city, count(*) AS customers FROM customers c
WHERE NOT EXISTS (SELECT 1 FROM clicks k WHERE k.customer = c.customer) GROUP BY c.city;
