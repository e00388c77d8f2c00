"""The text of a file of tickets, and what sort of text it is."""

import json
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from contracts.statements import name, passage, say
from workers.engines.embedded.process import EngineFailed, Limits, open_child
from workers.engines.encodings import Read, decode, read_surely
from workers.errors import InvalidInput, NotFound

Sort = Literal["json", "lines", "xml", "markdown", "table"]

_TABLES = (".csv", ".tsv")
_LINES = (".jsonl", ".ndjson")
_JSON = (".json", *_LINES)
_WORKBOOK = b"PK\x03\x04"
"""How a workbook of Excel begins, and every other zip."""
_NO_TEXT = (b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"%PDF")
"""How Excel's files before 2007, gzip and PDF begin."""
_SHEET_BYTES = 64 << 20
"""Of a sheet as CSV."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""What text does not have. ESC is not among them: pasted terminal output has it."""
_LOOKED_AT = 1_000
_CONTROL_SHARE = 10
"""More than one in ten of the first characters: a spreadsheet or an archive."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A file of tickets as text."""

    text: str
    sort: Sort
    encoding: str = ""
    """In which it was read, where the file does not say so itself."""
    delimiter: str = ""
    """Of a table, where it is known."""


def text_of_file(path: Path, encoding: str = "") -> FileText:
    """The format follows the name (`.json`, `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.md`, `.xml`) and, failing that, the first character; of
    a workbook it is the first sheet with rows. Raises `NotFound` or `InvalidInput`."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound.of(say("refused.tickets.no_file", file=name(path))) from None
    except OSError as error:
        raise InvalidInput.of(say("refused.tickets.unreadable", file=name(path), fault=passage(str(error.strerror)))) from None
    if data.startswith(_WORKBOOK):
        return FileText(_sheet_of(path), "table", delimiter=",")
    if data.startswith(_NO_TEXT):
        raise InvalidInput.of(say("refused.tickets.binary", file=name(path)))
    read = _read_json_surely(data, path, encoding) if _is_json(path, data) else read_surely(data, path, encoding)
    if not read.text.strip():
        raise InvalidInput.of(say("refused.tickets.empty", file=name(path)))
    sort = _sort_of(path.suffix.lower(), read.text.lstrip("\ufeff \t\r\n"))
    if sort == "table" and len(_CONTROL.findall(read.text, 0, _LOOKED_AT)) * _CONTROL_SHARE > min(len(read.text), _LOOKED_AT):
        raise InvalidInput.of(say("refused.tickets.binary", file=name(path)))
    return FileText(read.text, sort, read.encoding if read.is_guess else "")


def _sort_of(suffix: str, text: str) -> Sort:
    start = text[:1]
    if suffix in (".md", ".markdown"):
        return "markdown"
    if suffix in _TABLES:
        return "table"
    if suffix in _LINES and start != "[":
        return "lines"
    if suffix in _JSON or start in ("[", "{"):
        return "lines" if start == "{" and _is_lines(text) else "json"
    return "xml" if start == "<" else "table"


def _is_lines(text: str) -> bool:
    """Whether the first line is a value of JSON, and more follows."""
    first, _, rest = text.partition("\n")
    with suppress(ValueError, RecursionError):
        return bool(rest.strip()) and json.loads(first) is not None
    return False


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
