"""Evidence made in memory from a list of tickets, as retrieval would make it: for tests of engines, without a database."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, Ticket, TicketCard, TicketEvidence

Similarity = Callable[[str, Sequence[str]], list[float]]
"""How near each text is to a query: cosines."""


def grams(text: str) -> Counter[str]:
    """Character trigrams of a text with their counts."""
    plain = " ".join(text.lower().split())
    return Counter(plain[at : at + 3] for at in range(max(len(plain) - 2, 1)))


def trigram_cosine(query: str, texts: Sequence[str]) -> list[float]:
    """Cosine of trigram counts."""
    wanted = grams(query)
    norm = math.sqrt(sum(count * count for count in wanted.values()))
    result: list[float] = []
    for text in texts:
        other = grams(text)
        dot = sum(count * other[gram] for gram, count in wanted.items())
        length = math.sqrt(sum(count * count for count in other.values()))
        result.append(min(dot / (norm * length), 1.0) if norm and length else 0.0)
    return result


def cause_of(ticket: Ticket) -> str:
    """The label of a ticket: `metadata.cause_id`, else its root cause as text."""
    return str(ticket.metadata.get("cause_id") or " ".join(ticket.root_cause.lower().split()))


def phenomenon_of(description: str) -> str:
    """Phenomena are merged by equal description."""
    return " ".join(description.lower().split())


@dataclass(frozen=True)
class History:
    """A list of tickets with what is counted over all of it."""

    tickets: tuple[Ticket, ...]
    similarity: Similarity = trigram_cosine

    def evidence(
        self,
        description: str,
        observations: Sequence[str] = (),
        confirmed: Sequence[str] = (),
        *,
        most_tickets: int = 50,
        most_causes: int = 40,
        most_phenomena: int = 300,
    ) -> TicketEvidence:
        """The tickets nearest to the text or showing what was confirmed (phenomenon ids), their causes and
        phenomena. An id is `P:` and the description."""
        text = "\n".join((description, *observations))
        symptoms = ["\n".join((t.description, *(a.description for a in t.anomalies))) for t in self.tickets]
        cosines = self.similarity(text, symptoms) if symptoms else []
        matches = self._matches(observations)
        known = {*confirmed, *(match.phenomenon_id for match in matches)}
        shows = [sum(f"P:{phenomenon_of(a.description)}" in known for a in t.anomalies) for t in self.tickets]
        best = sorted(zip(shows, cosines, self.tickets, strict=True), key=lambda row: (-row[0], -row[1], row[2].ticket_id))
        best = best[:most_tickets]
        causes = list(dict.fromkeys(cause_of(ticket) for _, _, ticket in best))[:most_causes]
        ranked = sorted(zip(cosines, self.tickets, strict=True), key=lambda pair: (-pair[0], pair[1].ticket_id))
        kept = {ticket.ticket_id for _, _, ticket in best if cause_of(ticket) in causes}
        near = [pair for pair in ranked if pair[1].ticket_id in kept]
        total: Counter[str] = Counter(cause_of(ticket) for ticket in self.tickets)
        shown: defaultdict[str, Counter[str]] = defaultdict(Counter)
        first: dict[str, tuple[str, str]] = {}
        why: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for ticket in self.tickets:
            for anomaly in {phenomenon_of(a.description): a for a in ticket.anomalies}.values():
                key = phenomenon_of(anomaly.description)
                shown[key][cause_of(ticket)] += 1
                first.setdefault(key, (anomaly.description, anomaly.observation_method))
                if anomaly.why_relevant:
                    why[key].setdefault(cause_of(ticket), anomaly.why_relevant)
        return TicketEvidence(
            causes=tuple(self._cause(cause, total[cause], ranked) for cause in causes),
            phenomena=self._phenomena(text, causes, shown, first, why)[:most_phenomena],
            tickets=tuple(
                TicketCard(
                    ticket_id=ticket.ticket_id,
                    description=ticket.description,
                    cause_id=cause_of(ticket),
                    similarity=cosine,
                    phenomenon_ids=tuple(f"P:{phenomenon_of(a.description)}" for a in ticket.anomalies),
                )
                for cosine, ticket in near
            ),
            observations=matches,
            total_tickets=len(self.tickets),
            total_causes=len(total),
        )

    def _cause(self, cause: str, count: int, ranked: Sequence[tuple[float, Ticket]]) -> CauseCard:
        own = [ticket for _, ticket in ranked if cause_of(ticket) == cause]
        return CauseCard(
            cause_id=cause,
            description=own[0].root_cause,
            solution=own[0].solution,
            ticket_count=count,
            ticket_ids=tuple(ticket.ticket_id for ticket in own[:10]),
        )

    def _phenomena(
        self,
        text: str,
        causes: Sequence[str],
        shown: dict[str, Counter[str]],
        first: dict[str, tuple[str, str]],
        why: dict[str, dict[str, str]],
    ) -> tuple[PhenomenonCard, ...]:
        keys = [key for key in shown if any(shown[key][cause] for cause in causes)]
        texts = [first[key][0] for key in keys]
        pieces = [piece for piece in re.split(r"[。\n]+|\.\s+", text) if piece.strip()] or [text]
        cosines = [max(column) for column in zip(*(self.similarity(piece, texts) for piece in pieces), strict=True)]
        cards = [
            PhenomenonCard(
                phenomenon_id=f"P:{key}",
                description=first[key][0],
                observation_method=first[key][1],
                similarity=cosine,
                cause_tickets={cause: shown[key][cause] for cause in causes if shown[key][cause]},
                cause_count=len(shown[key]),
                why_relevant={cause: text for cause, text in why.get(key, {}).items() if cause in causes},
            )
            for key, cosine in zip(keys, cosines, strict=True)
        ]
        return tuple(sorted(cards, key=lambda card: (-card.similarity, card.phenomenon_id)))

    def _matches(self, observations: Sequence[str]) -> tuple[ObservationMatch, ...]:
        """The phenomenon nearest to each observation, from a likeness of 0.7 on."""
        texts = list(dict.fromkeys(a.description for ticket in self.tickets for a in ticket.anomalies))
        matches: list[ObservationMatch] = []
        for text in observations:
            best = max(zip(self.similarity(text, texts), texts, strict=True), default=None)
            if best is not None and best[0] >= 0.7:
                found = f"P:{phenomenon_of(best[1])}"
                matches.append(ObservationMatch(text=text, phenomenon_id=found, similarity=best[0]))
        return tuple(matches)


def evidence_of(
    tickets: Sequence[Ticket], description: str, observations: Sequence[str] = (), confirmed: Sequence[str] = ()
) -> TicketEvidence:
    """The evidence of a small history, by trigram cosine."""
    return History(tuple(tickets)).evidence(description, observations, confirmed)
