"""The evidence without causes that somebody has ruled out."""

from collections.abc import Sequence

from contracts.tickets import TicketEvidence


def without_causes(evidence: TicketEvidence, causes: Sequence[str]) -> tuple[TicketEvidence, tuple[str, ...]]:
    """(the evidence without these causes, their tickets, and what only they show; those of `causes` that it does not have). A cause is
    named by its id, or by its text as the history has it."""
    wanted = {_plain(cause): cause for cause in causes}
    out = {card.cause_id for card in evidence.causes if not wanted.keys().isdisjoint({_plain(card.cause_id), _plain(card.description)})}
    known = {_plain(text) for card in evidence.causes if card.cause_id in out for text in (card.cause_id, card.description)}
    unknown = tuple(cause for plain, cause in wanted.items() if plain not in known)
    if not out:
        return evidence, unknown
    phenomena = tuple(
        card.model_copy(
            update={
                "cause_tickets": {cause: tickets for cause, tickets in card.cause_tickets.items() if cause not in out},
                "why_relevant": {cause: why for cause, why in card.why_relevant.items() if cause not in out},
            }
        )
        for card in evidence.phenomena
        if not card.cause_tickets or card.cause_tickets.keys() - out
    )
    shown = {card.phenomenon_id for card in phenomena}
    left = evidence.model_copy(
        update={
            "causes": tuple(card for card in evidence.causes if card.cause_id not in out),
            "tickets": tuple(card for card in evidence.tickets if card.cause_id not in out),
            "phenomena": phenomena,
            "observations": tuple(match for match in evidence.observations if match.phenomenon_id in shown),
            "same_causes": tuple(pair for pair in evidence.same_causes if out.isdisjoint(pair)),
        }
    )
    return left, unknown


def causes_ruled_out(evidence: TicketEvidence, causes: Sequence[str]) -> tuple[str, ...]:
    """Those of `causes` that the evidence has, in the words of the history."""
    wanted = {_plain(cause) for cause in causes}
    return tuple(card.description for card in evidence.causes if not wanted.isdisjoint({_plain(card.cause_id), _plain(card.description)}))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
