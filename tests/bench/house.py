"""The size and order of the code: `python -m tests.bench.house [FOLDER ...]`, for this checkout or others, such as one of an older release.

Lines of code are those with something else than a comment or a docstring on them. A knot is a group of modules that import each other, also
inside functions. Complexity is McCabe's, by ruff. Modules of a kind are those whose path says so.
"""

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

from tests.support.imports import import_graph, knots, modules

ROOT = Path(__file__).parents[2]
KINDS = ("diagnose", "tune")
"""Those of the first release; the names of the others are common words."""
OF_A_KIND = re.compile(r"diagnos|tun(?:e|ing)|workers/kinds/\w+/")
"""Paths of modules that are of one kind."""
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
LARGEST = 12


def main() -> int:
    """Prints a block for each folder."""
    for folder in map(Path, sys.argv[1:] or [str(ROOT)]):
        paths = {name: path for name, path in modules(folder).items() if "samples" not in path.parts}
        lines = Counter[str]()
        for path in paths.values():
            lines[_package(path.relative_to(folder))] += code_lines(path)
        print(f"{folder.resolve().name}: {sum(lines.values())} lines of code in {len(paths)} modules")
        print("  " + ", ".join(f"{name} {count}" for name, count in lines.most_common(LARGEST)))
        graph = import_graph(folder)
        print(f"  modules outside kinds that import one or name it: {_name_a_kind(folder, paths, graph)}")
        print(f"  knots of imports: {[sorted(knot) for knot in knots(graph)]}")
        complexities = _complexities(folder)
        print(f"  highest complexity {max(complexities)}; above 15: {sum(number > 15 for number in complexities)} of {len(complexities)}")
    return 0


def _package(path: Path) -> str:
    deep = path.parts[:2] in (("workers", "engines"), ("workers", "kinds"))
    return "/".join(path.parts[: min(3 if deep else 2, len(path.parts) - 1)])


def code_lines(path: Path) -> int:
    """Lines that hold code."""
    text = path.read_text("utf-8")
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def _name_a_kind(folder: Path, paths: dict[str, Path], graph: dict[str, set[str]]) -> int:
    """Modules outside kinds that import one of a kind, or have its name as a text."""
    inside = {name for name, path in modules(folder).items() if OF_A_KIND.search(path.relative_to(folder).as_posix())}
    outside = {name: path for name, path in paths.items() if name not in inside}
    return sum(bool(graph[name] & inside) or _says_a_kind(path) for name, path in outside.items())


def _says_a_kind(path: Path) -> bool:
    return any(isinstance(node, ast.Constant) and node.value in KINDS for node in ast.walk(ast.parse(path.read_text("utf-8"))))


def _complexities(folder: Path) -> list[int]:
    options = ["--isolated", "--no-cache", "--select", "C901", "--config", "lint.mccabe.max-complexity=1", "--output-format", "json"]
    command = [sys.executable, "-m", "ruff", "check", *options, "--exclude", "samples", str(folder / "contracts"), str(folder / "workers")]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return [int(number[1]) for item in found if (number := re.search(r"\((\d+) >", item["message"]))]


if __name__ == "__main__":
    sys.exit(main())
