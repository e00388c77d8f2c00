"""Files that are one table: the partitions of a lake, and the parts in which Spark and Hive write a table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.missing import types_of

if TYPE_CHECKING:  # only the children load it
    import duckdb

READERS = {
    ".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet", ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
}  # fmt: skip
GZIP = ".gz"

_PARTITION = re.compile(r"[^=/]{1,200}=[^/]*")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""The value of a partition that has none."""
_PART = re.compile(r"part-(?:[rm]-)?\d")
_RANDOM = re.compile(r"(?=[a-f-]*\d)[0-9a-f-]{12,}")
"""How a name begins that a program made up."""
_WORD = re.compile(r"[^\W\d_]+(?:[-_ ]+[^\W\d_]+)*")


def together(connection: "duckdb.DuckDBPyConnection", files: Sequence[Path], folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Name → the files of a table, in their order. The files below a folder `key=value` are partitions of one table, and those that Spark
    and Hive call `part-...` are parts of one; both are named after the folder that they lie in. Partitions whose files begin with
    different words and have different columns are different tables, named after the words. Any other file is a table of its own."""
    tables: dict[tuple[Path, str], list[Path]] = {}
    for path in files:
        inside = path.resolve().relative_to(folder.resolve()).parts[:-1]
        partition = next((place for place, part in enumerate(inside) if _PARTITION.fullmatch(part)), None)
        whole = path
        if suffix_of(path) in READERS:
            if partition is not None:
                whole = folder.joinpath(*inside[:partition])
            elif _PART.match(path.name):
                whole = folder.joinpath(*inside)
        tables.setdefault((whole, suffix_of(path)), []).append(path)
    for (whole, _), found in tables.items():
        called = _stem(whole) if whole in found or suffix_of(whole) in READERS else whole.name
        yield from [(called, found)] if whole in found else _apart(connection, called, found)


def keys_of(path: Path, folder: Path) -> dict[str, str | None]:
    """What the folders between say of each row of the file: {"year": "2025"}."""
    inside = path.resolve().relative_to(folder.resolve()).parts[:-1]
    pairs = (part.partition("=") for part in inside if _PARTITION.fullmatch(part))
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, _, value in pairs}


def add(connection: "duckdb.DuckDBPyConnection", whole: str, part: str, keys: Mapping[str, str | None]) -> None:
    """Add the rows of a table of texts to another, which is made if there is none, with what is the same in each of them."""
    held = {column.lower() for column in types_of(connection, part)}
    for key, value in keys.items():
        if key.lower() not in held:
            connection.execute(f"ALTER TABLE {quoted(part)} ADD COLUMN {quoted(key)} VARCHAR")
            connection.execute(f"UPDATE {quoted(part)} SET {quoted(key)} = ?", [value])  # noqa: S608 quoted identifiers
    before, columns = types_of(connection, whole), types_of(connection, part)
    if not before:
        connection.execute(f"ALTER TABLE {quoted(part)} RENAME TO {quoted(whole)}")
        return
    known = {column.lower() for column in before}
    for column in columns:
        if column.lower() not in known:
            connection.execute(f"ALTER TABLE {quoted(whole)} ADD COLUMN {quoted(column)} VARCHAR")
    connection.execute(f"INSERT INTO {quoted(whole)} BY NAME SELECT * FROM {quoted(part)}")  # noqa: S608 quoted identifiers
    connection.execute(f"DROP TABLE {quoted(part)}")


def suffix_of(path: Path) -> str:
    """The ending that says what a file holds, also of a compressed one: `.csv` for orders.csv.gz."""
    suffix, inner = path.suffix.lower(), Path(path.stem).suffix.lower()
    return inner if suffix == GZIP and inner in READERS and inner != ".parquet" else suffix


def _apart(connection: "duckdb.DuckDBPyConnection", called: str, files: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    words: dict[str, list[Path]] = {}
    for path in files:
        words.setdefault(_word(path), []).append(path)
    tables: dict[frozenset[str], list[str]] = {}
    for word, found in words.items():
        tables.setdefault(_columns(connection, found[0]) if len(words) > 1 else frozenset(), []).append(word)
    for same in tables.values():
        name = called if len(tables) == 1 or "" in same else same[0]
        yield name, [path for path in files if _word(path) in same]


def _columns(connection: "duckdb.DuckDBPyConnection", path: Path) -> frozenset[str]:
    """Their names; of a file that cannot be read as it is, the word by which its own name begins."""
    import duckdb

    try:
        found = connection.execute(f"DESCRIBE SELECT * FROM {READERS[suffix_of(path)]}(?)", [str(path.resolve())]).fetchall()  # noqa: S608
    except duckdb.Error:
        return frozenset((_word(path),))
    return frozenset(column[0].lower() for column in found)


def _word(path: Path) -> str:
    """By which the name of a file begins; empty where a program chose the name."""
    stem = _stem(path)
    found = None if _PART.match(stem) or _RANDOM.match(stem) else _WORD.match(stem)
    return found[0].lower() if found else ""


def _stem(path: Path) -> str:
    return Path(path.stem).stem if path.suffix.lower() == GZIP else path.stem
