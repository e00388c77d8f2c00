"""What a model that leads a diagnosis is shown: tickets whole, as many as its window takes, and every word of the person."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from workers.engines.language import Lang
from workers.engines.tokens import CountTokens, clip_to, estimate_tokens
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.wording import brief

_FRAME_TOKENS = 1_500
"""What the prompt takes beside its data."""
_TICKETS_SHARE = 0.6
"""Part of the room that tickets may take; what the person said goes before them."""
_PROBLEM_SHARE = 0.25
_TICKET_TOKENS = 1_200
"""Of one ticket."""
_FENCE_TOKENS = 36
_LINE = 80
"""Characters of a description or a cause in one line."""
_METHOD = 200
_LANGUAGE: dict[Lang, str] = {"en": "English (or the language of the problem if that is another one)", "zh": "Chinese"}


@dataclass(frozen=True)
class TurnBrief:
    """The data of `diagnoser/turn`, and what its references mean."""

    prompt: dict[str, Any]
    phenomena: dict[str, PhenomenonCard] = field(default_factory=dict[str, PhenomenonCard])
    """`T-1/2` → the phenomenon; of the tickets that are shown whole."""
    tickets: frozenset[str] = frozenset()
    """Ids of all tickets that are shown, whole or as a line."""


def turn_brief(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    lang: Lang,
    context_tokens: int,
    *,
    may_ask: bool,
    count: CountTokens = estimate_tokens,
) -> TurnBrief:
    """The brief for a window of this size. Tickets are in the order of their ids, so that the prompts of one dialogue begin alike."""
    room = max(context_tokens - _FRAME_TOKENS, 0)
    causes = {cause.cause_id: cause for cause in evidence.causes}
    cards = {card.phenomenon_id: card for card in evidence.phenomena}
    left = int(room * _TICKETS_SHARE)
    whole: dict[str, str] = {}
    phenomena: dict[str, PhenomenonCard] = {}
    lines: list[str] = []
    for ticket in evidence.tickets:
        if ticket.cause_id not in causes or not ticket.ticket_id.strip():
            continue
        text, named = _whole(ticket, causes[ticket.cause_id], cards)
        text = clip_to(text, _TICKET_TOKENS, count)
        if (used := count(text) + _FENCE_TOKENS) <= left and not lines:
            left -= used
            whole[ticket.ticket_id] = text
            phenomena |= named
            continue
        line = f"{ticket.ticket_id}: {brief(ticket.description, _LINE)} | {brief(causes[ticket.cause_id].description, _LINE)}"
        if (used := count(line)) > left:
            break
        left -= used
        lines.append(line)
    shown = {line.partition(":")[0] for line in lines}
    prompt = {
        "language": _LANGUAGE[lang],
        "tickets": tuple(whole[key] for key in sorted(whole)),
        "others": "\n".join(lines),
        "problem": clip_to(request.description, int(room * _PROBLEM_SHARE), count),
        "looked_up": "\n".join(evidence.looked_up),
        "added": "\n".join(evidence.reported),
        "dialogue": "\n".join(_turn(question, answer) for question, answer in dialogue),
        "guidance": _guidance(len(dialogue), request.max_turns, may_ask=may_ask),
    }
    return TurnBrief(prompt, phenomena, frozenset((*whole, *shown)))


def _whole(ticket: TicketCard, cause: CauseCard, cards: dict[str, PhenomenonCard]) -> tuple[str, dict[str, PhenomenonCard]]:
    seen = [cards[found] for found in ticket.phenomenon_ids if found in cards]
    named = {f"{ticket.ticket_id}/{number}": card for number, card in enumerate(seen, start=1)}
    observed = "".join(f"\n{number}. {_with_method(card)}" for number, card in enumerate(seen, start=1))
    text = (
        f"{ticket.ticket_id}\ndescription: {ticket.description}\nphenomena:{observed or ' none written down'}\n"
        f"cause: {cause.description}\nwhat helped: {cause.solution or 'not written down'}"
    )
    return text, named


def _with_method(card: PhenomenonCard) -> str:
    method = " ".join(card.observation_method.split())[:_METHOD]
    return f"{card.description} (how: {method})" if method else card.description


def _turn(question: PhenomenonQuestion, answer: str) -> str:
    items = [f"{item.number}. {item.asked_as or item.description}" for item in question.items]
    asked = " ".join(items) or (f"which system: {', '.join(question.systems)}" if question.systems else "what else they see")
    return f"Asked: {asked}\nThe person answered: {answer}"


def _guidance(turns: int, most: int, *, may_ask: bool) -> str:
    if not may_ask:
        return 'You may not ask any more: answer "diagnose" or "unknown".'
    return f"{turns} of at most {most} questions were asked; a tired person answers, so ask as little as decides it."


def said_by_person(request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Sequence[str]:
    """All texts that a quotation may be of."""
    return (request.description, *evidence.reported, *evidence.looked_up, *(answer for _, answer in dialogue))
