"""The sample shop, opened to read."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from workers.sources.sample import make_shop


@contextmanager
def opened_shop(folder: Path) -> Generator[duckdb.DuckDBPyConnection]:
    """A connection to a new shop in a folder."""
    path = folder / "shop.duckdb"
    make_shop(path)
    with duckdb.connect(str(path), read_only=True) as connection:
        yield connection
