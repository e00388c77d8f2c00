"""`bullpen feedback`: say whether a finished job was right; the fleet learns from it at once."""

from typing import Annotated

import typer
from pydantic import ValidationError

from contracts.feedback import DiagnosisFeedback, Learnt
from workers.cli.context import console, database, job_id, print_json, services
from workers.cli.display import shown
from workers.coordinator.feedback import feed_back
from workers.errors import InvalidInput


def feedback(
    job: Annotated[str, typer.Argument(help="The finished job: its id, or 6 characters or more of its beginning or end.")],
    right: Annotated[bool, typer.Option("--right", help="A diagnosis: it was right.")] = False,
    wrong: Annotated[
        str | None,
        typer.Option(metavar="CAUSE", help="A diagnosis: it was wrong, and really was CAUSE: a known cause (C-... or text) or a new one."),
    ] = None,
    solution: Annotated[str | None, typer.Option(help="What solved it. Default: what the history knows for the cause.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether a finished diagnosis was right. It becomes a solved ticket, which counts at once; a second word on the
    same job corrects the first."""
    found = job_id(job)
    learnt = feed_back(database(), services().embedder, found, _diagnosis_feedback(right, wrong, solution))
    if as_json:
        print_json({"job_id": found, **learnt.to_json()})
    else:
        console.print(shown(_told(learnt)), soft_wrap=True)


def _diagnosis_feedback(right: bool, wrong: str | None, solution: str | None) -> DiagnosisFeedback:
    if right == (wrong is not None):
        raise InvalidInput("Say one of the two: --right, or --wrong CAUSE with what it really was (C-..., or in words).")
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
