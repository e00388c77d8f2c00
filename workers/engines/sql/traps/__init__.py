"""The traps of a SQL dialect in a few lines: what a statement gets wrong that was learnt from another one. A file a dialect, in sqlglot's
names; prompts that ask for SQL show it."""

from functools import cache
from importlib import resources

from workers.engines.sql.trees import dialect_of


@cache
def traps_of(dialect: str) -> str:
    """The lines for a dialect by any of its names; empty where there are none."""
    file = resources.files(__name__).joinpath(f"{dialect_of(dialect) or 'none'}.txt")
    return file.read_text("utf-8").strip() if file.is_file() else ""
