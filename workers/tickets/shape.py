"""The shape of a file: where records may be in it, which fields they have, how often, with examples; for those who say what they mean."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from contracts.base import Json
from contracts.tickets import TicketProblem
from workers.engines.delimited import markdown_rows
from workers.tickets.columns import Role, understand
from workers.tickets.file_text import FileText, Sort, text_of_file
from workers.tickets.mapping import DELIMITER, HEADER, RECORDS, WHOLE, Form
from workers.tickets.paths import labels_of, leaves, lists_in, records_at
from workers.tickets.table_files import rows_of, titled
from workers.tickets.ticket_files import documents_of, most_records

ASKED = (Role.TICKET_ID, Role.SUMMARY, Role.DESCRIPTION, Role.ROOT_CAUSE, Role.SOLUTION, Role.STATUS)
"""What a mapping is asked for first."""
_MOST_RECORDS = 2_000
"""Records that are looked at."""
_MOST_FIELDS = 150
_MOST_VALUES, _LONGEST_VALUE = 12, 40
"""A field is shown with all its values, as states have them, if they are at most this many, and none is longer."""
_EXAMPLES, _FIRST, _OTHER = 3, 400, 80
"""Other fields: this number of values, the first and the others cut to these lengths."""
_LONGEST_RECORD = 3_000
_TOP_LINES, _TOP_LINE = 12, 300


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a path in records."""

    path: str
    filled: int
    """Records that have it."""
    values: tuple[tuple[str, int], ...]
    """Values with their records, if these are all; else examples, with 0."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a file looks like."""

    sort: Sort
    where: str
    """The path to the records, or the line of the header: the longest list of objects, the first line of a table."""
    lists: tuple[tuple[str, int], ...]
    """Each path at which there are objects, and their number."""
    delimiter: str
    number: int
    """Records that were looked at."""
    fields: tuple[Field, ...]
    examples: tuple[str, ...]
    """Two records, the longest among the first."""
    top: str
    """The first lines of a table, as they stand in the file."""

    @property
    def pairs(self) -> tuple[str, ...]:
        """Where the records are, as `--map` has it."""
        return (f"{self.where}={RECORDS}",) if self.sort in ("json", "lines", "xml") else ()


def shape_of(path: Path, encoding: str = "", *, where: str = "") -> Shape:
    """The shape of a file. `where`: the path to the records, if it is known. Raises `NotFound` or `InvalidInput`."""
    file = text_of_file(path, encoding)
    return _of_table(file) if file.sort in ("table", "markdown") else _of_records(file, where)


def named_fields(shape: Shape) -> dict[str, Role]:
    """Path → what its name says that it holds, for the first of each of `ASKED`: to begin with, for somebody to look at. An id is different
    in each record."""
    found: dict[Role, str] = {}
    for each in shape.fields:
        role = understand([each.path.rpartition(".")[2]]).roles[0]
        is_id = each.filled == shape.number and all(number <= 1 for _, number in each.values)
        if role is not None and role in ASKED and (is_id or role is not Role.TICKET_ID):
            found.setdefault(role, each.path)
    return {path: role for role, path in found.items()}


def field_lines(shape: Shape) -> Iterator[str]:
    """Each field of a shape in a line, as a model is shown it."""
    for each in shape.fields:
        shown = ", ".join(f"{json.dumps(value, ensure_ascii=False)}{f' ({number})' if number else ''}" for value, number in each.values)
        yield f"{each.path} | in {each.filled} of {shape.number} | {'all values' if any(n for _, n in each.values) else 'e.g.'}: {shown}"


def where_text(shape: Shape) -> str:
    """Where the records are, as a model is shown it."""
    if shape.sort in ("table", "markdown"):
        sign = "tab" if shape.delimiter == "\t" else shape.delimiter
        return f"A table. Taken for the {DELIMITER}: `{sign}`. Taken for the {HEADER}: line {shape.where}."
    lists = ", ".join(f"`{place}` ({number})" for place, number in shape.lists)
    return (
        f"{'XML' if shape.sort == 'xml' else 'JSON'}. Paths at which there are objects: {lists}. The fields are those at `{shape.where}`."
    )


def _of_records(file: FileText, where: str) -> Shape:
    documents = [value for _, value in documents_of(file) if not isinstance(value, TicketProblem)]
    is_apart = file.sort == "lines" or len(documents) > 1
    lists = Counter({WHOLE: len(documents)} if is_apart else {})
    for value in documents:
        lists.update(dict(lists_in(value)))
    where = where or (WHOLE if is_apart else most_records(documents))
    records = [each for value in documents for each in records_at(value, where)][:_MOST_RECORDS]
    labels = labels_of(records)
    rows = [list(leaves(each, labels)) for each in records]
    examples = [json.dumps(each, ensure_ascii=False, indent=1) for each in _longest(records)]
    return Shape(file.sort, where, tuple(lists.most_common(20)), "", len(records), _fields(rows), tuple(examples), "")


def _longest(records: Sequence[Json]) -> list[Json]:
    """Two of the first records: those that say most, within what can be shown whole."""
    sized = [(len(json.dumps(each, ensure_ascii=False)), place) for place, each in enumerate(records[:50])]
    best = sorted(sized, key=lambda pair: (pair[0] > _LONGEST_RECORD, -pair[0] if pair[0] <= _LONGEST_RECORD else pair[0]))[:2]
    return [records[place] for _, place in sorted(best, key=lambda pair: pair[1])]


def _of_table(file: FileText) -> Shape:
    if file.sort == "markdown" and (found := markdown_rows(file.text)):
        rows, delimiter = iter(found), "|"
    else:
        rows, delimiter = rows_of(file.text, Form(delimiter=file.delimiter))
    line, header, below = titled(rows, Form(), {})
    names = [] if isinstance(header, TicketProblem) else [cell.strip() for cell in header]
    rows = islice((row for _, row in below if not isinstance(row, TicketProblem)), _MOST_RECORDS)
    cells = [[(named, cell.strip()) for named, cell in zip(names, row, strict=False) if named and cell.strip()] for row in rows]
    top = "\n".join(f"{place}: {text[:_TOP_LINE]}" for place, text in enumerate(file.text.splitlines()[:_TOP_LINES], start=1))
    return Shape(file.sort, str(line), (), delimiter, len(cells), _fields(cells), (), top)


def _fields(rows: Iterable[list[tuple[str, str]]]) -> tuple[Field, ...]:
    values: dict[str, Counter[str]] = {}
    filled: Counter[str] = Counter()
    for row in rows:
        filled.update({path for path, _ in row})
        for path, text in row:
            values.setdefault(path, Counter())[text.strip()] += 1
    return tuple(Field(path, filled[path], _shown(found)) for path, found in list(values.items())[:_MOST_FIELDS])


def _shown(found: Counter[str]) -> tuple[tuple[str, int], ...]:
    is_short = len(found) <= _MOST_VALUES and all(len(value) <= _LONGEST_VALUE for value in found)
    if is_short and (len(found) < found.total() or len(found) == 1):
        return tuple(found.most_common())
    lengths = (_FIRST, *(_OTHER,) * (_EXAMPLES - 1))
    return tuple((value if len(value) <= most else f"{value[:most]}…", 0) for value, most in zip(found, lengths, strict=False))
