"""A table has the types that its specification declares; the documentation's example is taken, reviewed and tried."""

import re
from pathlib import Path

import duckdb
import pytest

from contracts.pipelines.wishes import Component, Environment
from contracts.tables import ColumnDetail, TableDetail
from tests.support.opened_shop import opened_shop
from tests.support.shop import shop_tables
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.specification import analysis_in
from workers.kinds.etl.rules.writing import as_statements, script_of
from workers.kinds.etl.work.trying import review_scripts, try_scripts

DOCS = Path(__file__).parents[2] / "docs" / "etl.md"
VISITS = TableDetail(
    name="visits",
    columns=(
        ColumnDetail(name="visit_id", type="INTEGER"),
        ColumnDetail(name="came_at", type="TIMESTAMP", nullable=False),
        ColumnDetail(name="minutes", type="DOUBLE", nullable=False),
        ColumnDetail(name="room", type="VARCHAR"),
    ),
    primary_key=("visit_id",),
)
SPEC = """\
target: minutes_by_day
grain: [day]
mode: {mode}
columns:
  - {{name: day, type: DATE}}
  - {{name: mean, type: "DECIMAL(10,2)"}}
  - {{name: visits, type: INTEGER}}
  - {{name: room, type: VARCHAR(2)}}
sql: SELECT date_trunc('day', came_at) AS day, AVG(minutes) AS mean, COUNT(*) AS visits, MIN(room) AS room FROM visits GROUP BY {group}
"""


def statements_of(text: str, tables: tuple[TableDetail, ...], dialect: str = "duckdb") -> tuple[str, ...]:
    """The statements that write the table of a specification."""
    analysis = analysis_in(text, "clinic", dialect, tables)
    workflow = design(analysis, Component.SQL, Environment.DEV, dialect, Known())
    spec = job_spec(analysis, workflow, workflow.jobs[-1])
    return as_statements(spec.sql, spec, tables)[0]


def with_nulls(connection: duckdb.DuckDBPyConnection, table: TableDetail) -> TableDetail:
    """A table with what an import sees of its rows."""
    place = connection.table(table.full_name)
    found = [len(place.filter(duckdb.ColumnExpression(column.name).isnull())) for column in table.columns]
    return table.model_copy(
        update={"columns": tuple(column.model_copy(update={"nulls": n}) for column, n in zip(table.columns, found, strict=True))}
    )


@pytest.mark.parametrize("mode", ["overwrite", "append", "upsert"])
@pytest.mark.parametrize("group", ["1", "day", "date_trunc('day', came_at)"])
def test_the_table_has_the_declared_types(mode: str, group: str) -> None:
    """It had DOUBLE for DECIMAL(10,2), and TIMESTAMP for DATE, by which every specification was stopped."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE visits (visit_id INTEGER, came_at TIMESTAMP, minutes DOUBLE, room VARCHAR)")
        connection.execute("INSERT INTO visits VALUES (1, '2026-03-01 09:30', 10, 'north'), (2, '2026-03-01 10:00', 5.005, 'south')")
        for statement in statements_of(SPEC.format(mode=mode, group=group), (VISITS,)):
            connection.execute(statement)
        found = connection.table("minutes_by_day")

        assert [str(kind) for kind in found.types] == ["DATE", "DECIMAL(10,2)", "INTEGER", "VARCHAR"]
        assert [str(cell) for cell in found.fetchall()[0]] == ["2026-03-01", "7.50", "2", "north"], "a text is not cut"


def test_nothing_is_cast_that_has_its_type_or_where_there_are_none() -> None:
    text = "target: t\ngrain: [visit_id]\ncolumns: [{name: visit_id, type: integer}, {name: minutes, type: DOUBLE}]\n"
    own = "sql: SELECT visit_id, CAST(minutes AS DOUBLE) AS minutes FROM visits\n"

    assert " ".join(statements_of(text + own, (VISITS,))).count("CAST(") == 1
    assert "CAST(" not in " ".join(statements_of(SPEC.format(mode="overwrite", group="1"), (VISITS,), "sqlite"))


def test_the_example_of_the_documentation_is_taken_reviewed_and_tried(tmp_path: Path) -> None:
    found = re.search(r"```yaml\n(target: .*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert found is not None
    with opened_shop(tmp_path) as shop:
        tables = tuple(with_nulls(shop, table) for table in shop_tables(shop))
    analysis = analysis_in(found[1], "shop", "duckdb", tables)
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    spec = job_spec(analysis, workflow, workflow.jobs[-1])
    statements, temporary = as_statements(spec.sql, spec, tables)
    script = script_of(spec, statements, tables, temporary=temporary)

    assert review_scripts(analysis, workflow, [script], tables).issues == ()
    assert try_scripts(analysis, workflow, [script], tables).failures == ()
