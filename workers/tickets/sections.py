"""Markdown by its headings: postmortems, and issues that were written in a form."""

import re
from pathlib import Path

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+)")
_FIELD = re.compile(r"[-*\s]{0,8}([^\W\d_][\w /-]{0,40})[*_]{0,3}[:：][*_]{0,3}(?:[ \t]+(\S.*))?$")
"""A line of a head: `Status: resolved`, `**Authors**: ...`."""
_MARKS = "*_` \t#:："


def sections_of(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first heading, and each heading with the text below it. A `#` in a fenced block is no heading."""
    before: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    is_fenced = False
    for line in text.splitlines():
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if is_fenced else _HEADING.match(line)
        if heading:
            sections.append((heading[2].strip(_MARKS), []))
        else:
            (sections[-1][1] if sections else before).append(line)
    return "\n".join(before).strip(), [(heading, "\n".join(lines).strip()) for heading, lines in sections]


def postmortem_cells(name: str, text: str) -> list[tuple[str, str]]:
    """A postmortem as (column, text): its file, its title, what its head says (`Key: value`), and its sections by their headings.
    The title is the first heading; the text below it, before the next, belongs to the head."""
    before, sections = sections_of(text)
    title, below = sections[0] if sections else ("", "")
    cells = [("postmortem", Path(name).with_suffix("").as_posix()), ("title", title)]
    prose: list[str] = []
    for line in f"{before}\n{below}".splitlines():
        found = _FIELD.match(line)
        if found and found[2]:
            cells.append((found[1].strip(), found[2].strip(_MARKS + "\"'")))
        elif line.strip(" -"):
            prose.append(line)
    cells.append(("overview", "\n".join(prose)))
    return [(header, text) for header, text in (*cells, *sections[1:]) if header and text]
