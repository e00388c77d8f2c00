"""What lies in a folder that `bullpen init` can begin with. Files are looked into: a name alone says little."""

import itertools
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import workers
from workers.bundles.registry import kind_of, kinds_here
from workers.bundles.shipped import EVENT_LOG
from workers.engines.embedded.files import DUCKDB, SQLITE, WORKBOOKS
from workers.engines.embedded.parts import READERS
from workers.errors import BullpenError
from workers.tickets.preview import preview
from workers.tickets.ticket_files import open_tickets

MOST_FILES = 2_000
"""Files that are looked at; a home folder has hundreds of thousands."""
DEEPEST = 2
"""Folders below the one that is looked through."""
HEAD_BYTES = 1 << 16
MOST_TICKET_BYTES = 20 << 20
"""Of a file that is read whole to see whether it holds tickets."""
MOST_READ = 40
"""Files that are read whole."""

_PASSED = frozenset({"node_modules", "__pycache__", "venv", "dbt_packages"})
_CHECKOUT = Path(workers.__file__).parents[1]
"""Where this program lies; a clone has its tests and documents there too."""
_OWN = frozenset({"bullpen_client", "contracts", "deploy", "docs", "migrations", "skills", "tests", "workers"})
"""Its own folders, whose files are nobody's data."""
_TICKETS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson"})
_DATA = frozenset({*READERS, *WORKBOOKS} - {".json"})
_SCRIPTS = frozenset({".py", ".scala", ".ipynb"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds; the first of each, by its path."""

    tickets: Path | None = None
    """An export from which tickets are understood, the one with the most."""
    job: tuple[Path, ...] = ()
    """The event log of a run, with the scripts beside it."""
    source: Path | None = None
    """A database file, or else a folder with files of data."""
    project: Path | None = None
    """A dbt project, or else a folder of SQL."""


def look_around(folder: Path) -> Found:
    """What lies in a folder. What cannot be read is passed over."""
    files = list(itertools.islice(_files(folder), MOST_FILES))
    tickets = _tickets(files)
    return Found(tickets, _job(files), _source(files, tickets), _project(files))


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, onerror=lambda _: None):
        depth = len(Path(place).relative_to(folder).parts)
        passed = _PASSED | _OWN if Path(place).resolve() == _CHECKOUT else _PASSED
        folders[:] = sorted(name for name in folders if depth < DEEPEST and name not in passed and not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _head(file: Path, size: int = HEAD_BYTES) -> bytes:
    with suppress(OSError):
        if file.is_file():  # a pipe would make us wait
            with file.open("rb") as opened:
                return opened.read(size)
    return b""


def _tickets(files: list[Path]) -> Path | None:
    best, most = None, 0
    looked_at = [file for file in files if file.suffix.lower() in _TICKETS and 0 < _size(file) <= MOST_TICKET_BYTES]
    for file in looked_at[:MOST_READ]:
        with suppress(BullpenError, OSError, ValueError):
            understood = preview(open_tickets(file)).tickets
            if understood > most:
                best, most = file, understood
    return best


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _job(files: list[Path]) -> tuple[Path, ...]:
    kinds = kinds_here()
    log = next((file for file in files if _size(file) and kind_of(file.name, _head(file), kinds)[0].name == EVENT_LOG.name), None)
    if log is None:
        return ()
    return log, *(file for file in files if file.parent == log.parent and file.suffix.lower() in _SCRIPTS)


def _source(files: list[Path], tickets: Path | None) -> Path | None:
    databases = (file for file in files if is_database(file))
    folders = (file.parent for file in files if file.suffix.lower() in _DATA and file != tickets)
    return next(databases, None) or next(folders, None)


def is_database(file: Path) -> bool:
    """Whether a file is an SQLite or DuckDB database, by its first bytes."""
    head = _head(file, 16)
    return head.startswith(b"SQLite format 3\x00") or (head[8:12] == b"DUCK" and file.suffix.lower() in DUCKDB | SQLITE)


def _project(files: list[Path]) -> Path | None:
    dbt = (file.parent for file in files if file.name == "dbt_project.yml")
    sql = (file.parent for file in files if file.suffix.lower() == ".sql")
    return next(dbt, None) or next(sql, None)
