"""A report as a tree of blocks, before it is a page of some medium: what a kind builds and the renderers show.

Each text is a statement, a value or a finished sentence of an earlier release; a document is in no language yet.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Discriminator, Field, model_validator

from contracts.base import Contract, Text
from contracts.charts import Chart
from contracts.drawings import Graph, Places, Ranges
from contracts.statements import Id, Shown, Target, Term, member_term


class Tone(StrEnum):
    """How a text is meant; a medium shows it by colour and weight."""

    NORMAL = "normal"
    STRONG = "strong"
    DIM = "dim"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


class Anchored(Contract):
    """A block that references can point to."""

    to: Target | None = None
    id: Id | None = None

    @property
    def anchor(self) -> str:
        """What a reference names: `fix:F1`; empty without an id."""
        return f"{self.to}:{self.id}" if self.to and self.id else ""


class Heading(Anchored):
    """The title of what follows. The document's title is level 1."""

    kind: Literal["heading"] = "heading"
    text: Shown
    level: int = Field(default=2, ge=2, le=4)


class Paragraph(Contract):
    """A text of its own."""

    kind: Literal["paragraph"] = "paragraph"
    text: Shown
    tone: Tone = Tone.NORMAL


class Item(Anchored):
    """An item of a list, and what belongs below it."""

    text: Shown
    tone: Tone = Tone.NORMAL
    blocks: tuple["Block", ...] = ()


class Items(Contract):
    """A bullet or numbered list."""

    kind: Literal["items"] = "items"
    items: tuple[Item, ...]
    is_numbered: bool = False
    first: int = Field(default=1, ge=0)
    """The number of the first item."""


class Fact(Contract):
    """A label and its value."""

    label: Shown
    value: Shown
    tone: Tone = Tone.NORMAL


class Facts(Contract):
    """Labels with their values."""

    kind: Literal["facts"] = "facts"
    facts: tuple[Fact, ...]


class Align(StrEnum):
    """The side of a column that its cells keep to."""

    LEFT = "left"
    RIGHT = "right"


class Column(Contract):
    """A column of a table."""

    title: Shown
    align: Align = Align.LEFT
    wraps: bool = True
    """Whether a cell may take several lines."""


class Table(Contract):
    """Rows of cells."""

    kind: Literal["table"] = "table"
    columns: tuple[Column, ...] = Field(min_length=1)
    rows: tuple[tuple[Shown, ...], ...] = ()
    caption: Shown | None = None
    left_out: int = Field(default=0, ge=0)
    """Further rows that the whole report shows."""

    @model_validator(mode="after")
    def _is_rectangular(self) -> "Table":
        """Each row has a cell for each column."""
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"each row needs {len(self.columns)} cells")
        return self


class Figure(Anchored):
    """A small labelled number."""

    label: Shown
    value: Shown
    note: Shown | None = None
    """Where it comes from, or what it is compared with."""


class Figures(Contract):
    """Numbers side by side."""

    kind: Literal["figures"] = "figures"
    figures: tuple[Figure, ...]


class CodeBlock(Contract):
    """Lines of source code, shown as they are."""

    kind: Literal["code_block"] = "code_block"
    text: Text
    language: str = ""
    """`python`, `sql`, ...; for highlighting."""
    first_line: int | None = Field(default=None, ge=0)
    """The number of the first line; None: lines are not numbered."""
    marked: tuple[int, ...] = ()
    """Numbers of the lines to look at, counted from `first_line` (from 1 without it)."""
    title: Shown | None = None
    """The file."""


class Diff(Contract):
    """A unified diff."""

    kind: Literal["diff"] = "diff"
    text: Text
    language: str = ""
    """Of what changed: `python`, `sql`, ...; for highlighting."""
    title: Shown | None = None


class CalloutKind(StrEnum):
    """What a callout asks of the reader."""

    NOTE = "note"
    WARNING = "warning"
    QUESTION = "question"

    def term(self) -> Term:
        """Its word."""
        return member_term("saying.callout", self)


class Callout(Contract):
    """Blocks set off from the rest."""

    kind: Literal["callout"] = "callout"
    callout: CalloutKind = CalloutKind.NOTE
    blocks: tuple["Block", ...]


class Reference(Anchored):
    """Something that the document cites."""

    text: Shown


class References(Contract):
    """What the document cites."""

    kind: Literal["references"] = "references"
    references: tuple[Reference, ...]


class Fold(Contract):
    """Details that a page shows on request; a terminal shows them in place."""

    kind: Literal["fold"] = "fold"
    summary: Shown
    blocks: tuple["Block", ...]


Block = Annotated[
    Heading
    | Paragraph
    | Items
    | Facts
    | Table
    | Figures
    | CodeBlock
    | Diff
    | Chart
    | Ranges
    | Places
    | Graph
    | Callout
    | References
    | Fold,
    Discriminator("kind"),
]


class Document(Contract):
    """A whole report."""

    title: Shown
    blocks: tuple[Block, ...] = ()
    tone: Tone = Tone.NORMAL
    """Of the title."""


Document.model_rebuild()
"""The blocks that hold blocks are built when the first of each is made."""


def bullets(texts: Iterable[Shown]) -> Items:
    """A plain bullet list."""
    return Items(items=tuple(Item(text=text) for text in texts))


def texts_in(document: Document) -> Iterator[Shown]:
    """Every text of a document but code and diffs, in reading order."""
    yield document.title
    yield from _of_blocks(document.blocks)


def anchors_in(blocks: Iterable[Block]) -> Iterator[str]:
    """What references can be linked to."""
    for block in blocks:
        parts: tuple[Anchored, ...] = ()
        match block:
            case Heading():
                parts = (block,)
            case Items():
                parts = block.items
                for item in block.items:
                    yield from anchors_in(item.blocks)
            case Figures():
                parts = block.figures
            case References():
                parts = block.references
            case Callout() | Fold():
                yield from anchors_in(block.blocks)
            case _:
                pass
        yield from (part.anchor for part in parts if part.anchor)


def _of_blocks(blocks: Iterable[Block]) -> Iterator[Shown]:
    for block in blocks:
        yield from _of_block(block)


def _of_block(block: Block) -> Iterator[Shown]:
    match block:
        case Heading() | Paragraph():
            yield block.text
        case Items():
            for item in block.items:
                yield item.text
                yield from _of_blocks(item.blocks)
        case Facts():
            for fact in block.facts:
                yield from (fact.label, fact.value)
        case Table():
            yield from (block.caption,) if block.caption is not None else ()
            yield from (column.title for column in block.columns)
            yield from (cell for row in block.rows for cell in row)
        case Figures():
            for figure in block.figures:
                yield from (part for part in (figure.label, figure.value, figure.note) if part is not None)
        case CodeBlock() | Diff():
            yield from (block.title,) if block.title is not None else ()
        case Chart():
            yield from block.texts()
        case Ranges() | Places() | Graph():
            yield from _of_drawing(block)
        case Callout():
            yield from _of_blocks(block.blocks)
        case References():
            yield from (reference.text for reference in block.references)
        case Fold():
            yield block.summary
            yield from _of_blocks(block.blocks)


def _of_drawing(block: Ranges | Places | Graph) -> Iterator[Shown]:
    yield block.title
    if isinstance(block, Places):
        yield from (block.label, *(channel.title for channel in block.colourings))
        yield from (text for place in block.places for text in (place.name, *(block.shown(place, by) for by in block.colourings)))
        return
    if isinstance(block, Ranges):
        yield from (block.label, block.axis)
        yield from (text for row in block.rows for text in (row.name, block.beside(row)))
        return
    for node in block.nodes:
        yield from (text for text in (node.label, node.note) if text is not None)
