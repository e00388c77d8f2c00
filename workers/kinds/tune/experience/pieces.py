"""Experience as its authors write it: a Markdown file, each `## Heading {#slug}` one piece of advice.

A list of fields may follow the heading (`- kinds: data_skew`, `- engines: spark`, `- remedies: salt`), then the advice itself.
The text before the first heading is for readers of the file and is not taken. Files are read line by line, so that neither depth nor
length of a text matters.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from contracts.base import clean_text
from contracts.statements import code, count, name, names, quote, say
from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass, VerdictKind
from workers.kinds.tune.experience.index import Piece
from workers.skills import Skill, SkillProblem, Unusable

LANGUAGES = ("en", "zh")
ENGINES = ("spark", "scope")

_MAX_PIECES = 500
_MAX_CHARACTERS = 20_000
"""Characters of a piece: five times what a piece needs. Longer ones hold several."""

_HEADING = re.compile(r"## +(?P<title>\S[^{}]*?) *\{#(?P<slug>[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\} *")
_FIELD = re.compile(r"- +(?P<name>[a-z]+): *(?P<values>.*)")
_FENCE = re.compile(r" {0,3}(?P<fence>```+|~~~+)")

E = TypeVar("E", bound=StrEnum)


@dataclass
class _Section:
    """A heading and the lines under it."""

    heading: str
    line: int
    lines: list[str] = field(default_factory=list[str])


def file_name(language: str) -> str:
    """Of a pack's experience in a language."""
    return f"experience.{language}.md"


def read_pieces(pack: Skill, tuning_class: TuningClass, language: str, text: str) -> tuple[list[Piece], list[SkillProblem]]:
    """The pieces of a file, in its order, and what was left out of it and why."""
    pieces: dict[str, Piece] = {}
    problems: list[SkillProblem] = []
    place = pack.shown(file_name(language))
    for number, section in enumerate(_sections(clean_text(text))):
        try:
            if number >= _MAX_PIECES:
                raise Unusable(say("tune.skill.too_many_pieces", most=count(_MAX_PIECES)))
            piece = _piece(pack, tuning_class, language, section)
            if piece.slug in pieces:
                raise Unusable(say("tune.skill.same_slug", slug=name(piece.slug)))
            pieces[piece.slug] = piece
        except Unusable as error:
            problems.append(SkillProblem(place, error.reason, section.line))
            if number >= _MAX_PIECES:
                break
    return list(pieces.values()), problems


def _sections(text: str) -> Iterator[_Section]:
    """The sections under headings of the second level; one inside a fenced block of code is no heading."""
    section: _Section | None = None
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _fence_after(fence, line)
        if line.startswith("## ") and not fence:
            if section:
                yield section
            section = _Section(line, number)
        elif section:
            section.lines.append(line)
    if section:
        yield section


def _fence_after(fence: str, line: str) -> str:
    """The open fence behind a line: a closing one is of the same sign, at least as long, and alone."""
    found = _FENCE.match(line)
    if not found:
        return fence
    mark = found["fence"]
    if not fence:
        return mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line.strip(" ").strip(mark[0])
    return "" if closes else fence


def _piece(pack: Skill, tuning_class: TuningClass, language: str, section: _Section) -> Piece:
    heading = _HEADING.fullmatch(section.heading)
    if heading is None:
        raise Unusable(say("tune.skill.bad_heading", example=code("## Heading {#slug}")))
    fields, body = _fields(section.lines)
    text = "\n".join(body).strip()
    if not text:
        raise Unusable(say("tune.skill.no_text"))
    if len(text) > _MAX_CHARACTERS:
        raise Unusable(say("tune.skill.long_piece", most=count(_MAX_CHARACTERS, exact=True)))
    return Piece(
        pack=pack.name,
        slug=heading["slug"],
        language=language,
        title=heading["title"][:200],
        tuning_class=tuning_class,
        kinds=_values(fields, "kinds", VerdictKind),
        engines=_engines(fields),
        remedies=_values(fields, "remedies", FixKind),
        priority=pack.priority,
        text=text,
    )


def _fields(lines: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The list of fields behind a heading, and the lines after it. Only the three names make a field: any other list is text."""
    fields: dict[str, list[str]] = {}
    for number, line in enumerate(lines):
        found = _FIELD.fullmatch(line.rstrip())
        if found and found["name"] in ("kinds", "engines", "remedies"):
            fields[found["name"]] = [value.strip() for value in found["values"].split(",") if value.strip()]
        elif line.strip():
            return fields, lines[number:]
    return fields, []


def _values(fields: dict[str, list[str]], field: str, kind: Callable[[str], E]) -> tuple[E, ...]:
    values: dict[E, None] = {}
    for value in fields.get(field, []):
        try:
            values[kind(value)] = None
        except ValueError:
            raise Unusable(say("tune.skill.unknown_value", field=name(field), value=quote(value[:60]))) from None
    return tuple(values)


def _engines(fields: dict[str, list[str]]) -> tuple[str, ...]:
    """Those that it is for; all where it does not say."""
    engines = fields.get("engines") or list(ENGINES)
    unknown = [engine for engine in engines if engine not in ENGINES]
    if unknown:
        raise Unusable(say("tune.skill.unknown_engine", value=quote(unknown[0][:60]), engines=names(ENGINES)))
    return tuple(dict.fromkeys(engines))
