"""A table in a text into rows of fields: CSV with any usual separator, a list of JSON objects, or an object for each line."""

import csv
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple, cast

from contracts import statements
from contracts.base import clean_text
from contracts.statements import Join, Sayable, listing, say
from workers.engines.artefacts.headings import Heading, Measure, heading_of
from workers.engines.artefacts.sql_pages import query_page
from workers.engines.artefacts.stage_quantiles import copied_stages, with_distributions, without_pages
from workers.engines.artefacts.values import number_of, stage_number
from workers.engines.counts import exactly
from workers.engines.problems import rows_left_out

ROWS = 20_000
COLUMNS = 300
HEADING_LINES = 20
"""Lines of titles and comments that may come before the headings."""

SEPARATORS = ",\t;|"
ALIGNED = re.compile(r"\S+(?: \S+)*")
"""A cell of a table that has at least two blanks between its columns."""

FEWEST_ALIGNED = 3
"""Headings that are understood, from which blanks alone make a table."""
TEXT_CHARS = 300
NESTED = 4
"""How deep in a JSON document the list of rows may lie."""

DAMAGED_CHARS = 1 << 20
"""Of a document that breaks off, in which its last complete value is looked for."""
JSON_MARK = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"?|[\[\]{},]')
"""A text, also one that breaks off, or what parts values: no place is read twice."""
JSON_DEPTH = 200
"""Of a document that breaks off: what lies deeper is not read."""
CLOSING = {"[": "]", "{": "}"}

JSON_DAMAGED = (ValueError, RecursionError)
"""What `json.loads` raises: no JSON, a number of too many digits, too deep."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row, by field."""

    line: int
    cells: Mapping[str, object]
    headings: Mapping[str, Heading]

    def number(self, *fields: str) -> float | None:
        """The first of these fields that holds one."""
        return next((value for field in fields if field in self.cells and (value := self._number(field)) is not None), None)

    def _number(self, field: str) -> float | None:
        return number_of(self.cells[field], self.headings[field])

    def count(self, *fields: str) -> int | None:
        """The same as an integer."""
        value = self.number(*fields)
        return None if value is None else int(value)

    def text(self, *fields: str) -> str:
        """The first of these fields that is there, cut; empty where none is."""
        cell = next((self.cells[field] for field in fields if self.cells.get(field) not in (None, "")), "")
        return clean_text(str(cell))[:TEXT_CHARS].strip()

    def stage(self) -> dict[str, Any]:
        """What it is about: `stage` and `stage_id` of the contracts."""
        stage = self.text("stage", "id", "name")
        return {"stage": stage, "stage_id": stage_number(stage)}


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table, what its headings mean, and what of it was not understood."""

    rows: tuple[Row, ...]
    fields: frozenset[str]
    unread: tuple[str, ...] = ()
    notes: tuple[Sayable, ...] = ()
    is_json: bool = False


NO_ROWS = Rows((), frozenset())


def rows_of(text: str) -> Rows:
    """The table in a text; no rows where there is none. Never raises."""
    stripped = text.lstrip()
    if stripped.startswith(("[", "{")):
        return _of_json(stripped)
    if page := query_page(text):
        return _rows(page)
    copied = copied_stages(text)
    if copied:
        return _beside(_of_csv(without_pages(text)), _rows(copied))
    return _of_csv(text)


def _beside(table: Rows, pages: Rows) -> Rows:
    """A table of stages in the same text as the pages of some of them."""
    if not {"stage", "id"} & table.fields or not table.rows:
        return pages
    return Rows((*table.rows, *pages.rows), table.fields | pages.fields, table.unread, (*table.notes, *pages.notes))


def _of_json(text: str) -> Rows:
    try:
        document = json.loads(text)
    except JSON_DAMAGED:
        document = _beginning(text)
    if document is None:
        return _rows(list(_json_lines(text)), is_json=True)
    objects = _objects(document, NESTED)
    return _rows([(number, with_distributions(content)) for number, content in enumerate(objects, start=1)], is_json=True)


def _beginning(text: str) -> object:
    """What is complete of a document that breaks off; None where nothing is."""
    end = text.rfind("}") + 1
    for whole in (f"{text[:end]}]" if text.startswith("[") and end else "", _closed(text[:DAMAGED_CHARS])):
        try:
            return json.loads(whole)
        except JSON_DAMAGED:
            continue
    return None


@dataclass(slots=True)
class _Open:
    """A list or an object that is not closed yet."""

    closing: str
    whole: int = 0
    """Where the last value in it that is complete ends."""
    objects: int = 0
    lists: int = 0
    """How many of each are complete in it."""


def _closed(text: str) -> str:
    """The text up to its last complete value, with the brackets closed that are open there. A row that is open there is left out, where a
    row before it is complete: what it would have said below is not known."""
    held = [_Open("")]
    kept = 1
    for mark in JSON_MARK.finditer(text):
        sign = mark[0]
        if sign in CLOSING:
            if len(held) > JSON_DEPTH:
                break
            held.append(_Open(CLOSING[sign]))
        elif sign in "]}" and len(held) > 1:
            is_object = held.pop().closing == "}"
            held[-1].objects += is_object
            held[-1].lists += not is_object
            held[-1].whole, kept = mark.end(), len(held)
        elif sign == ",":
            held[-1].whole, kept = mark.start(), len(held)
    whole = _without_open_row(held[:kept])
    return text[: whole[-1].whole] + "".join(each.closing for each in reversed(whole))


def _without_open_row(held: list[_Open]) -> list[_Open]:
    """What is open around the rows, where the last row is open and one before it is complete: rows are in the outermost list, or are flat
    objects in an object."""
    rows = next((place for place, each in enumerate(held) if each.closing == "]"), None)
    if rows is None:
        is_flat = held[-1].objects == held[-1].lists == 0
        rows = len(held) - 2 if is_flat and len(held) > 2 else len(held)
    return held[: rows + 1] if rows + 1 < len(held) and held[rows + 1].closing == "}" and held[rows].objects else held


def _json_lines(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            document = json.loads(line) if line.lstrip().startswith("{") else None
        except JSON_DAMAGED:
            continue
        if isinstance(document, dict):
            yield number, cast("dict[str, Any]", document)


def _objects(document: object, depth: int) -> list[dict[str, Any]]:
    """The longest list of objects in a document; an object of objects is one too, its keys the first column."""
    if isinstance(document, list):
        return [cast("dict[str, Any]", item) for item in cast("list[Any]", document) if isinstance(item, dict)]
    if not isinstance(document, dict) or depth == 0:
        return []
    items = cast("dict[str, Any]", document)
    bodies = {name: cast("dict[str, Any]", body) for name, body in items.items() if isinstance(body, dict)}
    if (
        bodies
        and len(bodies) == len(items)
        and not any(isinstance(value, list | dict) for body in bodies.values() for value in body.values())
    ):
        return [{"id": name, **body} for name, body in bodies.items()]
    return max((_objects(value, depth - 1) for value in items.values()), key=len, default=list[dict[str, Any]]())


def _of_csv(text: str) -> Rows:
    lines = text.split("\n", HEADING_LINES)[:HEADING_LINES]
    best: tuple[int, int, str] | None = None
    for number, line in enumerate(lines):
        for separator in SEPARATORS:
            known = {heading.field for cell in _cells(line[:10_000], separator) if (heading := heading_of(cell))}
            if len(known) >= 2 and (best is None or len(known) > best[0]):
                best = (len(known), number, separator)
    if best is None:
        return _of_aligned(text)
    _, at, separator = best
    body = text.split("\n", at)[at].split("\n", ROWS + 2)
    headings = _cells(body[0], separator)[:COLUMNS]
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(body[1 : ROWS + 2], start=at + 2):
        cells = _cells(line, separator) if line.strip() else []
        if len(cells) >= 2 and not all(set(cell) <= set("-=: ") for cell in cells):  # the rule below a Markdown heading
            rows.append((number, dict(zip(headings, cells, strict=False))))
    return _rows(rows)


def _of_aligned(text: str) -> Rows:
    """A table with blanks between its columns: a cell belongs to the heading above it, and rows that leave this open are counted alone."""
    lines = text.split("\n", ROWS + HEADING_LINES)
    for at, line in enumerate(lines[:HEADING_LINES]):
        headings = _aligned(line)[:COLUMNS]
        if len({known.field for cell in headings if (known := heading_of(cell.text))}) >= FEWEST_ALIGNED:
            below = [(number, _aligned(row)) for number, row in enumerate(lines[at + 1 : at + 1 + ROWS], start=at + 2)]
            found = [(number, _under(headings, cells)) for number, cells in below if len(cells) >= 2]
            table = _rows([(number, cells) for number, cells in found if cells])
            unfit = sum(not cells for _, cells in found)
            return replace(table, notes=(*table.notes, say("artefacts.note.rows_unfit", n=exactly(unfit)))) if unfit else table
    return NO_ROWS


class _Cell(NamedTuple):
    text: str
    start: int
    end: int


def _aligned(line: str) -> list[_Cell]:
    """The cells of a line and their places, as it is shown: a Chinese character takes two."""
    line = line[:10_000]
    at = [0, *accumulate(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)]
    return [_Cell(cell[0], at[cell.start()], at[cell.end()]) for cell in ALIGNED.finditer(line)]


def _under(headings: Sequence[_Cell], cells: Sequence[_Cell]) -> dict[str, Any]:
    """Heading → cell; empty where a cell is under none of them, or under two."""
    if len(cells) == len(headings):
        return {heading.text: cell.text for heading, cell in zip(headings, cells, strict=True)}
    found: dict[str, Any] = {}
    for cell in cells:
        over = [heading.text for heading in headings if heading.start < cell.end and cell.start < heading.end]
        if len(over) != 1 or over[0] in found:
            return {}
        found[over[0]] = cell.text
    return found


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line. A quoted cell that continues on the next line is not supported, since tables of numbers have none."""
    if separator == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    try:
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True), list[str]())
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]


def _rows(numbered: list[tuple[int, dict[str, Any]]], *, is_json: bool = False) -> Rows:
    names = list(dict.fromkeys(name for _, body in numbered[:100] for name in list(body)[:COLUMNS]))[:COLUMNS]
    headings: dict[str, Heading] = {}
    columns: dict[str, str] = {}
    unread: list[str] = []
    for name in names:
        heading = heading_of(name)
        if heading is None or heading.field in headings:
            unread.append(clean_text(name)[:TEXT_CHARS])
        else:
            headings[heading.field] = heading
            columns[name] = heading.field
    rows = tuple(Row(line, {field: body.get(name) for name, field in columns.items()}, headings) for line, body in numbered[:ROWS])
    notes: list[Sayable] = [rows_left_out(len(numbered) - ROWS, ROWS)] if len(numbered) > ROWS else []
    without_unit = sorted(field for field, heading in headings.items() if heading.measure is Measure.MS and heading.factor is None)
    if any(_is_bare(row.cells.get(field)) for row in rows for field in without_unit):
        notes.append(say("artefacts.note.no_unit", columns=listing(*map(statements.name, without_unit), join=Join.PLAIN)))
    return Rows(rows, frozenset(headings), tuple(unread), tuple(notes), is_json)


def _is_bare(cell: object) -> bool:
    """A number without a unit of its own."""
    return isinstance(cell, int | float) or (isinstance(cell, str) and cell.strip().replace(".", "", 1).replace(",", "").isdigit())
