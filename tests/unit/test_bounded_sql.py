"""SQL is read within bounds: sqlglot tries `DATE(` as a type and as a value, so that each level within another doubled the time, and a
statement of 120 characters held the process that read it."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from sqlglot.dialects.dialect import Dialect

from contracts.sources import SourceKind
from tests.unit.test_question_grammar import TABLES
from workers.engines.sql.bounded import STEPS_MORE, TooDeep, parse, parser_of
from workers.engines.sql.explain import explain
from workers.engines.sql.lineage import script_lineage
from workers.engines.sql.operations.script import read_sql
from workers.engines.sql.review import review
from workers.engines.sql.trees import NotParsed
from workers.engines.sql.trees import parse as parse_trees
from workers.errors import StatementRefused
from workers.sources.parsing import parse_statement

DIALECTS = ("duckdb", "postgres", "mysql", "spark")
DOUBLING = [("DATE(", ")"), ("DECIMAL(", ")"), ("ARRAY[", "]"), ("ROW(", ")")]
CODE = Path(__file__).parents[2] / "workers"


def nested(opening: str, closing: str, levels: int) -> str:
    return f"SELECT {opening * levels}1{closing * levels} AS a FROM t"  # noqa: S608 parsed only


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("opening", "closing"), DOUBLING)
def test_what_doubles_with_each_level_is_given_up(dialect: str, opening: str, closing: str) -> None:
    """Forty levels would take 2^40 steps. Some dialects read one or the other without trying."""
    with suppress(TooDeep):
        parse(nested(opening, closing, 40), dialect)


@pytest.mark.parametrize("opening", ["DATE(", "DECIMAL("])
def test_every_reader_of_sql_refuses_it_with_a_reason(opening: str) -> None:
    text = nested(opening, ")", 40)

    with pytest.raises(NotParsed, match="nested too deeply"):
        review(text, TABLES, "duckdb", None)
    with pytest.raises(NotParsed, match="nested too deeply"):
        explain(text, "duckdb")
    with pytest.raises(StatementRefused) as refused:
        parse_statement(text, SourceKind.DUCKDB)
    assert "nested too deeply" in str(refused.value)
    assert script_lineage(text, TABLES, "duckdb").unread
    assert read_sql(text).unreadable


def test_brackets_behind_a_value_are_bounded() -> None:
    """Each bracket types all that is before it again."""
    assert parse("SELECT a" + "[1]" * 20 + " FROM t", "duckdb")
    with pytest.raises(TooDeep):
        parse("SELECT a" + "[1]" * 40 + " FROM t", "duckdb")


def test_what_people_nest_is_read() -> None:
    for opening, closing in DOUBLING:
        for dialect in DIALECTS:
            assert parse(nested(opening, closing, 4), dialect)


@pytest.mark.parametrize(
    "text",
    [
        " UNION ALL ".join(f"SELECT id FROM t{place}" for place in range(300)),  # noqa: S608 parsed only
        "SELECT 1" + "".join(f" + a{place} - b{place}" for place in range(150)) + " AS a FROM t",  # noqa: S608
        "SELECT 1" + "".join(f" * a{place} / b{place}" for place in range(150)) + " AS a FROM t",  # noqa: S608
    ],
)
def test_what_a_generator_writes_in_a_row_is_one_chain(text: str) -> None:
    """Each branch, and each `-` behind a `+`, counted as a level."""
    review(text, TABLES, "duckdb", None)
    explain(text, "duckdb")


@pytest.mark.parametrize(
    "text", [" UNION ALL ".join(["SELECT 1"] * 600), "SELECT 1" + " + 2 - 3" * 300, "SELECT " + "-(" * 300 + "1" + ")" * 300]
)
def test_what_cannot_be_walked_is_refused(text: str) -> None:
    with pytest.raises(NotParsed, match="nested too deeply"):
        review(text, TABLES, "duckdb", None)


def test_a_long_script_takes_no_step_from_the_bound() -> None:
    """The bound grows with the text."""
    dialect = Dialect.get_or_raise("duckdb")
    text = "SELECT a, sum(b) AS total FROM shop.orders WHERE c = 1 AND d IN (1, 2, 3) GROUP BY a ORDER BY total DESC LIMIT 10;\n" * 200
    tokens = dialect.tokenize(text)
    parser = parser_of(dialect, tokens)

    assert len(parser.parse(tokens, text)) == 200
    assert parser.allowance == [STEPS_MORE]


@pytest.mark.parametrize(
    "text",
    ["SELECT " + "a." * 1_000 + "b FROM t", "SELECT 1 AS a UNION ALL " * 1_000 + "SELECT 2", "SELECT a" + "::int" * 1_000 + " FROM t"],
)
def test_a_tree_too_deep_to_walk_is_refused(text: str) -> None:
    with pytest.raises(NotParsed, match="nested too deeply"):
        parse_trees(text, "duckdb")
    assert script_lineage(text, TABLES, "duckdb").unread


def test_a_chain_of_one_operator_is_no_depth() -> None:
    """A list of a thousand conditions is long, and not deep."""
    assert parse_trees("SELECT a FROM t WHERE " + "a = 1 OR " * 1_000 + "a = 2", "duckdb")
    with pytest.raises(NotParsed, match="nested too deeply"):
        explain("SELECT " + "a + " * 1_000 + "b FROM t", "duckdb")


def test_nothing_reads_sql_past_the_bounds() -> None:
    """sqlglot's own `parse` and `parse_one` are called for texts that we wrote ourselves, and nowhere else."""
    own = {"engines/sql/bounded.py", "engines/sql/review/rules/fan_out.py", "engines/sql/repair/clickhouse.py"}
    direct = re.compile(r"sqlglot\.(?:parse|parse_one|maybe_parse|transpile)\(|from sqlglot import [^\n]*\b(?:parse|parse_one|transpile)\b")
    found = {path.relative_to(CODE).as_posix() for path in CODE.rglob("*.py") if direct.search(path.read_text("utf-8"))}

    assert found <= own
