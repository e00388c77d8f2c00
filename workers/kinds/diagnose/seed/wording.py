"""What only this profile says: how the score of a recommendation came about."""

from contracts.statements import Number, Statement, number, say
from workers.kinds.diagnose.seed.recommend import Recommendation


def score_said(one: Recommendation) -> Statement:
    """The score with its four grounds."""
    return say(
        "diagnose.seed.score",
        score=_part(one.score),
        popularity=_part(one.popularity),
        specificity=_part(one.specificity),
        priority=_part(one.priority),
        gain=_part(one.gain),
    )


def _part(value: float) -> Number:
    return number(value, 2)
