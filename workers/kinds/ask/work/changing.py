"""Changes of the last answer that come as options or buttons: its plan is edited, and no word is read."""

from contracts.ask.request import AskRequest
from contracts.ask.results import ChartWish, Understood
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.statements import Statement, say
from workers.engines.plan_changes import Changes, NotChanged
from workers.engines.questions.understood import understood
from workers.kinds.ask.work.editing import edited
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import label_of


def change_last(floor: Floor, request: AskRequest, carried: Carried | None) -> Understanding:
    """The understanding of a request that changes the last answer: the edited plan as the reading that was chosen; or why it is refused."""
    wish = ChartWish(mark=request.chart) if request.chart is not None else None
    changes = Changes(by=request.by, where=request.where, top=request.top)
    if carried is None or not carried.sql or carried.source not in floor.visible:
        return _refused(request, carried, say("ask.change.nothing"))
    base = _changed(request, carried, carried.question).model_copy(update={"chart": wish})
    if changes == Changes():
        return base.model_copy(
            update={"intent": Tool.EXECUTE, "statement": carried.sql, "subject": carried.question, "dialect": carried.dialect or None}
        )
    if carried.plan is None:
        return _refused(request, carried, say("ask.change.no_plan"))
    try:
        plan = edited(floor, carried.source, carried.plan, changes)
    except NotChanged as error:
        return _refused(request, carried, error.reason)
    says = tuple(understood(plan))
    return base.model_copy(update={"chosen": Understood(source=carried.source, says=says, label=label_of(carried.source, says), plan=plan)})


def _changed(request: AskRequest, carried: Carried | None, before: str) -> Understanding:
    question = f"{before}\n{request.question}" if before else request.question
    return Understanding(
        question=question,
        words=request.question,
        subject=question,
        intent=Tool.DATA_DISCOVERY,
        final_intent=Tool.EXECUTE,
        is_follow_up=carried is not None,
        carried=carried,
        definitions=carried.definitions if carried else (),
        background=carried.background if carried else "",
    )


def _refused(request: AskRequest, carried: Carried | None, reason: Statement) -> Understanding:
    """The conversation stays where it is."""
    return _changed(request, carried, "").model_copy(
        update={
            "intent": Tool.REJECT, "final_intent": Tool.REJECT, "reason": reason, "subject": carried.question if carried else "",
        }
    )  # fmt: skip
