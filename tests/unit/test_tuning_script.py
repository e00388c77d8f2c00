"""PySpark scripts read by their syntax tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.code import OperationKind, ScriptOperation
from workers.engines.code.python_script import read_script

START = """from pyspark.sql import SparkSession, functions as F, Window
spark = SparkSession.builder.getOrCreate()
a = spark.read.parquet("/w/a")
b = spark.table("shop.b")
"""


def last(kind: OperationKind, text: str) -> ScriptOperation:
    return [one for one in read_script(START + text).operations if one.kind is kind][-1]


@pytest.mark.parametrize(
    "call",
    [
        'a.join(b, "k")',
        'a.join(b, ["k"], "left")',
        'a.join(b, on="k")',
        "a.join(b, a.k == b.k)",
        'a.join(b, F.col("k") == 1)',
        'a.join(F.broadcast(b), "k")',
    ],
)
def test_a_join_is_read_with_its_keys_and_both_tables(call: str) -> None:
    """T8."""
    join = last(OperationKind.JOIN, f"x = {call}")

    assert (join.columns, join.tables, join.line, join.variable) == (("k",), ("a", "b"), 5, "x")
    assert join.is_broadcast is ("broadcast" in call)


def test_a_call_in_a_chain_over_lines_stands_where_its_own_name_stands() -> None:
    """T8."""
    group = last(OperationKind.GROUP, '(a\n  .filter("x > 1")\n  .groupBy("k", F.col("r"))\n  .agg(F.collect_list("v")))')

    assert (group.line, group.column, group.columns, group.functions) == (7, 3, ("k", "r"), ("collect_list",))


def test_names_are_followed_through_assignments_functions_and_branches() -> None:
    """T8."""
    text = 'if True:\n    c = a.filter("x > 1")\ndef slim(df):\n    return df.select("k")\nd = slim(c)\n'
    text += 'd.repartition(8, "k").write.save("/out")'

    repartition = last(OperationKind.REPARTITION, text)

    assert (repartition.tables, repartition.columns, repartition.count) == (("a",), ("k",), 8)
    assert last(OperationKind.WRITE, text).tables == ("a",)


def test_a_window_is_read_with_its_partition_keys() -> None:
    """T8."""
    window = last(OperationKind.WINDOW, 'w = Window.partitionBy("k").orderBy("t")\na.withColumn("n", F.row_number().over(w))')

    assert window.columns == ("k",)


def test_a_users_own_function_is_named() -> None:
    """T8."""
    assert last(OperationKind.MAP, "def f(it):\n    return it\na.rdd.mapPartitions(f).count()").functions == ("f",)


def test_a_statement_in_sql_is_read_with_its_tables() -> None:
    """T8."""
    assert last(OperationKind.SQL, 'spark.sql("select * from shop.a join `shop`.`b` on a.k = b.k")').tables == ("a", "b")


def test_settings_that_the_script_makes_are_read() -> None:
    """T8."""
    facts = read_script('spark.conf.set("spark.sql.shuffle.partitions", 2000)')

    assert facts.settings == {"spark.sql.shuffle.partitions": "2000"}


@pytest.mark.parametrize("text", ["object Job extends App {", "select 1 from", "x = (", "\x00", "a" * 1_000_001, "(" * 500])
def test_a_text_that_is_no_python_is_told_so(text: str) -> None:
    """T8: nothing is raised and nothing is run."""
    facts = read_script(text)

    assert facts.unreadable
    assert facts.operations == ()


def test_what_python_warns_of_in_a_script_is_kept_quiet() -> None:
    """T8: a warning would show a user's text on our own streams."""
    assert len(read_script(START + "x = '\\d'").operations) == 2


def test_a_script_with_a_byte_order_mark_is_read() -> None:
    """T8: editors on Windows write one."""
    assert len(read_script("\ufeff" + START).operations) == 2


@given(st.text(alphabet="ab.()\"'=\n\t []{},:#sparkjoin0", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    """T8."""
    read_script(START + text)


@pytest.mark.parametrize(
    ("text", "line", "count"),
    [
        ("rows = spark.sparkContext.parallelize(\n  range(500),\n  400)", 5, 400),
        ("slices = 300\nrows = spark.sparkContext.parallelize(range(500), numSlices=slices)", 6, 300),
        ("rows = spark.range(0, 900, 1, 20)", 5, 20),
    ],
)
def test_rows_that_the_script_makes_have_a_place_and_a_number_of_partitions(text: str, line: int, count: int) -> None:
    """T8: tiny tasks may come from there."""
    read = last(OperationKind.READ, text)

    assert (read.line, read.count) == (line, count)


def test_a_call_inside_the_making_of_a_table_is_read() -> None:
    """T8: rows through Python and back."""
    mapped = last(OperationKind.MAP, 'def f(row):\n    return row\nc = spark.createDataFrame(a.rdd.map(f), "k string")\nc.distinct()')
    distinct = last(OperationKind.DISTINCT, "c = spark.createDataFrame(a.rdd.map(lambda row: row))\nd = c.distinct()")

    assert (mapped.line, mapped.functions, mapped.tables) == (7, ("f",), ("a",))
    assert distinct.tables == ("a",)


def test_tables_are_followed_through_the_attributes_and_methods_of_a_class() -> None:
    """T8."""
    text = "class Job:\n    def __init__(self, spark):\n        self.a = spark.table('a')\n        self.b, c = spark.table('b'), 1\n"
    text += "    def both(self):\n        return self.a.join(self.b, 'k')\n    def run(self):\n        self.both().groupBy('r').count()\n"

    join, group = last(OperationKind.JOIN, text), last(OperationKind.GROUP, text)

    assert (join.line, join.tables, group.line, group.tables, group.inputs) == (10, ("a", "b"), 12, ("a", "b"), (join.number,))


def test_what_a_function_hands_back_is_followed() -> None:
    """T8: a reader of its own, given a path and no table."""
    text = "def load(name):\n    return spark.read.parquet('/w/' + name)\nrows = load('c')\nrows.groupBy('k').count()"

    group = last(OperationKind.GROUP, text)

    assert group.inputs == (last(OperationKind.READ, text).number,)


def test_the_sum_of_numbers_is_an_action_and_that_of_a_group_is_none() -> None:
    """T8."""
    assert last(OperationKind.ACTION, "n = spark.sparkContext.parallelize(range(9), 3)\nn.map(abs).sum()").line == 6
    assert not [one for one in read_script(START + "a.groupBy('k').sum()").operations if one.kind is OperationKind.ACTION]


@pytest.mark.parametrize("wrap", ['F.udf(f, "string")', "udf(f)", 'F.pandas_udf(f, "string")'])
def test_a_function_that_a_udf_is_made_of_is_known_where_the_udf_is_used(wrap: str) -> None:
    """T8: the plan names the function, the script the variable."""
    select = last(OperationKind.SELECT, f'def f(x):\n    return x\ng = {wrap}\na.select(g(F.col("k")).alias("n"))')
    assert "f" in select.functions


@pytest.mark.parametrize("path", ["/lake/ods/scan_event", "/lake/ods/scan_event/dt=2026-11-28", "/lake/scan_event/dt=2026-11-28/hour=04/*"])
def test_a_partition_that_is_read_belongs_to_its_table(path: str) -> None:
    """What is known of the table, its hot keys above all, was lost."""
    assert last(OperationKind.READ, f'x = spark.read.parquet("{path}")').tables == ("scan_event",)
