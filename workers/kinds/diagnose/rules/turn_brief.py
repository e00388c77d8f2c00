"""What a model that leads a diagnosis is shown: tickets whole, as many as its window takes, and every word of the person."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contracts.diagnose.deliverables import DiagnoserTurn, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from workers.engines.language import Lang
from workers.engines.tokens import CountTokens, clip_to, estimate_tokens
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.wording import brief
from workers.llm.brief import cut_rows
from workers.saying import text_of

_FRAME_TOKENS = 1_500
"""What the prompt takes beside its data."""
_PROBLEM_SHARE = 0.2
_DIALOGUE_SHARE = 0.25
_ADDED_SHARE = 0.05
"""Parts of the room that what the person said may take; tickets have what is left."""
_PART_TOKENS = 400
"""Of a description, a cause or a solution of one ticket."""
_PHENOMENA, _PHENOMENON = 20, 400
"""Phenomena of a ticket, and characters of each."""
_FENCE_TOKENS = 36
_LAST_TOKENS = 600
"""Of an answer that is sent back."""
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
    descriptions: dict[str, str] = field(default_factory=dict[str, str])
    """Of the same tickets, by their ids."""
    tickets: frozenset[str] = frozenset()
    """Ids of all tickets that are shown, whole or as a line."""


def sent_back(shown: TurnBrief, answer: DiagnoserTurn, objection: str) -> TurnBrief:
    """The same brief with the answer to it that is not taken, and why."""
    last = clip_to(json.dumps(answer.to_json(), ensure_ascii=False), _LAST_TOKENS)
    return replace(shown, prompt={**shown.prompt, "last": last, "objection": objection})


def turn_brief(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    lang: Lang,
    context_tokens: int,
    *,
    may_ask: bool,
    session: str = "",
    count: CountTokens = estimate_tokens,
) -> TurnBrief:
    """The brief for a window of this size. Tickets are in the order of their ids, so that the prompts of one dialogue begin alike."""
    room = max(context_tokens - _FRAME_TOKENS, 0)
    causes = {cause.cause_id: cause for cause in evidence.causes}
    cards = {card.phenomenon_id: card for card in evidence.phenomena}
    problem = clip_to(request.description, int(room * _PROBLEM_SHARE), count)
    looked_up = clip_to("\n".join(evidence.looked_up), int(room * _ADDED_SHARE), count)
    added = clip_to("\n".join(evidence.reported), int(room * _ADDED_SHARE), count)
    remembered = clip_to(session, int(room * _ADDED_SHARE), count)
    turns = [_turn(question, answer) for question, answer in dialogue]
    each = int(room * _DIALOGUE_SHARE) // max(len(turns), 1)
    spoken = "\n".join(clip_to(turn, each, count) for turn in turns)
    left = room - sum(map(count, (problem, looked_up, added, remembered, spoken)))
    whole: dict[str, str] = {}
    phenomena: dict[str, PhenomenonCard] = {}
    lines: list[str] = []
    listed: set[str] = set()
    for ticket in evidence.tickets:
        if ticket.cause_id not in causes or not ticket.ticket_id.strip():
            continue
        text, named = _whole(ticket, causes[ticket.cause_id], cards, count)
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
        listed.add(ticket.ticket_id)
    prompt = {
        "language": _LANGUAGE[lang],
        "tickets": tuple(whole[key] for key in sorted(whole)),
        "others": "\n".join(lines),
        "problem": problem,
        "system": request.system,
        "looked_up": looked_up,
        "added": added,
        "session": remembered,
        "dialogue": spoken,
        "last": "",
        "objection": "",
        "guidance": _guidance(len(dialogue), request.max_turns, may_ask=may_ask),
        "prompt_cuts": cut_rows(
            ("tickets", len(whole) + len(listed), len(evidence.tickets)),
            ("tickets in full", len(whole), len(evidence.tickets)),
            ("problem", len(problem), len(request.description)),
            ("looked up", len(looked_up), len("\n".join(evidence.looked_up))),
            ("added", len(added), len("\n".join(evidence.reported))),
            ("session", len(remembered), len(session)),
            ("dialogue", len(spoken), len("\n".join(turns))),
        ),
    }
    descriptions = {ticket.ticket_id: ticket.description for ticket in evidence.tickets if ticket.ticket_id in whole}
    return TurnBrief(prompt, phenomena, descriptions, frozenset((*whole, *listed)))


def _whole(
    ticket: TicketCard, cause: CauseCard, cards: dict[str, PhenomenonCard], count: CountTokens
) -> tuple[str, dict[str, PhenomenonCard]]:
    """A ticket with what its phenomena are called; of a long one the description is cut first, then the solution."""
    seen = [cards[found] for found in ticket.phenomenon_ids if found in cards][:_PHENOMENA]
    named = {f"{ticket.ticket_id}/{number}": card for number, card in enumerate(seen, start=1)}
    observed = "".join(f"\n{number}. {_with_method(card)}" for number, card in enumerate(seen, start=1))
    description, caused, helped = (clip_to(part, _PART_TOKENS, count) for part in (ticket.description, cause.description, cause.solution))
    text = (
        f"{ticket.ticket_id}{_about(ticket)}\ndescription: {description}\nphenomena:{observed or ' none written down'}\n"
        f"cause: {caused}\nwhat helped: {helped or 'not written down'}"
    )
    return text, named


def _about(ticket: TicketCard) -> str:
    """The systems, products and hosts of its metadata, in one line."""
    names = ", ".join(dict.fromkeys((*ticket.systems, *ticket.hosts)))
    return f"\nof: {brief(names, _LINE)}" if names else ""


def _with_method(card: PhenomenonCard) -> str:
    method = " ".join(card.observation_method.split())[:_METHOD]
    text = brief(card.description, _PHENOMENON)
    return f"{text} (how: {method})" if method else text


def _turn(question: PhenomenonQuestion, answer: str) -> str:
    items = [f"{item.number}. {item.asked_as or item.description}" for item in question.items]
    asked = " ".join(items) or (f"which system: {', '.join(question.systems)}" if question.systems else "what else they see")
    left_out = "".join(f"\nNot taken of your turn: {text_of(each, 'en')}" for each in question.left_out)
    return f"Asked: {asked}{left_out}\nThe person answered: {answer}"


def _guidance(turns: int, most: int, *, may_ask: bool) -> str:
    if not may_ask:
        return 'You may not ask any more: answer "diagnose" or "unknown".'
    return f"{turns} of at most {most} questions were asked; a tired person answers, so ask as little as decides it."


def said_by_person(request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Sequence[str]:
    """All texts that a quotation may be of."""
    return (request.description, *evidence.reported, *evidence.looked_up, *(answer for _, answer in dialogue))
