"""A file of tickets on the page that imports it: what each of its columns is taken for, and what a person chose instead."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import FormData, UploadFile

from contracts.statements import say
from workers.errors import InvalidInput
from workers.gateway.uploads import named_as_sent
from workers.kinds.paths import safe_path
from workers.tickets.columns import METADATA, Columns, Role, understand
from workers.tickets.mapping import read_mapping
from workers.tickets.preview import Preview, preview
from workers.tickets.proposing import is_understood
from workers.tickets.shape import Shape, named_fields, shape_of
from workers.tickets.table_files import Item, TicketFile
from workers.tickets.ticket_files import once_each, open_tickets

MEANINGS = (*(role.value for role in Role), METADATA)
"""What a column may be chosen to hold, in the order of the page's lists."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A file before it is imported."""

    columns: tuple[tuple[str, str], ...]
    """Header → what it holds, in the order of the file. Empty: it is JSON."""
    mark: str
    """Of its headers. A form that was filled in for other headers does not count for this file."""
    missing: tuple[str, ...]
    """Fields that a ticket needs and that no column holds: nothing can be imported."""
    seen: Preview
    records: str = ""
    """The path to the records of a form that is not known; then the columns are the paths of their fields."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path → some of its values."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A file as a form brought it, with what the form says of its columns."""

    name: str
    """As the person calls it. Its ending says the format, and a postmortem is named after it."""
    body: bytes
    texts: Mapping[str, Any]

    def look(self) -> Understood:
        """What would be imported. Raises `InvalidInput` for a file that holds no tickets."""
        with self._placed() as path:
            if (shape := self._unknown(path)) is not None:
                return self._look_at(path, shape)
            file = open_tickets(path, self._chosen(path), self._encoding)
            columns = file.columns
            if columns is None:
                return Understood((), "", (), preview(file))
            held = dict(zip(columns.headers, columns.roles, strict=True))
            named = tuple((header, role.value if (role := held[header]) else METADATA) for header in _headers(columns))
            return Understood(named, _mark(columns.headers), tuple(columns.missing()), preview(file))

    def items(self) -> list[Item]:
        """The rows, with the columns as they were chosen."""
        with self._placed() as path:
            shape = self._unknown(path)
            mapping = self._chosen(path) if shape is None else _by_path(shape, self._meanings(shape))
            return list(open_tickets(path, mapping, self._encoding).items)

    def _unknown(self, path: Path) -> Shape | None:
        """The shape of JSON or XML in a form that is not known; None: it is known, or a table, whose columns can be chosen."""
        found = (item for _, item in once_each(open_tickets(path, encoding=self._encoding).items))
        if is_understood(found):
            return None
        with suppress(InvalidInput):  # its rows say what is wrong with it
            shape = shape_of(path, self._encoding, where=str(self.texts.get("records") or ""))
            return shape if shape.pairs and shape.fields else None
        return None

    def _look_at(self, path: Path, shape: Shape) -> Understood:
        meanings = self._meanings(shape)
        missing = tuple(understand(list(meanings), meanings).missing())
        file = TicketFile(iter(())) if missing else open_tickets(path, _by_path(shape, meanings), self._encoding)
        values = {each.path: ", ".join(value for value, _ in each.values) for each in shape.fields}
        return Understood(tuple(meanings.items()), _mark(tuple(meanings)), missing, preview(file), shape.where, values)

    def _meanings(self, shape: Shape) -> dict[str, str]:
        """Path → what it holds: as the form says, else by the names of the fields; other fields are not kept."""
        paths = tuple(each.path for each in shape.fields)
        if self.texts.get("columns-of") == _mark(paths):
            chosen = [f"{path}={self.texts.get(f'column-{number}') or Role.IGNORE}" for number, path in enumerate(paths)]
            return read_mapping(chosen)
        named = named_fields(shape)
        return {path: named.get(path, Role.IGNORE).value for path in paths}

    @property
    def _encoding(self) -> str:
        return str(self.texts.get("encoding") or "")

    def _chosen(self, path: Path) -> dict[str, str] | None:
        """Column → what it holds, if the form was filled in for a file with these columns."""
        columns = open_tickets(path, encoding=self._encoding).columns
        if columns is None or self.texts.get("columns-of") != _mark(columns.headers):
            return None
        fields = {header: self.texts.get(f"column-{number}") for number, header in enumerate(_headers(columns))}
        return read_mapping([f"{header}={meaning}" for header, meaning in fields.items() if meaning])

    @contextmanager
    def _placed(self) -> Generator[Path]:
        """The file in a folder of its own while it is read. Raises `InvalidInput` for a name that is a way out of a folder."""
        with TemporaryDirectory(prefix="bullpen-tickets-") as folder, named_as_sent(Path(folder), self.name), _chosen_by_page():
            path = Path(folder) / safe_path(self.name).name
            path.write_bytes(self.body)
            yield path


@contextmanager
def _chosen_by_page() -> Generator[None]:
    """Two encodings fit: the page has a list of them, where a command has an option."""
    try:
        yield
    except InvalidInput as error:
        if error.says is None or error.says.code != "refused.text.encodings":
            raise
        fits = {name: value for name, value in error.says.values.items() if name != "option"}
        raise InvalidInput.of(say("console.tickets.encoding.two", **fits)) from None


async def brought(form: FormData, texts: Mapping[str, Any]) -> Brought:
    """The file of a form. Raises `InvalidInput` without one."""
    chosen = form.get("file")
    if isinstance(chosen, UploadFile) and chosen.filename:
        return Brought(chosen.filename, await chosen.read(), texts)
    raise InvalidInput.of(say("refused.choose_file"))


def _headers(columns: Columns) -> tuple[str, ...]:
    """Each header once: columns of one name hold the same."""
    return tuple(dict.fromkeys(header for header in columns.headers if header))


def _by_path(shape: Shape, meanings: Mapping[str, str]) -> dict[str, str]:
    """The mapping of a form that is not known."""
    kept = {path: meaning for path, meaning in meanings.items() if meaning != Role.IGNORE}
    return {**read_mapping(shape.pairs), **kept}


def _mark(headers: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(headers).encode()).hexdigest()[:16]
