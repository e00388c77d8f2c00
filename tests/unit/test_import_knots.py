"""No module imports itself by way of others, not even inside a function: what needs each other is one module, or has a third below it."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("contracts", "workers", "bullpen_client")


def modules() -> dict[str, Path]:
    """Name of a module → its file."""
    found: dict[str, Path] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules of ours that a module imports anywhere, but for its type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield from [each for each in [whole if whole in known else node.module] if each in known]
        elif isinstance(node, ast.Import):
            yield from [name.name for name in node.names if name.name in known]
        yield from imported(node, known)


def knot(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    files = modules()
    known = set(files)

    graph = {name: set(imported(ast.parse(path.read_text("utf-8")), known)) - {name} for name, path in files.items()}

    assert len(graph) > 500
    assert knot(graph) == []


@pytest.mark.parametrize("text", ["from b import x", "import b", "def f():\n    from b import x"])
def test_a_knot_is_seen(text: str) -> None:
    known = {"a", "b"}
    graph = {"a": set(imported(ast.parse(text), known)), "b": set(imported(ast.parse("import a"), known))}

    assert set(knot(graph)) == known
