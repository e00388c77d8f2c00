"""Cues: phrases of a question that say what its user is after, in English and Chinese.

A cue never decides alone: `intents.py` weighs them against what the deployment has (sources, logs, documents) and what the
conversation holds.
"""

import re
from enum import StrEnum
from pathlib import Path

import yaml

from workers.engines.squeezing import squeezed


class Cue(StrEnum):
    """What a phrase says."""

    AGREE = "agree"
    """Yes to what was offered."""
    RUN = "run"
    """Run a statement."""
    HOLD = "hold"
    """Do not run it."""
    SQL = "sql"
    """The statement itself is wanted."""
    FIX = "fix"
    EXPLAIN = "explain"
    TABLES = "tables"
    """Where data is, which tables or columns."""
    RESULT = "result"
    """The figures are wanted."""
    CHART = "chart"
    LOGS = "logs"
    WRITE = "write"
    """Data shall be changed."""
    DATA = "data"
    """Rows, records and tables are spoken of."""
    HOW_TO = "how_to"
    """How something is done, or why it does not work."""
    ELSEWHERE = "elsewhere"
    """Weather, news, jokes: what no data platform answers."""
    FOLLOWS = "follows"
    """The words need the conversation to be understood."""
    OUTPUT = "output"
    """What a statement returns is to be seen."""
    FIRST = "first"
    """Something else comes before what was offered."""
    ONLY = "only"
    """This and nothing else."""


_IGNORE = re.IGNORECASE


def _read_patterns() -> dict[Cue, re.Pattern[str]]:
    text = Path(__file__).with_name("cues.yaml").read_text("utf-8")
    patterns: dict[str, dict[str, list[str]]] = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return {cue: re.compile("|".join(part for parts in patterns[cue].values() for part in parts), _IGNORE) for cue in Cue}


_COMPILED = _read_patterns()

_FENCED = re.compile(
    r"```(?:sql)?\s*(?P<fenced>.+?)```|(?P<bare>\b(?:select\b.+\bfrom\b.+|with\s+\w+\s*(?:\([^)]*\)\s*)?as\s*\(.+))", _IGNORE | re.DOTALL
)

_QUOTED = re.compile(r"\"[^\"]{1,80}\"|“[^”]{1,80}”|「[^」]{1,80}」|《[^》]{1,80}》")
"""Quoted words are values that the user looks for."""

_OTHER_NAMES = {"mariadb": "mysql", "postgresql": "postgres", "t-sql": "tsql"}
_DIALECTS = (
    "presto", "trino", "hive", "spark", "mysql", "postgres", "sqlite", "duckdb", "clickhouse", "bigquery", "snowflake", "redshift",
    "oracle", "tsql", "doris", "starrocks", *_OTHER_NAMES,
)  # fmt: skip
_DIALECT = re.compile(rf"(?<![\w.])(?P<name>{'|'.join(sorted(_DIALECTS, key=len, reverse=True))})(?:\s*sql)?(?![\w.])", _IGNORE)


def cues_in(words: str) -> frozenset[Cue]:
    """The cues of a message. Statements and quotations inside of it count as data, not as words."""
    spoken = squeezed(_QUOTED.sub(" ", _FENCED.sub(" sql ", words)))
    found = {cue for cue, pattern in _COMPILED.items() if pattern.search(spoken)}
    if Cue.HOLD in found:
        found.discard(Cue.RUN)
        found.discard(Cue.AGREE)
    return frozenset(found)


def phrases_of(cue: Cue, words: str) -> list[str]:
    """The phrases of a message that make a cue."""
    return [found[0] for found in _COMPILED[cue].finditer(_QUOTED.sub(" ", words))]


def statement_in(words: str) -> str | None:
    """A SQL statement that the user pasted into the message."""
    found = _FENCED.search(words)
    return (found["fenced"] or found["bare"]).strip() if found else None


def dialect_in(words: str) -> str | None:
    """The SQL dialect that the user names beside the word SQL or query, as sqlglot calls it."""
    found = _DIALECT.search(words)
    name = found["name"].lower() if found and Cue.SQL in cues_in(words) else None
    return _OTHER_NAMES.get(name, name) if name else None
