"""The one rule: a deliverable is fresh while what it was made from is still what it would be made from now.

`look(board)` works it out for every stage, including contributed stages, and finds the job's result. It is a pure function of
the board. Three modules hold its three ideas: which stages there are (`plan.py`), what one of them would be made from now
(`want.py`), and which questions and remarks still count (`validity.py`).

`current(s)` is the pinned version, else the newest one made from `want(s)`. A stage is fresh when it has one. Every
module that needs the current version of a stage, or the result of a job, takes it from here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from contracts.stages import is_family
from contracts.statements import Sayable
from workers.blackboard.board import UNROUTED, Board, Deliverable, Request, Stage
from workers.coordinator.by_stage import by_stage
from workers.coordinator.plan import Order, Plan, contributed, first_plan
from workers.coordinator.validity import open_requests, overruled
from workers.coordinator.want import StageView, judge
from workers.errors import InvalidPlan

__all__ = ["StageView", "View", "look"]


@dataclass(frozen=True, slots=True)
class View:
    """The board, understood. `stages` is in dispatch order: needs before their consumers."""

    stages: dict[str, StageView]
    void: frozenset[UUID]
    """Questions that nobody needs answered any more, and remarks that the human has decided against."""
    open_human: tuple[Request, ...]
    open_delegations: tuple[Request, ...]
    unrouted: tuple[Request, ...]
    """Instructions whose stage is not known."""
    fault: Sayable | None = None
    """Why the stages do not form a plan: a circle, an unknown need, two stages with one name, or an invalid stage."""
    result: Deliverable | None = None
    """The job's result: the current version of the stage that the playbook names. For a family, that of its last member. None if there is
    no result yet."""

    def ancestors(self, name: str) -> set[str]:
        """Every stage that `name` needs, directly or not."""
        found = set(self.stages[name].needs)
        for other in reversed(self.stages):  # a stage comes after all that it needs
            if other in found:
                found.update(self.stages[other].needs)
        return found

    def below(self, name: str) -> set[str]:
        """Every stage that needs `name`, directly or not."""
        return {other for other in self.stages if name in self.ancestors(other)}


def look(board: Board) -> View:
    """Apply the rule to a board. Never raises: where stages do not form a plan, `fault` says what is wrong with them,
    and the others are judged, so that a human can still see, revise and replay the one that added them."""
    void = overruled(board)
    rows = by_stage(board, void)
    plan = first_plan(board, rows)
    views: dict[str, StageView] = {}
    order, last = Order(), list[str]()
    while ready := order.next(plan, views, last):
        new = [judge(stage, plan.needed_stages(stage.name), views, rows) for stage in ready]
        last = [seen.stage.name for seen in new]
        views.update(zip(last, new, strict=True))
        plan = _with_contributions(plan, new, views)
    requests = open_requests(board, views, void)
    return View(
        stages=views,
        void=requests.void,
        open_human=requests.human,
        open_delegations=requests.delegations,
        unrouted=rows.to.get(UNROUTED, ()),
        fault=plan.fault_after(views),
        result=_result(board, plan, views),
    )


def _with_contributions(plan: Plan, new: Iterable[StageView], judged: dict[str, StageView]) -> Plan:
    """The plan with the stages that current deliverables add."""
    for seen in new:
        if seen.current is None or not seen.current.effects:
            continue
        try:
            added: list[Stage] = contributed(seen.stage.name, seen.current)
        except InvalidPlan as error:
            plan = replace(plan, fault=plan.fault or error.says or str(error))
        else:
            plan = plan.grown(added, judged)
    return plan


def _result(board: Board, plan: Plan, views: dict[str, StageView]) -> Deliverable | None:
    named = board.result or (board.stages[-1].name if board.stages else "")
    names = plan.members(named)[-1:] if is_family(named) else [named]
    return next((views[name].current for name in names if name in views), None)
