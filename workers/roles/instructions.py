"""Says when an instruction had no effect: a role that does not read remarks, or whose result is the same with it, leaves a note."""

from collections.abc import Callable
from typing import Any

from contracts.base import clean_json
from contracts.reports import Outcome, Report
from contracts.statements import Sayable, name, quote, say
from workers.blackboard.board import OPERATOR
from workers.roles.base import StepContext

_SHOWN_CHARACTERS = 200
"""Of an instruction in a note: enough to recognise it."""


def unheeded(ctx: StepContext, done: Report[Any], *, has_parameters: Callable[[], bool] = lambda: False) -> tuple[Sayable, ...]:
    """The note, if an operator instructed this stage and nothing came of it. `has_parameters`: whether an edit of the stage can act."""
    given = [r for r in ctx.requests if r.kind == "remark" and r.asker == OPERATOR and r.target == ctx.stage and not r.held]
    if not given or done.outcome is not Outcome.COMPLETED or done.deliverable is None:
        return ()
    is_same = ctx.previous is not None and clean_json(done.deliverable.to_json()) == ctx.previous
    if "remarks" in ctx.reads and not is_same:
        return ()
    text = str(given[-1].payload.get("text", ""))[:_SHOWN_CHARACTERS]
    if has_parameters():
        return (say("fleet.note.unheeded_editable", instruction=quote(text), stage=name(ctx.stage)),)
    return (say("fleet.note.unheeded", instruction=quote(text), stage=name(ctx.stage)),)
