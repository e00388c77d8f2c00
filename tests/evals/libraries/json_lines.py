"""Files of JSON lines, as evaluations take them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workers.errors import InvalidInput


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines. Raises `InvalidInput`."""
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON lines: {error}") from None
