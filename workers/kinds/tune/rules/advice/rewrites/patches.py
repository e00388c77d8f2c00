"""Edits of a text by position, and the unified diff that they make."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Ends at `\\n` alone, as patch tools see it; `str.splitlines` would also cut at a form feed."""

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
NO_NEWLINE = "\\ No newline at end of file\n"
CONTEXT_LINES = 2


@dataclass(frozen=True, order=True, slots=True)
class Edit:
    """Replace the characters from start to end."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str | None:
    """The text with all of them made; None where two overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            return None
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def diff_of(name: str, old: str, new: str) -> str:
    """The unified diff; empty where nothing changes."""
    lines = difflib.unified_diff(LINE.findall(old), LINE.findall(new), f"a/{name}", f"b/{name}", n=CONTEXT_LINES)
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)


def changed_lines(diff: str) -> tuple[tuple[int, int], ...]:
    """Where a unified diff changes its text: (first line, line behind the last one) of each part, from 0, without lines of context. Both
    are equal where lines are only added."""
    spans: list[tuple[int, int]] = []
    at: int | None = None
    is_within = False
    for line in LINE.findall(diff):
        hunk = HUNK.match(line)
        if hunk:
            at, is_within = int(hunk[1]) - (hunk[2] != "0"), False
        elif at is not None and line.startswith(("+", "-")):
            end = at + line.startswith("-")
            spans = [*spans[:-1], (spans[-1][0], end)] if is_within else [*spans, (at, end)]
            at, is_within = end, True
        elif at is not None and line != NO_NEWLINE:
            at, is_within = at + 1, False
    return tuple(spans)


def apply_diff(diff: str, text: str) -> str | None:
    """The text with a unified diff applied; None where a line of context or a removed line differs from the text."""
    old = LINE.findall(text)
    made: list[str] = []
    at = 0
    lines = LINE.findall(diff)
    for number, line in enumerate(lines):
        body = line[1:]
        if number + 1 < len(lines) and lines[number + 1] == NO_NEWLINE:
            body = body.removesuffix("\n")
        if line.startswith(("--- ", "+++ ")) and not made and not at:
            continue
        if line == NO_NEWLINE:
            continue
        hunk = HUNK.match(line)
        if hunk:
            start = int(hunk[1]) - (hunk[2] != "0")
            if not at <= start <= len(old):
                return None
            made += old[at:start]
            at = start
        elif line.startswith("+"):
            made.append(body)
        elif line.startswith((" ", "-")):
            if at >= len(old) or old[at] != body:
                return None
            made += [body] if line.startswith(" ") else []
            at += 1
        else:
            return None
    return "".join([*made, *old[at:]])
