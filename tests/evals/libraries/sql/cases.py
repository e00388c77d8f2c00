"""The sets of cases, as they lie in the folder that the user names."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from contracts.base import Json
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.errors import InvalidInput

FOREIGN_KEY = re.compile(r"FOREIGN KEY \((?P<columns>[^)]+)\) REFERENCES (?P<table>\w+)\s*\((?P<references>[^)]+)\)", re.IGNORECASE)
"""How the catalogue writes a key."""


def rows_of(folder: Path, name: str) -> list[Json]:
    """The rows of a file of JSON lines. Raises `InvalidInput` where it is missing or is no such file."""
    path = folder / name
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except FileNotFoundError:
        raise InvalidInput(f"{path} is missing. `--data` names the folder that holds it.") from None
    except ValueError as error:
        raise InvalidInput(f"{path} is not a file of JSON lines: {error}.") from None


def share(right: float, total: int) -> float:
    """A share, or a mean, to four digits; 0 of nothing."""
    return round(right / total, 4) if total else 0.0


def tables_of(folder: Path) -> dict[str, list[TableDetail]]:
    """Database → its tables, from `nl2sql/catalogue.jsonl`."""
    found: dict[str, list[TableDetail]] = {}
    for row in rows_of(folder, "nl2sql/catalogue.jsonl"):
        found.setdefault(row["db"], []).append(_table(row))
    return found


def _table(row: Json) -> TableDetail:
    return TableDetail(
        name=row["table"],
        columns=tuple(_columns(row["columns"])),
        description=row.get("description") or "",
        primary_key=tuple(row.get("primary_key") or ()),
        foreign_keys=tuple(_foreign_keys(row.get("foreign_keys") or ())),
        rows=row.get("rows"),
    )


def _columns(columns: list[Json]) -> Iterator[ColumnDetail]:
    for column in columns:
        low, high = column.get("min"), column.get("max")
        yield ColumnDetail(
            name=column["name"],
            type=column.get("type") or "",
            description=column.get("description") or "",
            values=tuple(str(value) for value in column.get("values") or ()),
            minimum=None if low is None else str(low),
            maximum=None if high is None else str(high),
            distinct=column.get("distinct"),
            nulls=column.get("nulls"),
        )


def _foreign_keys(keys: Sequence[str]) -> Iterator[ForeignKey]:
    for match in filter(None, map(FOREIGN_KEY.match, keys)):
        columns, references = (tuple(name.strip() for name in match[part].split(",")) for part in ("columns", "references"))
        yield ForeignKey(columns=columns, table=match["table"], references=references)
