"""A kind of job is one folder: no module outside of it names it."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import workers.kinds

ROOT = Path(__file__).parents[2]
KINDS = tuple(folder.name for folder in pkgutil.iter_modules(workers.kinds.__path__) if folder.ispkg)
KIND = re.compile(rf"\b(?:{'|'.join(KINDS)})\b")
OWN = frozenset(ROOT / top / kind for top in ("workers/kinds", "contracts") for kind in KINDS)


THE_BOSS = ROOT / "workers" / "coordinator"
MOVES = frozenset({"ask"})
"""Moves of the boss that are called like a kind; stored decisions have these words."""


FILE_WORDS = {"workers/engines/procedures/reading.py": "ask", "workers/skills/skill.py": "analyze"}
"""Words of file formats that are called like a kind: a step that asks the user, and the kind of a skill whose author names none."""


FIRST_COMMANDS = ROOT / "workers" / "cli" / "init.py"
"""`bullpen init` runs the program's own commands, as a person would type them: `ask`, `submit diagnose`. It imports no kind."""


def modules() -> Iterator[Path]:
    for top in ("contracts", "workers"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if OWN.isdisjoint(path.parents):
                yield path


def named(tree: ast.Module) -> Iterator[str]:
    """Where a module names a kind: in an import, or in a text that is no docstring."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            paths = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"imports {path}" for path in paths if of_a_kind(path))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            words = node.value.replace("/", ".")
            if node.value in KINDS or of_a_kind(words):
                yield f"line {node.lineno} says {node.value!r}"


def of_a_kind(path: str) -> bool:
    return any(
        f"{top}.{kind}" == path or path.startswith((f"{top}.{kind}.", f"{top}.{kind}:"))
        for top in ("workers.kinds", "contracts")
        for kind in KINDS
    )


def test_there_are_kinds_to_look_for() -> None:
    assert {"diagnose", "tune"} <= set(KINDS)
    assert list(named(ast.parse("from workers.kinds.tune import x\nkind = 'diagnose'"))) == [
        "imports workers.kinds.tune",
        "line 2 says 'diagnose'",
    ]


def found_in(path: Path) -> list[str]:
    """Where a module names a kind without being one of the few that may."""
    text = path.read_text("utf-8")
    if not KIND.search(text):
        return []
    found = list(named(ast.parse(text)))
    if THE_BOSS in path.parents:
        found = [place for place in found if not place.endswith(tuple(f"says {move!r}" for move in MOVES))]
    if path == FIRST_COMMANDS:
        found = [place for place in found if place.startswith("imports ")]
    word = FILE_WORDS.get(str(path.relative_to(ROOT)))
    return [place for place in found if not place.endswith(f"says {word!r}")]


def test_no_module_outside_a_kind_names_it() -> None:
    assert {str(path.relative_to(ROOT)): found for path in modules() if (found := found_in(path))} == {}


def test_kinds_do_not_know_each_other() -> None:
    for kind in KINDS:
        others = [f"{top}.{other}" for top in ("workers.kinds", "contracts") for other in KINDS if other != kind]
        for path in (ROOT / "workers" / "kinds" / kind).rglob("*.py"):
            imported = [node.module or "" for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
            assert not [name for name in imported if any(name == other or name.startswith(f"{other}.") for other in others)], path
