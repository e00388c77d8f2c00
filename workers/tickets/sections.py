"""Markdown by its headings: postmortems, and issues that were written in a form."""

import re
from collections.abc import Collection
from pathlib import Path

from workers.tickets.headings import field_under, plain_heading, unnumbered

_HEADING = re.compile(r"(?:#{1,6}|h[1-6]\.)[ \t]+(.+)")
_FIELD = re.compile(r"[-*\s]{0,8}([^\W\d_][\w /-]{0,40})[*_]{0,3}[:：][*_]{0,3}(?:[ \t]+(\S.*))?$")
"""A line of a head: `Status: resolved`, `**Authors**: ...`."""
_HAS_TITLE = re.compile(r"^title: ", re.MULTILINE)
_LEAST_UNDERLINE = 3
"""Characters of the line below a heading."""
_MARKS = "*_` \t#:："


def sections_of(text: str, wanted: Collection[str] = ()) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first heading, and each heading with the text below it: `## Heading`, or a line with `===` or `---` below it. A
    `#` in a fenced block is no heading, and neither is a line of a head between `---` and `---`. `**Heading**` and `**Label**: text` are
    one where the words are those of a cause or a fix, or of `wanted` (plain headings), and so is the next one in bold; a line of `wanted`
    may also end in a colon."""
    before: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    lines = text.splitlines()
    is_fenced, is_head, is_in_bold = False, bool(lines) and lines[0].strip() == "---", False
    for place, line in enumerate(lines):
        if is_head:
            is_head = place == 0 or line.strip() != "---"
            before.append(line)
            continue
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if is_fenced else _HEADING.match(line)
        label = None if is_fenced or heading else _label_of(line, wanted, is_in_bold=is_in_bold)
        below = sections[-1][1] if sections else before
        if heading:
            sections.append((heading[1].strip(_MARKS), []))
            is_in_bold = False
        elif label:
            sections.append((label[0], [label[1]]))
            is_in_bold = True
        elif not is_fenced and _is_underline(line) and below and below[-1].strip() and not below[-1].startswith((" ", "-", "*", ">", "|")):
            sections.append((below.pop().strip(_MARKS), []))
        else:
            below.append(line)
    return "\n".join(before).strip(), [(heading, "\n".join(found).strip()) for heading, found in sections]


def cut_sections(text: str, wanted: Collection[str]) -> tuple[str, list[tuple[str, str]]]:
    """The text without the sections under the wanted headings, and these, each with its plain heading."""
    before, sections = sections_of(text, wanted)
    kept = [before, *(f"{heading}:\n{below}" for heading, below in sections if plain_heading(heading) not in wanted)]
    taken = [(plain, below) for heading, below in sections if (plain := plain_heading(heading)) in wanted]
    return (text, []) if not taken else ("\n\n".join(part for part in kept if part.strip()), taken)


def _label_of(line: str, wanted: Collection[str], *, is_in_bold: bool) -> tuple[str, str] | None:
    """A heading in bold, or one of `wanted` before a colon, and the text behind it."""
    plain = line.strip().removeprefix("- ").removeprefix("* ").strip()
    mark = plain[:2]
    if mark in ("**", "__") and (end := plain.find(mark, 2)) > 0:
        label, rest = plain[2:end], plain[end + 2 :].strip()
        is_known = is_in_bold or field_under(label) is not None or plain_heading(label) in wanted
        is_label = not rest or label.endswith((":", "：")) or rest.startswith((":", "："))
        return (label.strip(_MARKS), rest.lstrip(":： ")) if is_known and is_label else None
    label, colon, rest = plain.replace("：", ":").partition(":")
    return (label.strip(_MARKS), rest.strip()) if colon and plain_heading(label) in wanted else None


def _is_underline(line: str) -> bool:
    plain = line.strip()
    return len(plain) >= _LEAST_UNDERLINE and set(plain) in ({"="}, {"-"})


def postmortem_cells(name: str, text: str) -> list[tuple[str, str]]:
    """A postmortem as (column, text): its file, its title, what its head says (`Key: value`), and its sections by their headings.
    The title is that of the head, or the first heading; the text below it, before the next, belongs to the head."""
    before, sections = sections_of(text)
    title, below = "", ""
    if sections and not _HAS_TITLE.search(before):
        title, below = sections.pop(0)
    elif sections and sections[0][0] and f"title: {sections[0][0]}" in before.replace('"', ""):
        _, below = sections.pop(0)
    cells = [("postmortem", Path(name).with_suffix("").as_posix()), ("title", title)]
    prose: list[str] = []
    for line in f"{before}\n{below}".splitlines():
        found = _FIELD.match(line)
        if found and found[2]:
            cells.append((found[1].strip(), found[2].strip(_MARKS + "\"'")))
        elif line.strip(" -"):
            prose.append(line)
    cells.append(("overview", "\n".join(prose)))
    return [(unnumbered(header) or header, text) for header, text in (*cells, *sections) if header and text]
