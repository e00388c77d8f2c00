"""`bullpen feedback`: say whether a finished job was right; the fleet learns from it at once."""

import re
from typing import Annotated, Literal
from uuid import UUID

import typer
from pydantic import ValidationError

from contracts.diagnose.feedback import DiagnosisFeedback, Learnt
from contracts.tune.feedback import AdviceFeedback, AdviceLearnt
from workers.cli.context import console, database, job_id, print_json, services
from workers.cli.display import shown
from workers.errors import InvalidInput
from workers.kinds.diagnose.feedback import feed_back_diagnosis
from workers.kinds.tune.feedback import feed_back_advice

_FIX = re.compile(r"[Ff]?([1-9][0-9]{0,3})")


def feedback(
    job: Annotated[str, typer.Argument(help="The finished job: its id, or 6 characters or more of its beginning or end.")],
    right: Annotated[bool, typer.Option("--right", help="A diagnosis: it was right.")] = False,
    wrong: Annotated[
        str | None,
        typer.Option(metavar="CAUSE", help="A diagnosis: it was wrong, and really was CAUSE: a known cause (C-... or text) or a new one."),
    ] = None,
    solution: Annotated[str | None, typer.Option(help="What solved it. Default: what the history knows for the cause.")] = None,
    adopted: Annotated[
        list[str] | None, typer.Option(metavar="N", help="Advice on a slow job: fix N of the report (2 or F2) was taken. May be repeated.")
    ] = None,
    ignored: Annotated[
        list[str] | None, typer.Option(metavar="N", help="Advice on a slow job: fix N of the report was not taken. May be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether a finished job was right. A diagnosis becomes a solved ticket, which counts at once; fixes of a tuning report
    that were taken, or were not, move the experience behind them. A second word corrects the first."""
    found = job_id(job)
    if adopted or ignored:
        if right or wrong is not None or solution is not None:
            raise InvalidInput("--adopted and --ignored are said of advice; --right, --wrong and --solution of a diagnosis.")
        _feed_back_advice(found, adopted or [], ignored or [], as_json=as_json)
        return
    learnt = feed_back_diagnosis(database(), services().embedder, found, _diagnosis_feedback(right, wrong, solution))
    if as_json:
        print_json({"job_id": found, **learnt.to_json()})
    else:
        console.print(shown(_told(learnt)), soft_wrap=True)


def _diagnosis_feedback(right: bool, wrong: str | None, solution: str | None) -> DiagnosisFeedback:
    if right == (wrong is not None):
        raise InvalidInput(
            "Say one of the two: --right, or --wrong CAUSE with what it really was (C-..., or in words). "
            "Of advice on a slow job: --adopted N, --ignored N."
        )
    try:
        return DiagnosisFeedback(verdict="right" if right else "wrong", cause=wrong, solution=solution)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise InvalidInput(f"{where or 'feedback'}: {fault['msg'].removeprefix('Value error, ')}.") from None


def _told(learnt: Learnt) -> str:
    cause = "a known cause" if learnt.known_cause else "a cause that is new to the history"
    how = {"imported": "Learnt as", "updated": "Corrected in", "unchanged": "It stood already in"}[learnt.stored]
    return f"{how} ticket {learnt.ticket_id}: {learnt.root_cause} ({cause}, {learnt.cause_id})."


def _feed_back_advice(job: UUID, adopted: list[str], ignored: list[str], *, as_json: bool) -> None:
    said = [*(_of_fix(name, "adopted") for name in adopted), *(_of_fix(name, "ignored") for name in ignored)]
    learnt = feed_back_advice(database(), job, said)
    if as_json:
        print_json({"job_id": job, **learnt.to_json()})
    else:
        console.print(shown("\n".join(_told_advice(learnt))), soft_wrap=True)


def _of_fix(name: str, verdict: Literal["adopted", "ignored"]) -> AdviceFeedback:
    found = _FIX.fullmatch(name.strip())
    if found is None:
        raise InvalidInput(f"{name[:40]!r} is no fix: give its number in the report, 2 or F2.")
    return AdviceFeedback(fix=f"F{found[1]}", verdict=verdict)


def _told_advice(learnt: AdviceLearnt) -> list[str]:
    """A line a fix: what was said, and what it counts for."""
    lines: list[str] = []
    for noted in learnt.noted:
        again = {None: "", noted.verdict: ", as before"}.get(noted.before, f", {noted.before} before")
        counts_for = ", ".join(noted.experience) or f"all experience with the remedy {noted.kind}"
        lines.append(f"{noted.fix} {noted.verdict}{again}: {noted.title} (counts for {counts_for})")
    return lines
