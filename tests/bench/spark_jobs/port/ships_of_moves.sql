-- Moves by flag; nothing is broadcast on this cluster.
CREATE OR REPLACE TEMP VIEW by_flag AS
SELECT s.flag, m.crane, max(m.position) AS last_position, sum(m.kilograms) AS kilograms, count(DISTINCT m.box) AS boxes
FROM moves m
JOIN ships s ON m.ship = s.ship
GROUP BY s.flag, m.crane;

INSERT OVERWRITE DIRECTORY 'out/flags' USING parquet SELECT * FROM by_flag;
