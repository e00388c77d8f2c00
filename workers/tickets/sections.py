"""Markdown by its headings: postmortems, and issues that were written in a form."""

import re
from pathlib import Path

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+)")
_FIELD = re.compile(r"[-*\s]{0,8}([^\W\d_][\w /-]{0,40})[*_]{0,3}[:：][*_]{0,3}(?:[ \t]+(\S.*))?$")
"""A line of a head: `Status: resolved`, `**Authors**: ...`."""
_HAS_TITLE = re.compile(r"^title: ", re.MULTILINE)
_LEAST_UNDERLINE = 3
"""Characters of the line below a heading."""
_MARKS = "*_` \t#:："


def sections_of(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first heading, and each heading with the text below it: `## Heading`, or a line with `===` or `---` below it. A
    `#` in a fenced block is no heading, and neither is a line of a head between `---` and `---`."""
    before: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    lines = text.splitlines()
    is_fenced, is_head = False, bool(lines) and lines[0].strip() == "---"
    for place, line in enumerate(lines):
        if is_head:
            is_head = place == 0 or line.strip() != "---"
            before.append(line)
            continue
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if is_fenced else _HEADING.match(line)
        below = sections[-1][1] if sections else before
        if heading:
            sections.append((heading[2].strip(_MARKS), []))
        elif not is_fenced and _is_underline(line) and below and below[-1].strip() and not below[-1].startswith((" ", "-", "*", ">", "|")):
            sections.append((below.pop().strip(_MARKS), []))
        else:
            below.append(line)
    return "\n".join(before).strip(), [(heading, "\n".join(found).strip()) for heading, found in sections]


def _is_underline(line: str) -> bool:
    plain = line.strip()
    return len(plain) >= _LEAST_UNDERLINE and set(plain) in ({"="}, {"-"})


def postmortem_cells(name: str, text: str) -> list[tuple[str, str]]:
    """A postmortem as (column, text): its file, its title, what its head says (`Key: value`), and its sections by their headings.
    The title is that of the head, or the first heading; the text below it, before the next, belongs to the head."""
    before, sections = sections_of(text)
    title, below = sections.pop(0) if sections and not _HAS_TITLE.search(before) else ("", "")
    cells = [("postmortem", Path(name).with_suffix("").as_posix()), ("title", title)]
    prose: list[str] = []
    for line in f"{before}\n{below}".splitlines():
        found = _FIELD.match(line)
        if found and found[2]:
            cells.append((found[1].strip(), found[2].strip(_MARKS + "\"'")))
        elif line.strip(" -"):
            prose.append(line)
    cells.append(("overview", "\n".join(prose)))
    return [(header, text) for header, text in (*cells, *sections) if header and text]
