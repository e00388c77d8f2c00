CREATE OR REPLACE TEMP VIEW near AS
SELECT c.customer, p.product
FROM (SELECT * FROM customers LIMIT 4000) c, products p
WHERE levenshtein(c.city, p.title) < 4;

INSERT OVERWRITE DIRECTORY 'out/near' USING parquet
SELECT product, count(*) AS pairs FROM near GROUP BY product;
