"""What the deployment has for a message: sources, logs, documents, and how well they fit the words."""

from contracts.ask.request import AskRequest
from contracts.catalogue import NodeKind
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.work.floor import Floor


def grounds(floor: Floor, request: AskRequest, words: str) -> Grounds:
    """Looks up, decides nothing."""
    passages = floor.catalogue.search(words, owner=floor.owner, kinds={NodeKind.DOCUMENT}, limit=3)
    tables = floor.catalogue.search(words, owner=floor.owner, source=request.source, kinds={NodeKind.TABLE, NodeKind.COLUMN}, limit=3)
    return Grounds(
        has_sources=bool(floor.asked(request.source)),
        has_documents=bool(passages),
        passage_fit=max((pointer.score for pointer in passages), default=0.0),
        table_fit=max((pointer.score for pointer in tables), default=0.0),
    )
