"""The strings of a program, put together as far as its text tells them, with the place in the file of each of their parts.

What is only known when the program runs is stood in for by a name, so that SQL around it can be read."""

import ast
import re
from collections.abc import Callable, Collection, Mapping

from workers.engines.scripts.source_text import Assembled, Lines
from workers.engines.sql.operations.statements import STAND_IN

Part = tuple[str, int, bool]
"""(text, its offset in the file, whether the file has it like this)."""

STRING_CHARS = 200_000
"""Of one string that is put together: `q = q + q` doubles."""

UNKNOWN = STAND_IN * 3
FIELD = re.compile(r"\{(\w*)[^{}\n]{0,100}\}")
"""Where `.format(...)` and `spark.sql(..., name=...)` fill in."""

PERCENT = re.compile(r"%(?:\(\w+\))?[sdrif]")
MARGIN = re.compile(r"^[ \t]*\|", re.MULTILINE)
UNCHANGED = ("strip", "lstrip", "rstrip", "dedent", "trim", "mkString", "cleandoc", "lower", "upper", "replace")
"""Methods and functions that do not change what a string means, such as `strip`."""

LITERAL = re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "\n": "", "r": "\n"}


class Strings:
    """The strings that a program's names and expressions stand for."""

    def __init__(self, lines: Lines, literal: Callable[[ast.expr], list[Part]]) -> None:
        """`literal` gives the parts of a constant or of a string with expressions in it."""
        self._lines = lines
        self._literal = literal
        self._named: dict[str, list[Part]] = {}

    def assign(self, name: str, value: ast.expr, *, is_more: bool = False) -> None:
        """Note what a name stands for from here on; with `is_more` it is appended to."""
        parts = [*self._named.get(name, [])] if is_more else []
        parts += self._parts(value) or []
        if parts and sum(len(text) for text, _, _ in parts) <= STRING_CHARS:
            self._named[name] = parts
        else:
            self._named.pop(name, None)

    def assembled(self, node: ast.expr, filled: Collection[str] = ()) -> Assembled | None:
        """The string that an expression yields; None if it is not a string, or is not known. A field `{x}` of `filled` becomes `x`."""
        parts = self._parts(node)
        if parts is None or sum(len(text) for text, _, _ in parts) > STRING_CHARS:
            return None
        return Assembled(self._lines, _formatted(parts, FIELD, filled) if filled else parts)

    def _parts(self, node: ast.expr) -> list[Part] | None:
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return self._literal(node)
            case ast.Name(id=name):
                return self._named.get(name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                sides = [self._parts(left), self._parts(right)]
                if sides == [None, None]:
                    return None
                return [part for side, parts in zip((left, right), sides, strict=True) for part in (parts or self._unknown(side))]
            case ast.BinOp(left=left, op=ast.Mod()):
                parts = self._parts(left)
                return _formatted(parts, PERCENT) if parts else None
            case ast.Attribute(value=value, attr="stripMargin"):
                parts = self._parts(value)
                return [(MARGIN.sub(_blank, text) if is_copy else text, at, is_copy) for text, at, is_copy in parts] if parts else None
            case ast.Call(func=ast.Attribute(value=value, attr="format")):
                parts = self._parts(value)
                return _formatted(_formatted(parts, FIELD), PERCENT) if parts else None
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=arguments) if attr in (*UNCHANGED, "stripMargin"):
                found = self._parts(ast.Attribute(value=value, attr=attr)) if attr == "stripMargin" else self._parts(value)
                return found or (self._parts(arguments[0]) if arguments else None)
            case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in UNCHANGED:
                return self._parts(inner)
            case _:
                return None

    def _unknown(self, node: ast.expr) -> list[Part]:
        return [(UNKNOWN, self._lines.offset(node.lineno, node.col_offset), False)]


def python_literal(lines: Lines, constants: Mapping[str, object]) -> Callable[[ast.expr], list[Part]]:
    """Splits a Python string into its parts. It reads the source, since the syntax tree does not keep places inside a string."""

    def parts(node: ast.expr) -> list[Part]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return _literals(lines.text, lines.offset(node.lineno, node.col_offset), lines.offset(end_line, end_column), constants)

    return parts


def _literals(text: str, start: int, end: int, constants: Mapping[str, object]) -> list[Part]:
    """The parts of a string literal, or of several side by side, which Python joins."""
    parts: list[Part] = []
    at = start
    while at < end:
        found = LITERAL.match(text, at, end)
        if found:
            at = _literal_parts(text, found, end, constants, parts)
        elif text[at] == "#":
            at = min((where for mark in "\r\n" if (where := text.find(mark, at, end)) >= 0), default=end)
        else:
            at += 1
    return parts


def _literal_parts(text: str, begin: re.Match[str], end: int, constants: Mapping[str, object], parts: list[Part]) -> int:
    """Add the parts of one literal; gives the offset behind it."""
    prefix, quote = begin[1].lower(), begin[2]
    special = re.compile(r"\\(?:\r\n|.)|[{}]|" + quote if "f" in prefix else r"\\(?:\r\n|.)|" + quote, re.DOTALL)
    at = begin.end()
    while found := special.search(text, at, end):
        parts.append((text[at : found.start()], at, True))
        mark, at = found[0], found.end()
        if mark == quote:
            return at
        if mark[0] == "\\":
            kept = mark if "r" in prefix else ESCAPES.get(mark[1:].replace("\r\n", "\n"), mark)
            parts.append((kept, found.start(), False))
        elif text[at : at + 1] == mark:  # `{{` is a brace
            parts.append((mark, found.start(), False))
            at += 1
        elif mark == "{":
            at = _closing(text, at, end)
            known = constants.get(text[found.end() : at - 1].strip())
            parts.append((str(known) if isinstance(known, str | int) else UNKNOWN, found.start(), False))
    return end


def _closing(text: str, at: int, end: int) -> int:
    """Behind the brace that ends a field."""
    depth = 1
    while at < end and depth:
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return at


def _formatted(parts: list[Part], field: re.Pattern[str], filled: Collection[str] = ()) -> list[Part]:
    """With its fields replaced: by the name of a table that is handed over, else by what stands for something unknown."""
    made: list[Part] = []
    for text, offset, is_copy in parts:
        at = 0
        for found in field.finditer(text):
            name = found[1] if field is FIELD and found[1] in filled else UNKNOWN
            here = offset + (found.start() if is_copy else 0)
            made += [(text[at : found.start()], offset + (at if is_copy else 0), is_copy), (name, here, False)]
            at = found.end()
        made.append((text[at:], offset + (at if is_copy else 0), is_copy))
    return made


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
