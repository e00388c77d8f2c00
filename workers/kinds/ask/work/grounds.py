"""What the deployment has for a message: sources, logs, documents, whether a source reads it, and how well documents and tables fit it."""

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.catalogue import NodeKind
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.work.documents import LEAD, about_tables, in_the_manual, is_about_bullpen, may_ask_the_manual
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import is_search_here, log_names
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
    searches = request.source is None and is_search_here(floor, request.logs, words, carried)
    reads, changes = (False, False) if searches else is_read(floor, list(asked), words, carried)
    return Grounds(
        has_logs=bool(logs),
        has_sources=bool(asked),
        has_documents=bool(manual) or floor.catalogue.has_documents(owner=floor.owner),
        reads=reads,
        changes=changes,
        searches_logs=searches,
        names_bullpen=bool(manual) and is_about_bullpen(words),
        passage_fit=max([*(passage.score for passage in passages), *(passage.score - LEAD for passage in manual)], default=0.0),
        table_fit=max((pointer.score for pointer in tables), default=0.0),
    )
