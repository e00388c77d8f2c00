"""No text with a form (SQL, a script, a table, YAML, a query) makes its reader work much longer than it takes to read, or fail without a
reason. The readers are attacked as wholes; what they once fell to stands below, and in tests/unit/test_bounded_sql.py."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.attacking import attacked
from tests.support.campaign import IS_LONG
from tests.unit.test_question_grammar import TABLES
from workers.catalogue.forms.plain import read_plain
from workers.checks.own import read_check
from workers.engines.code import scala_tree
from workers.engines.code.scala_script import read_scala
from workers.engines.logql.expressions import BadExpression as BadRegex
from workers.engines.logql.expressions import compiled
from workers.engines.logql.parser import parse_logql
from workers.engines.logql.tokens import LogQLSyntaxError
from workers.engines.procedures.expressions import BadExpression, names_in
from workers.engines.promql import parse_promql
from workers.engines.promql.parser import PromQLSyntaxError
from workers.engines.promql.printer import print_promql
from workers.engines.sql.errors.reading import read_error
from workers.engines.sql.explain import explain
from workers.engines.sql.lineage import script_lineage
from workers.errors import InvalidInput
from workers.skills.evals import _values as values_of_evals  # pyright: ignore[reportPrivateUsage] what reads the file
from workers.skills.skill import Unusable
from workers.tickets.columns import roles_of_end
from workers.tickets.markup import plain_text

READERS = (
    "statement,check_statement,operations,expressions,review,requirement,lineage,explain,repair,sql_error,ddl_comments,ddl,queries,sql_files",
    "dbt_model,dbt_yaml,dbt_manifest,scope,python,notebook,scala,artefact,spec,procedure,path,own_check,skill_file,logql,promql",
    "tickets.csv,tickets.json,tickets.jsonl,tickets.xml,tickets.md,documents,plain,plain_yaml",
)
"""Those of one process: it takes seconds to import what they read with."""
EVERY = 1 if IS_LONG else 40
"""Of the shapes only each so-many-th. All of them: `python -m tests.support.attacked_forms READER`."""


@pytest.mark.timeout(3_300 if IS_LONG else 900)
@pytest.mark.parametrize("readers", READERS)
def test_no_reader_of_a_form_falls_to_what_is_nested_repeated_or_left_open(readers: str) -> None:
    attacks, faults = attacked("attacked_forms", readers, str(EVERY), timeout_s=800)

    assert faults == []
    assert attacks >= len(readers.split(","))


def growth(read: Callable[[str], object], text: Callable[[int], str], size: int) -> float:
    """How many times as long four times the text takes, in CPU time."""

    def cpu(size: int) -> float:
        begun = time.process_time()
        read(text(size))
        return time.process_time() - begun

    small = max(cpu(size) for _ in range(3))
    return min(cpu(4 * size), cpu(4 * size + 1)) / max(small, 0.01)


def test_chains_of_promql_end_before_the_stack_does() -> None:
    assert print_promql(parse_promql("a + " * 99 + "a"))
    for chain in ("a + ", "a or ", "1 + "):
        with pytest.raises(PromQLSyntaxError):
            parse_promql(chain * 1_000 + "1")


@pytest.mark.parametrize("text", ["a[" + "9" * 5_000 + "m]", "1" * 9_000 + "x"])
def test_a_number_of_thousands_of_digits_is_no_promql(text: str) -> None:
    with pytest.raises(PromQLSyntaxError):
        parse_promql(text)


@pytest.mark.parametrize("amount", ["1e999", "9" * 500 + "MB", "9" * 5_000 + "m", "0x" + "f" * 5_000])
def test_an_amount_that_nothing_can_hold_is_no_logql(amount: str) -> None:
    with pytest.raises(LogQLSyntaxError):
        parse_logql(f'{{app="a"}} | x > {amount}')


def test_a_regular_expression_has_a_bounded_number_of_groups() -> None:
    assert compiled("(a)" * 100)
    with pytest.raises(BadRegex, match="100"):
        compiled("(" * 9_000 + "a" + ")" * 9_000)


@pytest.mark.parametrize("chain", ["a || ", "a | ", "a == ", "a.*."])
def test_a_path_deeper_than_can_be_walked_is_refused(chain: str) -> None:
    assert names_in(chain * 20 + "b")
    with pytest.raises(BadExpression):
        names_in(chain * 1_000 + "b")


DAMAGED_YAML = ["[" * 20_000, "{" * 20_000, "a: " + "1" * 5_000, "a: 2026-99-99", "a: !!int", "a: !!timestamp x", "a: &a [1]\nb: *a"]


@pytest.mark.parametrize("text", DAMAGED_YAML)
def test_yaml_that_cannot_be_a_value_is_refused_with_a_reason(text: str, tmp_path: Path) -> None:
    """Brackets were scanned to the end of the file, each with all that are open before it; and numbers, times and tags raised errors of
    their own."""
    plain = tmp_path / "catalogue.yaml"
    plain.write_text(text)
    begun = time.process_time()

    with pytest.raises(InvalidInput):
        read_check(text)
    if not text.startswith(("a: 1", "a: 2")):  # as texts these are values there
        with pytest.raises(InvalidInput):
            list(read_plain(plain, "shop"))
    with pytest.raises(Unusable):
        list(values_of_evals(text, ".yaml"))
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("word", ["a ", "a:", "2026-01-01 ", "</a>", "一"])
def test_a_header_as_long_as_a_file_is_read_in_the_time_that_it_takes(word: str) -> None:
    assert growth(roles_of_end, lambda size: word * (size // len(word)) + "(a ,x", 20_000) < 10


@pytest.mark.parametrize("mark", ["[", "{", "{{", "[a|", "[~", "{code:a}", "{noformat}{code}", "<a ", "!a.png", "! .png", "*a "])
def test_markup_that_is_left_open_is_read_in_the_time_that_it_takes(mark: str) -> None:
    assert growth(plain_text, lambda size: mark * (size // len(mark)), 20_000) < 10


def test_markup_is_read_as_before() -> None:
    text = "x {code:java}a{CODE} {{mono {x}}} [link|http://a] [~bob] !pic.png|thumb! {noformat}b wow! great! <a href='x'>z</a> !a.b.jpg!"

    assert plain_text(text).split() == ["x", "```", "a", "```", "`mono", "{x`}", "link", "b", "wow!", "great!", "z"]


def test_broken_scala_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser's repairs take the square of the length, and held every thread meanwhile."""
    monkeypatch.setattr(scala_tree, "PARSE_S", 0.2)

    assert "broken" in str(read_scala(")" * 100_000).unreadable)
    monkeypatch.undo()
    assert read_scala('val x = spark.read.parquet("a")\n' * 200).operations


def test_the_names_of_many_computed_items_are_read_once() -> None:
    item = "(SELECT max(a) FROM t WHERE t.b = u.b), "

    assert (
        growth(lambda text: script_lineage(text, TABLES, "duckdb"), lambda size: "SELECT " + item * (size // 40) + "1 FROM u", 4_000) < 12
    )


def test_a_sentence_on_a_join_names_so_many_sources() -> None:
    """The words of n joins grew with the square of n."""
    sources = ", ".join(f"a{number}" for number in range(300))
    explained = explain(f"SELECT * FROM {sources}", "duckdb")  # noqa: S608 parsed only

    assert len(explained.model_dump_json()) < 3_000_000


@pytest.mark.parametrize("mark", ["\n", " ", "a", "'"])
def test_of_an_error_only_the_beginning_is_read(mark: str) -> None:
    """Some wordings begin with any word: their search takes the square of the length."""
    assert (
        growth(lambda text: [read_error(text, engine) for engine in ("duckdb", "postgres", "mysql")], lambda size: mark * size, 10_000) < 4
    )
