"""What the rules make of a message in many wordings: `utterances.yaml`, each judged by itself, without a job."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.ask.tools import Tool
from contracts.base import Contract
from contracts.log_questions import LogReading
from workers.kinds.ask.rules.following import rewritten
from workers.kinds.ask.rules.intents import Grounds, judge

_GROUNDS = {
    "data": Grounds(has_sources=True, table_fit=0.5),
    "documents": Grounds(has_documents=True, passage_fit=0.5),
    "logs": Grounds(has_logs=True, names_logs=True),
    "documents_and_data": Grounds(has_sources=True, has_documents=True, passage_fit=0.5, table_fit=0.45),
    "everything": Grounds(has_sources=True, has_logs=True, has_documents=True, passage_fit=0.4, table_fit=0.5),
}
_OFFERED = Carried(question="orders per region", sql="SELECT 1", sql_call="call_1", source="shop", awaits=Tool.EXECUTE, goal=Tool.EXECUTE)
_BEFORE: dict[str, Carried | None] = {
    "nothing": None,
    "sql": _OFFERED,
    "wanted_sql": _OFFERED.model_copy(update={"goal": Tool.GENERATE_SQL}),
    "result": _OFFERED.model_copy(update={"awaits": None}),
    "logs": Carried(question="errors", log_query=LogReading(question="errors", is_metric=False), goal=Tool.SEARCH_LOG),
    "passages": Carried(question="How do I get access?", cites=("access.md",), goal=Tool.DATASUITE_FAQ),
}
_SENT = {"sql": "SELECT a FROM orders", "error": "no such column: a"}


class Wording(Contract):
    """A message, where it is said, and where it is to lead."""

    group: str
    words: str
    grounds: str
    names: frozenset[str] = frozenset()
    """Words of the catalogue that fit."""
    before: str = "nothing"
    sent: tuple[str, ...] = ()
    """What the client sent beside the words."""
    first: Tool
    final: Tool
    is_follow_up: bool = False
    is_about_earlier_sql: bool = False


@lru_cache(1)
def wordings() -> tuple[Wording, ...]:
    """The messages of `utterances.yaml`."""
    text = Path(__file__).with_name("utterances.yaml").read_text("utf-8")
    read: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return tuple(wording for group, entry in read.items() for wording in _group(group, entry))


def _group(group: str, entry: dict[str, Any]) -> Iterator[Wording]:
    first, final = entry["expect"]
    for words in entry["words"]:
        yield Wording(
            group=group, words=words, grounds=entry["grounds"], names=frozenset(entry.get("names", ())),
            before=entry.get("before", "nothing"), sent=tuple(entry.get("with", ())), first=first, final=final,
            is_follow_up=entry.get("is_follow_up", False), is_about_earlier_sql=entry.get("is_about_earlier_sql", False),
        )  # fmt: skip


def is_right(wording: Wording) -> bool:
    """Whether the rules lead the message where it is to lead."""
    request = AskRequest.model_validate({"question": wording.words, **{name: _SENT[name] for name in wording.sent}})
    carried = _BEFORE[wording.before]
    intent = judge(request, wording.words, carried, replace(_GROUNDS[wording.grounds], names=wording.names))
    understanding = rewritten(request, wording.words, intent, carried, "en")
    return (
        (intent.first, intent.final) == (wording.first, wording.final)
        and (understanding.is_follow_up or not wording.is_follow_up)
        and (intent.takes_earlier_sql or not wording.is_about_earlier_sql)
    )


def wording_figures() -> tuple[dict[str, float], list[Wording]]:
    """The share of the messages that is led right, and those that are not."""
    every = wordings()
    wrong = [wording for wording in every if not is_right(wording)]
    return {"wordings": float(len(every)), "wordings_right": round(1 - len(wrong) / len(every), 4)}, wrong
