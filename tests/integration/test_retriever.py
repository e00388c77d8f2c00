"""The retriever hears the whole dialogue, also what no ticket has a name for."""

from dataclasses import dataclass

from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Anomaly, Ticket, TicketEvidence
from tests.support.context import step_context
from workers.blackboard.engine import Database
from workers.kinds.diagnose.roles.retriever import retrieve_tickets
from workers.kinds.diagnose.rules.rar.items import own_id
from workers.llm import Embedder
from workers.roles.base import HeardRequest
from workers.settings import Settings
from workers.tickets import import_tickets

SIGN = "pg_wal has grown to fill the disk"


@dataclass
class Served:
    database: Database
    embedder: Embedder | None
    settings: Settings


def test_an_own_phenomenon_that_is_confirmed_is_searched_by_its_words_and_one_that_is_denied_is_not(database: Database) -> None:
    """D6: the query is the problem, what was confirmed, and what was told; RAR's own observations have no id to search by."""
    anomaly = Anomaly(description=SIGN)
    tickets = [Ticket(ticket_id=f"T-{n}", description="writes stop", root_cause="slot", anomalies=(anomaly,)) for n in (1, 2)]
    import_tickets(database, None, enumerate(tickets, start=1))
    text = f"{SIGN}, it seems"
    item = PhenomenonItem(number=1, phenomenon_id=own_id(text), description=text, observation_method="", why="")
    question = {"detail": PhenomenonQuestion(turn=1, items=(item,)).to_json(), "kind": "phenomena"}

    def found(answer: str) -> TicketEvidence:
        heard = HeardRequest("diagnosis", "human", "question", question, {"text": answer})
        needs = {"input": DiagnoseRequest(description="The shop is slow").to_json()}
        report = retrieve_tickets(
            step_context(stage="tickets", needs=needs, requests=(heard,), services=Served(database, None, Settings()))
        )
        assert report.deliverable is not None
        return report.deliverable

    def like(answer: str) -> list[str]:
        return [ticket.ticket_id for ticket in found(answer).tickets if ticket.similarity > 0]

    assert like("1 yes") == ["T-1", "T-2"]
    assert like("1 no") == []
