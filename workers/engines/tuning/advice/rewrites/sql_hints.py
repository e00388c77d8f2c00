"""A broadcast hint put into a SQL statement, by its text: in a .sql file, or in a string of a script."""

import re

from workers.engines.tuning.advice.rewrites.patches import Edit, apply_edits, diff_of
from workers.engines.tuning.advice.rewrites.source import Source
from workers.engines.tuning.scripts_given import NamedScript

SELECT = re.compile(r"\bselect\b(?!\s*/\*\+)", re.IGNORECASE)
JOINED = re.compile(r"\bjoin\s+([\w.`]+)(?:\s+(?:as\s+)?(?!on\b|using\b|join\b|left\b|inner\b|where\b)(\w+))?", re.IGNORECASE)
STATEMENT_LINES = 60
"""A statement is looked for in so many lines around its spot."""


def broadcast_hint(script: NamedScript, line: int, table: str) -> str:
    """The diff that hints the table of a join; empty unless its statement has exactly one SELECT, which the hint then belongs to."""
    text = script.text
    lines = text.splitlines(keepends=True)
    if not 1 <= line <= len(lines):
        return ""
    at = sum(len(one) for one in lines[: line - 1])
    start, end = _statement(text, at, sum(len(one) for one in lines[line - 1 : line - 1 + STATEMENT_LINES]))
    selects = list(SELECT.finditer(text, start, end))
    named = [found for found in JOINED.finditer(text, start, end) if found[1].replace("`", "").rsplit(".", 1)[-1] == table]
    if len(selects) != 1 or len(named) != 1:
        return ""
    shown = named[0][2] or table
    new = apply_edits(text, [Edit(selects[0].end(), selects[0].end(), f" /*+ BROADCAST({shown}) */")])
    is_python = Source.read(text) is not None
    return diff_of(script.name, text, new) if new and (not is_python or Source.read(new) is not None) else ""


def _statement(text: str, at: int, length: int) -> tuple[int, int]:
    """From the statement's end before to its own: a semicolon, or the quotes of the string that it stands in."""
    before = max(text.rfind(mark, max(0, at - 20_000), at) for mark in (";", '"""', "'''"))
    ends = [found for mark in (";", '"""', "'''") if (found := text.find(mark, at + 1, at + length)) >= 0]
    return before + 1, min(ends, default=min(len(text), at + length))
