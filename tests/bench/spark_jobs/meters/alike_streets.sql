CREATE OR REPLACE TEMPORARY VIEW sample_streets AS
SELECT household, street FROM households WHERE household < 3000;

INSERT OVERWRITE DIRECTORY 'out/alike' USING parquet
SELECT a.household, count(*) AS alike
FROM sample_streets a
CROSS JOIN (SELECT household, street FROM households WHERE household BETWEEN 3000 AND 6000) b
WHERE levenshtein(a.street, b.street) <= 8
GROUP BY a.household;
