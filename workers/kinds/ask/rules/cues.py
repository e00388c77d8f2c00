"""Cues: phrases of a question that say what its user is after, in English and Chinese.

A cue never decides alone: `intents.py` weighs them against what the deployment has (sources, logs, documents) and what the
conversation holds.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

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

_FENCE = "```"
_SELECT, _FROM = re.compile(r"\bselect\b", _IGNORE), re.compile(r"\bfrom\b", _IGNORE)
_WITH = re.compile(r"\bwith\s{1,9}\w{1,99}\s{0,9}(?:\([^)]{0,999}\)\s{0,9})?as\s{0,9}\(", _IGNORE)
_MOST_CHARACTERS = 4_000
"""Characters of a message, its statements left out, in which cues are looked for."""

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
    spoken = squeezed(_QUOTED.sub(" ", _without_statements(words)))[:_MOST_CHARACTERS]
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
    found = _statement_from(words, 0)
    return found.text if found else None


class _Statement(NamedTuple):
    begin: int
    stop: int
    text: str


def _statement_from(words: str, place: int) -> _Statement | None:
    """The first statement from a place on: between fences, or from its first word to the end of the message."""
    found = [each for each in (_fenced(words, place), _bare(words, place)) if each is not None]
    return min(found, key=lambda each: each.begin, default=None)


def _fenced(words: str, place: int) -> _Statement | None:
    begin = words.find(_FENCE, place)
    stop = words.find(_FENCE, begin + len(_FENCE)) if begin >= 0 else -1
    if stop < 0:
        return None
    text = words[begin + len(_FENCE) : stop]
    text = (text[3:] if text[:3].lower() == "sql" else text).strip()
    return _Statement(begin, stop + len(_FENCE), text) if text else None


def _bare(words: str, place: int) -> _Statement | None:
    """From the first `select` that a `from` follows, or from `with NAME as (`. A later `select` has no `from` that the first has not."""
    begins = [found.start() for found in (_WITH.search(words, place),) if found and found.end() < len(words)]
    select = _SELECT.search(words, place)
    source = _FROM.search(words, select.end() + 1) if select else None
    if select and source and source.end() < len(words):
        begins.append(select.start())
    return _Statement(min(begins), len(words), words[min(begins) :].strip()) if begins else None


def _without_statements(words: str) -> str:
    """The message with `sql` in the place of each statement."""
    kept, place = "", 0
    while (found := _statement_from(words, place)) is not None:
        kept, place = f"{kept}{words[place : found.begin]} sql ", found.stop
    return kept + words[place:]


def dialect_in(words: str) -> str | None:
    """The SQL dialect that the user names beside the word SQL or query, as sqlglot calls it."""
    found = _DIALECT.search(words)
    name = found["name"].lower() if found and Cue.SQL in cues_in(words) else None
    return _OTHER_NAMES.get(name, name) if name else None
