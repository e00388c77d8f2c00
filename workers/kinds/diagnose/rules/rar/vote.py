"""The vote of the tickets: each candidate votes for its cause, more the nearer it is and the better it fits the findings.

    weight(t) = exp(sharpness · (similarity(t) − best)) · Π P(finding_i | t)^strength_i

A ticket that shows a phenomenon expects a yes to it, one that does not expects a no, neither with certainty: a ticket
lists only what its author wrote. `None of them` votes like a ticket of no cause that is as near as the candidates'
median and expects nothing. A cause's share of all votes is the confidence in it.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from contracts.diagnose.deliverables import Evidence, Finding, Hypothesis
from workers.kinds.diagnose.rules.known import Fact
from workers.kinds.diagnose.rules.rar.case import RarCase
from workers.kinds.diagnose.rules.rar.view import TicketView

SHARPNESS = 8.0
"""Nats of a vote per unit of likeness."""
SEEN = 0.80
"""P(confirmed) of a phenomenon that the ticket shows."""
UNSEEN = 0.10
"""P(confirmed) of one that it does not show."""
EXPECTED = 0.40
"""P(confirmed) of any phenomenon under `none of them`."""

_SHOWN = 6
"""The number of causes whose findings are shown."""
_TICKETS = 10


@dataclass(frozen=True)
class Votes:
    """Shares of the vote."""

    shares: dict[str, float]
    """cause_id → share, best first, ties by id. With `none of them` they sum to 1."""
    none: float
    weights: dict[str, float]
    """ticket_id → its share of the vote."""

    @property
    def top(self) -> str | None:
        """The cause with the most votes; None without candidates."""
        return next(iter(self.shares), None)


def shows(view: TicketView, fact: Fact) -> bool:
    """Whether a ticket shows what a fact is about, in any wording."""
    return not view.phenomenon_ids.isdisjoint(fact.family.ids)


def _log(chance: float, fact: Fact) -> float:
    return fact.strength * math.log(chance if fact.finding is Finding.CONFIRMED else 1.0 - chance)


def _fit(view: TicketView, fact: Fact) -> float:
    """ln P(finding | ticket)."""
    return _log(SEEN if shows(view, fact) else UNSEEN, fact)


def count_votes(case: RarCase, facts: Sequence[Fact] | None = None) -> Votes:
    """The vote of the case's candidates after these findings, by default all."""
    facts = case.known.facts if facts is None else facts
    if not case.tickets:
        return Votes({}, 1.0, {})
    best = max(view.similarity for view in case.tickets)
    logs = {view.ticket_id: SHARPNESS * (view.similarity - best) + math.fsum(_fit(view, fact) for fact in facts) for view in case.tickets}
    middle = median(view.similarity for view in case.tickets)
    none = SHARPNESS * (middle - best) + math.fsum(_log(EXPECTED, fact) for fact in facts)
    high = max(none, *logs.values())
    raw = {ticket: math.exp(log - high) for ticket, log in logs.items()}
    nobody = math.exp(none - high)
    total = math.fsum((nobody, *raw.values()))
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for view in case.tickets:
        shares[view.cause_id].append(raw[view.ticket_id] / total)
    sums = {cause: min(math.fsum(parts), 1.0) for cause, parts in shares.items()}
    ordered = dict(sorted(sums.items(), key=lambda entry: (-entry[1], entry[0])))
    return Votes(ordered, nobody / total, {ticket: weight / total for ticket, weight in raw.items()})


def hypotheses(case: RarCase, votes: Votes) -> tuple[Hypothesis, ...]:
    """The causes that were voted for, best first; the best six with their findings and tickets."""
    before = count_votes(case, ())
    causes = {view.cause_id: view.root_cause for view in case.tickets}
    found: list[Hypothesis] = []
    for place, (cause, share) in enumerate(votes.shares.items()):
        own = tickets_of(case, votes, cause)
        found.append(
            Hypothesis(
                cause_id=cause,
                root_cause=causes[cause],
                confidence=share,
                prior=before.shares[cause],
                symptom_similarity=max(view.similarity for view in own),
                evidence=weigh(case, before, cause) if place < _SHOWN else (),
                ticket_ids=tuple(view.ticket_id for view in own[:_TICKETS]) if place < _SHOWN else (),
            )
        )
    return tuple(found)


def tickets_of(case: RarCase, votes: Votes, cause: str) -> list[TicketView]:
    """The candidates of a cause, those with the heaviest vote first."""
    own = [view for view in case.tickets if view.cause_id == cause]
    return sorted(own, key=lambda view: (-votes.weights[view.ticket_id], view.ticket_id))


def weigh(case: RarCase, before: Votes, cause: str) -> tuple[Evidence, ...]:
    """Each finding for or against a cause: the log ratio of how its tickets and how the others expected it, each as
    heavy as its vote was `before` any finding. Heaviest first."""

    def expected(fact: Fact, views: Sequence[TicketView], total: float) -> float:
        seen, unseen = math.exp(_log(SEEN, fact)), math.exp(_log(UNSEEN, fact))
        mean = math.fsum([before.weights[view.ticket_id] * (seen if shows(view, fact) else unseen) for view in views])
        return math.log(mean / total) if total > 0 and mean > 0 else _log(EXPECTED, fact)

    own = [view for view in case.tickets if view.cause_id == cause]
    others = [view for view in case.tickets if view.cause_id != cause]
    own_total, others_total = (math.fsum(before.weights[view.ticket_id] for view in views) for views in (own, others))
    found = [
        Evidence(
            phenomenon_id=fact.card.phenomenon_id,
            description=fact.card.description,
            finding=fact.finding,
            weight=expected(fact, own, own_total) - expected(fact, others, others_total),
            tickets=tuple(view.ticket_id for view in own if shows(view, fact)),
            source=fact.source,
        )
        for fact in case.known.facts
    ]
    return tuple(sorted(found, key=lambda finding: (-abs(finding.weight), finding.phenomenon_id)))
