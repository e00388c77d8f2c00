"""Ticket histories as people have them: JSON, XML, CSV, Excel, Markdown. A bad row is reported with its line; the rest is read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import cast

from contracts.base import Json
from contracts.statements import Statement, count, name, names, quote, say, size
from contracts.tickets import Ticket, TicketProblem
from workers.engines.delimited import markdown_rows
from workers.engines.encodings import read_surely
from workers.errors import InvalidInput
from workers.tickets.columns import SOLVED, Role
from workers.tickets.file_text import FileText, text_of_file
from workers.tickets.json_elements import Element, elements_of
from workers.tickets.mapping import WHOLE, Form, form_of
from workers.tickets.paths import leaves, lists_in, records_at, values_at
from workers.tickets.records import as_table, cells_of, field_names, is_of_tool
from workers.tickets.sections import postmortem_cells
from workers.tickets.states import LONGEST_STATE, Standing, judge
from workers.tickets.table_files import Item, TicketFile, lacking, open_csv, open_rows, open_table
from workers.tickets.ticket_rows import field_of, parse_json, to_ticket, why_not_json
from workers.tickets.xml_records import read_xml

_MOST_FILES = 5_000
_MOST_FILE_BYTES = 4 << 20
_STATUS = ("status", "state", "状态")
_SHOWN_PATHS = 60


def read_tickets(path: Path, mapping: Mapping[str, str] | None = None) -> Iterator[Item]:
    """Every row of the file in its order, as a ticket or as the problem with it. Never raises for a row."""
    return open_tickets(path, mapping).items


def open_tickets(path: Path, mapping: Mapping[str, str] | None = None, encoding: str = "", *, cause_later: bool = False) -> TicketFile:
    """The rows of a file or a folder, and what its columns mean. `mapping`: what a person says of it, as `read_mapping` reads it.

    The encoding is recognised from the text unless `encoding` is given. `cause_later`: a ticket without a cause has `UNREAD` as its cause.
    Raises `NotFound` or `InvalidInput` for the file or for a mapping that does not fit it.
    """
    form, columns = form_of(mapping)
    if path.is_dir():
        return open_folder(path, columns, encoding)
    file = text_of_file(path, encoding)
    return replace(open_text(path.name, file, form, columns, cause_later=cause_later), encoding=file.encoding)


def open_text(name_of_file: str, file: FileText, form: Form, mapping: Mapping[str, str], *, cause_later: bool = False) -> TicketFile:
    """As `open_tickets`, of a text."""
    if file.sort == "markdown":
        headers, cells = as_table([postmortem_cells(name_of_file, file.text)])
        rows = markdown_rows(file.text)
        if rows and (form.header or lacking(headers, mapping) or not lacking(rows[0][1], mapping)):  # else it is part of a postmortem
            return open_rows(rows, form, mapping, cause_later=cause_later)
        return open_table(list(headers), enumerate(cells, start=1), mapping, line=1, cause_later=cause_later)
    if file.sort == "table":
        form = form if form.delimiter else replace(form, delimiter=file.delimiter)
        return open_csv(file.text, form, mapping, cause_later=cause_later)
    if file.sort == "xml" or form.records:
        return _open_documents(documents_of(file), form, mapping, cause_later=cause_later)
    return _open_json(file.text, mapping, is_lines=file.sort == "lines", cause_later=cause_later)


def documents_of(file: FileText) -> list[tuple[int, object]]:
    """The values of a text in JSON or XML, each with its line; of JSON that is broken, or objects one after another, the elements. One that
    is not JSON is its problem. Raises `InvalidInput` for a document of which nothing can be read."""
    if file.sort == "xml":
        return [(1, read_xml(file.text))]
    if file.sort == "lines":
        return [(line, _parsed(line, found)) for line, found in _lines_of(file.text)]
    found = _parsed(1, file.text)
    if not isinstance(found, TicketProblem):
        return [(1, found)]
    elements = [(line, _parsed(line, element)) for line, element in elements_of(file.text)]
    if not any(isinstance(element, Mapping) for _, element in elements):
        raise InvalidInput.of(say("refused.tickets.no_json", reason=cast("Statement", found.reason)))
    return elements


def _parsed(line: int, text: str | TicketProblem) -> object:
    try:
        return text if isinstance(text, TicketProblem) else parse_json(text)
    except (ValueError, RecursionError) as error:
        return TicketProblem(line=line, reason=why_not_json(error))


def _open_documents(documents: Sequence[tuple[int, object]], form: Form, mapping: Mapping[str, str], *, cause_later: bool) -> TicketFile:
    """Records of any form. With a path to them, the columns are the paths that the mapping names; else as of a tool."""
    problems: list[Item] = [(line, found) for line, found in documents if isinstance(found, TicketProblem)]
    path = form.records or most_records(found for _, found in documents)
    found = [(line, records_at(value, path, mapping)) for line, value in documents]
    numbered = [(line if len(found) > 1 else number, each) for line, some in found for number, each in enumerate(some, start=1)]
    if not numbered and len(problems) < len(documents):
        lists = {place: None for _, value in documents for place, _ in lists_in(value)}
        lists |= {WHOLE: None} if len(documents) > 1 else {}
        if not lists:
            raise InvalidInput.of(say("refused.tickets.no_objects", path=name(path)))
        raise InvalidInput.of(say("refused.tickets.no_records", path=name(path), lists=names(list(lists)[:_SHOWN_PATHS])))
    if not numbered:
        return TicketFile(iter(problems))
    if form.records:
        mapping, paths = _by_path([each for _, each in numbered], mapping)
        rows = [[(place, text) for place in paths for text in values_at(each, place)] for _, each in numbered]
    else:
        rows = [cells_of(each, {}) for _, each in numbered]
    headers, cells = as_table(rows)
    lines = (line for line, _ in numbered)
    opened = open_table(list(headers), zip(lines, cells, strict=True), mapping, line=1, cause_later=cause_later)
    return replace(opened, items=chain(problems, opened.items))


def most_records(documents: Iterable[object]) -> str:
    """The path to the longest list of objects."""
    lists: dict[str, int] = {}
    for value in documents:
        for place, number in lists_in(value):
            lists[place] = lists.get(place, 0) + number
    return max(lists, key=lambda place: lists[place], default=".")


def _by_path(records: Sequence[Json], mapping: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The mapping, and the paths that it names; those of which only sections are named are not kept otherwise. Raises `InvalidInput` for a
    path that leads nowhere."""
    paths: dict[str, None] = {}
    made = dict(mapping)
    lost: list[str] = []
    for named, meaning in mapping.items():
        around = named.rpartition("#")[0].strip()
        if meaning == SOLVED:
            continue
        if any(values_at(each, named) for each in records):
            paths[named] = None
        elif around and any(values_at(each, around) for each in records):
            paths[around] = None
            made.setdefault(around, Role.IGNORE.value)
        else:
            lost.append(named)
    if lost:
        there = list(dict.fromkeys(place for each in records[:20] for place, _ in leaves(each, {})))[:_SHOWN_PATHS]
        raise InvalidInput.of(say("refused.tickets.no_column", unknown=names(lost), columns=names(there)))
    return made, list(paths)


def _open_json(text: str, mapping: Mapping[str, str], *, is_lines: bool, cause_later: bool) -> TicketFile:
    """Tickets in our own form, or records of a tool, which become a table."""
    elements = _lines_of(text) if is_lines else elements_of(text)
    first = next(elements, None)
    if first is None:
        return TicketFile(iter(()))
    elements = chain([first], elements)
    if mapping or is_of_tool(_value(first[1])):
        return _open_records(elements, {} if is_lines else _field_names(text), mapping, cause_later=cause_later)
    held = list(elements)
    if not any(_is_own(line, found) for line, found in held):
        return _open_records(held, {} if is_lines else _field_names(text), mapping, cause_later=cause_later)
    read = ((line, _from_json(line, found, cause_later=cause_later) if isinstance(found, str) else found) for line, found in held)
    return TicketFile(read)


def _is_own(line: int, found: str | TicketProblem) -> bool:
    """Whether an element is in our own form, if with faults: it has the field of a cause, is a ticket without one, or has nothing that a
    person could name as the cause."""
    value = _value(found)
    if not isinstance(value, Mapping):
        return False
    fields = {field_of(key) for key in cast("Json", value)}
    return "root_cause" in fields or None not in fields or isinstance(to_ticket(line, cast("object", value)), Ticket)


def _open_records(elements: Iterable[Element], names: Mapping[str, str], mapping: Mapping[str, str], *, cause_later: bool) -> TicketFile:
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
    line = lines[0] if lines else 1
    opened = open_table(list(headers), zip(lines, cells, strict=True), mapping, line=line, cause_later=cause_later)
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


def open_folder(folder: Path, mapping: Mapping[str, str], encoding: str = "") -> TicketFile:
    """The postmortems of a folder: each Markdown file is a ticket, named after the file. Raises `InvalidInput` where there are none."""
    root = folder.resolve()
    found = (file for file in root.rglob("*.md") if file.is_file() and file.resolve().is_relative_to(root))
    files = sorted(islice(found, _MOST_FILES + 1))
    if not files or len(files) > _MOST_FILES:
        raise InvalidInput.of(say("refused.tickets.folder", folder=name(folder), most=count(_MOST_FILES, exact=True)))
    return _open_postmortems(files, root, mapping, encoding)


def _open_postmortems(files: list[Path], root: Path, mapping: Mapping[str, str], encoding: str) -> TicketFile:
    guessed = ""
    rows: list[list[tuple[str, str]]] = []
    for file in files:
        if file.stat().st_size > _MOST_FILE_BYTES:
            raise InvalidInput.of(say("refused.tickets.large_file", file=name(file), most=size(_MOST_FILE_BYTES)))
        read = read_surely(file.read_bytes(), file, encoding)
        guessed = guessed or (read.encoding if read.is_guess else "")
        rows.append(postmortem_cells(file.relative_to(root).as_posix(), read.text))
    headers, cells = as_table(rows)
    return replace(open_table(list(headers), enumerate(cells, start=1), mapping, line=1), encoding=guessed)


def once_each(items: Iterable[Item]) -> Iterator[Item]:
    """The rows, where an id that comes again is a problem: its first row is kept."""
    lines: dict[str, int] = {}
    for line, item in items:
        if isinstance(item, TicketProblem):
            yield line, item
        elif item.ticket_id not in lines:  # the elements of a JSON array may all be on one line
            lines[item.ticket_id] = line
            yield line, item
        else:
            reason = say("refused.row.again", ticket=name(item.ticket_id), line=count(lines[item.ticket_id], exact=True))
            yield line, TicketProblem(line=line, ticket_id=item.ticket_id, reason=reason)


def _lines_of(text: str) -> Iterator[Element]:
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _from_json(line: int, text: str, *, cause_later: bool = False) -> Ticket | TicketProblem:
    try:
        return to_solved(line, parse_json(text), cause_later=cause_later)
    except (ValueError, RecursionError) as error:
        return TicketProblem(line=line, reason=why_not_json(error))


def to_solved(line: int, raw: object, *, cause_later: bool = False) -> Ticket | TicketProblem:
    """As `to_ticket`; an incident that is not solved is a problem."""
    status = _status_of(cast("Json", raw)) if isinstance(raw, Mapping) else ""
    if judge(status, None) is Standing.OPEN:
        return TicketProblem(line=line, reason=say("refused.row.status", status=quote(status[:LONGEST_STATE])))
    return to_ticket(line, cast("object", raw), cause_later=cause_later)


def _status_of(record: Json) -> str:
    named = {str(key).strip().casefold(): value for key, value in record.items()}
    return next((value for key in _STATUS if isinstance(value := named.get(key), str)), "")
