"""What the deployment has for a message: sources, logs, documents, whether a source reads it, and how well documents and tables fit it."""

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.catalogue import NodeKind
from workers.errors import SourceUnavailable, StatementRefused
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.work.documents import LEAD, about_tables, in_the_manual, is_about_bullpen, may_ask_the_manual
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import log_names
from workers.kinds.ask.work.reading import is_read

MOST_FOUND = 3
"""Tables of which the best counts."""


def grounds(floor: Floor, request: AskRequest, words: str, carried: Carried | None) -> Grounds:
    """Looks up, decides nothing."""
    passages = [passage for passage in about_tables(floor, words) if passage.path]  # a term explains data, and is no answer about them
    tables = floor.catalogue.search(
        words, owner=floor.owner, source=request.source, kinds={NodeKind.TABLE, NodeKind.COLUMN}, limit=MOST_FOUND
    )
    manual = in_the_manual(floor, words)[:1] if may_ask_the_manual(words) else []
    logs, asked = log_names(floor, request.logs), floor.asked(request.source)
    reads, changes = is_read(floor, list(asked), words, carried)
    return Grounds(
        has_logs=bool(logs),
        has_sources=bool(asked),
        has_documents=bool(manual) or floor.catalogue.has_documents(owner=floor.owner),
        reads=reads,
        changes=changes,
        names_logs=not (reads or changes) and _names_logs(floor, logs, words),
        names_bullpen=bool(manual) and is_about_bullpen(words),
        passage_fit=max([*(passage.score for passage in passages), *(passage.score - LEAD for passage in manual)], default=0.0),
        table_fit=max((pointer.score for pointer in tables), default=0.0),
    )


def _names_logs(floor: Floor, logs: list[str], words: str) -> bool:
    """Whether the words name a value of a label: a service, a host, an environment."""
    for log in logs:
        try:
            if floor.logs.read(log, words, owner=floor.owner, now=floor.now).matchers:
                return True
        except (StatementRefused, SourceUnavailable):
            continue
    return False
