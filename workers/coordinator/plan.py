"""The plan of a job: which stages there are, and in what order the rule can judge them.

Stages come from the playbook, from deliverables that add them, and from delegations to roles; an instruction that belongs to
no stage yet adds a chooser. A plan is a value: growing it makes another one.

A stage may need a *family*, `plan/*`: every stage called `plan/` and one more part. It is judged after all the others that can be,
since these may add members. Nobody may add a member later: that is a fault of the plan.
"""

from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError

from contracts.stages import INPUT, StageSpec, is_family, is_member, member_order
from workers.blackboard.board import UNROUTED, Board, Deliverable, Stage
from workers.coordinator.by_stage import CHOOSE, ByStage, Requests, chooser_of
from workers.errors import InvalidPlan


@dataclass(frozen=True, slots=True)
class Plan:
    """The stages that exist, in the order in which they were added."""

    stages: dict[str, Stage]
    needs: dict[str, tuple[str, ...]]
    """Stage → the stages that it needs by their names, those of its delegations included."""
    families: dict[str, tuple[str, ...]]
    """Stage → the families that it needs, where it needs any."""
    delegated: dict[str, Requests]
    fault: str | None = None
    """Why they do not form a plan."""

    def members(self, family: str) -> list[str]:
        """The stages of a family: by their numbers, and those without a number first, in the order of the plan."""
        return sorted((name for name in self.stages if is_member(name, family)), key=member_order)

    def needed_stages(self, name: str) -> tuple[str, ...]:
        """What a stage needs, each family as its members, in the order in which it names them."""
        if name not in self.families:
            return self.needs[name]
        found = (self.members(need) if is_family(need) else (need,) for need in (*self.stages[name].needs, *self.needs[name]))
        return tuple(dict.fromkeys(stage for stages in found for stage in stages))

    def grown(self, added: Iterable[Stage], judged: Collection[str] = ()) -> "Plan":
        """With these stages and those of their delegations. What may not be added is left out, and is the plan's fault."""
        stages, needs, families, fault = dict(self.stages), dict(self.needs), dict(self.families), self.fault
        closed = [(name, need) for name in judged for need in self.families.get(name, ())]
        for stage in self._with_delegated(added):
            refused = _refusal(stage, stages, closed)
            if refused is not None:
                fault = fault or refused
                continue
            helpers = (request.target for request in self.delegated.get(stage.name, ()))
            stages[stage.name] = stage
            needs[stage.name] = (*(need for need in stage.needs if not is_family(need)), *helpers)
            if wide := tuple(need for need in stage.needs if is_family(need)):
                families[stage.name] = wide
        return Plan(stages, needs, families, self.delegated, fault)

    def fault_after(self, judged: Collection[str]) -> str | None:
        """What is wrong with the plan, now that no more of its stages can be judged."""
        left = ", ".join(sorted(name for name in self.stages if name not in judged))
        circle = f"The stages {left} need each other in a circle, or a stage that does not exist." if left else None
        return self.fault or circle

    def _with_delegated(self, stages: Iterable[Stage]) -> Iterator[Stage]:
        """Each with the stages `asker/n` of its delegations, which have the asker's needs."""
        for stage in stages:
            yield stage
            helpers = [Stage(r.target, r.role, r.task or "", stage.needs, maker=stage.name) for r in self.delegated.get(stage.name, ())]
            yield from self._with_delegated(helpers)


class Order:
    """The order in which the stages of a plan can be judged, found as they are judged: each need is looked at once, however many stages
    there are. The plan may grow meanwhile."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._unjudged: dict[str, int] = {}
        """Stage that waits → how many of the stages that it needs by name were not judged yet."""
        self._consumers: dict[str, list[str]] = {}
        self._able: list[str] = []
        """Stages whose named needs were all judged, and which were not handed out."""

    def next(self, plan: Plan, judged: Container[str], last: Iterable[str]) -> list[Stage]:
        """The stages that can be judged next. `last`: those of `judged` that were judged since the last call. None left: all were, or the
        rest is no plan."""
        for name in last:
            self._serve(name)
        if len(plan.stages) > len(self._places):
            self._learn(plan, judged)
        found = {name for name in self._able if name not in plan.families} or {*self._complete(plan, judged)[:1]}
        self._able = [name for name in self._able if name not in found]
        return [plan.stages[name] for name in sorted(found, key=self._places.__getitem__)]

    def _serve(self, judged: str) -> None:
        for name in self._consumers.pop(judged, ()):
            self._unjudged[name] -= 1
            if not self._unjudged[name]:
                self._able.append(name)

    def _learn(self, plan: Plan, judged: Container[str]) -> None:
        for name in islice(plan.stages, len(self._places), None):
            self._places[name] = len(self._places)
            missing = {need for need in plan.needs[name] if need not in judged}
            self._unjudged[name] = len(missing)
            for need in missing:
                self._consumers.setdefault(need, []).append(name)
            if not missing:
                self._able.append(name)

    def _complete(self, plan: Plan, judged: Container[str]) -> list[str]:
        """Of the stages that need families, those whose families no waiting stage belongs to, in the order of the plan."""
        waiting = [name for name in plan.stages if name not in judged] if self._able else []
        able = sorted(self._able, key=self._places.__getitem__)
        return [name for name in able if not any(is_member(other, need) for need in plan.families[name] for other in waiting)]


def _refusal(stage: Stage, stages: Container[str], closed: Iterable[tuple[str, str]]) -> str | None:
    """Why a stage may not be added. `closed`: stages that were judged, with the families that they need."""
    if stage.name in stages:
        return f"Two stages are called {stage.name}; the second was added by {stage.maker}."
    for consumer, family in closed:
        if is_member(stage.name, family):
            return f"Stage {stage.maker} may not add {stage.name}: {consumer} needs {family} and does not come after {stage.maker}."
    return None


def first_plan(board: Board, rows: ByStage) -> Plan:
    """The plan of a board before any deliverable has added to it."""
    return Plan({}, {}, {}, rows.delegated).grown((*board.stages, *_choosers(board, rows)))


def _choosers(board: Board, rows: ByStage) -> list[Stage]:
    """One for each instruction in mid-job that belongs to no stage yet, where the job has who may choose."""
    if board.chooser is None:
        return []
    moves = [{"stage": stage.name, "role": stage.role, "task": stage.task} for stage in board.stages if stage.role is not None]
    return [Stage(chooser_of(request), board.chooser, CHOOSE, (INPUT,), params={"moves": moves}) for request in rows.to.get(UNROUTED, ())]


def contributed(maker: str, deliverable: Deliverable) -> list[Stage]:
    """The stages that a deliverable adds to the plan. Raises `InvalidPlan` if one of them is invalid."""
    specs: list[dict[str, Any]] = (deliverable.effects or {}).get("stages", [])
    try:
        return [as_stage(StageSpec.model_validate(spec), maker) for spec in specs]
    except ValidationError as error:
        raise InvalidPlan(f"Version {deliverable.version} of {maker} adds an invalid stage: {error.errors()[0]['msg']}.") from None


def as_stage(spec: StageSpec, maker: str | None = None) -> Stage:
    """A contract's stage as the board's."""
    return Stage(spec.name, spec.role.value, spec.task, spec.needs, spec.optional, spec.params, maker)
