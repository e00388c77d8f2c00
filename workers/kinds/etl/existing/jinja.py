"""Models of dbt that need no dbt: SQL with `ref`, `source`, `config` and `this` in it. Nothing of it is run; anything else is refused."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contracts.statements import Statement, code, say

MOST_INSIDE = 5_000
"""Characters between `{{` and `}}`."""
_WORDS = {"true": True, "false": False, "none": None}


class NeedsDbt(Exception):
    """Only dbt can compile the model."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text

    def refusal(self, file: str) -> Statement:
        """The reason, with file and line."""
        return say("etl.existing.jinja", file=code(file), line=code(str(self.line)), text=code(self.text), command=code("dbt compile"))


@dataclass
class PlainModel:
    """A model's SQL, and what its `config` says."""

    sql: str = ""
    config: dict[str, Any] = field(default_factory=dict[str, Any])


def compiled(text: str, ref: Callable[[str], str], source: Callable[[str, str], str], this: str) -> PlainModel:
    """`ref`, `source`: the relation of a name, as SQL. Raises `NeedsDbt`."""
    found, at, parts = PlainModel(), 0, list[str]()
    while True:
        starts = [place for place in (text.find(mark, at) for mark in ("{{", "{%", "{#")) if place >= 0]
        if not starts:
            break
        start = min(starts)
        line = text.count("\n", 0, start) + 1
        mark, closing = text[start : start + 2], {"{{": "}}", "{%": "%}", "{#": "#}"}[text[start : start + 2]]
        end = text.find(closing, start + 2)
        inside = text[start + 2 : end] if end >= 0 else ""
        if end < 0 or mark == "{%" or len(inside) > MOST_INSIDE:
            raise NeedsDbt(line, " ".join(text[start : start + 80].split()))
        parts.append(text[at:start])
        parts.append("\n" * inside.count("\n") if mark == "{#" else _value(inside, found, ref, source, this, line))
        at = end + 2
    found.sql = "".join([*parts, text[at:]])
    return found


def _value(inside: str, found: PlainModel, ref: Callable[[str], str], source: Callable[[str, str], str], this: str, line: int) -> str:
    text = inside.strip().strip("-").strip()
    refused = NeedsDbt(line, " ".join(text.split())[:80])
    try:
        tree = ast.parse(" ".join(text.split("\n")), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refused from None
    if isinstance(tree, ast.Name) and tree.id == "this":
        return this
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise refused
    try:
        arguments = [_constant(node) for node in tree.args]
        named = {item.arg: _constant(item.value) for item in tree.keywords if item.arg is not None}
    except ValueError:
        raise refused from None
    if tree.func.id == "config" and not arguments and len(named) == len(tree.keywords):
        found.config |= named
        return ""
    if named or not all(isinstance(item, str) for item in arguments):
        raise refused
    if tree.func.id == "ref" and len(arguments) in (1, 2):
        return ref(arguments[-1])
    if tree.func.id == "source" and len(arguments) == 2:
        return source(*arguments)
    raise refused


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_constant(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {str(_constant(key)): _constant(value) for key, value in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.Constant):
        return node.value
    raise ValueError("no constant")
