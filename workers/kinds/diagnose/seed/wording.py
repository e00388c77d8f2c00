"""What only this profile says: how the score of a recommendation came about."""

from contracts.statements import Number, Statement, number, say
from workers.kinds.diagnose.seed.recommend import Recommendation


def score_said(recommendation: Recommendation) -> Statement:
    """The score with its four grounds."""
    return say(
        "diagnose.seed.score",
        score=_part(recommendation.score),
        popularity=_part(recommendation.popularity),
        specificity=_part(recommendation.specificity),
        priority=_part(recommendation.priority),
        gain=_part(recommendation.gain),
    )


def _part(value: float) -> Number:
    return number(value, 2)
