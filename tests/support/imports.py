"""Which of our modules import which, also inside functions."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("contracts", "workers", "bullpen_client")


def modules(root: Path) -> dict[str, Path]:
    """Name of a module → its file."""
    found: dict[str, Path] = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules of `known` that a module imports anywhere but for its type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wholes = [f"{node.module}.{name.name}" for name in node.names]
            yield from {name for whole in wholes if (name := whole if whole in known else node.module) in known}
        elif isinstance(node, ast.Import):
            yield from [name.name for name in node.names if name.name in known]
        yield from imported(node, known)


def import_graph(root: Path) -> dict[str, set[str]]:
    """Module → the modules that it imports. A module that imports itself is left out."""
    files = modules(root)
    known = set(files)
    return {name: set(imported(ast.parse(path.read_text("utf-8")), known)) - {name} for name, path in files.items()}


def knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that reach each other (strongly connected components of more than one)."""
    found: list[set[str]] = []
    left = _without_ends(graph)
    while left:
        start = next(iter(left))
        there = _reached(start, left)
        group = {name for name in there if start in _reached(name, left)} | {start}
        found += [group] if len(group) > 1 else []
        left = {name: targets - group for name, targets in left.items() if name not in group}
    return found


def _without_ends(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The modules from which no way ends: those of the knots, and those that lead to one."""
    left = dict(graph)
    while ends := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in ends}
    return {name: targets & left.keys() for name, targets in left.items()}


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen
