"""A job's stages by the rule of freshness."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from contracts.jobs import StepStatus
from contracts.statements import Statement
from workers.coordinator.freshness import View
from workers.reading.deliverables import Version
from workers.reading.steps import StepFacts
from workers.reading.values import Value


@dataclass(frozen=True, slots=True)
class StageFacts(Value):
    """A place in the plan, and what it holds."""

    name: str
    role: str | None
    """None: the input, which no role fills."""
    task: str
    maker: str | None
    """The stage that added this one to the plan."""
    needs: tuple[str, ...]
    fresh: bool
    version: int | None
    """The current version; None: the stage is not fresh."""
    versions: int
    origin: str | None
    """Of the current version: `role`, `human` or `fork`."""
    pinned: bool
    drifted: bool
    """Pinned, although what it would be made from has changed."""
    why: Statement | None
    """What keeps it from being dispatched."""
    step: StepStatus | None
    """Of its newest step."""
    step_id: UUID | None
    deliverable_id: UUID | None
    edited: bool = False
    """A role made it from parameters that a person edited in a replay."""

    @property
    def by_person(self) -> bool:
        """A person wrote or edited the version that counts, in a fork too, or edited what a role made it from. The request, which is always
        a person's, is not meant."""
        return (self.pinned or self.edited) and self.role is not None


def stages_of(view: View, versions: Iterable[Version], steps: Iterable[StepFacts], edited: Collection[str] = ()) -> tuple[StageFacts, ...]:
    """The stages in dispatch order: needs before their consumers. `steps` are in the order of their ids; `edited`: the stages whose
    parameters a replay changed."""
    by_id = {version.id: version for version in versions}
    counts: dict[str, int] = {}
    for version in by_id.values():
        counts[version.stage] = counts.get(version.stage, 0) + 1
    newest = {step.stage: step for step in steps}
    stages: list[StageFacts] = []
    for name, seen in view.stages.items():
        current, step = seen.current, newest.get(name)
        version = None if current is None else by_id.get(current.id)
        stages.append(
            StageFacts(
                name=name,
                role=seen.stage.role,
                task=seen.stage.task,
                maker=seen.stage.maker,
                needs=tuple(seen.needs),
                fresh=seen.fresh,
                version=current.version if current else None,
                versions=counts.get(name, 0),
                origin=version.origin if version else None,
                pinned=bool(current and current.pinned),
                edited=name in edited and current is not None,
                drifted=seen.drifted,
                why=seen.why,
                step=step.status if step else None,
                step_id=step.id if step else None,
                deliverable_id=current.id if current else None,
            )
        )
    return tuple(stages)
