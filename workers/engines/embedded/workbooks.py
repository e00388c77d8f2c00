"""Sheets of an Excel workbook (.xlsx, ECMA-376) as CSV: the cells' values, dates in ISO 8601. Formulas give what Excel last computed."""

import csv
import json
import re
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import TextIOBase
from math import isfinite
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from xml.etree.ElementTree import Element, iterparse

from contracts.statements import passage, say
from workers.errors import InvalidInput

MOST_CELLS = 50_000_000
"""Of a sheet: more than Excel's own limit of rows with 40 columns in each."""

_MOST_FILLED = 5_000_000
"""Cells of a sheet whose rows are made equally long: Excel leaves out the empty cells at the end of a row. A stray cell far to the right
would make a large file of a small sheet."""
_RELATION = "id"
_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Numbers of the built-in formats that show a serial number as a date or a time."""
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
"""Parts of a number format that say nothing of what the number is."""
_DATE_LETTERS = frozenset("dmyhs")
_ELAPSED = re.compile(r"\[(?:h{1,4}|m{1,4}|s{1,4})\]", re.IGNORECASE)
"""The part of a number format that makes it a duration, [h]:mm:ss; Excel has one built in."""
_ELAPSED_BUILT_IN = 46
_COLUMN = re.compile(r"[A-Z]{1,3}")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 a cell has no zone
"""Of serial numbers, with Excel's belief that 1900 was a leap year."""
_FIRST_DAY_MAC = datetime(1904, 1, 1)  # noqa: DTZ001 as above


def sheets(path: Path) -> list[str]:
    """The names of the sheets, in their order. Raises `InvalidInput` for what is no workbook."""
    with _opened(path) as book:
        return [name for name, _ in _places(book)]


@dataclass(frozen=True)
class Written:
    """What was written of a sheet."""

    rows: int
    merged: tuple[tuple[int, int, int], ...]
    """Cells that were merged over several rows: the column, the first and the last row, counted from 0 in what was written."""
    without_value: int = 0
    """Cells with a formula that no program has computed yet: libraries write formulas alone. They are empty here."""


def write_sheet(path: Path, sheet: str, target: TextIOBase) -> Written:
    """Write the rows of a sheet as CSV. Raises `InvalidInput`."""
    with _opened(path) as book:
        place = dict(_places(book))[sheet]
        cells, numbers, width = _Cells(_strings(book), *_time_styles(book), _first_day(book)), dict[int, int](), 0
        with TemporaryFile("w+", encoding="utf-8", newline="") as as_it_is:
            writer = csv.writer(as_it_is, lineterminator="\n")
            for number, row in _rows(book, place, cells):
                numbers[number] = len(numbers)
                width = max(width, len(row))
                writer.writerow(row)
            as_it_is.seek(0)
            writer = csv.writer(target, lineterminator="\n")
            filled = width if width * len(numbers) <= _MOST_FILLED else 0
            writer.writerows([*row, *[""] * (filled - len(row))] for row in csv.reader(as_it_is))
        ranges = (_RANGE.fullmatch(element.get("ref", "")) for _, element in _elements(book, place, "mergeCell"))
        merged = [(_column_of(found[1], 0), numbers.get(int(found[2])), numbers.get(int(found[4]))) for found in ranges if found]
        over_rows = tuple((column, top, last) for column, top, last in merged if top is not None and last is not None and last > top)
        return Written(len(numbers), over_rows, cells.without_value)


def write_first_sheet(request: Mapping[str, Any]) -> None:
    """Write the first sheet of the workbook `path` that has a header and a row to the file `to`, as CSV; an empty file if none has."""
    path, to = Path(request["path"]), Path(request["to"])
    for sheet in sheets(path):
        with to.open("w", encoding="utf-8", newline="") as target:
            if write_sheet(path, sheet, target).rows > 1:
                return
    to.write_text("", "utf-8")


def write_sheets(request: Mapping[str, Any]) -> None:
    """Write each sheet of the workbook `path` as CSV into the folder `to`, called by its number, and their names into `names`. What
    a cell holds that was merged over several rows is in each."""
    path, to = Path(request["path"]), Path(request["to"])
    named = sheets(path)
    for place, sheet in enumerate(named):
        text = to / str(place)
        with text.open("w", encoding="utf-8", newline="") as target:
            written = write_sheet(path, sheet, target)
        fill_merged(text, written.merged, 0)
    Path(to, "names").write_text(json.dumps(named), "utf-8")


def fill_merged(text: Path, merged: Sequence[tuple[int, int, int]], header: int) -> list[int]:
    """Write in each row below the header what a cell holds that was merged over several; the columns. A number is not repeated, which
    would be added up. `header`: how many rows it ends with."""
    below = [(column, top, last) for column, top, last in merged if top >= header]
    if not below:
        return []
    with text.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    filled: set[int] = set()
    for column, top, last in below:
        value = rows[top][column] if column < len(rows[top]) else ""
        if not value or _is_number(value):
            continue
        for row in rows[top + 1 : last + 1]:
            row += [""] * (column + 1 - len(row))
            if not row[column]:
                row[column] = value
                filled.add(column)
    if filled:
        with text.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    return sorted(filled)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


@contextmanager
def _opened(path: Path) -> Generator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as book:
            yield book
    except (zipfile.BadZipFile, KeyError, ValueError, SyntaxError, RuntimeError, NotImplementedError) as error:
        raise InvalidInput.of(say("refused.source.no_workbook", reason=passage(str(error)))) from None


def _elements(book: zipfile.ZipFile, name: str, *tags: str) -> Iterator[tuple[str, Element]]:
    """The elements of these names in a part of the workbook, each with its name. An element is emptied when the next is asked for."""
    with book.open(name) as part:
        for _, element in iterparse(part, events=("end",)):  # noqa: S314 expat bounds entities, and this process has limits
            tag = element.tag.rpartition("}")[2]
            if tag in tags:
                yield tag, element
                element.clear()


def _attribute(element: Element, name: str) -> str:
    """An attribute by its name without its namespace, of which there are two."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _places(book: zipfile.ZipFile) -> list[tuple[str, str]]:
    """Sheet → the part that holds it. Charts have none that we read."""
    parts = {
        element.get("Id", ""): element.get("Target", "")
        for _, element in _elements(book, "xl/_rels/workbook.xml.rels", "Relationship")
        if element.get("Type", "").endswith("/worksheet")
    }
    named = [(element.get("name", ""), _attribute(element, _RELATION)) for _, element in _elements(book, "xl/workbook.xml", "sheet")]
    return [(name, f"xl/{parts[id_].removeprefix('/xl/').removeprefix('xl/')}") for name, id_ in named if id_ in parts]


def _first_day(book: zipfile.ZipFile) -> datetime:
    found = next((element.get("date1904", "") for _, element in _elements(book, "xl/workbook.xml", "workbookPr")), "")
    return _FIRST_DAY_MAC if found in ("1", "true") else _FIRST_DAY


def _strings(book: zipfile.ZipFile) -> list[str]:
    """Texts that cells share."""
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    return [_text(element) for _, element in _elements(book, "xl/sharedStrings.xml", "si")]


def _text(element: Element) -> str:
    """The words of an element with its runs, without what says how a word is pronounced."""
    found: list[str] = []
    for child in element:
        tag = child.tag.rpartition("}")[2]
        if tag == "t":
            found.append(child.text or "")
        elif tag == "r":
            found.append(_text(child))
    return "".join(found)


def _time_styles(book: zipfile.ZipFile) -> tuple[frozenset[int], frozenset[int]]:
    """The styles of cells that show a number as a date or a time, and as a duration."""
    if "xl/styles.xml" not in book.namelist():
        return frozenset(), frozenset()
    dates, elapsed = set(_DATES), {_ELAPSED_BUILT_IN}
    shown: list[int] = []
    for tag, element in _elements(book, "xl/styles.xml", "numFmt", "cellXfs"):
        if tag == "numFmt":
            code, number = element.get("formatCode", ""), int(element.get("numFmtId", "0"))
            if _ELAPSED.search(code):
                elapsed.add(number)
            elif set(_LITERAL.sub("", code).lower()) & _DATE_LETTERS:
                dates.add(number)
        else:
            shown += [int(style.get("numFmtId", "0")) for style in element]
    durations = frozenset(place for place, number in enumerate(shown) if number in elapsed)
    return frozenset(place for place, number in enumerate(shown) if number in dates) - durations, durations


@dataclass
class _Cells:
    """What the cells of a workbook refer to."""

    strings: list[str]
    dates: frozenset[int]
    durations: frozenset[int]
    first: datetime
    without_value: int = 0
    """Formulas without what they give, of those that were looked at."""

    def value(self, cell: Element) -> str:
        """What a cell holds, as text."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(_text(child) for child in cell if child.tag.rpartition("}")[2] == "is")
        text = next((child.text or "" for child in cell if child.tag.rpartition("}")[2] == "v"), "")
        if not text and kind != "str":
            self.without_value += any(child.tag.rpartition("}")[2] == "f" for child in cell)
        if kind == "s":
            return self.strings[int(text)] if text else ""
        if kind == "b":
            return {"1": "true", "0": "false"}.get(text, text)
        if kind == "e":
            return ""  # #N/A and the like
        style = int(cell.get("s", "0"))
        if kind == "n" and text and style in self.durations:
            return _duration(float(text))
        return _date(float(text), self.first) if kind == "n" and text and style in self.dates else text


def _rows(book: zipfile.ZipFile, place: str, held: _Cells) -> Iterator[tuple[int, list[str]]]:
    """The rows with their numbers in the sheet."""
    cells_seen, number = 0, 0
    for _, row in _elements(book, place, "row"):
        given = row.get("r", "")
        number = int(given) if given.isdigit() else number + 1
        cells: list[str] = []
        for cell in row:
            column = _column_of(cell.get("r", ""), len(cells))
            cells += [""] * (column - len(cells))
            cells.append(held.value(cell).replace("\r\n", "\n").replace("\r", "\n"))
        cells_seen += len(cells)
        if cells_seen > MOST_CELLS:
            raise ValueError("it has more cells than are read")
        yield number, cells


def _column_of(reference: str, following: int) -> int:
    """`AB12` → 27. A cell without a reference follows the one before it."""
    letters = _COLUMN.match(reference)
    if letters is None:
        return following
    number = 0
    for letter in letters[0]:
        number = number * 26 + ord(letter) - 64
    return max(number - 1, following)


def _duration(days: float) -> str:
    """Hours, minutes and seconds; the hours may be more than a day has."""
    if not isfinite(days):
        return ""
    seconds = round(abs(days) * 86_400)
    return f"{'-' if days < 0 else ''}{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _date(serial: float, first: datetime) -> str:
    """A serial number of days as a date, or a moment where it has a part of a day; one below 1 is a time."""
    try:
        moment = first + timedelta(days=serial)
    except (OverflowError, ValueError):
        return str(serial)
    moment = (moment + timedelta(microseconds=500_000)).replace(microsecond=0)
    if 0 < serial < 1:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if serial == int(serial) else f"{moment:%Y-%m-%d %H:%M:%S}"
