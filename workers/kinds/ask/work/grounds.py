"""What the deployment has for a message: sources, logs, documents, and how well they fit the words."""

import re
from collections.abc import Iterable

from contracts.ask.request import AskRequest
from contracts.catalogue import NodeKind
from contracts.statements import Statement
from workers.errors import SourceUnavailable, StatementRefused
from workers.kinds.ask.rules.asides import asked_meaning
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.work.documents import LEAD, in_the_manual, is_about_bullpen, may_ask_the_manual
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import log_names
from workers.kinds.ask.work.meanings import meanings_of

MOST_NAMED = 10
"""Tables and columns whose names are what the data is about: flights of an airport, hotels of a chain."""
_PART = re.compile(r"[^\W_]+")


def grounds(floor: Floor, request: AskRequest, words: str) -> Grounds:
    """Looks up, decides nothing."""
    passages = floor.catalogue.search(words, owner=floor.owner, kinds={NodeKind.DOCUMENT}, limit=3)
    tables = floor.catalogue.search(
        words, owner=floor.owner, source=request.source, kinds={NodeKind.TABLE, NodeKind.COLUMN}, limit=MOST_NAMED
    )
    manual = in_the_manual(floor, words)[:1] if may_ask_the_manual(words) else []
    logs, asked = log_names(floor, request.logs), floor.asked(request.source)
    return Grounds(
        has_logs=bool(logs),
        names_logs=not asked and _names_logs(floor, logs, words),  # with sources the words decide, and no log is read
        has_sources=bool(asked),
        has_documents=bool(manual) or floor.catalogue.has_documents(owner=floor.owner),
        names_bullpen=bool(manual) and is_about_bullpen(words),
        passage_fit=max([*(pointer.score for pointer in passages), *(passage.score - LEAD for passage in manual)], default=0.0),
        table_fit=max((pointer.score for pointer in tables), default=0.0),
        meanings=_meanings(floor, asked, words),
        names=frozenset(part.rstrip("s") for pointer in tables for part in _PART.findall(pointer.place.partition(".")[2].lower())),
    )


def _meanings(floor: Floor, sources: Iterable[str], words: str) -> tuple[Statement, ...]:
    what = asked_meaning(words.rpartition("\n")[2])
    return meanings_of(what, [table for source in sources for table in floor.tables(source)]) if what else ()


def _names_logs(floor: Floor, logs: list[str], words: str) -> bool:
    """Whether the words name a value of a label: a service, a host, an environment."""
    for log in logs:
        try:
            if floor.logs.read(log, words, owner=floor.owner, now=floor.now).matchers:
                return True
        except (StatementRefused, SourceUnavailable):
            continue
    return False
