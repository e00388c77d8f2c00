"""The guardrails: they turn any `RarAnswer`, of a model or of the vote, into a move that keeps the rules of a dialogue.

1. No turn left, asking not allowed, or no progress: a conclusion, the answer's own or the best vote.
2. A conclusion is checked against the tickets (`conclude.py`). Below the threshold and before the third turn it is too early:
   informative phenomena are asked first.
3. Of recommendations those stay that are one thing each and new, at most three.
4. None stays: a forced conclusion from one half of confidence on, else the question for a key symptom, once.
"""

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, PhenomenonQuestion, RarAnswer
from contracts.diagnose.request import DiagnosisMethod
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.case import LEAN_BAR, LEAN_TURNS, RarCase
from workers.kinds.diagnose.rules.rar.conclude import best_vote, conclude
from workers.kinds.diagnose.rules.rar.extract import recommend
from workers.kinds.diagnose.rules.rar.items import choose_items
from workers.kinds.diagnose.rules.rar.vote import count_votes, hypotheses
from workers.kinds.diagnose.rules.wording import note

_SHOWN = 5
"""Hypotheses that a question shows."""


def guard(answer: RarAnswer, case: RarCase) -> Diagnosis | PhenomenonQuestion:
    """The move that an answer amounts to."""
    votes = count_votes(case)
    chosen = choose_items(answer.recommendations, case, votes)
    more = chosen or choose_items(recommend(case, votes), case, votes)
    if answer.action == "diagnose" and answer.diagnosis is not None:
        early = answer.confidence < OURS.conclude_bar and case.turns < LEAN_TURNS
        if early and more and not case.must_conclude:
            return ask(more, case)
        return conclude(answer.diagnosis, answer.confidence, case, votes, more)
    if case.must_conclude:
        return best_vote(case, votes, more)
    if chosen:
        return ask(chosen, case)
    if answer.confidence > LEAN_BAR or case.asked_for_symptom:
        return best_vote(case, votes, more)
    return ask((), case)


def ask(items: tuple[PhenomenonItem, ...], case: RarCase) -> PhenomenonQuestion:
    """The next question; without items it asks for a key symptom."""
    problems = case.readings[-1].problems if case.readings else ()
    return PhenomenonQuestion(
        turn=case.turns + 1,
        items=items,
        hypotheses=hypotheses(case, count_votes(case))[:_SHOWN],
        notes=tuple(note(problem) for problem in problems),
        method=DiagnosisMethod.RAR,
    )
