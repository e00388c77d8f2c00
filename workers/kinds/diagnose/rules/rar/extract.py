"""RAR without a model: the answer follows from a vote of the tickets."""

from contracts.diagnose.deliverables import Finding, RarAnswer, RarDiagnosis, RarRecommendation
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.case import LEAN_BAR, LEAN_TURNS, RarCase
from workers.kinds.diagnose.rules.rar.separate import separating
from workers.kinds.diagnose.rules.rar.vote import Votes, count_votes, shows, tickets_of

KEY_PHENOMENA = 3
"""Confirmed phenomena of one cause that make a match."""
CITED = 5
"""Tickets that a diagnosis cites at most."""
_RELATED = 3


def answer(case: RarCase) -> RarAnswer:
    """What the vote says: the cause, when it is clear enough or time to conclude; else what separates the causes."""
    votes = count_votes(case)
    if votes.top is None:
        return RarAnswer(action="recommend", confidence=0.0)
    confidence = votes.shares[votes.top]
    recommendations = recommend(case, votes)
    if case.must_conclude or enough(case, votes) or (not recommendations and confidence >= LEAN_BAR):
        return RarAnswer(
            action="diagnose", confidence=confidence, recommendations=recommendations, diagnosis=diagnose(case, votes, votes.top)
        )
    return RarAnswer(action="recommend", confidence=confidence, recommendations=recommendations)


def enough(case: RarCase, votes: Votes) -> bool:
    """Whether the best cause may be named: it reaches the bar and something supports it; or it leads, and three of its
    phenomena are confirmed, a ticket of it clearly matches, or three turns are over."""
    if votes.top is None:
        return False
    confidence, own = votes.shares[votes.top], tickets_of(case, votes, votes.top)
    matched = sum(
        fact.finding is Finding.CONFIRMED and fact.strength > 0 and any(shows(view, fact) for view in own) for fact in case.known.facts
    )
    near = max(view.similarity for view in own) >= OURS.strong_symptom
    if confidence >= OURS.conclude_bar:
        return matched > 0 or near
    return confidence >= LEAN_BAR and (matched >= KEY_PHENOMENA or near or case.turns >= LEAN_TURNS)


def recommend(case: RarCase, votes: Votes) -> tuple[RarRecommendation, ...]:
    """The phenomena that separate the competing causes best. Why each is asked follows from the vote (`items.py`)."""
    causes = {view.cause_id: view.root_cause for view in case.tickets}
    found: list[RarRecommendation] = []
    for family in separating(case, votes):
        card = family.card(case.lang)
        methods = (method.observation_method.strip() for method in (card, *family.cards))
        found.append(
            RarRecommendation(
                observation=card.description,
                method=next((method for method in methods if method), ""),
                related_root_causes=tuple(causes[cause] for cause in votes.shares if family.shown.get(cause))[:_RELATED],
            )
        )
    return tuple(found)


def diagnose(case: RarCase, votes: Votes, cause: str) -> RarDiagnosis:
    """A cause as its tickets have it; the grounds are the vote itself."""
    own = tickets_of(case, votes, cause)
    observed = [
        fact.card.description for fact in case.known.facts if fact.finding is Finding.CONFIRMED and any(shows(view, fact) for view in own)
    ]
    return RarDiagnosis(
        root_cause=own[0].root_cause,
        observed_phenomena=tuple(observed[:40]),
        solution=own[0].solution,
        cited_tickets=tuple(view.ticket_id for view in own[:CITED]),
    )
