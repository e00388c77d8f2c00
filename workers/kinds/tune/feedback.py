"""What `bullpen feedback` takes for the fixes of a report, and what it says back."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from contracts.base import Contract, Json
from contracts.statements import Sayable, Statement, Target, Value, member_term, name, ref, say, term
from contracts.tune.feedback import AdviceFeedback, AdviceNoted
from contracts.tune.plan import TuningReport
from workers.kinds.base import FeedbackChoice, FeedbackGiven, FeedbackPlace, Giving
from workers.kinds.tune.adopting import feed_back_advice, preview_advice
from workers.kinds.tune.rules.saying import names, value_of

_FIX = re.compile(r"[Ff]?([1-9][0-9]{0,3})")


def _fix_id(value: object) -> object:
    found = _FIX.fullmatch(value.strip()) if isinstance(value, str) else None
    if isinstance(value, str) and found is None:
        raise ValueError(f"{value[:40]!r} is no fix: give its number in the report, 2 or F2")
    return f"F{found[1]}" if found else value


FixNumber = Annotated[str, BeforeValidator(_fix_id)]
"""`2` or `F2`."""


class AdviceSaid(Contract):
    """Which fixes a user took."""

    adopted: tuple[FixNumber, ...] = Field(
        default=(), description="Advice: fix N of the report (2 or F2) was taken. May be repeated.", json_schema_extra={"metavar": "N"}
    )
    ignored: tuple[FixNumber, ...] = Field(
        default=(), description="Advice: fix N of the report was not taken. May be repeated.", json_schema_extra={"metavar": "N"}
    )

    @model_validator(mode="after")
    def _says_something(self) -> "AdviceSaid":
        if not self.adopted and not self.ignored:
            raise ValueError("name a fix: --adopted N or --ignored N")
        return self


def give_feedback(given: Giving, answer: AdviceSaid) -> FeedbackGiven:
    """Keep which fixes were taken. Raises what `feed_back_advice` raises."""
    learnt = feed_back_advice(given.database, given.job_id, _words(answer))
    return FeedbackGiven(learnt, tuple(_lines(learnt.noted)))


def preview_feedback(given: Giving, answer: AdviceSaid) -> tuple[Sayable, ...]:
    """What would be kept, a line a fix. Raises what `feed_back_advice` raises."""
    return tuple(_lines(preview_advice(given.database, given.job_id, _words(answer))))


def places(content: Json, given: Json | None) -> tuple[FeedbackPlace, ...]:
    """Each fix of a report: taken, or not."""
    try:
        report = TuningReport.model_validate(content)
    except ValidationError:
        return ()
    before = given or {}
    return tuple(
        FeedbackPlace(
            about=say("tune.report.fix", fix=name(fix.fix_id), title=value_of(fix.title)),
            choices=(
                FeedbackChoice(
                    term("tune.feedback.take"), {"adopted": [fix.fix_id]}, is_given=fix.fix_id in (before.get("adopted") or ())
                ),
                FeedbackChoice(
                    term("tune.feedback.leave"), {"ignored": [fix.fix_id]}, is_given=fix.fix_id in (before.get("ignored") or ())
                ),
            ),
            anchor=f"{Target.FIX}:{fix.fix_id}",
        )
        for fix in report.fixes
    )  # fmt: skip


def _words(answer: AdviceSaid) -> list[AdviceFeedback]:
    words: list[tuple[tuple[str, ...], Literal["adopted", "ignored"]]] = [(answer.adopted, "adopted"), (answer.ignored, "ignored")]
    return [AdviceFeedback(fix=fix, verdict=verdict) for fixes, verdict in words for fix in fixes]


def _lines(noted_fixes: Sequence[AdviceNoted]) -> list[Statement]:
    """A line per fix: what was said, and what it counts for."""
    lines: list[Statement] = []
    for noted in noted_fixes:
        of_remedy = say("tune.feedback.all_experience", remedy=member_term("tune.fix_kind", noted.kind))
        of_none = term("tune.feedback.no_experience")
        counts_for = names(noted.experience) if noted.experience else of_none if noted.is_alone else of_remedy
        lines.append(
            say(
                "tune.feedback.noted",
                fix=ref(Target.FIX, noted.fix),
                verdict=_verdict(noted),
                title=value_of(noted.title),
                counts_for=counts_for,
            )
        )
    return lines


def _verdict(noted: AdviceNoted) -> Value:
    """What was said of the fix now, and before."""
    adopted = noted.verdict == "adopted"
    if noted.before is None:
        return term("tune.feedback.adopted") if adopted else term("tune.feedback.ignored")
    if noted.before == noted.verdict:
        return term("tune.feedback.adopted_again") if adopted else term("tune.feedback.ignored_again")
    return term("tune.feedback.adopted_now") if adopted else term("tune.feedback.ignored_now")
