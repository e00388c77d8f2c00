"""The part of the history that bears on an incident: near tickets, their causes, and what could be checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pydantic import TypeAdapter

from contracts.base import Json, canonical_json, clean_text
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence
from workers.blackboard.engine import Database
from workers.engines.language import Lang, language_of
from workers.llm.embedder import Embedder
from workers.retrieval.embedding import searchable
from workers.retrieval.fusion import best_first, fuse
from workers.retrieval.meaning import rank_by_meaning
from workers.tickets.alike import alike_in_causes, alike_phenomena, compare_causes
from workers.tickets.contradiction import contradict
from workers.tickets.corpora import KINDS, TICKETS
from workers.tickets.facts import FIX_CHARACTERS, SOLUTION_CHARACTERS, TEXT_CHARACTERS, CauseFacts, clip, read_causes, read_frequent
from workers.tickets.holders import rank_by_phenomena
from workers.tickets.incident_text import IncidentText, prepare
from workers.tickets.likeness import Likeness
from workers.tickets.of_system import read_of_system
from workers.tickets.quotations import quote_alike
from workers.tickets.search import WEIGHT_OF_MEANING
from workers.tickets.snapshot import Snapshot, snapshot

MATCH_THRESHOLD = 0.75
"""Likeness from which an observation says a known phenomenon. Of 31,375 pairs of different phenomena in English and
Chinese 15 are above it and do not contradict each other: all of them are wordings, or translations, of one thing."""

QUOTED = 0.9
"""Likeness of an observation to a phenomenon that copies the same error text or line of a log."""

_MATCHES_PER_OBSERVATION = 3
_MATCH_MARGIN = 0.1
_DEPTH = 100
_LEAST_PER_CAUSE = 12
"""Phenomena of a cause that are considered because its tickets show them often."""

_CONTENT_BYTES = 950_000
"""A deliverable may have 1 MiB."""

_FOR_TEXTS = _CONTENT_BYTES * 3 // 4

_SOLUTION_LENGTHS = (SOLUTION_CHARACTERS, FIX_CHARACTERS, 700, 300)
"""What solutions are shortened to, one length after the other, until causes and tickets leave phenomena a quarter of the room."""

_MOST_BYTES = 6
"""Of one character in JSON: \\u0001."""

_LINK_BYTES = 250
_CARD_BYTES = 500
"""Upper bounds, in bytes, for a card without its texts and for each cause or ticket that it names (a ticket's id has up to 200
characters)."""


_CARDS = TypeAdapter(list[PhenomenonCard])


@dataclass(frozen=True)
class EvidenceLimits:
    """How much evidence is gathered."""

    tickets: int = 50
    causes: int = 50
    phenomena: int = 200
    tickets_per_cause: int = 10


_LIMITS = EvidenceLimits()


def gather_evidence(
    db: Database,
    embedder: Embedder | None,
    description: str,
    observations: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    limits: EvidenceLimits = _LIMITS,
    *,
    systems: Sequence[str] = (),
) -> TicketEvidence:
    """What the history knows of an incident that is described so, with these observations and confirmed phenomena (ids). `systems`: what
    the user says it is about; tickets of all causes of these are part of it.

    Reads one snapshot. Everything counted (`ticket_count`, `cause_tickets`, `cause_count`) is counted over the whole history.
    Similarities mix the embedding's cosine with the overlap of rare words and are rounded to 4 decimals; without an embedder they are
    the overlap alone.
    """
    texts = [clean_text(text) for text in (description, *observations) if text.strip()]
    incident = prepare(searchable(db, embedder, KINDS), texts) if texts else None
    with snapshot(db, incident.meaning.model if incident and incident.meaning else None) as history:
        total = history.totals.texts
        if incident is None or not total:
            return TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=total, total_causes=history.causes)
        likeness = Likeness(history, incident)
        near = likeness.near_phenomena()
        matches = _match(likeness, near, texts[1:]) if len(texts) > 1 else []
        shown = [*confirmed, *(match.phenomenon_id for match in matches)]
        chosen = _candidates(history, incident, likeness, shown, limits)
        chosen = list(dict.fromkeys([*chosen, *read_of_system(history.connection, systems, limits.causes // 2)]))
        likeness.read_tickets(chosen)
        others = _frequent(history, {likeness.tickets[ticket].cause_id for ticket in chosen}, limits)
        likeness.read_tickets(others)
        chosen += others
        causes, often = _causes(history, language_of("\n".join(texts)), likeness, chosen, limits)
        kept = {cause.cause_id for cause in causes}
        tickets = _by_likeness((ticket for ticket in chosen if likeness.tickets[ticket].cause_id in kept), likeness)
        wanted = {found for ticket in tickets for found in likeness.tickets[ticket].phenomena}.union(shown, near, *often)
        length = _solution_length(likeness, causes, tickets)
        causes = [cause.model_copy(update={"solution": clip(cause.solution, length)}) for cause in causes]
        room = _Room(causes, _texts(likeness, tickets, length))
        phenomena = _phenomena(likeness, causes, wanted, set(shown), limits.phenomena, room)
        between = likeness.between([card.phenomenon_id for card in phenomena])
        phenomena = alike_phenomena(phenomena, between)
    known = {card.phenomenon_id for card in phenomena}
    cards = tuple(_ticket_card(ticket, likeness, known, length) for ticket in tickets)
    compared, same = compare_causes(searchable(db, embedder, KINDS), texts[0], causes, cards, phenomena)
    phenomena = alike_in_causes(phenomena, between, cards, same)
    return TicketEvidence(
        causes=compared,
        phenomena=tuple(phenomena),
        tickets=cards,
        same_causes=same,
        observations=tuple(match for match in matches if match.phenomenon_id in known),
        total_tickets=total,
        total_causes=history.causes,
    )


def _match(likeness: Likeness, near: Iterable[str], observations: Sequence[str]) -> list[ObservationMatch]:
    """For each observation, the phenomena that it reports: the most similar, and others that are nearly as similar, because they may be
    the same phenomenon in the words of another ticket."""
    likeness.read_phenomena(near)
    matches: list[ObservationMatch] = []
    for observation in dict.fromkeys(observations):
        like = {found: _said(likeness, found, observation) for found in likeness.phenomena}
        best = best_first((found, score) for found, score in like.items() if score >= MATCH_THRESHOLD)
        agreeing = (found for found in best if not contradict(observation, likeness.phenomena[found].description))
        first = list(islice(agreeing, _MATCHES_PER_OBSERVATION))
        matches += [
            ObservationMatch(text=observation, phenomenon_id=found, similarity=like[found])
            for found in first
            if like[found] >= like[first[0]] - _MATCH_MARGIN
        ]
    return matches


def _said(likeness: Likeness, found: str, observation: str) -> float:
    """How far the observation says a phenomenon that was read."""
    alike = likeness.to_piece(found, observation)
    return max(alike, QUOTED) if quote_alike(observation, likeness.phenomena[found].description) else alike


def _candidates(history: Snapshot, incident: IncidentText, likeness: Likeness, shown: Sequence[str], limits: EvidenceLimits) -> list[str]:
    """The tickets nearest by words and meaning, and those that show most of the confirmed phenomena."""
    depth = max(_DEPTH, limits.tickets)
    by_words = likeness.weights.rank_tickets(likeness.all_words, depth)
    by_meaning = rank_by_meaning(history.connection, TICKETS.kind, incident.meaning, depth)
    by_phenomena = rank_by_phenomena(history, shown, depth)
    weight = WEIGHT_OF_MEANING * incident.meaning.trust if incident.meaning else 0.0
    fused = fuse((1.0, by_words), (weight, by_meaning), (1.0, by_phenomena))
    return best_first(fused.items())[: limits.tickets]


def _frequent(history: Snapshot, near: set[str], limits: EvidenceLimits) -> list[str]:
    """If evidence has room for all causes of the history, two tickets of each cause that no near ticket has. The wording of an incident
    says little about its cause, so a small history is used completely."""
    if not len(near) < history.causes <= limits.causes:
        return []
    others = ((cause, tickets) for cause, tickets in read_frequent(history.connection, limits.causes).items() if cause not in near)
    return [ticket for _, tickets in islice(others, limits.causes - len(near)) for ticket in tickets]


def _in_language(cause: CauseFacts, language: Lang) -> tuple[str, str]:
    """Wording and solution of a cause in the user's language, if one of its tickets has them in it."""
    if language_of(cause.description) == language:
        return cause.description, cause.solution
    return next((found for found in cause.wordings if language_of(found[0]) == language), (cause.description, cause.solution))


def _causes(
    history: Snapshot, language: Lang, likeness: Likeness, tickets: Sequence[str], limits: EvidenceLimits
) -> tuple[list[CauseCard], list[Sequence[str]]]:
    """The causes of the best tickets, and for each what its tickets show most often."""
    chosen = list(dict.fromkeys(likeness.tickets[ticket].cause_id for ticket in tickets))[: limits.causes]
    held: dict[str, list[str]] = {cause: [] for cause in chosen}
    for ticket in _by_likeness(tickets, likeness):
        if (cause := likeness.tickets[ticket].cause_id) in held:
            held[cause].append(ticket)
    per_cause = max(_LEAST_PER_CAUSE, -(-4 * limits.phenomena // (3 * max(len(chosen), 1))))
    known = read_causes(history.connection, per_cause, chosen)
    worded = {cause: _in_language(known[cause], language) for cause in chosen}
    cards = [
        CauseCard(
            cause_id=cause,
            description=worded[cause][0],
            solution=worded[cause][1],
            ticket_count=known[cause].ticket_count,
            ticket_ids=tuple(held[cause][: limits.tickets_per_cause]),
        )
        for cause in chosen
    ]
    cards.sort(key=lambda card: (-likeness.of_ticket(card.ticket_ids[0]), -card.ticket_count, card.cause_id))
    return cards, [known[cause].often[:per_cause] for cause in chosen]


def _phenomena(
    likeness: Likeness, causes: Sequence[CauseCard], wanted: set[str], shown: set[str], limit: int, room: "_Room"
) -> list[PhenomenonCard]:
    """The phenomena that can be checked about these causes: all if there is room, otherwise those that the user reported, those nearest
    to the incident, and those that the tickets of a cause show most often."""
    total = {cause.cause_id: cause.ticket_count for cause in causes}
    likeness.read_phenomena(sorted(wanted))
    links: dict[str, list[str]] = {}
    worth: dict[str, float] = {}
    for found in wanted:
        fact = likeness.phenomena.get(found)
        if fact and (held := [cause for cause in fact.links if cause in total]):
            links[found] = held
            worth[found] = max(likeness.of_phenomenon(found), *[fact.links[cause][0] / total[cause] for cause in held])
    chosen = sorted(links, key=lambda found: (found not in shown, -worth[found], found))[:limit]
    cards = {card.phenomenon_id: card for card in _phenomenon_cards(chosen, likeness, links)}
    while len(chosen) > 1 and not room.holds([cards[found] for found in chosen]):
        chosen = chosen[: len(chosen) * 3 // 4]
    return sorted(
        (cards[found] for found in chosen), key=lambda card: (-card.similarity, -sum(card.cause_tickets.values()), card.phenomenon_id)
    )


def _phenomenon_cards(chosen: Sequence[str], likeness: Likeness, links: Mapping[str, Sequence[str]]) -> list[PhenomenonCard]:
    """Made all at once, which takes half of the time: there are some 200."""
    return _CARDS.validate_python([_card_fields(found, likeness, links[found]) for found in chosen])


def _card_fields(found: str, likeness: Likeness, causes: Sequence[str]) -> Json:
    fact = likeness.phenomena[found]
    return {
        "phenomenon_id": found,
        "description": clip(fact.description, TEXT_CHARACTERS),
        "observation_method": fact.observation_method,
        "similarity": likeness.of_phenomenon(found),
        "cause_tickets": {cause: fact.links[cause][0] for cause in causes},
        "cause_count": fact.cause_count,
        "why_relevant": {cause: why for cause in causes if (why := fact.links[cause][1])},
    }


def _ticket_card(ticket: str, likeness: Likeness, known: set[str], length: int) -> TicketCard:
    fact = likeness.tickets[ticket]
    return TicketCard(
        ticket_id=ticket,
        description=fact.description,
        cause_id=fact.cause_id,
        similarity=likeness.of_ticket(ticket),
        phenomenon_ids=tuple(phenomenon for phenomenon in fact.phenomena if phenomenon in known),
        systems=fact.systems,
        hosts=fact.hosts,
        solution=clip(fact.solution, length),
    )


def _by_likeness(tickets: Iterable[str], likeness: Likeness) -> list[str]:
    return sorted(tickets, key=lambda ticket: (-likeness.of_ticket(ticket), ticket))


def _texts(likeness: Likeness, tickets: Sequence[str], length: int) -> list[str]:
    """Description and solution, so long, of each ticket."""
    facts = (likeness.tickets[ticket] for ticket in tickets)
    return [text for fact in facts for text in (fact.description, clip(fact.solution, length))]


def _solution_length(likeness: Likeness, causes: Sequence[CauseCard], tickets: Sequence[str]) -> int:
    """Characters that a solution may have, so that a deliverable holds all causes and tickets and some phenomena."""
    for length in _SOLUTION_LENGTHS:
        texts = _texts(likeness, tickets, length)
        texts += [text for cause in causes for text in (cause.description, clip(cause.solution, length))]
        if _MOST_BYTES * sum(map(len, texts)) <= _FOR_TEXTS or _size(texts) <= _FOR_TEXTS:
            return length
    return _SOLUTION_LENGTHS[-1]


class _Room:
    """How much space causes and tickets leave to phenomena in a deliverable."""

    def __init__(self, causes: Sequence[CauseCard], tickets: Sequence[str]) -> None:
        self._causes = causes
        self._tickets = tickets

    def holds(self, cards: Sequence[PhenomenonCard]) -> bool:
        """Whether these fit beside them. Exactly only if it is not plain from the numbers of characters."""
        if self._most(cards) <= _CONTENT_BYTES:
            return True
        others = _size([card.to_json() for card in self._causes]) + _size(self._tickets)
        return _size([card.to_json() for card in cards]) <= _CONTENT_BYTES - others

    def _most(self, cards: Sequence[PhenomenonCard]) -> int:
        texts = sum(map(len, self._tickets)) + sum(len(card.description) + len(card.solution) for card in self._causes)
        texts += sum(len(card.description) + len(card.observation_method) + sum(map(len, card.why_relevant.values())) for card in cards)
        links = sum(len(card.cause_tickets) for card in cards) + sum(len(card.ticket_ids) for card in self._causes)
        return _MOST_BYTES * texts + _LINK_BYTES * links + _CARD_BYTES * (len(cards) + len(self._causes) + len(self._tickets))


def _size(values: Sequence[Json] | Sequence[str]) -> int:
    return len(canonical_json(values).encode())
