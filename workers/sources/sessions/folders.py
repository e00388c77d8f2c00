"""A folder of files as one database file: what a query of a folder runs on.

The folder is copied when one of its files changed (name, size, time), so a query never reads it and needs no way out of the sandbox.
CSV, TSV, Parquet and JSON lines become tables named after the file, partitions and parts one table named after their folder, sheets of
Excel workbooks `file_sheet`, and the tables of SQLite and DuckDB files `file_table`.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock as Mutex
from uuid import uuid4

from contracts.statements import Name, Statement, count, passage, say, size
from workers.engines.embedded.files import DUCKDB, NOTES, SQLITE, WORKBOOKS
from workers.engines.embedded.parts import READERS, suffix_of
from workers.engines.embedded.process import OUT_OF_MEMORY, EngineFailed, Limits, open_child
from workers.errors import BullpenError, InvalidInput, SourceUnavailable
from workers.sources.limits import out_of_memory
from workers.sources.sessions.embedded import memory_bytes

FOLDER_BYTES = 5 << 30
"""Bytes of all files of a folder. A larger one belongs in a database of its own."""

COPY_BYTES = 4 * FOLDER_BYTES
"""Bytes of the copy, which may be less compressed than the files."""

COPY_S = 3_600.0
"""Longest copy of a folder."""

_NO_DATA = (".", "~$")
"""How files begin that systems and Excel leave beside others."""
_RULES = "11"
"""Changes when files are read by other rules, so that a copy by the old ones is not used."""

_mutex = Mutex()


def copied(folder: Path, kept: Path, name: str, encoding: str = "", dates: str = "") -> Path:
    """The database file of a folder, made when the kept one is older than the folder. `encoding`: of texts that are not UTF-8; empty:
    recognised from each. `dates`: `dmy` or `mdy`, where day and month may be either way round; empty: the day comes first, with a note.
    Raises `SourceUnavailable`, `InvalidInput`."""
    files = list(_files(folder))
    target = kept / f"{name}-{_state(files, encoding, dates)}.duckdb"
    with _mutex:
        if not target.exists():
            kept.mkdir(parents=True, exist_ok=True)
            _make(folder, files, target, encoding, dates)
            for old in kept.glob(f"{name}-????????????????.duckdb*"):
                if not old.name.startswith(target.name):
                    with suppress(OSError):  # Windows: a query still has it open
                        old.unlink()
    return target


def notes_of(copy: Path) -> tuple[Statement, ...]:
    """What a reader of the database file of a folder has to know: encodings that were recognised, files that were left out."""
    try:
        kept: list[list[str]] = json.loads(Path(f"{copy}{NOTES}").read_text("utf-8"))
    except (OSError, ValueError):  # a database file of the user's, or a copy of an earlier release
        return ()
    return tuple(_note(what, parts) for what, *parts in kept)


def _note(what: str, parts: Sequence[str]) -> Statement:
    """Of a file."""
    file = Name(text=parts[0])
    if len(parts) == 1:
        return _note_alone(what, file)
    text = passage(parts[1])
    match what:
        case "encoding":
            return say("refused.source.read_as", file=file, encoding=Name(text=parts[1]))
        case "left_out":
            option = Name(text=f"?encoding={parts[1]}")
            return say("refused.source.left_out", file=file, first=Name(text=parts[1]), second=Name(text=parts[2]), option=option)
        case "not_read":
            return say("refused.source.not_read", file=file, reason=text)
        case "header":
            return say("refused.source.header", file=file, names=text, above=count(int(parts[2])))
        case "two_headers":
            return say("refused.source.two_headers", file=file, names=text, above=count(int(parts[2])))
        case "ragged":
            return say("refused.source.ragged", file=file, names=text)
        case "merged":
            return say("refused.source.merged", file=file, names=text)
        case "missing":
            return say("refused.source.missing", file=file, signs=text)
        case "formulas":
            return say("refused.source.formulas", file=file, n=count(int(parts[1])))
        case "footer":
            return say("refused.source.footer", file=file, text=text)
        case "rows_inside":
            field = Name(text=parts[1])
            if not parts[2]:
                return say("refused.source.rows_only", file=file, field=field)
            return say("refused.source.rows_inside", file=file, field=field, others=passage(parts[2]))
        case _:
            return _column_note(what, parts)


def _note_alone(what: str, file: Name) -> Statement:
    """Of a file, where there is nothing to name in it."""
    match what:
        case "endless_view":
            return say("refused.source.endless_view", file=file)
        case "total":
            return say("refused.source.total", file=file)
        case _:
            return say("refused.source.header_unclear", file=file)


def _column_note(what: str, parts: Sequence[str]) -> Statement:
    column, table, text = Name(text=parts[0]), Name(text=parts[1]), passage(parts[2] if len(parts) > 2 else "")
    match what:
        case "day_first":
            return say("refused.source.day_first", column=column, table=table, option=Name(text="?dates=mdy"))
        case "short_years":
            return say("refused.source.short_years", column=column, table=table)
        case "words":
            return say("refused.source.words", column=column, table=table, words=text)
        case "mixed":
            return say("refused.source.mixed", column=column, table=table, value=text)
        case "other_values":
            return say("refused.source.other_values", column=column, table=table, value=text)
        case "thousands_comma":
            return say("refused.source.thousands_comma", column=column, table=table)
        case "thousands_point":
            return say("refused.source.thousands_point", column=column, table=table)
        case "number_text":
            return say("refused.source.number_text", column=column, table=table, value=text)
        case "brackets":
            return say("refused.source.brackets", column=column, table=table)
        case "with_sign":
            return say("refused.source.with_sign", column=column, table=table, sign=text)
        case _:
            return say("refused.source.decimal_comma", column=column, table=table)


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise SourceUnavailable.of(say("refused.source.no_folder", folder=Name(text=folder.name)))
    root = folder.resolve()
    total = 0
    for path in sorted(folder.rglob("*")):
        if suffix_of(path) not in {*READERS, *WORKBOOKS, *SQLITE, *DUCKDB} or not path.is_file() or path.name.startswith(_NO_DATA):
            continue
        if not path.resolve().is_relative_to(root):  # a link that leads out of the folder
            raise InvalidInput.of(say("refused.source.leads_out", file=Name(text=str(path.relative_to(folder)))))
        total += path.stat().st_size
        if total > FOLDER_BYTES:
            raise InvalidInput.of(say("refused.source.folder_size", folder=Name(text=folder.name), most=size(FOLDER_BYTES)))
        yield path


def _state(files: list[Path], encoding: str, dates: str) -> str:
    facts = [f"{path}\0{path.stat().st_size}\0{path.stat().st_mtime_ns}" for path in files]
    facts += [part for part in (encoding, dates) if part]
    facts.append(_RULES)
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _make(folder: Path, files: list[Path], target: Path, encoding: str, dates: str) -> None:
    unfinished = target.with_name(f"{target.name}.{uuid4().hex[:8]}")
    memory = 2 * memory_bytes()
    config = {"autoinstall_known_extensions": False, "memory_limit": f"{memory // 3}B", "threads": 2}
    asked = {
        "engine": "folder", "path": str(unfinished), "config": config, "folder": str(folder.resolve()) + os.sep,
        "files": [str(path.absolute()) for path in files], "encoding": encoding, "dates": dates,
    }  # fmt: skip
    try:
        with open_child(Limits(memory, COPY_S, COPY_BYTES), asked, within_s=COPY_S):
            pass
        Path(f"{unfinished}{NOTES}").replace(f"{target}{NOTES}")
        unfinished.replace(target)
    except EngineFailed as error:
        raise _refused(folder, error) from None
    finally:
        for left in target.parent.glob(f"{unfinished.name}*"):  # and what the engine keeps beside it
            left.unlink(missing_ok=True)


def _refused(folder: Path, error: EngineFailed) -> BullpenError:
    if error.kind == OUT_OF_MEMORY:
        return out_of_memory(error)
    return InvalidInput.of(say("refused.source.folder_file", folder=Name(text=folder.name), reason=passage(str(error)[:300])))
