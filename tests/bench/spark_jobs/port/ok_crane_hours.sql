-- Moves of each crane and hour.
INSERT OVERWRITE DIRECTORY 'out/crane_hours' USING parquet
SELECT crane, cast(second / 3600 AS int) AS hour, count(*) AS moves, sum(kilograms) AS kilograms, max(kilograms) AS heaviest
FROM moves
GROUP BY crane, cast(second / 3600 AS int);
