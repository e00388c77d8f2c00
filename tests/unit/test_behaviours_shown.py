"""Every behaviour of `diagnose` (D1 to D29) and of `tune` (T1 to T33) is named by a test that shows it."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
WANTED = [f"D{number}" for number in range(1, 30)] + [f"T{number}" for number in range(1, 34)]
TAG = re.compile(r"\b([DT][1-9]\d?)(?:\s*(?:to|–)\s*([DT][1-9]\d?))?\b")


def tags_of(text: str) -> set[str]:
    """`D3`, and each of `D1 to D4`."""
    found: set[str] = set()
    for first, last in TAG.findall(text):
        ends = (int(first[1:]), int((last or first)[1:]))
        found |= {f"{first[0]}{number}" for number in range(ends[0], ends[1] + 1)}
    return found


def shown() -> dict[str, list[str]]:
    """Behaviour → the tests whose own words name it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for tag in tags_of(ast.get_docstring(node) or ""):
                    found[tag].append(f"{path.relative_to(ROOT)}::{node.name}")
    return found


def test_each_behaviour_is_named_by_a_test() -> None:
    found = shown()

    assert [tag for tag in WANTED if not found[tag]] == []


_ROW = re.compile(r"^\| ([DT]\d+) \| .+ \| `(test_\w+)` \|$", re.MULTILINE)
PROMISED = [row for page in ("diagnose", "tune") for row in _ROW.findall((ROOT / "promises" / f"{page}.md").read_text(encoding="utf-8"))]


def test_the_tables_of_promises_have_each_behaviour_once() -> None:
    assert [tag for tag, _ in PROMISED] == WANTED


def test_each_row_of_the_tables_names_a_test_that_names_the_behaviour() -> None:
    found = shown()

    assert [(tag, test) for tag, test in PROMISED if not any(name.endswith(f"::{test}") for name in found[tag])] == []
