"""Tables of tickets: where their header is, and each row as a ticket or as the problem with it."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from itertools import count as count_from
from typing import Any

from contracts.statements import Statement, count, name, names, passage, say
from contracts.tickets import Ticket, TicketProblem
from workers.engines.delimited import delimiter_in, find_table
from workers.errors import InvalidInput
from workers.tickets.by_values import LOOKED_AT, by_values, guessed_id, is_unique, without_guessed_id
from workers.tickets.columns import Columns, Role, understand
from workers.tickets.export_rows import NotSolved, understand_row
from workers.tickets.labelled import parts_of
from workers.tickets.mapping import Form, no_header
from workers.tickets.markup import plain_text
from workers.tickets.prose import take_apart
from workers.tickets.ticket_rows import field_of, to_ticket

Item = tuple[int, Ticket | TicketProblem]
"""A line of the file and what stood there."""
Row = tuple[int, list[str] | TicketProblem]
"""A line of the file and its cells."""

_MOST_TITLES, _NEEDED = 10, 2
"""Rows that are looked at for a header; columns that a table of tickets must have and a title has not."""
_MAX_CELL = 10_000_000
_MAX_ID = 200
_MAX_HEADERS = 2_000
_METADATA = "metadata"


@dataclass(frozen=True)
class TicketFile:
    """A file of tickets, opened."""

    items: Iterator[Item]
    columns: Columns | None = None
    """What its columns mean; None: it is JSON."""
    encoding: str = ""
    """In which its text was read, where the file did not say so itself."""
    id_column: str = ""
    """Of which the values are taken for ids, where its name does not say so."""


def open_csv(text: str, form: Form, mapping: Mapping[str, str], *, cause_later: bool = False) -> TicketFile:
    """A table in text. `cause_later`: of a row without a cause, a model reads it."""
    return open_rows(rows_of(text, form)[0], form, mapping, cause_later=cause_later)


def rows_of(text: str, form: Form) -> tuple[Iterator[Row], str]:
    """The rows of a table in text, its header and what is above it among them, and its delimiter."""
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL))
    delimiter = form.delimiter
    if not delimiter and form.header:
        delimiter = delimiter_in("\n".join(text.split("\n", form.header[1])[form.header[0] - 1 : form.header[1]]))
    elif not delimiter:
        text, delimiter = find_table(text)
    return _csv_rows(text, delimiter), delimiter


def open_rows(rows: Iterable[Row], form: Form, mapping: Mapping[str, str], *, cause_later: bool = False) -> TicketFile:
    """The rows of a table, its header and what is above it among them."""
    line, header, below = titled(rows, form, mapping)
    if isinstance(header, TicketProblem):
        return TicketFile(iter([(line, header)]))
    return (
        open_table([cell.strip() for cell in header], below, mapping, line=line, cause_later=cause_later)
        if header
        else TicketFile(iter(()))
    )


def titled(rows: Iterable[Row], form: Form, mapping: Mapping[str, str]) -> tuple[int, list[str] | TicketProblem, Iterator[Row]]:
    """The line of the header, its cells (none: there is no row), and the rows below. Raises `InvalidInput` where no row is in the lines of
    the header that the form names."""
    rows = iter(rows)
    if form.header is not None:
        return _joined(rows, *form.header)
    first = list(islice(rows, _MOST_TITLES))
    if not first:
        return 1, [], rows
    at = _header_in(first, mapping)
    return *first[at], chain(first[at + 1 :], rows)


def _joined(rows: Iterator[Row], first: int, last: int) -> tuple[int, list[str] | TicketProblem, Iterator[Row]]:
    """The names of the columns in these lines of a file, as `titled`: what is above one another is one name."""
    found: list[list[str]] = []
    for line, cells in rows:
        if line > last:
            rows = chain([(line, cells)], rows)
            break
        if isinstance(cells, TicketProblem):
            return line, cells, rows
        found += [cells] if line + sum(cell.count("\n") for cell in cells) >= first else []
    if not found:
        raise InvalidInput.of(no_header(str(first) if first == last else f"{first}-{last}"))
    columns = ([row[place] for row in found if place < len(row)] for place in range(max(map(len, found))))
    return last, [" ".join(part for cell in column for part in cell.split()) for column in columns], rows


def _header_in(first: list[Row], mapping: Mapping[str, str]) -> int:
    """The place of the header: the first row, unless it names no column that is needed and one below it does. A title may have as many
    cells as the table."""
    return next((place for place, (_, cells) in enumerate(first) if lacking(cells, mapping) < _NEEDED), 0)


def lacking(cells: Sequence[str] | TicketProblem, mapping: Mapping[str, str]) -> int:
    """How many of the fields that a ticket needs no cell names."""
    if isinstance(cells, TicketProblem):
        return _NEEDED
    try:
        return len(understand([cell.strip() for cell in cells], mapping).missing())
    except InvalidInput:  # the mapping names a column that is not there
        return _NEEDED


def open_table(headers: list[str], rows: Iterable[Row], mapping: Mapping[str, str], *, line: int, cause_later: bool = False) -> TicketFile:
    """The rows below a header, which is on `line`."""
    columns = understand(headers, mapping)
    id_column = ""
    if not mapping:
        rows = iter(rows)
        first = list(islice(rows, LOOKED_AT))
        named, columns = columns, by_values(columns, _whole(first))
        rows = chain(first, rows)
        if (guessed := guessed_id(columns, named)) is not None:
            rows = list(rows)  # what comes again further below is no id
            ids = [row[guessed].strip() if guessed < len(row) else "" for row in _whole(rows)]
            if is_unique(ids):
                id_column = headers[guessed]
            else:
                columns = without_guessed_id(columns, named)
    missing = columns.missing()
    is_export = columns.is_export or (bool(mapping) and not _keeps_our_form(columns))
    if missing == ["root_cause"]:
        rows = list(rows)
        named = _cause_named(rows, columns)
        missing, is_export = ([], is_export or named is Role.DESCRIPTION) if named else (missing, is_export)
        missing = [] if cause_later else missing
    if missing:
        return TicketFile(iter([(line, TicketProblem(line=line, reason=_no_column(missing, columns)))]), columns)
    return TicketFile(_read_rows(rows, columns, is_export=is_export, cause_later=cause_later), columns, id_column=id_column)


def _whole(rows: Iterable[Row]) -> list[list[str]]:
    return [row for _, row in rows if isinstance(row, list)]


def _cause_named(rows: Iterable[Row], columns: Columns) -> Role | None:
    """The solution or the description, where one of its texts names the cause."""
    for role in (Role.SOLUTION, Role.DESCRIPTION):
        places = [place for place, held in enumerate(columns.roles) if held is role]
        cells = (row[place] for _, row in rows if isinstance(row, list) for place in places if place < len(row))
        if any(
            "root_cause" in parts_of(cell, "solution") if role is Role.SOLUTION else take_apart(plain_text(cell)).cause for cell in cells
        ):
            return role
    return None


def _no_column(missing: list[str], columns: Columns) -> Statement:
    headers = ", ".join(header for header in columns.headers if header)[:_MAX_HEADERS]
    option = name(f"--map COLUMN={missing[0]}")
    section = name('--map "COLUMN#HEADING=root_cause"')
    return say("refused.row.no_column", missing=names(missing), option=option, section=section, columns=passage(headers))


def _csv_rows(text: str, delimiter: str) -> Iterator[Row]:
    """The rows that are not blank, each with its line; where the text is not CSV, the problem."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        line = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, TicketProblem(line=line, reason=say("refused.row.no_csv", fault=passage(str(error))))
            continue
        if any(cell.strip() for cell in cells):
            yield line, cells


def _read_rows(rows: Iterable[Row], columns: Columns, *, is_export: bool, cause_later: bool) -> Iterator[Item]:
    width = len(columns.headers)
    for line, cells in rows:
        if isinstance(cells, TicketProblem):
            yield line, cells
        elif len(cells) > width:
            columns_of = say("refused.row.columns", n=count(len(cells), exact=True), header=count(width, exact=True))
            yield line, TicketProblem(line=line, reason=columns_of)
        elif is_export:
            yield line, _from_export(line, columns, cells, cause_later=cause_later)
        else:
            yield line, to_ticket(line, _by_field(_by_header(columns, cells), columns), cause_later=cause_later)


def _keeps_our_form(columns: Columns) -> bool:
    """Whether a file in our own form stays in it by what a person says of its columns: its cells are read as we write them."""
    own = [(field_of(header), role) for header, role in zip(columns.headers, columns.roles, strict=True)]
    fields = {field for field, role in own if field is not None and (field == _METADATA or role == field)}
    agrees = all(field in (None, _METADATA) or role == field for field, role in own)
    return agrees and fields >= {"ticket_id", "description", "root_cause"} and not columns.sections


def _by_header(columns: Columns, cells: Sequence[str]) -> dict[str, Any]:
    """The cells of a row by their headers. A header that comes again does not take its cell away from the first that has one."""
    named: dict[str, Any] = {}
    for header, cell in zip(columns.headers, cells, strict=False):
        if header and not named.get(header):
            named[header] = cell
        elif header and cell and cell != named[header]:
            again = next(number for number in count_from(2) if f"{header} ({number})" not in named)
            named[f"{header} ({again})"] = cell
    return named


def _by_field(named: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """The row of a file in our own form, where a header that only another tool uses gets its field's name."""
    known = {header: role for header, role in zip(columns.headers, columns.roles, strict=True) if role is not None}
    taken = {field_of(header) or header for header in named}
    fields: dict[str, Any] = {}
    for header, cell in named.items():
        role = known.get(header)
        if role is Role.IGNORE:
            continue
        is_renamed = role is not None and field_of(header) is None and role.value not in taken and role.value not in fields
        fields[role.value if role is not None and is_renamed else header.removeprefix(f"{_METADATA}.")] = cell
    return fields


def _from_export(line: int, columns: Columns, cells: list[str], *, cause_later: bool) -> Ticket | TicketProblem:
    try:
        read = understand_row(columns, cells, cause_later=cause_later)
    except NotSolved as error:
        place = next((place for place, role in enumerate(columns.roles) if role is Role.TICKET_ID), None)
        identity = cells[place].strip() if place is not None and place < len(cells) else ""
        return TicketProblem(line=line, ticket_id=identity[:_MAX_ID] or None, reason=error.says)
    return to_ticket(line, {**read.fields, "metadata": read.metadata}, cause_later=cause_later)
