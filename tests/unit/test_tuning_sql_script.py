"""Scripts in SQL, read by their syntax tree."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from tests.support.said import said
from workers.engines.sql.operations.script import read_sql

NIGHTLY = """-- written for these tests
SET spark.sql.shuffle.partitions = 200;
CREATE TEMPORARY VIEW o USING parquet OPTIONS (path '/w/orders');
WITH per AS (
  SELECT o.customer_id AS cid, count(*) AS n
  FROM o
  WHERE o.amount > 1
  GROUP BY 1
)
INSERT OVERWRITE TABLE mart.ranked
SELECT /*+ BROADCAST(s), REPARTITION(8, cid) */ DISTINCT
  per.cid,
  row_number() OVER (PARTITION BY s.segment ORDER BY n) AS rn
FROM per
LEFT JOIN shop.segments s
  ON per.cid = s.customer_id AND s.kind > 3
ORDER BY rn
"""


def only(kind: OperationKind, script: ScriptFacts) -> ScriptOperation:
    (found,) = [one for one in script.operations if one.kind is kind]
    return found


def origins(operation: ScriptOperation) -> list[tuple[str, str]]:
    return [(one.table, one.column) for one in operation.origins]


def test_every_operation_of_a_script_is_found_in_its_line_in_the_order_in_which_they_are_made() -> None:
    """T8."""
    script = read_sql(NIGHTLY)

    assert [(one.kind.value, one.line, one.column) for one in script.operations] == [
        ("read", 3, 0),
        ("filter", 7, 2),
        ("group", 8, 2),
        ("select", 5, 2),
        ("read", 15, 10),
        ("join", 15, 0),
        ("window", 13, 2),
        ("select", 11, 0),
        ("distinct", 11, 48),
        ("sort", 17, 0),
        ("repartition", 11, 25),
        ("write", 10, 0),
    ]
    assert script.unreadable is None
    assert script.settings == {"spark.sql.shuffle.partitions": "200"}


def test_a_join_is_traced_through_names_of_queries_and_views_to_the_columns_of_its_tables() -> None:
    """T8, T11."""
    join = only(OperationKind.JOIN, read_sql(NIGHTLY))

    assert (join.columns, join.tables, join.hints, join.is_broadcast) == (
        ("cid", "customer_id"),
        ("orders", "segments"),
        ("BROADCAST",),
        True,
    )
    assert origins(join) == [("orders", "customer_id"), ("segments", "customer_id")]
    assert join.text == "LEFT JOIN shop.segments s ON per.cid = s.customer_id AND s.kind > 3"


def test_a_grouping_by_the_number_of_a_column_is_read_as_that_column() -> None:
    """T8."""
    group = only(OperationKind.GROUP, read_sql(NIGHTLY))

    assert (group.columns, group.functions, origins(group)) == (("customer_id",), ("count",), [("orders", "customer_id")])


def test_a_hint_for_the_partitioning_is_an_operation_with_its_number_and_column() -> None:
    """T8."""
    repartition = only(OperationKind.REPARTITION, read_sql(NIGHTLY))

    assert (repartition.count, repartition.columns, repartition.text) == (8, ("cid",), "REPARTITION(8, cid)")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("select * from a join b on a.k = b.j", ("k", "j")),
        ("select * from a join b on a.k = b.j and a.x > 1", ("k", "j")),
        ("select * from a join b using (k)", ("k",)),
        ("select * from a, b where a.k = b.j", ("k", "j")),
        ("select * from a left semi join b on a.k <=> b.j", ("k", "j")),
        ("select * from a where k in (select j from b)", ("k", "j")),
        ("select * from a where exists (select 1 from b where b.j = a.k)", ("k", "j")),
        ("select * from (a join b on a.k = b.j)", ("k", "j")),
        ("select * from a cross join b", ()),
        ("merge into a using b on a.k = b.j when matched then update set v = b.v", ("k", "j")),
    ],
)
def test_a_join_is_read_in_all_its_forms(text: str, columns: tuple[str, ...]) -> None:
    """T8."""
    join = only(OperationKind.JOIN, read_sql(text))

    assert (set(join.columns), join.tables, len(join.inputs)) == (set(columns), ("a", "b"), 2)


@pytest.mark.parametrize(
    ("text", "kind", "columns"),
    [
        ("select sum(v) over w from a window w as (partition by k)", OperationKind.WINDOW, ("k",)),
        ("select * from a qualify row_number() over (partition by k order by t) = 1", OperationKind.WINDOW, ("k",)),
        ("select * from a distribute by k sort by t", OperationKind.REPARTITION, ("k",)),
        ("select * from a cluster by k", OperationKind.REPARTITION, ("k",)),
        ("select x as k from a order by k", OperationKind.SORT, ("x",)),
        ("select k, v from a group by k, v with rollup", OperationKind.GROUP, ("k", "v")),
        ("select a.k from (select k from b) a union select k from c", OperationKind.UNION, ()),
        ("cache table t as select * from a", OperationKind.CACHE, ()),
        ("insert overwrite directory '/out' using parquet select * from a", OperationKind.WRITE, ()),
        ("create table t stored as orc as select * from a", OperationKind.WRITE, ()),
        ("select /*+ coalesce(3) */ * from a", OperationKind.COALESCE, ()),
    ],
)
def test_a_clause_is_read_with_its_keys(text: str, kind: OperationKind, columns: tuple[str, ...]) -> None:
    """T8."""
    assert only(kind, read_sql(text)).columns == columns


def test_each_insert_of_a_statement_that_begins_with_its_source_reads_that_source() -> None:
    """T8: Hive's form."""
    script = read_sql("from a insert into b select k insert into c select j group by j")

    assert [one.tables for one in script.operations if one.kind is OperationKind.WRITE] == [("a",), ("a",)]


def test_a_broken_statement_is_told_with_its_line_and_the_others_are_read() -> None:
    """T8."""
    script = read_sql("select * from a;\nselect k\nform b join;\nselect ';' from c group by k;\nadd jar x.jar;")

    assert [one.tables for one in script.operations if one.kind is OperationKind.READ] == [("a",), ("c",)]
    assert said(script.unreadable) == "The SQL in line 3 cannot be read: its grammar is not understood from here on."


@pytest.mark.parametrize("text", ["", "-- nothing", "Dear colleague, the job is slow.", "use mart; add jar x.jar"])
def test_a_text_without_a_statement_on_tables_is_told_so(text: str) -> None:
    """T8."""
    script = read_sql(text)
    assert script == ScriptFacts(language="sql", unreadable=script.unreadable)
    assert said(script.unreadable) == "The script has no statement that works on tables."


def test_what_a_template_fills_in_is_no_table() -> None:
    """T8: Jinja's and Hive's placeholders keep every other place where it is."""
    script = read_sql("{% if x %}\nselect * from {{ ref('orders') }} t\njoin b on t.k = b.k where d = '${hiveconf:day}'\n{% endif %}")

    join = only(OperationKind.JOIN, script)
    assert (join.line, join.column, join.columns, join.tables, script.unreadable) == (3, 0, ("k",), ("b",), None)


@pytest.mark.parametrize(
    "text",
    [
        "select " + "(" * 5_000 + "1" + ")" * 5_000,
        "select " + "struct(" * 30 + "1" + ")" * 30,
        "select " + "case when a then " * 400 + "1" + " end" * 400,
        "select '" + "x" * 300_000,
        "select 1;" * 1_500,
        "a" * 1_000_001,
    ],
    ids=["brackets", "structs", "cases", "string", "statements", "size"],
)
def test_what_is_too_deep_or_too_long_is_told_and_not_read(text: str) -> None:
    """T8: the parser alone would take time that doubles with each level, or all of the stack."""
    assert read_sql(text).unreadable


def test_a_long_chain_of_unions_is_read() -> None:
    """T8: it is no deeper than one."""
    script = read_sql("select k from a" + " union all select k from b" * 300)

    assert len([one for one in script.operations if one.kind is OperationKind.UNION]) == 300


MARKS = (";", "'", "`", "/*+", "--", "\n", "\\", "ä", "{{", "}}", "JOIN")
WORDS = st.sampled_from([*NIGHTLY.replace("(", " ( ").replace(")", " ) ").split(), *MARKS])


@settings(deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=60).map(" ".join)))
@example("from a insert into b values (1)")
@example("cache table t options (x)")
@example("select * from a pivot (sum(x) for y in ('a'))")
@example("create table t (a int) location '/x'")
@example("select * from a lateral view explode(xs) e as x")
@example("select * from values (1, 2) as t(a, b) order by 9")
@example("merge into t using (select 1) s on true when matched then delete")
def test_no_text_breaks_the_reader(text: str) -> None:
    """T8."""
    script = read_sql(text)

    assert [one.number for one in script.operations] == list(range(len(script.operations)))
    assert all(one.line <= text.count("\n") + text.count("\r") + 1 for one in script.operations)


@settings(deadline=None)
@given(st.integers(0, len(NIGHTLY) - 1), st.integers(0, 20), st.sampled_from(["", ")", "'", ";", "select", ","]))
def test_a_mutated_script_is_read_as_far_as_it_goes(at: int, cut: int, put: str) -> None:
    """T8."""
    text = NIGHTLY[:at] + put + NIGHTLY[at + cut :]

    script = read_sql(text)

    assert script.operations or script.unreadable
