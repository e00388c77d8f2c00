"""A list of rows that is limited and locked is made once, before what is done with it.

`DELETE ... WHERE id IN (SELECT ... LIMIT 100 FOR UPDATE SKIP LOCKED)` may run the list once a row: Postgres is free to plan a nested
loop, the rows that are gone are skipped, and the next hundred take their place until none is left. A materialised list is made once.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONCE = "AS MATERIALIZED"


def strings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)  # pyright: ignore[reportArgumentType]


def enclosing(statement: str, place: int) -> list[str]:
    """What stands before each parenthesis that is open at `place`, the innermost first."""
    before: list[str] = []
    closed = 0
    for at in range(place - 1, -1, -1):
        if statement[at] == ")":
            closed += 1
        elif statement[at] == "(" and closed:
            closed -= 1
        elif statement[at] == "(":
            before.append(statement[:at].rstrip())
    return before


def is_made_once(statement: str) -> bool:
    """Whether each locked and limited list of the statement is the statement itself or stands in a materialised list."""
    start = 0
    while (place := statement.find("FOR UPDATE", start)) >= 0:
        start = place + 1
        around = enclosing(statement, place)
        if around and not any(before.endswith(ONCE) for before in around):
            return False
    return True


def locking() -> Iterator[str]:
    """The texts of all modules that lock rows."""
    for path in sorted((ROOT / "workers").rglob("*.py")):
        text = path.read_text("utf-8")
        if "FOR UPDATE" in text:
            yield from (string for string in strings(text) if "FOR UPDATE" in string)


def test_locked_and_limited_lists_are_made_once() -> None:
    assert [text for text in locking() if "LIMIT" in text and not is_made_once(text)] == []


def test_what_the_check_finds() -> None:
    assert not is_made_once("DELETE FROM a WHERE id IN (SELECT id FROM a LIMIT 1 FOR UPDATE SKIP LOCKED)")
    assert not is_made_once("WITH c AS (SELECT id FROM a LIMIT (SELECT 1) FOR UPDATE) DELETE FROM a WHERE id IN (SELECT id FROM c)")
    assert is_made_once("WITH c AS MATERIALIZED (SELECT id FROM a LIMIT 1 FOR UPDATE) DELETE FROM a WHERE id IN (SELECT id FROM c)")
    assert is_made_once("SELECT id FROM a WHERE b IN (SELECT 1) LIMIT 5 FOR UPDATE SKIP LOCKED")
    assert sum(text.count("FOR UPDATE SKIP LOCKED") for text in locking()) >= 10
