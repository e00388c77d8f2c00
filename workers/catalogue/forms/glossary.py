"""The terms that a document defines, each with all that its entry says.

An entry is a list item or a paragraph that begins with a bold word, an entry of a definition list, or a row of a table. It goes on over
wrapped lines, further paragraphs and nested items as Markdown has it; a paragraph goes on until the next entry.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workers.catalogue.forms.plain_rows import field, term_rows
from workers.engines.squeezing import squeezed

MOST_CHARACTERS = 1_600
"""Of a definition, as of a section of a document; the end of a longer one is "…"."""

_MOST_NAME = 80
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])\s+(?P<text>\S.*)")
_ENTRY = re.compile(
    r"(?:\*\*|__)(?P<name>[^*_\n]{1,80}?)(?P<colon>[:：]?)(?:\*\*|__)\s*"
    r"(?:[(（](?P<others>[^)）]{1,200})[)）])?\s*(?P<sign>[:：—–-]?)\s*(?P<text>.*)"
)
"""`**AOV** (average order value): revenue per order`."""
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = frozenset("-*_= ")
_MARKS = "*_` "
_HANGUL = range(0xAC00, 0xD7A4)
"""Korean has blanks between words."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A term, its other names, and what it means."""

    name: str
    others: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Block:
    """A list item, a paragraph or a row of a table, with its lines."""

    indent: int
    lines: list[str]
    is_item: bool = False
    is_row: bool = False

    @property
    def text(self) -> str:
        """Its lines as one."""
        text = ""
        for line in self.lines:
            text = _joined(text, line)
        return text

    @property
    def is_listed(self) -> bool:
        """Whether only what is indented below it is part of it: an item, and an entry of a definition list."""
        return self.is_item or any(line.startswith(":") for line in self.lines[1:])

    @property
    def entry(self) -> Entry | None:
        """What the block itself defines."""
        signs = [place for place, line in enumerate(self.lines) if line.startswith(":")]
        if signs and signs[0] and not self.is_item:
            *others, name = [line.strip(_MARKS) for line in self.lines[: signs[0]]]
            meaning = replace(self, lines=[line.removeprefix(":").strip() for line in self.lines[signs[0] :]]).text
            return Entry(name, tuple(others), meaning) if name and len(name) <= _MOST_NAME else None
        found = _ENTRY.fullmatch(squeezed(self.text))
        return Entry(found["name"].strip(), _others(found["others"] or ""), found["text"].strip()) if found else None


def entries_in(text: str) -> Iterator[Entry]:
    """The entries of a text, in their order."""
    blocks = list(_blocks(text))
    entries = [None if block.is_row else block.entry for block in blocks]
    place = 0
    while place < len(blocks):
        block, entry, end = blocks[place], entries[place], place + 1
        if block.is_row:
            while end < len(blocks) and blocks[end].is_row:
                end += 1
            yield from _in_table([_cells(row.lines[0]) for row in blocks[place:end]])
        elif entry is not None:
            while end < len(blocks) and _goes_on(block, blocks[end], entries[end]):
                end += 1
            if not entry.text and any(entries[place + 1 : end]):  # the name of a group
                end = place + 1
            elif meaning := _with_below(entry.text, blocks[place + 1 : end]):
                yield replace(entry, text=bounded(meaning))
        place = end


def bounded(text: str) -> str:
    """A definition of at most `MOST_CHARACTERS`."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _goes_on(block: _Block, other: _Block, entry: Entry | None) -> bool:
    """Whether a block after an entry is part of it: what is indented below it, and behind a paragraph what is no entry."""
    return not other.is_row and (other.indent > block.indent or (not block.is_listed and entry is None))


def _with_below(text: str, below: Sequence[_Block]) -> str:
    for block in below:
        if block.is_item and text and text[-1].isalnum():
            text += "；" if _is_wide(text[-1]) else ";"
        text = _joined(text, block.text)
    return text


def _blocks(text: str) -> Iterator[_Block]:
    last: _Block | None = None
    is_apart, is_code = True, False
    for written in text.splitlines():
        line = written.expandtabs(4).rstrip().removesuffix("\\").rstrip()
        bare = line.strip()
        is_fence = bare.startswith(("```", "~~~"))
        is_code ^= is_fence
        if is_fence or not bare or (len(bare) > 2 and _RULE.issuperset(bare) and not is_code):
            is_apart |= not (is_fence or is_code)
            continue
        indent = len(line) - len(line.lstrip())
        item = None if is_code else _ITEM.fullmatch(bare)
        if last is not None and not item and _is_wrapped(last, bare, indent, is_apart=is_apart, is_code=is_code):
            last.lines.append(bare)
        else:
            if last is not None:
                yield last
            is_row = not is_code and not item and bare.startswith("|")
            last = _Block(indent, [item["text"] if item else bare], is_item=item is not None, is_row=is_row)
        is_apart = False
    if last is not None:
        yield last


def _is_wrapped(last: _Block, bare: str, indent: int, *, is_apart: bool, is_code: bool) -> bool:
    """Whether a line goes on with the block before it. In a definition list an empty line may be between."""
    if last.is_row or is_code:
        return is_code and not is_apart and not last.is_row
    if is_apart:
        return bare.startswith(": ") and not last.is_item
    begins = _ENTRY.fullmatch(squeezed(bare)) if indent <= last.indent else None
    is_entry = begins is not None and bool(begins["colon"] or begins["sign"] or begins["others"])
    return not (bare.startswith("|") or is_entry)


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(row.strip().removeprefix("|").removesuffix("|"))]


def _in_table(rows: Sequence[Sequence[str]]) -> Iterator[Entry]:
    """Rows under headings that name a term and its definition, else rows of two cells of which the first is bold."""
    header, *below = [row for row in rows if not all(set(cell) <= set("-: ") for cell in row)] or [[]]
    found = [entry for entry in term_rows(header, below) if field(entry, "name") and field(entry, "description")]
    for entry in found:
        yield Entry(
            str(field(entry, "name")).strip(_MARKS), _others(str(entry.get("synonyms") or "")), bounded(str(field(entry, "description")))
        )
    for row in () if found else (header, *below):
        entry = _Block(0, [" ".join(row)]).entry if len(row) == 2 and all(row) else None
        if entry is not None and entry.text:
            yield replace(entry, text=bounded(entry.text))


def _others(written: str) -> tuple[str, ...]:
    return tuple(other.strip() for other in re.split(r"[,，、;；/]", written) if other.strip())


def _joined(text: str, more: str) -> str:
    """Two pieces of a text, with no blank where it is Chinese or Japanese on both sides."""
    return f"{text}{more}" if not text or not more or (_is_wide(text[-1]) and _is_wide(more[0])) else f"{text} {more}"


def _is_wide(sign: str) -> bool:
    return unicodedata.east_asian_width(sign) in ("W", "F") and ord(sign) not in _HANGUL
