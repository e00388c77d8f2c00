"""A broadcast hint put into a SQL statement, by its text: in a .sql file, or in a string of a script."""

import ast
import re

from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit, apply_edits, diff_of
from workers.kinds.tune.rules.advice.rewrites.source import Source

SELECT = re.compile(r"\bselect\b(?!\s*/\*\+)", re.IGNORECASE)
JOINED = re.compile(r"\bjoin\s+([\w.`]+)(?:\s+(?:as\s+)?(?!on\b|using\b|join\b|left\b|inner\b|where\b)(\w+))?", re.IGNORECASE)


def broadcast_hint(script: NamedScript, line: int, table: str) -> str:
    """The diff that hints the table of a join; empty unless its statement has exactly one SELECT, which the hint then belongs to."""
    text = script.text
    source = Source.read(text)
    place = _string_at(source, line) if source else _statement_at(text, line)
    if place is None:
        return ""
    selects = list(SELECT.finditer(text, *place))
    named = [found for found in JOINED.finditer(text, *place) if found[1].replace("`", "").rsplit(".", 1)[-1] == table]
    if len(selects) != 1 or len(named) != 1:
        return ""
    hint = Edit(selects[0].end(), selects[0].end(), f" /*+ BROADCAST({named[0][2] or table}) */")
    if source:
        return diff_by(script, [hint])
    new = apply_edits(text, [hint])
    return diff_of(script.name, text, new) if new else ""


def _string_at(source: Source, line: int) -> tuple[int, int] | None:
    """The text in quotes that a line of a script has a part of, where it is one that selects."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno <= line <= (node.end_lineno or 0):
            place = source.start(node), source.end(node)
            if SELECT.search(source.text, *place):
                return place
    return None


def _statement_at(text: str, line: int) -> tuple[int, int] | None:
    """From the semicolon before a line to the one behind it."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    at = sum(len(before) + 1 for before in lines[: line - 1])
    end = text.find(";", at)
    return text.rfind(";", 0, at) + 1, end if end >= 0 else len(text)
