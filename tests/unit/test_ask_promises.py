"""The table of promises in docs/ask.md names tests that there are, and that name the promise."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| ([SE]\d+) \| .+ \| `(test_\w+)` \|$", re.MULTILINE)
ROWS = _ROW.findall((ROOT / "docs" / "ask.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def docstrings() -> dict[str, str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("test_*.py"))
    functions = (node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef))
    return {function.name: ast.get_docstring(function) or "" for function in functions}


def test_the_table_has_every_promise() -> None:
    """All of the supervisor's, and those of the floor."""
    wanted = [f"S{number}" for number in range(1, 40)] + [f"E{number}" for number in (5, 6, 7, 8, 9, 12, 13, 15)]

    assert [tag for tag, _ in ROWS] == wanted


@pytest.mark.parametrize(("tag", "test"), ROWS)
def test_a_promise_has_its_test(docstrings: dict[str, str], tag: str, test: str) -> None:
    assert re.search(rf"\b{tag}\b", docstrings.get(test, "")), f"{test} does not name {tag}"
