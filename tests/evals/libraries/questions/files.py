"""Files of JSON lines."""

import json
from collections.abc import Iterable
from pathlib import Path

from contracts.base import Json


def json_lines(path: Path) -> list[Json]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write_lines(path: Path, rows: Iterable[Json]) -> None:
    """A file of objects, one a line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
