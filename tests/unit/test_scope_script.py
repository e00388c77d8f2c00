"""SCOPE and U-SQL scripts read by their tokens. The scripts here are ours."""

import pytest

from contracts.code import OperationKind, ScriptOperation
from contracts.scope import JoinKind, ScopeDialect, ScopeScriptFacts
from tests.support.said import said
from workers.engines.scope.script import read_scope

START = """A = EXTRACT k:string, v:int FROM "/data/a_2026-10-04.tsv" USING DefaultTextExtractor();
B = SELECT k, w FROM (SSTREAM "/data/b.ss");
"""


def facts_of(text: str) -> ScopeScriptFacts:
    return read_scope(START + text)


def last(kind: OperationKind, text: str) -> ScriptOperation:
    return [one for one in facts_of(text).script.operations if one.kind is kind][-1]


def test_inputs_are_read_with_their_own_names_and_columns() -> None:
    """T8: a day in a stream's name is no part of the table's name."""
    reads = [one for one in facts_of("").script.operations if one.kind is OperationKind.READ]

    assert [(one.tables, one.columns, one.line, one.variable) for one in reads] == [(("a",), ("k", "v"), 1, "A"), (("b",), (), 2, "B")]


@pytest.mark.parametrize(
    ("join", "kind", "hints"),
    [
        ("INNER JOIN B AS y ON x.k == y.k", JoinKind.INNER, ()),
        ("JOIN B AS y ON y.k == x.k", JoinKind.INNER, ()),
        ("LEFT OUTER JOIN B AS y ON x.k == y.k AND 1 == 1", JoinKind.LEFT_OUTER, ()),
        ("LEFT JOIN B AS y ON (x.k == y.k)", JoinKind.LEFT_OUTER, ()),
        ("RIGHT OUTER JOIN B AS y ON x.k = y.k", JoinKind.RIGHT_OUTER, ()),
        ("FULL OUTER PAIR JOIN B AS y ON x.k == y.k", JoinKind.FULL_OUTER, ("PAIR",)),
        ("LEFT SEMIJOIN B AS y ON x.k == y.k", JoinKind.SEMI, ()),
        ("ANTISEMIJOIN B AS y ON x.k == y.k", JoinKind.ANTI_SEMI, ()),
        ("INNER BROADCASTRIGHT JOIN B AS y ON x.k == y.k", JoinKind.INNER, ("BROADCASTRIGHT",)),
    ],
)
def test_a_join_is_read_with_its_kind_keys_sides_and_hints(join: str, kind: JoinKind, hints: tuple[str, ...]) -> None:
    """T8."""
    text = "\n    ".join(("J = SELECT x.k", "FROM A AS x", join)) + ";"
    found = facts_of(text)
    operation = last(OperationKind.JOIN, text)

    assert [(one.kind, one.left, one.right, one.left_keys, one.right_keys, one.hints, one.line) for one in found.joins] == [
        (kind, ("a",), ("b",), ("k",), ("k",), hints, 5)
    ]
    assert (operation.columns, operation.tables, operation.line, operation.column, operation.variable) == (("k",), ("a", "b"), 5, 4, "J")
    assert operation.is_broadcast is bool(hints and hints[0].startswith("BROADCAST"))


def test_keys_with_other_names_belong_to_the_side_whose_alias_they_have() -> None:
    """T8."""
    join = facts_of("J = SELECT * FROM A AS x JOIN B AS y ON y.kb == x.ka AND x.day == y.day;").joins[0]

    assert (join.left_keys, join.right_keys) == (("ka", "day"), ("kb", "day"))


def test_sources_beside_each_other_are_a_cross_join_unless_where_ties_them() -> None:
    """T8."""
    assert facts_of("J = SELECT * FROM A AS x, B AS y;").joins[0].kind is JoinKind.CROSS
    assert facts_of("J = SELECT * FROM A AS x, B AS y WHERE x.k == y.k;").joins[0].left_keys == ("k",)
    assert facts_of("J = SELECT * FROM A CROSS JOIN B;").joins[0].kind is JoinKind.CROSS


def test_groupings_windows_distincts_sorts_and_unions_are_read_with_their_columns() -> None:
    """T8."""
    text = (
        "G = SELECT x.k, COUNT() AS n FROM A AS x WHERE x.v > 0 GROUP BY x.k, x.v HAVING n > 1;\n"
        "W = SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM A;\n"
        "D = SELECT DISTINCT k FROM A UNION ALL SELECT k FROM B;\n"
        "S = SELECT k FROM D ORDER BY k DESC;"
    )

    assert (last(OperationKind.GROUP, text).columns, last(OperationKind.GROUP, text).functions) == (("k", "v"), ("COUNT",))
    assert last(OperationKind.WINDOW, text).columns == ("k",)
    assert last(OperationKind.DISTINCT, text).columns == ("k",)
    assert last(OperationKind.UNION, text).tables == ("a", "b")
    assert (last(OperationKind.SORT, text).columns, last(OperationKind.SORT, text).line) == (("k",), 6)


def test_user_operators_are_read_with_their_keys_and_code() -> None:
    """T8."""
    text = (
        "R = REDUCE A ON k PRODUCE k, n USING My.Reducer(3) PRESORT v;\n"
        "P = PROCESS R PRODUCE k USING My.Processor;\n"
        "C = COMBINE P WITH B ON P.k == B.k PRODUCE k USING My.Combiner;"
    )
    found = facts_of(text)

    assert (last(OperationKind.REDUCE, text).columns, last(OperationKind.REDUCE, text).functions) == (("k",), ("My.Reducer",))
    assert last(OperationKind.COMBINE, text).tables == ("a", "b")
    assert [(one.kind, one.line) for one in found.user_code] == [("reducer", 3), ("processor", 4), ("combiner", 5)]


@pytest.mark.parametrize(
    ("clause", "scheme", "columns", "buckets"),
    [
        ("HASH DISTRIBUTE BY k INTO 200", "hash", ("k",), 200),
        ("HASH CLUSTERED BY k, v INTO 50 BUCKETS", "hash", ("k", "v"), 50),
        ("RANGE PARTITION BY k", "range", ("k",), None),
        ("DISTRIBUTED BY ROUND ROBIN INTO 10", "round_robin", (), 10),
        ("PARTITIONED BY HASH (k, v) INTO 7", "hash", ("k", "v"), 7),
        ("CLUSTERED BY k SORTED BY v", "unknown", ("k",), None),
    ],
)
def test_how_rows_are_spread_is_read(clause: str, scheme: str, columns: tuple[str, ...], buckets: int | None) -> None:
    """T8."""
    found = facts_of(f'OUTPUT A TO SSTREAM "/out/x.ss" {clause};')

    assert [(one.scheme, one.columns, one.buckets, one.target) for one in found.partitionings] == [(scheme, columns, buckets, "x")]
    assert [one.kind.value for one in found.script.operations][-2:] == ["repartition", "write"]


@pytest.mark.parametrize("clause", ["HASH DISTRIBUTE BY k INTO 9", "DISTRIBUTED BY HASH (k)"])
def test_a_join_of_a_side_that_is_partitioned_by_its_keys_is_told_so(clause: str) -> None:
    """T8."""
    text = " ".join(("P = SELECT * FROM A", clause, ";\nJ = SELECT * FROM P AS x JOIN B AS y ON x.k == y.k;"))

    assert facts_of(text).joins[0].is_partitioned
    assert not facts_of(text.replace("x.k ==", "x.v ==").replace("y.k", "y.w")).joins[0].is_partitioned


def test_hints_to_the_optimiser_are_read_with_their_columns() -> None:
    """T8."""
    hints = facts_of("H = SELECT * FROM A OPTION(SKEWFACTOR(k) = 0.5, LOWDISTINCTNESS(k, v), ROWCOUNT = 500);").hints

    assert [(one.name, one.columns, one.value, one.line) for one in hints] == [
        ("SKEWFACTOR", ("k",), "0.5", 3),
        ("LOWDISTINCTNESS", ("k", "v"), "", 3),
        ("ROWCOUNT", (), "500", 3),
    ]


def test_csharp_is_told_where_it_stands() -> None:
    """T8: a method on a column, a lambda, a block; an aggregate is none."""
    code = "public class My : Processor {\n public static string Norm(string s) { return s; } }"
    text = "\n".join(("X = SELECT k.Trim() AS k FROM A WHERE v > 0;", "#CS", code, "#ENDCS"))
    found = facts_of(text)

    assert [(one.kind, one.name, one.line) for one in found.user_code] == [("expression", "k.Trim", 3), ("block", "My, Norm", 4)]
    assert found.script.functions == ("My", "Norm")
    assert facts_of("Y = SELECT SUM(v) AS s, COUNT() AS n FROM A;").user_code == ()


def test_usql_is_read_as_well() -> None:
    """T8: variables, file sets, quoted names, tables with their distribution, APPLY, INSERT."""
    text = """
CREATE TABLE IF NOT EXISTS dbo.Orders (Id long, CustomerId string,
  INDEX i CLUSTERED (CustomerId ASC) DISTRIBUTED BY HASH (CustomerId) INTO 20);
DECLARE @in string = @"/raw/{date:yyyy}/visits_{*}.csv";
@visits = EXTRACT CustomerId string, [Full Name] string FROM @in USING Extractors.Csv(skipFirstNRows: 1);
@j = SELECT v.[Full Name], o.Id FROM @visits AS v JOIN dbo.Orders AS o ON v.CustomerId == o.CustomerId
     CROSS APPLY EXPLODE(v.Tags.Split(',')) AS t(tag);
INSERT INTO dbo.Orders SELECT Id, CustomerId FROM @j;
"""
    found = read_scope(text)

    assert found.dialect is ScopeDialect.USQL
    assert [(one.left, one.right, one.is_partitioned) for one in found.joins] == [(("visits",), ("Orders",), True)]
    assert [(one.target, one.columns, one.buckets) for one in found.partitionings] == [("Orders", ("CustomerId",), 20)]
    assert [one.kind.value for one in found.script.operations] == ["read", "read", "join", "map", "select", "select", "write"]
    assert [one.kind for one in found.user_code] == []


def test_a_broken_statement_costs_itself_and_is_told_with_its_line() -> None:
    """T8: the statements around it are still read."""
    found = facts_of("X = SELECT v FROM (SELECT k FROM A;\nY = SELECT DISTINCT w FROM B;")

    assert [(one.line, said(one.reason)) for one in found.unread] == [(3, "A “(” is not closed.")]
    assert found.script.operations[-1].kind is OperationKind.DISTINCT


def test_lower_case_keywords_are_read_where_the_script_has_no_other() -> None:
    """T8: elsewhere they may be names of columns."""
    lower = read_scope('a = select k, count() as n from "t.ss" group by k;')
    upper = read_scope('A = SELECT from, to FROM "t.ss";')

    assert [one.kind.value for one in lower.script.operations] == ["read", "group", "select"]
    assert upper.script.operations[-1].columns == ("from", "to")


@pytest.mark.parametrize("text", ["", "import os\nprint(os)", "\x00\x01", "((((", "lorem ipsum", "a" * 1_000_001])
def test_a_text_that_is_no_script_is_told_so(text: str) -> None:
    """T8."""
    found = read_scope(text)

    assert found.script.unreadable
    assert found.script.operations == ()


def test_brackets_within_brackets_without_end_are_read_in_bounded_depth() -> None:
    """T8."""
    assert read_scope("A = SELECT x FROM " + "(SELECT x FROM " * 20_000).script.operations
