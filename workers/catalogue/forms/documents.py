"""Markdown, HTML and plain text documents, cut by their headings into sections that answer a question.

Text only: tags, scripts and styles of HTML are dropped, links are kept as their words, nothing is fetched. A section headed `Glossary`
or `Terms` gives its entries as terms as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.catalogue import CatalogueProblem, EdgeKind, NodeKind
from contracts.statements import say
from contracts.tables import TableDetail
from workers.catalogue.forms.files import FileTexts, files_in
from workers.catalogue.forms.glossary import entries_in
from workers.catalogue.forms.html_text import text_of_html
from workers.catalogue.forms.plain import term_nodes
from workers.catalogue.nodes import Edge, Node, node_id, says
from workers.catalogue.store import Item
from workers.errors import BullpenError
from workers.saying.reasons import reason_of

ENDINGS = (".md", ".markdown", ".html", ".htm", ".txt")

MOST_DOCUMENT_BYTES = 20 << 20
"""Of one document: the longest handbooks have 5 MB of text. A file of 128 MB took the gateway 650 MB, and minutes."""

SECTION = 1_600
"""Characters of a section; a longer one is cut between paragraphs. The local models read 2,000."""

_HEADING = re.compile(r"^(?P<level>#{1,6})\s(?P<text>.+)$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_UNDERLINE = re.compile(r"^(=+|-{3,})\s*$")
_GLOSSARY = re.compile(r"\b(glossary|terms?|definitions?|vocabulary)\b|术语|名词|词汇", re.IGNORECASE)
_CODE = re.compile(r"`([A-Za-z_][\w.]{1,120})`")
_BLANKS = re.compile(r"\n\s*\n+")


@dataclass(frozen=True, slots=True)
class Section:
    """A text of a document under its headings."""

    title: str
    headings: tuple[str, ...]
    text: str


def read_documents(path: Path, source: str, tables: Sequence[TableDetail] = (), texts: FileTexts | None = None) -> Iterator[Item]:
    """The sections of a file or folder. `tables`: those of the source; a section that names one in code is tied to it."""
    names = {table.full_name.lower(): table.full_name for table in tables} | {table.name.lower(): table.full_name for table in tables}
    for name, file in files_in(path, ENDINGS):
        try:
            text = (texts or FileTexts()).read(file, max_bytes=MOST_DOCUMENT_BYTES)
            wholes = list(_wholes(file.suffix.lower(), text, Path(name).stem))
        except (BullpenError, RecursionError) as error:
            yield CatalogueProblem(place=name, reason=say("refused.import.part.unread", reason=reason_of(error, 200)))
            continue
        for number, section in enumerate((part for whole in wholes for part in _parts_of(whole)), start=1):
            yield from _section_items(name, number, section, source, names)
        for whole in wholes:
            if any(_GLOSSARY.search(heading) for heading in (whole.title, *whole.headings)):
                yield from _terms(whole.text, source, names)


def _section_items(name: str, number: int, section: Section, source: str, names: dict[str, str]) -> Iterator[Item]:
    heading = " > ".join(section.headings)
    node = Node(
        NodeKind.DOCUMENT, source, f"{name}#{number}", says(name=section.headings[-1] if section.headings else section.title,
        title=section.title, heading=heading, text=section.text, path=name),
    )  # fmt: skip
    yield node
    for table in _mentioned(section.text, names):
        yield Edge(EdgeKind.ANSWERS, node.id, node_id(NodeKind.TABLE, source, table), source)


def _terms(text: str, source: str, names: dict[str, str]) -> Iterator[Item]:
    for entry in entries_in(text):
        yield from term_nodes(source, entry.name, entry.text, synonyms=entry.others, tables=_mentioned(entry.text, names))


def _mentioned(text: str, names: dict[str, str]) -> dict[str, None]:
    """The tables that a text names in code."""
    return dict.fromkeys(names[word] for code in _CODE.findall(text) for word in _candidates(code) if word in names)


def _candidates(code: str) -> tuple[str, ...]:
    """`orders.status` may be a table, or a column of one."""
    code = code.lower()
    return (code, code.rpartition(".")[0])


def sections_of(ending: str, text: str, title: str) -> Iterator[Section]:
    """A document cut by its headings. Its first heading of the highest level is its title."""
    for whole in _wholes(ending, text, title):
        yield from _parts_of(whole)


def _wholes(ending: str, text: str, title: str) -> Iterator[Section]:
    """What is between two headings, of any length."""
    markdown = text_of_html(text) if ending in (".html", ".htm") else text
    blocks = list(_blocks(markdown)) if ending != ".txt" else [((), markdown)]
    tops = [headings[0] for headings, _ in blocks if headings]
    title = tops[0] if tops and len(set(tops)) == 1 else title
    for headings, body in blocks:
        yield Section(title, headings[1:] if headings and headings[0] == title else headings, body)


def _parts_of(whole: Section) -> Iterator[Section]:
    return (Section(whole.title, whole.headings, part) for part in _parts(whole.text))


def _blocks(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Headings above a text, and the text. A heading inside a code block is none."""
    path: list[tuple[int, str]] = []
    body: list[str] = []
    fenced = False
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        underlined = not fenced and place + 1 < len(lines) and line.strip() and _UNDERLINE.match(lines[place + 1]) and not _continues(body)
        if found or underlined:
            yield tuple(heading for _, heading in path), "\n".join(body)
            level = len(found["level"]) if found else (1 if lines[place + 1].startswith("=") else 2)
            path = [*(entry for entry in path if entry[0] < level), (level, _plain_heading(found["text"] if found else line)[:200])]
            body = []
        elif not (_UNDERLINE.match(line) and not body and path and not fenced):
            body.append(line)
    yield tuple(heading for _, heading in path), "\n".join(body)


def _plain_heading(text: str) -> str:
    """A heading without the signs that may close it: `## Terms ##`."""
    return text.strip().rstrip("#").rstrip() or text.strip()


def _continues(body: Sequence[str]) -> bool:
    """Whether the line before belongs to a paragraph, so that the next line is no heading of its own."""
    return bool(body) and bool(body[-1].strip())


def _parts(body: str) -> Iterator[str]:
    """A text in parts of at most `SECTION` characters, cut between paragraphs where it can be."""
    part = ""
    for paragraph in _BLANKS.split(body.strip()):
        for piece in (paragraph[start : start + SECTION] for start in range(0, len(paragraph), SECTION)):
            if part and len(part) + len(piece) + 2 > SECTION:
                yield part
                part = ""
            part = f"{part}\n\n{piece}" if part else piece
    if part.strip():
        yield part
