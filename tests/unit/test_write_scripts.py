"""What a script may hold that writes to a source."""

import pytest

from contracts.sources import SourceKind
from workers.errors import StatementRefused
from workers.sources.writing.scripts import check_script

MAKE = "CREATE TABLE mart.totals (region text, total integer)"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO public.orders VALUES (9, 'EU', 1)",
        "INSERT INTO orders VALUES (9, 'EU', 1)",
        'DELETE FROM "Mart".totals',
        "DROP TABLE mart.totals, public.orders",
        "DROP TABLE mart.totals CASCADE",
        "DROP SCHEMA mart",
        "TRUNCATE mart.totals, public.orders",
        "CREATE TABLE mart.x AS SELECT * FROM pg_catalog.pg_authid",
        "CREATE TABLE mart.x AS SELECT pg_read_file('/etc/passwd') AS f",
        "CREATE TABLE mart.x AS SELECT * FROM dblink('host=x', 'select 1') AS t(a int)",
        "CREATE TABLE mart.x AS WITH gone AS (DELETE FROM public.orders RETURNING *) SELECT * FROM gone",
        "INSERT INTO mart.totals SELECT region, total FROM public.orders RETURNING *",
        "CREATE FUNCTION mart.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE VIEW mart.v AS SELECT 1 AS a",
        "COPY mart.totals TO PROGRAM 'id'",
        "GRANT ALL ON mart.totals TO public",
        "SET ROLE postgres",
        "SELECT 1",
        "INSERT INTO mart.totals VALUES ('a', 1); DELETE FROM public.orders",
        "COMMIT",
        "DO $$ BEGIN DELETE FROM orders; END $$",
        "ALTER TABLE mart.totals SET SCHEMA public",
        "COMMENT ON TABLE public.orders IS 'x'",
        "COMMENT ON COLUMN public.orders.id IS 'x'",
        "COMMENT ON COLUMN totals.region IS 'x'",
        "COMMENT ON SCHEMA mart IS 'x'",
        "COMMENT ON FUNCTION mart.f(int) IS 'x'",
        "COMMENT ON ROLE postgres IS 'x'",
    ],
)
def test_statements_beyond_plain_changes_of_open_schemas_are_refused(statement: str) -> None:
    with pytest.raises(StatementRefused):
        check_script((MAKE, statement), SourceKind.POSTGRES, ("mart",))


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO mart.totals SELECT region, SUM(total) FROM public.orders GROUP BY region",
        "INSERT INTO mart.totals (region, total) VALUES ('EU', 1) ON CONFLICT (region) DO UPDATE SET total = excluded.total",
        "COMMENT ON TABLE mart.totals IS 'it''s a; sum'",
        "COMMENT ON COLUMN mart.totals.\"region\" IS 'where'",
        "UPDATE mart.totals SET total = 0 WHERE region IN (SELECT region FROM public.orders)",
        "DELETE FROM mart.totals WHERE EXISTS (SELECT 1 FROM public.orders AS o WHERE o.region = totals.region)",
        "TRUNCATE TABLE mart.totals",
        "DROP TABLE IF EXISTS mart.totals",
        "CREATE TABLE IF NOT EXISTS mart.totals (region text NOT NULL PRIMARY KEY, total integer DEFAULT 0)",
        "CREATE TABLE mart.other AS WITH eu AS (SELECT * FROM public.orders WHERE region = 'EU') SELECT COUNT(*) AS n FROM eu",
        "CREATE TEMPORARY TABLE brought AS SELECT region FROM public.orders",
    ],
)
def test_what_pipelines_write_passes(statement: str) -> None:
    first, second = check_script((MAKE, statement), SourceKind.POSTGRES, ("mart",))

    assert first.startswith("CREATE TABLE mart.totals")
    assert second


def test_temporary_tables_of_the_script_may_be_dropped_and_others_not() -> None:
    made = "CREATE TEMPORARY TABLE brought AS SELECT region FROM public.orders"

    assert len(check_script((made, "DROP TABLE brought"), SourceKind.POSTGRES, ("mart",))) == 2
    with pytest.raises(StatementRefused, match="without its schema"):
        check_script(("DROP TABLE brought",), SourceKind.POSTGRES, ("mart",))


def test_comments_do_not_reach_the_engine() -> None:
    assert check_script(("DELETE FROM mart.totals /* ; DROP TABLE x */ -- y",), SourceKind.POSTGRES, ("mart",)) == (
        "DELETE FROM mart.totals",
    )
