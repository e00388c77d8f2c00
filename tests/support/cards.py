"""Evidence put together card by card, for tests that compute by hand what a formula makes of it."""

from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence


def cause(cause_id: str, tickets: int = 1) -> CauseCard:
    """A cause with one ticket, `T-<cause_id>`, among its nearest."""
    return CauseCard(
        cause_id=cause_id,
        description=f"cause {cause_id}",
        solution=f"repair {cause_id}",
        ticket_count=tickets,
        ticket_ids=(f"T-{cause_id}",),
    )


def phenomenon(name: str, shown: dict[str, int], *, causes: int = 0, near: float = 0.5, text: str = "", method: str = "") -> PhenomenonCard:
    """A phenomenon by the tickets of each cause that show it; `causes`: of the whole history, if more."""
    return PhenomenonCard(
        phenomenon_id=name,
        description=text or f"{name} is seen",
        observation_method=method,
        similarity=near,
        cause_tickets=shown,
        cause_count=max(len(shown), causes, 1),
    )


def evidence(
    causes: tuple[CauseCard, ...], phenomena: tuple[PhenomenonCard, ...], observations: tuple[ObservationMatch, ...] = ()
) -> TicketEvidence:
    """Evidence with one ticket a cause, which shows all the phenomena of that cause."""
    tickets = tuple(
        TicketCard(
            ticket_id=f"T-{cause.cause_id}",
            description="slow",
            cause_id=cause.cause_id,
            similarity=0.4,
            phenomenon_ids=tuple(card.phenomenon_id for card in phenomena if cause.cause_id in card.cause_tickets),
        )
        for cause in causes
    )
    total = sum(cause.ticket_count for cause in causes)
    return TicketEvidence(
        causes=causes, phenomena=phenomena, tickets=tickets, observations=observations, total_tickets=total, total_causes=len(causes)
    )


def asked(*items: tuple[str, str], turn: int = 1) -> PhenomenonQuestion:
    """A question for phenomena given as (id, text)."""
    return PhenomenonQuestion(
        turn=turn,
        items=tuple(
            PhenomenonItem(number=number, phenomenon_id=name, description=text, observation_method="", why="")
            for number, (name, text) in enumerate(items, start=1)
        ),
    )
