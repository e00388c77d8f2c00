"""Messages that say one thing and nothing else: "run it", "as a bar chart", "explain" before a statement. The list is messages.yaml."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from sqlglot import exp

from contracts.ask.results import ChartWish
from workers.engines.closed_answers import answer_words, both, ends_word, holds, is_only, plain_words
from workers.engines.sql.trees import NotParsed, parse_statement

_MOST_STARTS = 4


class Command(StrEnum):
    """What a message may ask for without saying anything of the data. The value is its list in `messages.yaml`."""

    RUN = "run"
    HOLD = "hold"
    EXPLAIN = "explain"
    FIX = "fix"
    DRAW = "draw"
    THANKS = "thanks"
    GREET = "greet"
    ALL_TABLES = "all_tables"


@dataclass(frozen=True, slots=True)
class Quoted:
    """A statement within a message."""

    statement: str
    around: str
    """The words before and behind it."""


@cache
def _lists() -> Mapping[str, Any]:
    known: Mapping[str, Any] = yaml.load(Path(__file__).with_name("messages.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return known


def command_in(words: str) -> Command | None:
    """The command that the message is, and nothing else."""
    beside = [*both(answer_words("beside")), *both(_lists()["beside"])]
    return next((command for command in Command if is_only(words, _phrases(command), beside, _alone(command))), None)


_ANSWERS = {Command.RUN: "yes", Command.HOLD: "no"}


def _alone(command: Command) -> Sequence[str]:
    return answer_words(_ANSWERS[command]).get("alone", ()) if command in _ANSWERS else ()


def _phrases(command: Command) -> list[str]:
    phrases = both(_lists()[command.value])
    if command in _ANSWERS:
        phrases += both(answer_words(_ANSWERS[command]))
    if command is Command.DRAW:
        more = (*_lists()["chart_marks"].values(), *_lists()["chart_orders"].values())
        phrases += [phrase for some in more for phrase in both(some)]
    return phrases


def chart_in(words: str) -> ChartWish | None:
    """The chart that a message asks for which asks for nothing else."""
    if command_in(words) is not Command.DRAW:
        return None
    plain = plain_words(words)
    found = {
        part: next((name for name, some in _lists()[part].items() if any(holds(plain, phrase) for phrase in both(some))), None)
        for part in ("chart_marks", "chart_orders")
    }
    return ChartWish.model_validate({"mark": found["chart_marks"], "order": found["chart_orders"]})


def begins_like(words: str, part: str) -> bool:
    """Whether a message begins with a phrase of a list, `tables` or `how_to`."""
    plain = plain_words(words).removeprefix("please ").removeprefix("请问").removeprefix("请").strip()
    return any(plain.startswith(phrase) and ends_word(plain, len(phrase)) for phrase in both(_lists()[part]))


def statement_in(words: str) -> Quoted | None:
    """The query within a message: from a SELECT or WITH on, up to the end, a fence or a semicolon, if it can be read as one."""
    lowered = words.lower()
    starts = sorted(place for key in ("select", "with") for place in _words_at(lowered, key))[:_MOST_STARTS]
    for start in starts:
        ends = [place for mark in ("```", ";") if (place := words.find(mark, start)) > 0]
        stop = min(ends, default=len(words))
        text = words[start:stop].strip()
        if "from" in lowered[start:stop] and _is_query(text):
            around = f"{words[:start]} {words[stop:]}".replace("```sql", " ").replace("```", " ").replace(";", " ")
            return Quoted(text, around.strip())
    return None


def _words_at(text: str, key: str) -> Iterable[int]:
    place = text.find(key)
    while place >= 0:
        before, behind = text[place - 1 : place], text[place + len(key) : place + len(key) + 1]
        if not (before.isascii() and before.isalnum()) and not (behind.isascii() and behind.isalnum()):
            yield place
        place = text.find(key, place + 1)


@lru_cache(maxsize=16)
def _is_query(text: str) -> bool:
    """Kept, since one message is looked at for its intent, for what it follows and for the chart that it wishes."""
    try:
        tree = parse_statement(text, "")
    except NotParsed:
        return False
    return isinstance(tree, exp.Query) and tree.find(exp.From) is not None
