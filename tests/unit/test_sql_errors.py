"""What engines say, read: invented names in the wording of each engine."""

import json

import pytest

from contracts.sql_errors import SqlErrorKind as Kind
from workers.engines.sql.errors import in_order_of_likeness, read_error

MESSAGES = [
    ("sqlite", 'near "FORM": syntax error', Kind.SYNTAX, ()),
    ("sqlite", "no such table: shops", Kind.UNKNOWN_TABLE, ("shops",)),
    ("sqlite", "no such column: s.nme", Kind.UNKNOWN_COLUMN, ("s.nme",)),
    ("sqlite", "no such function: NOW", Kind.UNKNOWN_FUNCTION, ("NOW",)),
    ("sqlite", "ambiguous column name: id", Kind.AMBIGUOUS_NAME, ("id",)),
    ("sqlite", "misuse of aggregate: SUM()", Kind.MISPLACED_AGGREGATE, ("SUM",)),
    ("postgres", 'relation "shops" does not exist\nLINE 1: SELECT * FROM shops\n                      ^', Kind.UNKNOWN_TABLE, ("shops",)),
    ("postgresql", 'column s.nme does not exist\nHINT:  Perhaps you meant to reference the column "s.name".',
     Kind.UNKNOWN_COLUMN, ("s.nme",)),
    ("postgres", "operator does not exist: boolean = integer", Kind.TYPE_MISMATCH, ("boolean = integer",)),
    ("postgres", "function strftime(unknown, date) does not exist", Kind.UNKNOWN_FUNCTION, ("strftime",)),
    ("postgres", 'column "s.name" must appear in the GROUP BY clause or be used in an aggregate function', Kind.NOT_GROUPED, ("s.name",)),
    ("postgres", "aggregate functions are not allowed in WHERE", Kind.MISPLACED_AGGREGATE, ()),
    ("postgres", "permission denied for table shops", Kind.PERMISSION, ()),
    ("duckdb", "Catalog Error: Table with name shops does not exist!\nDid you mean \"shop\"?", Kind.UNKNOWN_TABLE, ("shops",)),
    ("duckdb", 'Binder Error: Referenced column "nme" not found in FROM clause!\nCandidate bindings: "name", "age"',
     Kind.UNKNOWN_COLUMN, ("nme",)),
    ("mysql", "(1054, \"Unknown column 's.nme' in 'field list'\")", Kind.UNKNOWN_COLUMN, ("s.nme",)),
    ("mariadb", "Table 'db.shops' doesn't exist", Kind.UNKNOWN_TABLE, ("db.shops",)),
    ("mssql", "Invalid column name 'nme'.", Kind.UNKNOWN_COLUMN, ("nme",)),
    ("oracle", 'ORA-00904: "NME": invalid identifier', Kind.UNKNOWN_COLUMN, ("NME",)),
    ("trino", "line 1:8: Column 'nme' cannot be resolved", Kind.UNKNOWN_COLUMN, ("nme",)),
    ("spark", "cannot resolve 'nme' given input columns: [s.name, s.age]; line 1 pos 7", Kind.UNKNOWN_COLUMN, ("nme",)),
    ("", "Unknown column 'nme' in 'where clause'", Kind.UNKNOWN_COLUMN, ("nme",)),
    ("postgres", "the moon is full", Kind.OTHER, ()),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "message", "kind", "names"), MESSAGES)
def test_a_message_is_read_into_its_kind_and_its_names(engine: str, message: str, kind: Kind, names: tuple[str, ...]) -> None:
    error = read_error(message, engine)

    assert (error.kind, error.names) == (kind, names)


def test_the_place_is_the_one_under_the_caret() -> None:
    error = read_error('syntax error at or near "FORM"\nLINE 1: SELECT name FORM shops\n                    ^', "postgres")

    assert (error.near, error.line, error.column) == ("FORM", 1, 13)


@pytest.mark.parametrize(
    ("engine", "message", "proposals"),
    [
        ("postgres", 'column s.nme does not exist\nHINT:  Perhaps you meant to reference the column "s.name".', ("s.name",)),
        ("duckdb", 'Binder Error: Referenced column "nme" not found in FROM clause!\nCandidate bindings: "name", "age"', ("name", "age")),
        ("spark", "cannot resolve 'nme' given input columns: [s.name, s.age]; line 1 pos 7", ("s.name", "s.age")),
    ],
)
def test_what_the_engine_proposes_is_kept_in_its_order(engine: str, message: str, proposals: tuple[str, ...]) -> None:
    assert read_error(message, engine).proposals == proposals


SPARK_TEXT = (
    "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column or function parameter with name `nme` cannot be resolved. "
    "Did you mean one of the following? [`name`, `age`].; line 2 pos 7;\n'Project ['nme]"
)


def test_a_class_at_the_head_of_sparks_message_is_read_with_its_proposals() -> None:
    error = read_error(SPARK_TEXT, "spark")

    assert (error.kind, error.engine_class) == (Kind.UNKNOWN_COLUMN, "UNRESOLVED_COLUMN.WITH_SUGGESTION")
    assert (error.names, error.proposals) == (("nme",), ("name", "age"))


def test_sparks_json_is_read_like_its_text() -> None:
    message = json.dumps(
        {
            "errorClass": "AMBIGUOUS_REFERENCE",
            "messageParameters": {"name": "`id`", "referenceNames": "[`a`.`id`, `b`.`id`]"},
            "queryContext": [{"fragment": "id"}],
        }
    )

    error = read_error(message, "databricks")

    assert (error.kind, error.names, error.near, error.proposals) == (Kind.AMBIGUOUS_NAME, ("id",), "id", ("a.id", "b.id"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", Kind.TYPE_MISMATCH),
        ("DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", Kind.WINDOW),
        ("SOME_NEW_OVERFLOW_OF_TOMORROW", Kind.OVERFLOW),
    ],
)
def test_a_class_that_is_not_listed_is_placed_by_its_words(name: str, kind: Kind) -> None:
    assert read_error(f"[{name}] Something happened.", "spark").kind is kind


@pytest.mark.parametrize(
    "message", ["", "{", '{"errorClass": 3}', '{"errorClass": null, "queryContext": 5}', "[" * 5000, '"errorClass"' + "{" * 5000]
)
def test_no_message_breaks_the_reader(message: str) -> None:
    assert read_error(message, "spark").engine == "spark"


def test_names_come_by_their_distance_without_a_shared_qualifier() -> None:
    assert in_order_of_likeness("nme", ["t.age", "t.name", "t.city"]) == ("t.name", "t.age", "t.city")
