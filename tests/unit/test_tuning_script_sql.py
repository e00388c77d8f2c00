"""SQL inside of PySpark scripts: where it stands, and what it has to do with the tables around it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.code import OperationKind, ScriptOperation
from tests.support.said import said
from workers.engines.code.python_script import read_script

START = """from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.config("spark.sql.adaptive.enabled", False).getOrCreate()
a = spark.read.parquet("/w/orders")
a.createOrReplaceTempView("o")
T = "people"
"""


def last(kind: OperationKind, text: str) -> ScriptOperation:
    return [one for one in read_script(START + text).operations if one.kind is kind][-1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('spark.sql("select * from o join people p on o.k = p.id")', 6),
        ('q = """\n  select *\n  from o\n  join people p on o.k = p.id\n"""\nspark.sql(q)', 9),
        ('spark.sql("select * from o "\n  # in two parts\n  "join people p on o.k = p.id")', 8),
        ('q = "select * from o"\nq += " join people p on o.k = p.id"\nspark.sql(q)', 7),
        ('spark.sql("select * from o " + \\\n  "join people p on o.k = p.id")', 7),
        ('spark.sql(f\'select "ü\\n", {cols} from o join {T} p on o.k = p.id where d = "{day:%Y}"\')', 6),
        ('spark.sql("select {} from o join people p on o.k = p.id".format(cols))', 6),
        ('spark.sql("select %s from o join people p on o.k = p.id" % cols)', 6),
        ('spark.sql("select * from {x} join people p on {x}.k = p.id", x=a)', 6),
    ],
)
def test_a_join_in_a_string_stands_where_the_file_has_it(text: str, line: int) -> None:
    """T8: however the string is put together."""
    join = last(OperationKind.JOIN, text)

    assert (join.line, join.columns, join.tables) == (line, ("k", "id"), ("orders", "people"))
    assert join.column == (START + text).splitlines()[line - 1].index("join ")


def test_a_statement_is_followed_by_its_call_which_hands_its_result_on() -> None:
    """T8."""
    text = 'x = spark.sql("select k from o group by k")\nx.orderBy("k")'

    operations = read_script(START + text).operations

    assert [one.kind.value for one in operations] == ["read", "group", "select", "sql", "sort"]
    assert [one.inputs for one in operations] == [(), (0,), (1,), (2,), (3,)]
    assert {one.variable for one in operations[1:4]} == {"x"}


def test_a_view_that_sql_makes_is_known_to_later_calls() -> None:
    """T8."""
    text = 'spark.sql("create temp view v as select k from o")\nspark.table("v").join(spark.sql("select * from v"), "k")'

    assert last(OperationKind.JOIN, text).tables == ("orders",)


def test_settings_by_sql_and_by_the_builder_are_read() -> None:
    """T8."""
    script = read_script(START + 'spark.sql("set spark.sql.shuffle.partitions=64")')

    assert script.settings == {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "64"}
    assert not [one for one in script.operations if one.kind is OperationKind.SQL]


@pytest.mark.parametrize(
    "call",
    ['selectExpr("k", "sum(v) over (partition by k, r) as s")', 'withColumn("s", F.expr("rank() over (partition by k, r order by t)"))'],
)
def test_a_window_in_an_expression_of_sql_is_read(call: str) -> None:
    """T8."""
    assert last(OperationKind.WINDOW, f"a.{call}").columns == ("k", "r")


def test_columns_in_expressions_of_sql_are_read_without_its_words() -> None:
    """T8."""
    assert last(OperationKind.FILTER, "a.where(\"x > 1 and upper(y) in ('b')\")").columns == ("x", "y")


def test_a_hint_marks_its_side_for_broadcast() -> None:
    """T8."""
    assert last(OperationKind.JOIN, 'a.join(spark.table("b").hint("broadcast"), "k")').is_broadcast


def test_a_statement_that_cannot_be_read_is_told_with_its_line_and_the_rest_is_read() -> None:
    """T8."""
    script = read_script(START + 'spark.sql("""select *\nform o""")\na.orderBy("k")')

    assert script.operations[-1].kind is OperationKind.SORT
    assert said(script.unreadable) == "The SQL in line 7 cannot be read: its grammar is not understood from here on."


@settings(deadline=None)
@given(st.text(alphabet="ab{}%'\"\\\n fr+=.sqlk(),#", max_size=120))
def test_no_string_breaks_the_reader(text: str) -> None:
    """T8."""
    for form in ('q = f"""{}"""\nspark.sql(q)', 'q = "x"\n{}\nspark.sql(q)', "spark.sql({})"):
        read_script(START + form.replace("{}", text))
