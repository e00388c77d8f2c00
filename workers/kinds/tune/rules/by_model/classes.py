"""A model's class against what is known: what was measured beats it, and words alone may be read another way than the rules do."""

from contracts.tune.answers import ClassAnswer, ClassReason
from contracts.tune.steps import Classification
from contracts.verdicts import ClassScore, Findings, TuningClass
from workers.kinds.tune.rules.advice.telling import shown
from workers.kinds.tune.rules.by_model.numbers import Numbers
from workers.kinds.tune.rules.claims import PERCENT, untrue_percentages
from workers.kinds.tune.rules.first_look import REASONS

REASON_CHARS = 300
WORD_OF_A_MODEL = 1.0
"""Mass of the class that a model names by words alone: as much as all the words and the code together."""


def judge_class(
    answer: ClassAnswer, by_rules: Classification, findings: Findings, numbers: Numbers, description: str
) -> tuple[Classification, tuple[str, ...]]:
    """The rules' class with the model's reasons, where it says the same. Another class is taken only where nothing was measured, and
    only with a reason that cites what was shown. With it, notes for the report: what was not taken."""
    words = description if by_rules.is_preliminary else None
    stands = [one for one in answer.reasons if _stands(one, findings, numbers, words)]
    dropped = len(answer.reasons) - len(stands)
    notes = [f"{dropped} of the model's {len(answer.reasons)} reasons cite nothing that was shown."] if dropped else []
    told = tuple(shown(one.text, REASON_CHARS) for one in stands)
    if answer.tuning_class is by_rules.tuning_class:
        reasons = tuple(dict.fromkeys((*by_rules.reasons, *told)))[:REASONS]
        return by_rules.model_copy(update={"reasons": reasons}), tuple(notes)
    if not by_rules.is_preliminary:
        notes.append(f"The model said {answer.tuning_class}, which what was measured does not bear.")
        return by_rules, tuple(notes)
    if not told:
        notes.append(f"The model said {answer.tuning_class} without a reason that stands.")
        return by_rules, tuple(notes)
    named = by_rules.model_copy(
        update={"tuning_class": answer.tuning_class, "scores": _with(by_rules.scores, answer.tuning_class), "reasons": told[:REASONS]}
    )
    return named, tuple(notes)


def _stands(reason: ClassReason, findings: Findings, numbers: Numbers, words: str | None) -> bool:
    """It cites what was shown, and claims no percentage that the figure's finding does not have. Where there is nothing but the user's
    `words` it needs no figure, and may repeat theirs."""
    if reason.artefact not in numbers.artefacts or not reason.text.strip():
        return False
    if reason.figure is None:
        return words is not None and set(PERCENT.findall(reason.text)) <= set(PERCENT.findall(words))
    cited = numbers.figures.get(reason.figure)
    return cited is not None and not untrue_percentages((reason.text,), (findings.verdicts[cited[0]],))


def _with(scores: tuple[ClassScore, ...], named: TuningClass) -> tuple[ClassScore, ...]:
    total = sum(one.score for one in scores) + WORD_OF_A_MODEL
    weighed = (
        one.model_copy(update={"score": round((one.score + WORD_OF_A_MODEL * (one.tuning_class is named)) / total, 4)}) for one in scores
    )
    return tuple(sorted(weighed, key=lambda one: (-one.score, one.tuning_class is not named)))
