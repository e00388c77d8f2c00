-- What was picked while a frost alarm was on.
CREATE OR REPLACE TEMPORARY VIEW in_frost AS
SELECT f.valley, w.picker, w.grams
FROM weighings w
JOIN frosts f ON w.second BETWEEN f.since AND f.until;

INSERT OVERWRITE DIRECTORY 'out/frost' USING parquet
SELECT valley, picker, count(*) AS weighings, sum(grams) AS grams
FROM in_frost
GROUP BY valley, picker;
