"""The figures of a set of played cases."""

import hashlib
import math
import re
from collections.abc import Sequence
from statistics import mean

from contracts.base import Contract
from contracts.reports import Usage
from workers.kinds.diagnose.evaluation.by_model import ByModel
from workers.kinds.diagnose.evaluation.calibration import Calibration, calibrate
from workers.kinds.diagnose.evaluation.play import Played


class QuestionFigures(Contract):
    """What the questions were worth."""

    asked: int
    present: float
    """Share of them that is there, as the user knows."""
    present_or_tells: float
    """Share that is there, or that one of the two likeliest causes shows and the other does not."""
    other_system: int
    """Questions about another system than the incident's."""
    stated: int
    """Questions about what the user's first words said."""
    unaskable: int
    """Questions that begin like a heading, a version or a step of a runbook."""


class KnowingFigures(Contract):
    """Whether a method knows what it knows."""

    known: int
    """Dialogues whose cause the history has."""
    named_right: float
    """Share of those whose right cause was named."""
    absent: int
    """Dialogues whose cause the history does not have."""
    right_unknown: float
    """Share of those that named none."""
    sure_and_wrong: int
    """Dialogues in which a wrong cause was named with 0.7 or more."""
    said_80: int
    """Dialogues in which a cause was named with 0.7 to 0.9."""
    said_80_right: float
    """Share of those that were right."""


class MethodFigures(Contract):
    """The figures of one method over all cases."""

    name: str
    cases: int
    dialogues: int
    """Cases times rounds; every share and mean is over dialogues."""
    top1: float
    """Share of dialogues whose right cause was named; `unknown` names none."""
    top1_low: float
    top1_high: float
    """95 % interval of the share (Wilson 1927), for as many trials as there are cases: playing a case again is none."""
    top3: float
    """Share with the right cause among the first three, named or not."""
    unknown: float
    """Share that ended without a named cause."""
    mean_turns: float
    mean_questions: float
    """Phenomena asked in a dialogue."""
    repeated_questions: int
    """Questions, over all dialogues, about a phenomenon that the user was asked before, judged by the hidden ticket's own,
    or in the very words of an earlier question."""
    false_citations: int
    """Cited tickets, over all dialogues, that do not exist or have another cause; a named cause without any counts as one."""
    calibration: Calibration | None
    """Of the confidence in the cause ranked first, named or not; dialogues that ended without any cause state none."""
    named_calibration: Calibration | None
    """The same over named causes alone: abstaining does not help here."""
    p50_ms: float
    p95_ms: float
    """A turn: search and engine, in this process; with a model, its answer too."""
    questions: QuestionFigures | None = None
    knowing: KnowingFigures | None = None
    usage: Usage | None = None
    """What all cases used of the model; None: by the rules."""
    model_faults: int = 0
    """Turns for which the model's answer was of no use, so that the rules answered."""


class BaselineFigures(Contract):
    """A method without a dialogue."""

    name: str
    cases: int
    top1: float
    top3: float


def figures_of(name: str, played: Sequence[Played], model: ByModel | None = None) -> MethodFigures:
    """The figures of these cases; at least one."""
    count = len(played)
    cases = len({case.ticket_id for case in played})
    top1 = sum(case.top1 for case in played) / count
    low, high = wilson(top1, cases)
    spent = sorted(ms for case in played for ms in case.turn_ms)
    return MethodFigures(
        name=name,
        cases=cases,
        dialogues=count,
        top1=round(top1, 4),
        top1_low=low,
        top1_high=high,
        top3=round(sum(case.top3 for case in played) / count, 4),
        unknown=round(sum(case.named is None for case in played) / count, 4),
        mean_turns=round(mean(case.turns for case in played), 2),
        mean_questions=round(mean(case.questions for case in played), 2),
        repeated_questions=sum(case.repeated for case in played),
        false_citations=sum(case.false_citations for case in played),
        calibration=_calibration([case for case in played if case.ranked]),
        named_calibration=_calibration([case for case in played if case.named is not None]),
        p50_ms=round(percentile(spent, 50), 1),
        p95_ms=round(percentile(spent, 95), 1),
        questions=_questions(played),
        knowing=knowing_of(played),
        usage=None if model is None else model.usage,
        model_faults=0 if model is None else model.faults,
    )


_SURE = 0.7
_NEARLY_CERTAIN = 0.9
_UNASKABLE = re.compile(
    r"[:：]\s*$|^(?:版本|步骤|对于问题|查看|检查|执行|登录|进入|修改|重启|使用`)"
    r"|^(?:version|step|check|run|execute|log ?in|restart|modify)\b",
    re.IGNORECASE,
)
"""How a heading, a version or a step begins or ends: written for the measurement, and not the rule of any method."""


def _questions(played: Sequence[Played]) -> QuestionFigures:
    asked = [item for case in played for item in case.asked]
    count = max(len(asked), 1)
    return QuestionFigures(
        asked=len(asked),
        present=round(sum(item.present for item in asked) / count, 4),
        present_or_tells=round(sum(item.present or item.tells for item in asked) / count, 4),
        other_system=sum(item.other_system for item in asked),
        stated=sum(item.stated for item in asked),
        unaskable=sum(bool(_UNASKABLE.search(item.text)) for item in asked),
    )


def knowing_of(played: Sequence[Played]) -> KnowingFigures:
    """Of known and unknown causes, how many were named rightly, and how sure the wrong ones were."""
    known = [case for case in played if case.is_known]
    absent = [case for case in played if not case.is_known]
    nearly = [case for case in played if case.named is not None and _SURE <= case.confidence < _NEARLY_CERTAIN]
    return KnowingFigures(
        known=len(known),
        named_right=round(sum(case.top1 for case in known) / max(len(known), 1), 4),
        absent=len(absent),
        right_unknown=round(sum(case.top1 for case in absent) / max(len(absent), 1), 4),
        sure_and_wrong=sum(case.named is not None and not case.best_is_right and case.confidence >= _SURE for case in played),
        said_80=len(nearly),
        said_80_right=round(sum(case.best_is_right for case in nearly) / max(len(nearly), 1), 4),
    )


def half_of(case: Played) -> str:
    """The half that a case belongs to, `a` or `b`: all cases of one ticket are in one half, independent of what else is played."""
    return "ab"[int(hashlib.sha256(case.ticket_id.encode()).hexdigest(), 16) % 2]


def _calibration(played: Sequence[Played]) -> Calibration | None:
    return calibrate([(case.confidence, case.best_is_right) for case in played], cases=[case.ticket_id for case in played])


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that this percentage of the values does not exceed (nearest rank)."""
    return ordered[max(-(-percent * len(ordered) // 100), 1) - 1]


def wilson(share: float, count: int) -> tuple[float, float]:
    """95 % score interval of a share of `count` trials (Wilson 1927): honest for few trials and for shares near 0 and 1."""
    z = 1.96
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return round(max((middle - spread) / scale, 0.0), 4), round(min((middle + spread) / scale, 1.0), 4)
