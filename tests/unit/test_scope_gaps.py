"""Forms of SCOPE and U-SQL that were named as not read."""

from contracts.code import OperationKind
from workers.engines.scope.script import read_scope

FUNCTION = """DECLARE FUNCTION db.f(@d string)
RETURNS @r TABLE(a int)
AS BEGIN
  @x = EXTRACT a int, b string FROM "/in/x.tsv" USING Extractors.Tsv();
  @r = SELECT a FROM @x WHERE b == @d;
END;
@q = db.dbo.f("x");
OUTPUT @q TO "/o.tsv" USING Outputters.Tsv();
"""


def test_an_extract_within_a_declared_function_is_read_and_flows_on() -> None:
    """T11: the first statement behind BEGIN was lost with the function's head."""
    found = read_scope(FUNCTION)
    reads = [(operation.line, operation.tables, operation.variable) for operation in found.script.operations if operation.kind == "read"]

    assert reads == [(4, ("x",), "@x"), (7, ("f",), "@q")]
    assert [operation.tables for operation in found.script.operations if operation.kind is OperationKind.FILTER] == [("x",)]
    assert found.unread == ()


def test_a_clustered_index_tells_how_a_table_is_distributed() -> None:
    """T11."""
    text = 'CREATE CLUSTERED INDEX i ON db.dbo.T (a ASC) DISTRIBUTED BY HASH(b) INTO 10;\n@a = SELECT b FROM T AS t;\nOUTPUT @a TO "/x";\n'
    (partitioning,) = read_scope(text).partitionings

    assert (partitioning.target, partitioning.scheme, partitioning.columns, partitioning.buckets) == ("T", "hash", ("b",), 10)


def test_a_name_of_three_parts_is_one_table() -> None:
    """T11: `db` was taken for what is read."""
    text = '@a = SELECT t.a FROM db.dbo.Trips AS t JOIN "db2".dbo.U AS u ON t.a == u.a;\nOUTPUT @a TO "/x";\n'
    reads = [operation for operation in read_scope(text).script.operations if operation.kind is OperationKind.READ]

    assert (reads[0].text, reads[0].tables) == ("db.dbo.Trips", ("Trips",))


def test_a_join_by_the_columns_of_a_clustered_index_is_partitioned() -> None:
    """T11: the index is defined with the table's full name, which a script reads without its database."""
    text = """CREATE CLUSTERED INDEX i ON db.dbo.T (a ASC) DISTRIBUTED BY HASH(a);
@x = EXTRACT a int FROM "/in" USING Extractors.Tsv();
@j = SELECT x.a FROM @x AS x JOIN dbo.T AS t ON x.a == t.a;
OUTPUT @j TO "/x" USING Outputters.Tsv();
"""
    (join,) = read_scope(text).joins

    assert join.is_partitioned
