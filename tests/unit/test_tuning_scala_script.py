"""Scala scripts, read by their syntax tree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.code import OperationKind, ScriptOperation
from tests.support.said import said
from workers.engines.code.scala_script import read_scala

START = """package jobs // written for these tests
object Job extends App {
  val spark = SparkSession.builder().config("spark.sql.shuffle.partitions", "200").getOrCreate()
  val base = "/w"
  val a = spark.read.option("header", true).parquet(s"$base/a")
  val b: DataFrame = spark.table("shop.b")
"""


def last(kind: OperationKind, text: str) -> ScriptOperation:
    return [one for one in read_scala(START + text + "\n}\n").operations if one.kind is kind][-1]


@pytest.mark.parametrize(
    ("call", "columns"),
    [
        ('a.join(b, "k")', ("k",)),
        ('a.join(b, Seq("k", "j"), "left")', ("k", "j")),
        ('a.join(broadcast(b), a("k") === b("k"))', ("k",)),
        ('a.as("x").join(b.as("y"), $"x.k" === $"y.j")', ("k", "j")),
        ('a join (b, "k")', ("k",)),
        ("a.crossJoin(b)", ()),
    ],
)
def test_a_join_is_read_with_its_keys_and_both_tables(call: str, columns: tuple[str, ...]) -> None:
    """T8."""
    join = last(OperationKind.JOIN, f"  val x = {call}")

    assert (join.columns, join.tables, join.line, join.variable) == (columns, ("a", "b"), 7, "x")
    assert join.is_broadcast is ("broadcast" in call)


def test_a_call_in_a_chain_over_lines_stands_where_its_own_name_stands() -> None:
    """T8."""
    group = last(OperationKind.GROUP, '  a.filter($"x" > 1)\n    .groupBy($"k", \'r, col("s"))\n    .agg(collect_list("v"))')

    assert (group.line, group.column, group.columns, group.functions) == (8, 5, ("k", "r", "s"), ("collect_list",))
    assert group.text == 'groupBy($"k", \'r, col("s"))'


def test_the_calls_on_an_rdd_are_read_in_their_order() -> None:
    """T8: a call with two lists of arguments is one call, and one without brackets is a call too."""
    text = '  def parse(l: String) = l.split(",")\n  sc.textFile("/x/logs").map(l => (parse(l)(0), 1))'
    text += ".aggregateByKey(0)(_ + _, _ + _).distinct.count"

    operations = read_scala(START + text + "\n}").operations[2:]

    assert [one.kind.value for one in operations] == ["read", "map", "group", "distinct", "action"]
    assert operations[1].functions == ("parse",)
    assert [one.inputs for one in operations[1:]] == [(2,), (3,), (4,), (5,)]


def test_the_field_that_a_lambda_gives_as_key_is_the_key() -> None:
    """T8."""
    assert last(OperationKind.GROUP, "  a.as[Order].groupByKey(o => o.customerId).count").columns == ("customerId",)
    assert last(OperationKind.GROUP, "  a.as[Order].groupByKey(_.customerId).count").columns == ("customerId",)


def test_names_are_followed_into_methods_and_branches() -> None:
    """T8."""
    text = '  def slim(df: DataFrame): DataFrame = { df.select("k") }\n  if (x) {\n    val w = Window.partitionBy("k")\n'
    text += '    slim(a).withColumn("n", row_number().over(w)).write.mode("overwrite").parquet("/out")\n  }'

    assert last(OperationKind.WINDOW, text).columns == ("k",)
    assert last(OperationKind.WRITE, text).tables == ("a",)


def test_sql_with_margins_is_read_with_the_lines_of_the_file() -> None:
    """T8."""
    text = '  a.createOrReplaceTempView("o")\n  val q = spark.sql("""\n    |select * from o\n'
    text += '    |  join shop.b on o.k = b.j\n    """.stripMargin)'

    join = last(OperationKind.JOIN, text)

    assert (join.line, join.column, join.columns, join.tables) == (10, 7, ("k", "j"), ("a", "b"))
    assert join.variable == "q"


def test_settings_and_interpolated_names_are_read() -> None:
    """T8."""
    text = '  val t = "orders"\n  spark.sql(s"select * from $t where d = \'${day}\'")\n}'

    script = read_scala(START + text)

    assert script.settings == {"spark.sql.shuffle.partitions": "200"}
    assert script.operations[-1].tables == ("orders",)
    assert script.language == "scala"


def test_a_broken_script_is_read_as_far_as_it_goes() -> None:
    """T8."""
    script = read_scala(START + "  val x = = \n  )\n")

    assert len(script.operations) == 2
    assert script.unreadable
    assert said(script.unreadable).startswith("The script is not all Scala: see line ")


@pytest.mark.parametrize("text", ["val x = " + "(" * 20_000, "a" + ".map(x)" * 5_000, "a + " * 5_000 + "1", "a" * 1_000_001])
def test_a_script_that_is_too_deep_or_too_long_raises_nothing(text: str) -> None:
    """T8."""
    assert read_scala(text).operations == ()


CALLS = ("val x = ", "a", ".join(", "b", '"k"', ")", "spark.sql(", "def f(df) = ", ".")
MARKS = ("$", '"""', "\n", "{", "}", "=>", "s", "'", "|", "(", "ä")
PIECES = st.sampled_from([*CALLS, *MARKS])


@settings(deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=50).map("".join)))
def test_no_text_breaks_the_reader(text: str) -> None:
    """T8."""
    script = read_scala(START + text)

    assert [one.number for one in script.operations] == list(range(len(script.operations)))
