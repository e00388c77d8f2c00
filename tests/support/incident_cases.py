"""Tickets for tests of evaluations."""

from contracts.base import Json
from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.tickets import Anomaly, Ticket


def ticket(ticket_id: str, cause: str, *phenomena: str, description: str = "Everything is slow", **metadata: Json) -> Ticket:
    """A ticket with these phenomena."""
    return Ticket(
        ticket_id=ticket_id,
        description=description,
        root_cause=cause,
        solution=f"mend {cause}",
        metadata=metadata,
        anomalies=tuple(Anomaly(description=text, observation_method="SELECT 1") for text in phenomena),
    )


def asking(*phenomena: str) -> PhenomenonQuestion:
    """A question about these."""
    return PhenomenonQuestion(
        turn=1,
        items=tuple(
            PhenomenonItem(number=number, phenomenon_id=f"P-{text}", description=text, observation_method="", why="")
            for number, text in enumerate(phenomena, start=1)
        ),
    )
