"""Rewrites of the user's script: by position, so that everything around them stays; never a script that is no Python any more.

The rewrites of joins and groupings were run on Spark 3.5 against the scripts they come from, with the same rows as the result."""

import ast
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.code import OperationKind, ScriptOperation
from contracts.verdicts import ScriptSpot
from tests.support.advice import script_of
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites import chains, groups, joins
from workers.kinds.tune.rules.advice.rewrites.patches import Edit, apply_diff, apply_edits, diff_of
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.advice.rewrites.sql_hints import broadcast_hint

HEAD = 'from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\ndf = spark.read.parquet("/w/orders")\n'
DIM = 'dim = spark.read.parquet("/w/dim")\n'


def spot_of(one: ScriptOperation) -> ScriptSpot:
    return ScriptSpot(line=one.line, column=one.column, operation=one.kind.value, text=one.text)


def spots(script: NamedScript, kind: OperationKind) -> list[ScriptSpot]:
    return [spot_of(one) for one in script.facts.operations if one.kind is kind]


def without(text: str, kind: OperationKind) -> str:
    script = script_of(text)
    source = Source.read(text)
    assert source is not None
    calls = [call for spot in spots(script, kind) for call in [source.call_at(spot)] if call]
    return apply_diff(chains.without_calls(script, source, calls), text) or ""


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('x = df.repartition(8).filter("a > 1")\n', 'x = df.filter("a > 1")\n'),
        ('df = df.repartition("k")\ndf.count()\n', "df.count()\n"),
        ('x = df.repartition(1).repartition("k").count()\n', "x = df.count()\n"),
        (
            '步 = "订单"; x = df.repartition(8).filter("a > 1")  # 按键\n',
            '步 = "订单"; x = df.filter("a > 1")  # 按键\n',
        ),
        (
            'x = (\n    df  # all of it\n    .repartition(8)  # why?\n    .filter("a > 1")\n)\n',
            'x = (\n    df  # all of it\n    .filter("a > 1")\n)\n',
        ),
        ('x = df \\\n    .repartition(8) \\\n    .filter("a > 1")\n', 'x = df \\\n    .filter("a > 1")\n'),
        ('x = df.filter("a > 1") \\\n    .repartition(8)\n', 'x = df.filter("a > 1")\n'),
        ("if True:\n    df = df.repartition(8)\n", "if True:\n    df = df\n"),
    ],
)
def test_a_call_goes_and_what_stands_around_it_stays(written: str, left: str) -> None:
    """T31: comments, indentation and letters of several bytes; a block is never left empty."""
    new = without(HEAD + written, OperationKind.REPARTITION)

    assert new == HEAD + left


def test_a_script_without_a_line_break_at_its_end_or_with_windows_ones_keeps_that() -> None:
    """T31."""
    assert without(HEAD + "x = df.repartition(8).count()", OperationKind.REPARTITION) == HEAD + "x = df.count()"
    windows = HEAD.replace("\n", "\r\n")
    assert without(windows + "x = df.repartition(8).count()\r\n", OperationKind.REPARTITION) == windows + "x = df.count()\r\n"


def test_the_import_that_a_rewrite_needs_is_added_once_and_a_known_alias_is_used() -> None:
    """T31."""
    text = HEAD + DIM + 'df.join(dim, "k").count()\n'
    known = text.replace("import SparkSession", "import SparkSession, functions as fn")
    taken = text + "F = 1\n"

    made = [
        apply_diff(joins.with_broadcast(s, src, spots(s, OperationKind.JOIN)[0], of_right=True), s.text)
        for s, src in map(read, (text, known, taken))
    ]

    assert made[0] is not None
    assert "from pyspark.sql import functions as F\n" in made[0]
    assert 'df.join(F.broadcast(dim), "k").count()' in made[0]
    assert made[1] == known.replace("join(dim,", "join(fn.broadcast(dim),")
    assert made[2] is not None
    assert 'df.join(sf.broadcast(dim), "k")' in made[2]


def broadcast(text: str) -> str | None:
    script, source = read(text)
    return apply_diff(joins.with_broadcast(script, source, spots(script, OperationKind.JOIN)[0], of_right=True), text)


def read(text: str) -> tuple[NamedScript, Source]:
    source = Source.read(text)
    assert source is not None
    return script_of(text), source


@pytest.mark.parametrize("how", ["", ', "left"', ', how="left_semi"', ', "anti"'])
def test_hot_keys_of_the_left_side_are_joined_apart(how: str) -> None:
    """T3, T31: for these joins each row of the left side decides alone; a null key stays where it is no inner join."""
    text = HEAD + DIM + f'is_hot = 1\nout = df.join(dim, "k"{how}).filter("a > 1")\n'
    script, source = read(text)
    join = joins.read_join(source, spots(script, OperationKind.JOIN)[0])
    assert join is not None

    new = apply_diff(joins.split_by_keys(script, join, "k", ["-1", "it's"], "string"), text)

    assert new is not None
    ast.parse(new)
    assert """.isin("-1", "it's")""" in new
    assert "is_hot_2 = " in new  # the name was taken
    assert ("coalesce" in new) == bool(how)
    assert f'df.filter(~is_hot_2).join(dim, "k"{how}).union(hot_rows).filter("a > 1")' in new


@pytest.mark.parametrize("how", ["", ', "left"', ', how="left_anti"'])
@pytest.mark.parametrize("condition", ["df.k == dim.k", 'dim["k"] == df["k"]', "df.k == dim.id"])
def test_a_join_by_an_equality_is_cut_too(condition: str, how: str) -> None:
    """T31: run on Spark 3.5.9 for four kinds of join, and with a column of either table chosen afterwards: the same rows."""
    text = HEAD + DIM + f"out = df.join(dim, {condition}{how})\n"
    script, source = read(text)
    join = joins.read_join(source, spots(script, OperationKind.JOIN)[0])
    assert join is not None

    by_salt = apply_diff(joins.salted(script, join, 8), text) or ""
    assert f'salted.join(copies, ({condition}) & (salted["salt"] == copies["salt"])' in by_salt
    by_keys = joins.split_by_keys(script, join, "k", ["7"], "int")
    assert bool(by_keys) == ("id" not in condition)  # the right side's column has another name
    assert not by_keys or f"df.filter(~is_hot).join(dim, {condition}{how}).union(hot_rows)" in (apply_diff(by_keys, text) or "")


@pytest.mark.parametrize(
    "call", ['df.join(dim, "k", "full")', 'df.join(dim, "k", "right")', "df.join(dim, df.k >= dim.k)", "df.join(dim, on=keys)"]
)
def test_a_join_that_cannot_be_cut_safely_gets_no_diff(call: str) -> None:
    """T31."""
    text = HEAD + DIM + f"keys = make()\nout = {call}\n"
    script, source = read(text)
    join = joins.read_join(source, spots(script, OperationKind.JOIN)[0])

    assert join is None or joins.split_by_keys(script, join, "k", ["1"], "int") == joins.salted(script, join, 8) == ""


@pytest.mark.parametrize("around", ["f = lambda: {}\n", "x = [{} for i in range(3)]\n", "x = {} if a else None\n"])
def test_a_join_that_is_not_computed_at_once_gets_no_lines_before_it(around: str) -> None:
    """T31."""
    text = HEAD + DIM + "a = 1\n" + around.format('df.join(dim, "k")')
    script, source = read(text)

    assert all(joins.read_join(source, spot) is None for spot in spots(script, OperationKind.JOIN))


def test_an_aggregate_that_cannot_be_added_up_is_not_cut_in_two() -> None:
    """T3, T31: an average of averages is another number."""
    text = HEAD + 'import pyspark.sql.functions as F\nout = df.groupBy("k").agg(F.avg("a").alias("m"))\n'
    script, source = read(text)

    assert groups.in_two_stages(script, source, spots(script, OperationKind.GROUP)[0], 8) == ""


@pytest.mark.parametrize(
    "after",
    [
        'out.select("k", "items").count()\n',
        'out.select("k", F.size("items").alias("n"), F.col("items")).count()\n',
        'out.write.parquet("/w/out")\n',
        'out.select(F.size("items"))\nout.count()\n',
    ],
)
def test_a_list_that_is_used_for_more_than_its_size_is_not_replaced(after: str) -> None:
    """T31."""
    text = HEAD + 'import pyspark.sql.functions as F\nout = df.groupBy("k").agg(F.collect_list("a").alias("items"))\n' + after
    script, source = read(text)

    assert groups.counted_instead(script, source, spots(script, OperationKind.GROUP)[0]) == ("", "")


def test_sql_gets_a_hint_where_one_select_can_be_meant() -> None:
    """T4, T31."""
    one = 'spark.sql("""\nSELECT a, b\nFROM db.big x JOIN db.small s ON x.k = s.k\n""").count()\n'
    two = "SELECT a FROM (SELECT k, a FROM big) x JOIN small ON x.k = small.k;\n"

    hinted = apply_diff(broadcast_hint(script_of(HEAD + one), 4, "small"), HEAD + one)

    assert hinted is not None
    assert "SELECT /*+ BROADCAST(s) */ a, b" in hinted
    assert broadcast_hint(script_of(two, "job.sql"), 1, "small") == ""


@given(st.text(alphabet="ab \n\r\té中\x0c-+@\\", max_size=60), st.text(alphabet="ab \n\r\té中\x0c-+@\\", max_size=60))
def test_a_diff_applied_gives_the_new_text_again(old: str, new: str) -> None:
    """T31: for any two texts, ends without a line break and odd white space included."""
    diff = diff_of("job.py", old, new)

    assert (apply_diff(diff, old) if diff else old) == new


@given(st.text(max_size=80), st.text(max_size=40))
def test_a_diff_of_anything_never_raises(diff: str, text: str) -> None:
    """T31: a model may write what it likes."""
    apply_diff(diff, text)
    apply_diff(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n{diff}", text)


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.text(max_size=3)), max_size=4))
def test_edits_that_overlap_make_no_text(text: str, edits: list[tuple[int, int, str]]) -> None:
    """T31."""
    ordered = sorted((Edit(min(a, b), max(a, b), new) for a, b, new in edits), key=lambda edit: (edit.start, edit.end))
    overlap = any(left.end > right.start for left, right in pairwise(ordered))

    assert (apply_edits(text, ordered) is None) == overlap
