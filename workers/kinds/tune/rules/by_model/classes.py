"""A model's class against what is known: what was measured beats it, and words alone may be read another way than the rules do."""

from contracts.statements import Statement, count, say
from contracts.tune.answers import ClassAnswer, ClassReason
from contracts.tune.steps import Classification
from contracts.verdicts import ClassScore, Findings, TuningClass
from workers.kinds.tune.rules.by_model.numbers import Numbers
from workers.kinds.tune.rules.claims import percentages_in, untrue_percentages
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.first_look import REASONS
from workers.kinds.tune.rules.saying import class_term

REASON_CHARS = 300
WORD_OF_A_MODEL = 1.0
"""Mass of the class that a model names by words alone: as much as all the words and the code together."""


def judge_class(
    answer: ClassAnswer, by_rules: Classification, findings: Findings, numbers: Numbers, description: str
) -> tuple[Classification, tuple[Statement, ...]]:
    """The rules' class with the model's reasons, where it says the same. Another class is taken only where nothing was measured, and
    only with a reason that cites what was shown. With it, notes for the report: what was not taken."""
    words = description if by_rules.is_preliminary else None
    stands = [reason for reason in answer.reasons if _stands(reason, findings, numbers, words)]
    dropped = len(answer.reasons) - len(stands)
    notes = [say("tune.model.reasons", n=count(dropped), of=count(len(answer.reasons)))] if dropped else []
    given = tuple(clipped(reason.text, REASON_CHARS) for reason in stands)
    if answer.tuning_class is by_rules.tuning_class:
        reasons = tuple(dict.fromkeys((*by_rules.reasons, *given)))[:REASONS]
        return by_rules.model_copy(update={"reasons": reasons}), tuple(notes)
    if not by_rules.is_preliminary:
        notes.append(say("tune.model.class_against_measured", tuning_class=class_term(answer.tuning_class)))
        return by_rules, tuple(notes)
    if not given:
        notes.append(say("tune.model.class_without_reason", tuning_class=class_term(answer.tuning_class)))
        return by_rules, tuple(notes)
    named = by_rules.model_copy(
        update={"tuning_class": answer.tuning_class, "scores": _with(by_rules.scores, answer.tuning_class), "reasons": given[:REASONS]}
    )
    return named, tuple(notes)


def _stands(reason: ClassReason, findings: Findings, numbers: Numbers, words: str | None) -> bool:
    """It cites what was shown, and claims no percentage that the figure's finding does not have. Where there is nothing but the user's
    `words` it needs no figure, and may repeat theirs."""
    if reason.artefact not in numbers.artefacts or not reason.text.strip():
        return False
    if reason.figure is None:
        return words is not None and set(percentages_in(reason.text)) <= set(percentages_in(words))
    cited = numbers.figures.get(reason.figure)
    return cited is not None and not untrue_percentages((reason.text,), (findings.verdicts[cited[0]],))


def _with(scores: tuple[ClassScore, ...], named: TuningClass) -> tuple[ClassScore, ...]:
    total = sum(score.score for score in scores) + WORD_OF_A_MODEL
    weighed = (
        score.model_copy(update={"score": round((score.score + WORD_OF_A_MODEL * (score.tuning_class is named)) / total, 4)})
        for score in scores
    )
    return tuple(sorted(weighed, key=lambda score: (-score.score, score.tuning_class is not named)))
