-- The last loan of each reader.
CREATE OR REPLACE TEMPORARY VIEW ranked AS
SELECT reader, book, day, slip, row_number() OVER (PARTITION BY reader ORDER BY day DESC, slip) AS place
FROM loans;

INSERT OVERWRITE DIRECTORY 'out/last' USING parquet
SELECT reader, book, day, slip FROM ranked WHERE place = 1;
