"""A small history of database incidents with four causes, and people who answer: for tests of the methods of diagnosis."""

from collections.abc import Sequence
from itertools import count

from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion, RarAnswer, RarDiagnosis, RarRecommendation
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Anomaly, Ticket
from tests.support.evidence import evidence_of

INCIDENT = "Orders hang since noon and the shop is slow"
REQUEST = DiagnoseRequest(description=INCIDENT)
CAUSES = {
    "lock queue": ("sessions wait for a relation lock", "an ALTER TABLE waits first", "connections pile up"),
    "full disk": ("writes fail with no space", "the archive directory grows", "connections pile up"),
    "bad plan": ("row estimates are far off", "a nested loop runs for long", "the CPU is saturated"),
    "slow network": ("pings take 80 ms", "only remote clients suffer", "the CPU is idle"),
}

Turn = tuple[PhenomenonQuestion, str]


def ticket(number: int, cause: str, *signs: str, description: str = "The shop is slow") -> Ticket:
    return Ticket(
        ticket_id=f"T-{number}",
        description=description,
        root_cause=cause,
        solution=f"repair {cause}",
        anomalies=tuple(Anomaly(description=sign, observation_method="SELECT 1") for sign in signs),
    )


_numbers = count(1)
HISTORY = [ticket(next(_numbers), cause, *signs) for cause, signs in CAUSES.items() for _ in range(4)]
EVIDENCE = evidence_of(HISTORY, INCIDENT)
TICKETS = {ticket.ticket_id: ticket for ticket in HISTORY}


def answered(question: PhenomenonQuestion, signs: Sequence[str]) -> Turn:
    """The answer of somebody who sees these signs."""
    return question, ", ".join(f"{item.number} {'yes' if item.description in signs else 'no'}" for item in question.items)


def asked(*names: str, turn: int = 1, answer: str = "all no") -> Turn:
    """A turn in which these phenomena were asked."""
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=f"P:{name}", description=name, observation_method="", why="")
        for n, name in enumerate(names, start=1)
    )
    return PhenomenonQuestion(turn=turn, items=items), answer


def recommends(*observations: str, confidence: float = 0.3) -> RarAnswer:
    return RarAnswer(
        action="recommend", confidence=confidence, recommendations=tuple(RarRecommendation(observation=text) for text in observations)
    )


def concludes(cause: str, *cited: str, confidence: float = 0.9, reasoning: str = "as the tickets say") -> RarAnswer:
    found = RarDiagnosis(root_cause=cause, reasoning=reasoning, cited_tickets=cited, solution="DROP DATABASE shop")
    return RarAnswer(action="diagnose", confidence=confidence, diagnosis=found)
