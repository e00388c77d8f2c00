"""Markdown by its headings: postmortems, and issues that were written in a form."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from workers.tickets.headings import field_under, plain_heading, unnumbered

_HEADING = re.compile(r"(#{1,6}|h[1-6]\.)[ \t]+(.+)")
_FIELD = re.compile(r"[-*\s]{0,8}([^\W\d_][\w /-]{0,40})[*_]{0,3}[:：][*_]{0,3}(?:[ \t]+(\S.*))?$")
"""A line of a head: `Status: resolved`, `**Authors**: ...`."""
_HAS_TITLE = re.compile(r"^title: ", re.MULTILINE)
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?")
"""Before the lines of a longer text in YAML."""
_INDENTED = re.compile(r"(?: {2,}|\t)\S")
_TITLE_LEVEL, _LABEL_LEVEL = 1, 7
_LEAST_UNDERLINE = 3
"""Characters of the line below a heading."""
_MARKS = "*_` \t#:："


def sections_of(text: str, wanted: Collection[str] = ()) -> tuple[str, list[tuple[str, str]]]:
    """The text before the first heading, and each heading with the text below it: `## Heading`, or a line with `===` or `---` below it. A
    `#` in a fenced block is no heading, and neither is a line of a head between `---` and `---`. `**Heading**` and `**Label**: text` are
    one where the words are those of a cause or a fix, or of `wanted` (plain headings), and so is the next one in bold; a line of `wanted`
    may also end in a colon."""
    before, sections = _levelled(text, wanted)
    return before, [(heading, below) for _, heading, below in sections]


def _levelled(text: str, wanted: Collection[str] = ()) -> tuple[str, list[tuple[int, str, str]]]:
    """As `sections_of`, each heading with its level: 1 for `#`, 7 for a label in bold."""
    before: list[str] = []
    sections: list[tuple[int, str, list[str]]] = []
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
        below = sections[-1][2] if sections else before
        if heading:
            sections.append((_level(heading[1]), heading[2].strip(_MARKS), []))
            is_in_bold = False
        elif label:
            sections.append((_LABEL_LEVEL, label[0], [label[1]]))
            is_in_bold = True
        elif not is_fenced and _is_underline(line) and below and below[-1].strip() and not below[-1].startswith((" ", "-", "*", ">", "|")):
            sections.append((_TITLE_LEVEL + (line.strip()[0] == "-"), below.pop().strip(_MARKS), []))
        else:
            below.append(line)
    return "\n".join(before).strip(), [(level, heading, "\n".join(found).strip()) for level, heading, found in sections]


def _level(marks: str) -> int:
    return int(marks[1]) if marks[0] == "h" else len(marks)


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
    before, sections = _levelled(text)
    title, below = "", ""
    if sections and not _HAS_TITLE.search(before):
        _, title, below = sections.pop(0)
    elif sections and _has_title_of(before, *sections[0][:2]):
        _, _, below = sections.pop(0)
    fields, prose = _head_of(f"{before}\n{below}".splitlines())
    cells = [("postmortem", Path(name).with_suffix("").as_posix()), ("title", title), *fields, ("overview", prose)]
    return [(unnumbered(header) or header, text) for header, text in (*cells, *_with_their_parts(sections)) if header and text]


def _has_title_of(head: str, level: int, heading: str) -> bool:
    """Whether the first heading repeats the title of the head, as `# Postmortem: TITLE` does."""
    title = next(line for line in head.splitlines() if _HAS_TITLE.match(line)).partition(":")[2].strip(" \"'")
    return bool(heading and title) and (heading in title or (level == _TITLE_LEVEL and title in heading))


def _head_of(lines: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    """The fields of a head, and its other lines. A value goes on in the lines below it that are set in or begin with a small letter, up to
    an empty one or the next field, and in any line where it is that of a cause or a fix, or its own line is empty. That of a cause or a
    fix whose own line is empty goes on over empty lines; in YAML a value goes on while its lines are set in."""
    fields: list[tuple[str, list[str]]] = []
    prose: list[str] = []
    open_field: list[str] | None = None
    is_long = is_free = False
    for line in lines:
        found = _FIELD.match(line)
        if found and open_field is not None and (open_field[0] or is_long) and _INDENTED.match(line) and field_under(found[1]) is None:
            found = None  # a wrapped line that happens to hold a colon
        if found and (found[2] or field_under(found[1])):
            value = (found[2] or "").strip(_MARKS + "\"'")
            is_block = _BLOCK.fullmatch(value) is not None
            open_field, is_long = ["" if is_block else value], is_block or not value
            is_free = is_long or field_under(found[1]) is not None
            fields.append((found[1].strip(), open_field))
        elif not line.strip(" -"):
            open_field = open_field if is_long and not line.strip() else None
        elif open_field is not None and not found and (is_free or _INDENTED.match(line) or line[:1].islower()):
            open_field.append(line.strip())
        else:
            open_field = None
            prose.append(line)
    return [(key, "\n".join(filter(None, value))) for key, value in fields], "\n".join(prose)


def _with_their_parts(sections: Sequence[tuple[int, str, str]]) -> Iterator[tuple[str, str]]:
    """The sections. One that names a cause or a fix and has no text of its own has that of the sections in it."""
    place = 0
    while place < len(sections):
        level, heading, below = sections[place]
        place += 1
        if not below and field_under(heading) is not None:
            start = place
            while place < len(sections) and sections[place][0] > level and field_under(sections[place][1]) is None:
                place += 1
            below = "\n".join(part for _, _, part in sections[start:place] if part)
        yield heading, below
