"""The terminal shows what the read side hands it; it asks the database nothing itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import workers.cli

CLI = Path(workers.cli.__file__).parent

SQL = re.compile(
    r"\b(SELECT\s.+\bFROM\b|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\s|SELECT\s+(count|max|min|EXISTS|current_setting)\b)",
    re.DOTALL,
)


def texts_in(source: str) -> Iterator[tuple[int, str]]:
    """Every string of a module with its line; the constant parts of an f-string joined."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                " ".join(part.value for part in node.values if isinstance(part, ast.Constant) and isinstance(part.value, str)),
            )


def test_no_command_has_sql_of_its_own() -> None:
    found = [
        f"{path.name}:{line}: {text[:60]}"
        for path in sorted(CLI.rglob("*.py"))
        for line, text in texts_in(path.read_text(encoding="utf-8"))
        if SQL.search(text)
    ]

    assert found == []


def test_no_command_runs_a_statement() -> None:
    asked = re.compile(r"\.(statement|execute|unit_of_work|session)\(")

    assert [path.name for path in sorted(CLI.rglob("*.py")) if asked.search(path.read_text(encoding="utf-8"))] == []


def test_the_test_knows_sql_when_it_sees_it() -> None:
    seen = [
        "SELECT id FROM jobs",
        "select",
        "INSERT INTO x VALUES (1)",
        "UPDATE jobs SET a = 1",
        "DELETE FROM events",
        "Delete finished jobs from the list",
    ]

    assert [bool(SQL.search(text)) for text in seen] == [True, False, True, True, True, False]
