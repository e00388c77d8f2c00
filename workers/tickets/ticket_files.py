"""Ticket histories as people have them: JSON, JSON lines, CSV, Excel. A bad row is reported with its line; the rest is read."""

import csv
import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from contracts.base import Json
from contracts.statements import Statement, count, name, names, passage, quote, say, size
from contracts.tickets import Ticket, TicketProblem
from workers.engines.delimited import find_table
from workers.engines.embedded.process import EngineFailed, Limits, open_child
from workers.engines.encodings import Read, decode, read_surely
from workers.errors import InvalidInput, NotFound
from workers.tickets.columns import Columns, Role, understand
from workers.tickets.export_rows import NotSolved, understand_row
from workers.tickets.json_elements import Element, elements_of
from workers.tickets.labelled import parts_of
from workers.tickets.markup import plain_text
from workers.tickets.prose import take_apart
from workers.tickets.records import as_table, cells_of, field_names, is_of_tool
from workers.tickets.sections import postmortem_cells
from workers.tickets.states import LONGEST_STATE, Standing, judge
from workers.tickets.ticket_rows import field_of, parse_json, to_ticket, why_not_json

Item = tuple[int, Ticket | TicketProblem]
"""A line of the file and what stood there."""

_TABLES = (".csv", ".tsv")
_JSON = (".json", ".jsonl", ".ndjson")
_WORKBOOK = b"PK\x03\x04"
"""How a workbook of Excel begins, and every other zip."""
_NO_TEXT = (b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"%PDF")
"""How Excel's files before 2007, gzip and PDF begin."""
_SHEET_BYTES = 64 << 20
"""Of a sheet as CSV."""
_MOST_TITLES, _NEEDED = 10, 2
"""Rows that are looked at for a header; columns that a table of tickets must have and a title has not."""
_MAX_CELL = 10_000_000
_MAX_ID = 200
_MOST_FILES = 5_000
_MOST_FILE_BYTES = 4 << 20
_MAX_HEADERS = 2_000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""What text does not have. ESC is not among them: pasted terminal output has it."""
_LOOKED_AT = 1_000
_CONTROL_SHARE = 10
"""More than one in ten of the first characters: a spreadsheet or an archive."""
_STATUS = ("status", "state", "状态")


@dataclass(frozen=True)
class TicketFile:
    """A file of tickets, opened."""

    items: Iterator[Item]
    columns: Columns | None = None
    """What its columns mean; None: it is JSON."""
    encoding: str = ""
    """In which its text was read, where the file did not say so itself."""


def read_tickets(path: Path, mapping: Mapping[str, str] | None = None) -> Iterator[Item]:
    """Every row of the file in its order, as a ticket or as the problem with it. Never raises for a row."""
    return open_tickets(path, mapping).items


def open_tickets(path: Path, mapping: Mapping[str, str] | None = None, encoding: str = "") -> TicketFile:
    """The rows of a file, and what its columns mean. `mapping`: columns → what they hold, as a person says it.

    The format follows the name (`.json`, `.jsonl`, `.ndjson`, `.csv`, `.tsv`) and, failing that, the first character.
    The encoding is recognised from the text unless `encoding` is given. Raises `NotFound` or `InvalidInput` for the file or for a mapping
    that does not fit it.
    """
    if path.is_dir():
        return open_folder(path, mapping, encoding)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound.of(say("refused.tickets.no_file", file=name(path))) from None
    except OSError as error:
        raise InvalidInput.of(say("refused.tickets.unreadable", file=name(path), fault=passage(str(error.strerror)))) from None
    if data.startswith(_WORKBOOK):
        return _open_csv(_sheet_of(path), mapping, delimiter=",")
    if data.startswith(_NO_TEXT):
        raise InvalidInput.of(say("refused.tickets.binary", file=name(path)))
    read = _read_json_surely(data, path, encoding) if _is_json(path, data) else read_surely(data, path, encoding)
    opened = _open_text(path, read.text, mapping)
    return replace(opened, encoding=read.encoding if read.is_guess else "")


def _sheet_of(path: Path) -> str:
    """The first sheet of a workbook with a header and a row, as CSV; a process with limits opens it. Raises `InvalidInput` for what is
    no workbook, or one that is too large."""
    with tempfile.TemporaryDirectory(prefix="bullpen-sheet-") as folder:
        to = Path(folder, "sheet.csv")
        try:
            with open_child(Limits(written_bytes=_SHEET_BYTES), {"engine": "sheet", "path": str(path.resolve()), "to": str(to)}):
                written = to.read_text("utf-8")
        except EngineFailed as error:
            raise InvalidInput.of(say("refused.source.no_workbook", reason=passage(str(error)))) from None
    if not written:
        raise InvalidInput.of(say("refused.tickets.empty", file=name(path)))
    return written


def _is_json(path: Path, data: bytes) -> bool:
    """As far as bytes of an unknown encoding say: by the file's name, or by the first character."""
    suffix = path.suffix.lower()
    return suffix in _JSON or (suffix not in _TABLES and data.lstrip()[:1] in (b"[", b"{"))


def _read_json_surely(data: bytes, path: Path, encoding: str) -> Read:
    """As `read_surely`; but where two encodings fit, or NULs follow a beginning in ASCII (with which no UTF-16 begins), the rows that
    are UTF-8 are read, and `parse_json` refuses each of the others."""
    read = read_surely(data, path, encoding) if encoding else decode(data)
    if encoding or not (read.rival or (read.encoding in ("utf-16-le", "utf-16-be") and 0 not in data[:2])):
        return read
    return Read(data.decode("utf-8", "surrogateescape"), "utf-8")


def _open_text(path: Path, text: str, mapping: Mapping[str, str] | None) -> TicketFile:
    if not text.strip():
        raise InvalidInput.of(say("refused.tickets.empty", file=name(path)))
    suffix = path.suffix.lower()
    if suffix in (".md", ".markdown"):
        headers, cells = as_table([postmortem_cells(path.name, text)])
        return _open_table(list(headers), enumerate(cells, start=1), mapping, line=1)
    start = text.lstrip()[:1]
    if suffix in _TABLES or (suffix not in _JSON and start not in ("[", "{")):
        if len(_CONTROL.findall(text, 0, _LOOKED_AT)) * _CONTROL_SHARE > min(len(text), _LOOKED_AT):
            raise InvalidInput.of(say("refused.tickets.binary", file=name(path)))
        return _open_csv(text, mapping)
    is_lines = suffix in (".jsonl", ".ndjson") and start != "["
    return _open_json(text, mapping, is_lines=is_lines)


def _open_json(text: str, mapping: Mapping[str, str] | None, *, is_lines: bool) -> TicketFile:
    """Tickets in our own form, or records of a tool, which become a table."""
    elements = _lines_of(text) if is_lines else elements_of(text)
    first = next(elements, None)
    if first is None:
        return TicketFile(iter(()))
    elements = chain([first], elements)
    if mapping or is_of_tool(_value(first[1])):
        return _open_records(elements, {} if is_lines else _field_names(text), mapping)
    held = list(elements)
    if not any(_is_own(line, found) for line, found in held):
        return _open_records(held, {} if is_lines else _field_names(text), mapping)
    return TicketFile((line, _from_json(line, found) if isinstance(found, str) else found) for line, found in held)


def _is_own(line: int, found: str | TicketProblem) -> bool:
    """Whether an element is in our own form, if with faults: it has the field of a cause, is a ticket without one, or has nothing that a
    person could name as the cause."""
    value = _value(found)
    if not isinstance(value, Mapping):
        return False
    fields = {field_of(key) for key in cast("Json", value)}
    return "root_cause" in fields or None not in fields or isinstance(to_ticket(line, cast("object", value)), Ticket)


def _open_records(elements: Iterable[Element], names: Mapping[str, str], mapping: Mapping[str, str] | None) -> TicketFile:
    problems: list[Item] = []
    lines: list[int] = []
    rows: list[list[tuple[str, str]]] = []
    for line, found in elements:
        value = _value(found)
        if isinstance(value, Mapping):
            lines.append(line)
            rows.append(cells_of(cast("Json", value), names))
        else:
            problem = _from_json(line, found) if isinstance(found, str) else found
            problems += [(line, problem)] if isinstance(problem, TicketProblem) else []
    headers, cells = as_table(rows)
    opened = _open_table(list(headers), zip(lines, cells, strict=True), mapping, line=lines[0] if lines else 1)
    return replace(opened, items=chain(problems, opened.items))


def _value(found: str | TicketProblem) -> object:
    try:
        return parse_json(found) if isinstance(found, str) else None
    except (ValueError, RecursionError):
        return None


def _field_names(text: str) -> dict[str, str]:
    try:
        return field_names(parse_json(text))
    except (ValueError, RecursionError):
        return {}


def open_folder(folder: Path, mapping: Mapping[str, str] | None = None, encoding: str = "") -> TicketFile:
    """The postmortems of a folder: each Markdown file is a ticket, named after the file. Raises `InvalidInput` where there are none."""
    root = folder.resolve()
    found = (file for file in root.rglob("*.md") if file.is_file() and file.resolve().is_relative_to(root))
    files = sorted(islice(found, _MOST_FILES + 1))
    if not files or len(files) > _MOST_FILES:
        raise InvalidInput.of(say("refused.tickets.folder", folder=name(folder), most=count(_MOST_FILES, exact=True)))
    return _open_postmortems(files, root, mapping, encoding)


def _open_postmortems(files: list[Path], root: Path, mapping: Mapping[str, str] | None, encoding: str) -> TicketFile:
    guessed = ""
    rows: list[list[tuple[str, str]]] = []
    for file in files:
        if file.stat().st_size > _MOST_FILE_BYTES:
            raise InvalidInput.of(say("refused.tickets.large_file", file=name(file), most=size(_MOST_FILE_BYTES)))
        read = read_surely(file.read_bytes(), file, encoding)
        guessed = guessed or (read.encoding if read.is_guess else "")
        rows.append(postmortem_cells(file.relative_to(root).as_posix(), read.text))
    headers, cells = as_table(rows)
    return replace(_open_table(list(headers), enumerate(cells, start=1), mapping, line=1), encoding=guessed)


def once_each(items: Iterable[Item]) -> Iterator[Item]:
    """The rows, where an id that comes again is a problem: its first row is kept."""
    lines: dict[str, int] = {}
    for line, item in items:
        first = line if isinstance(item, TicketProblem) else lines.setdefault(item.ticket_id, line)
        if isinstance(item, TicketProblem) or first == line:
            yield line, item
        else:
            reason = say("refused.row.again", ticket=name(item.ticket_id), line=count(first, exact=True))
            yield line, TicketProblem(line=line, ticket_id=item.ticket_id, reason=reason)


def _lines_of(text: str) -> Iterator[Element]:
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _from_json(line: int, text: str) -> Ticket | TicketProblem:
    try:
        raw = parse_json(text)
        status = _status_of(cast("Json", raw)) if isinstance(raw, Mapping) else ""
        if judge(status, None) is Standing.OPEN:
            return TicketProblem(line=line, reason=say("refused.row.status", status=quote(status[:LONGEST_STATE])))
        return to_ticket(line, cast("object", raw))
    except (ValueError, RecursionError) as error:
        return TicketProblem(line=line, reason=why_not_json(error))


def _status_of(record: Json) -> str:
    return next((value for key in _STATUS if isinstance(value := record.get(key), str)), "")


def _open_csv(text: str, mapping: Mapping[str, str] | None, delimiter: str = "") -> TicketFile:
    """`delimiter`: where it is known."""
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL))
    text, delimiter = (text, delimiter) if delimiter else find_table(text)
    rows = _csv_rows(text, delimiter)
    first = list(islice(rows, _MOST_TITLES))
    if not first:
        return TicketFile(iter(()))
    at = _header_in(first, mapping)
    line, header = first[at]
    rows = chain(first[at + 1 :], rows)
    if isinstance(header, TicketProblem):
        return TicketFile(iter([(line, header)]))
    return _open_table([cell.strip() for cell in header], rows, mapping, line=line)


def _header_in(first: list[tuple[int, list[str] | TicketProblem]], mapping: Mapping[str, str] | None) -> int:
    """The place of the header: the first row, unless it names no column that is needed and one below it does. A title may have as many
    cells as the table."""
    return next((place for place, (_, cells) in enumerate(first) if _lacking(cells, mapping) < _NEEDED), 0)


def _lacking(cells: list[str] | TicketProblem, mapping: Mapping[str, str] | None) -> int:
    """How many of the fields that a ticket needs no cell names."""
    if isinstance(cells, TicketProblem):
        return _NEEDED
    try:
        return len(understand([cell.strip() for cell in cells], mapping).missing())
    except InvalidInput:  # the mapping names a column that is not there
        return _NEEDED


def _open_table(
    headers: list[str], rows: Iterable[tuple[int, list[str] | TicketProblem]], mapping: Mapping[str, str] | None, *, line: int
) -> TicketFile:
    columns = understand(headers, mapping)
    missing = columns.missing()
    is_export = columns.is_export or bool(mapping)
    if missing == ["root_cause"]:
        rows = list(rows)
        named = _cause_named(rows, columns)
        missing, is_export = ([], is_export or named is Role.DESCRIPTION) if named else (missing, is_export)
    if missing:
        return TicketFile(iter([(line, TicketProblem(line=line, reason=_no_column(missing, columns)))]), columns)
    return TicketFile(_read_rows(rows, columns, is_export=is_export), columns)


def _cause_named(rows: Iterable[tuple[int, list[str] | TicketProblem]], columns: Columns) -> Role | None:
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


def _csv_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | TicketProblem]]:
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


def _read_rows(rows: Iterable[tuple[int, list[str] | TicketProblem]], columns: Columns, *, is_export: bool) -> Iterator[Item]:
    width = len(columns.headers)
    for line, cells in rows:
        if isinstance(cells, TicketProblem):
            yield line, cells
        elif len(cells) > width:
            columns_of = say("refused.row.columns", n=count(len(cells), exact=True), header=count(width, exact=True))
            yield line, TicketProblem(line=line, reason=columns_of)
        elif is_export:
            yield line, _from_export(line, columns, cells)
        else:
            named: dict[str, Any] = {name: cell for name, cell in zip(columns.headers, cells, strict=False) if name}
            yield line, to_ticket(line, _by_field(named, columns))


def _by_field(named: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """The row of a file in our own form, where a header that only another tool uses gets its field's name."""
    known = {header: role.value for header, role in zip(columns.headers, columns.roles, strict=True) if role is not None}
    taken = {field_of(header) for header in named}
    return {
        known[header] if header in known and field_of(header) is None and known[header] not in taken else header: cell
        for header, cell in named.items()
    }


def _from_export(line: int, columns: Columns, cells: list[str]) -> Ticket | TicketProblem:
    try:
        read = understand_row(columns, cells)
    except NotSolved as error:
        place = next((place for place, role in enumerate(columns.roles) if role is Role.TICKET_ID), None)
        identity = cells[place].strip() if place is not None and place < len(cells) else ""
        return TicketProblem(line=line, ticket_id=identity[:_MAX_ID] or None, reason=error.says)
    return to_ticket(line, {**read.fields, "metadata": read.metadata})
