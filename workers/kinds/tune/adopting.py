"""Feedback of a user on the fixes of a tuning report: adopted or not. It moves the weight of the experience behind them, and is logged."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from contracts.statements import code, names, say
from contracts.statements import name as identifier
from contracts.tune.feedback import AdviceFeedback, AdviceLearnt, AdviceNoted
from contracts.tune.plan import Fix, TuningReport
from workers.blackboard.engine import Database
from workers.coordinator.feedback import read_ended, tell_feedback
from workers.errors import InvalidInput
from workers.kinds.tune.experience.feedback import FixFeedback, keep_feedback, read_feedback

TUNE = "tune"
REVIEW = "review"
"""The stage whose deliverable is the report: the fixes that the user was shown."""


def feed_back_advice(db: Database, job_id: UUID, feedback: Sequence[AdviceFeedback]) -> AdviceLearnt:
    """Keep which fixes a user took and which not; a second word on a fix corrects the first. Raises `NotFound`, `InvalidInput`
    when a fix is not in the report or named twice, or `Conflict` when there is no report to judge (yet)."""
    report, fixes = _said(db, job_id, feedback)
    words = [FixFeedback(fix.fix_id, fix.experience or _alone(fix), fix.kind, word.verdict) for word, fix in fixes]
    tuning_class = report.classification.tuning_class
    with db.session() as connection, connection.transaction():
        connection.execute("SELECT FROM jobs WHERE id = %s FOR UPDATE", (job_id,))  # one user after the other
        before = read_feedback(connection, job_id)
        keep_feedback(connection, job_id, tuning_class, words)
        after = read_feedback(connection, job_id)
        stands = {verdict: [fix for fix, given in after.items() if given == verdict] for verdict in ("adopted", "ignored")}
        tell_feedback(connection, job_id, REVIEW, stands)
    return AdviceLearnt.model_validate({"tuning_class": tuning_class, "noted": _noted(fixes, before), **stands})


def preview_advice(db: Database, job_id: UUID, feedback: Sequence[AdviceFeedback]) -> tuple[AdviceNoted, ...]:
    """What `feed_back_advice` would keep of each fix. Raises what it raises."""
    _, fixes = _said(db, job_id, feedback)
    with db.session() as connection:
        return tuple(_noted(fixes, read_feedback(connection, job_id)))


def _said(db: Database, job_id: UUID, feedback: Sequence[AdviceFeedback]) -> tuple[TuningReport, list[tuple[AdviceFeedback, Fix]]]:
    report = read_ended(db, job_id, TUNE, (REVIEW,)).read(TuningReport, REVIEW)
    return report, _fixes_said(job_id, report, feedback)


def _noted(fixes: Sequence[tuple[AdviceFeedback, Fix]], before: Mapping[str, str]) -> list[AdviceNoted]:
    return [
        AdviceNoted.model_validate(
            {
                "fix": fix.fix_id, "kind": fix.kind, "title": fix.title, "verdict": word.verdict, "experience": fix.experience,
                "is_alone": bool(fix.cause and not fix.experience), "before": before.get(fix.fix_id),
            }
        )
        for word, fix in fixes
    ]  # fmt: skip


def _alone(fix: Fix) -> tuple[str, ...]:
    """What a word on a fix is kept under that no piece of experience describes, so that it does not count for the other causes of its
    kind. Nothing for other kinds, of which it speaks for all."""
    return (f"{fix.kind.value}/{fix.cause}",) if fix.cause else ()


def _fixes_said(job_id: UUID, report: TuningReport, feedback: Sequence[AdviceFeedback]) -> list[tuple[AdviceFeedback, Fix]]:
    """Each word with the fix it is of."""
    known = {fix.fix_id: fix for fix in report.fixes}
    if not known:
        raise InvalidInput.of(say("tune.refused.no_advice", job=identifier(job_id)))
    found: list[tuple[AdviceFeedback, Fix]] = []
    for word in feedback:
        if word.fix not in known:
            raise InvalidInput.of(
                say(
                    "tune.refused.no_fix",
                    job=identifier(job_id),
                    fix=identifier(word.fix),
                    known=names(known),
                    command=code(f"bullpen show {job_id}"),
                )
            )
        if any(word.fix == other.fix for other, _ in found):
            raise InvalidInput.of(say("tune.refused.fix_twice", fix=identifier(word.fix)))
        found.append((word, known[word.fix]))
    return found
