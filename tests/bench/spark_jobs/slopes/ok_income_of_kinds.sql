-- Rent that each kind of pass brought, and what the guests of the kind rented most.
CREATE OR REPLACE TEMP VIEW by_kind AS
SELECT p.kind, r.item, sum(r.cents) AS cents, count(*) AS rentals
FROM rentals r
JOIN passes p ON r.pass = p.pass
GROUP BY p.kind, r.item;

INSERT OVERWRITE DIRECTORY 'out/income' USING parquet
SELECT kind, sum(cents) AS cents, sum(rentals) AS rentals, max_by(item, rentals) AS favourite
FROM by_kind
GROUP BY kind;
