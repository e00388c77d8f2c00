"""The tables of `tests/promises` that say which test shows a promise."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| ([SE]\d+|C\d+|[A-Z]\w+(?: [\w ]+)?) \| .+ \| ((?:`\w+`(?:, )?)+) \|$", re.MULTILINE)


def promises(doc: str) -> list[tuple[str, str]]:
    """A tag or contract and a test, for each row of the tables of a page below `tests/promises`."""
    text = (ROOT / "tests" / "promises" / doc).read_text(encoding="utf-8")
    return [(tag, test) for tag, tests in _ROW.findall(text) for test in re.findall(r"`(\w+)`", tests)]


@cache
def docstrings() -> dict[str, str]:
    """The docstrings of all tests and of their named cases, by name."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("test_*.py"))
    functions = (node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef))
    return {function.name: ast.get_docstring(function) or "" for function in functions}
