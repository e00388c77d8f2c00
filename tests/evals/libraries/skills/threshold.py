"""No skill for questions that none fits: a threshold on a score, found by cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """How well a score tells questions that a skill fits from questions that none fits."""

    kept: float
    """Share of the questions with a skill that get one."""
    refused: float
    """Share of the questions without a skill that get none."""
    threshold: float
    """The mean of the folds' thresholds."""

    @property
    def balanced(self) -> float:
        """Balanced accuracy."""
        return (self.kept + self.refused) / 2


def cross_validated(fitting: Sequence[float], others: Sequence[float]) -> Judged:
    """Each fifth of the questions is judged by the threshold that is best on the other four fifths."""
    kept = refused = 0
    thresholds: list[float] = []
    for fold in range(_FOLDS):
        training = [score for number, score in enumerate(fitting) if number % _FOLDS != fold]
        unfit = [score for number, score in enumerate(others) if number % _FOLDS != fold]
        threshold = best_threshold(training, unfit)
        thresholds.append(threshold)
        kept += sum(score >= threshold for score in fitting[fold::_FOLDS])
        refused += sum(score < threshold for score in others[fold::_FOLDS])
    return Judged(kept / max(len(fitting), 1), refused / max(len(others), 1), sum(thresholds) / len(thresholds))


def best_threshold(fitting: Sequence[float], others: Sequence[float]) -> float:
    """The threshold with the best balanced accuracy; in the middle between two scores, and of several the middle one."""
    scores = sorted({*fitting, *others})
    if not scores or not fitting or not others:
        return 0.0
    between = [scores[0], *((low + high) / 2 for low, high in pairwise(scores))]

    def accuracy(threshold: float) -> float:
        kept = sum(score >= threshold for score in fitting) / len(fitting)
        return round(kept + sum(score < threshold for score in others) / len(others), 9)

    most = max(map(accuracy, between))
    best = [threshold for threshold in between if accuracy(threshold) == most]
    return best[len(best) // 2]
