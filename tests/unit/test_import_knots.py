"""No module imports itself by way of others, not even inside a function: what needs each other is one module, or has a third below it."""

import ast
from pathlib import Path

import pytest

from tests.support.imports import import_graph, imported, knots

ROOT = Path(__file__).parents[2]


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = import_graph(ROOT)

    assert len(graph) > 500
    assert knots(graph) == []


@pytest.mark.parametrize("text", ["from b import x", "import b", "def f():\n    from b import x"])
def test_a_knot_is_seen(text: str) -> None:
    known = {"a", "b", "c"}
    graph = {"a": set(imported(ast.parse(text), known)), "b": set(imported(ast.parse("import a, c"), known)), "c": set[str]()}

    assert knots(graph) == [{"a", "b"}]
