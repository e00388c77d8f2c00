"""Lines below the rows of a CSV that are no rows, such as "(3 rows affected)": the reader takes a file that ends with one for a file of one
column."""

import os
import shutil
from itertools import islice
from os import SEEK_END
from pathlib import Path

_DELIMITERS = ",;\t|"
_LINES = 200
"""At the beginning, of which nearly each has the delimiter."""
_NEARLY = 0.9
_MOST = 5
"""Lines of a footer."""
_LONGEST = 300
"""Characters of a line of one."""
_END = 1 << 14
"""Bytes at the end of the file among which a footer is."""


def written_without(source: Path, target: Path) -> str:
    """The footer, with the rest written to `target`; empty where there is none, or the text is not UTF-8, and nothing is written. A footer
    is the last lines without the delimiter that the lines above have, behind an empty line or in brackets. A cell of several lines is
    none: its last line has a quote."""
    try:
        with source.open("rb") as file:
            size = file.seek(0, SEEK_END)
            file.seek(max(0, size - _END))
            end = file.read()
            last = [line.decode() for line in end.splitlines(keepends=True)[size > _END :]][-_MOST - 1 :]
        with source.open(encoding="utf-8-sig", newline="") as lines:
            first = [line for line in islice(lines, _LINES) if line.strip()]
    except UnicodeDecodeError:
        return ""
    common = [sign for sign in _DELIMITERS if first and sign in first[0] and _is_common(sign, first)]
    below: list[str] = []
    while common and last and not _is_row(last[-1], common):
        below.insert(0, last.pop())
    footer = " ".join(" ".join(below).split())
    if not footer or not last or (below[0].strip() and not footer.startswith("(")):
        return ""
    shutil.copyfile(source, target)
    os.truncate(target, size - len("".join(below).encode()))
    return footer


def _is_row(line: str, common: list[str]) -> bool:
    return len(line) > _LONGEST or '"' in line or any(sign in line for sign in common)


def _is_common(sign: str, lines: list[str]) -> bool:
    """Whether nearly each line has it, but for the last ones."""
    rows = list(lines)
    while rows and sign not in rows[-1] and len(lines) - len(rows) < _MOST:
        rows.pop()
    return len(rows) > 1 and sum(sign in row for row in rows) >= _NEARLY * len(rows)
