"""Short words for plans and for what a run of a role yields, as far as the boss can tell."""

from dataclasses import dataclass
from typing import Any

from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec


def stage(name: str, *needs: str, role: RoleName = RoleName.ANALYST, **more: Any) -> StageSpec:
    """A stage of a plan; one without needs needs the input."""
    return StageSpec(name=name, role=role, task="noop", needs=needs or (INPUT,), **more)


@dataclass(frozen=True, slots=True)
class Result:
    """What a run of a role yields, as far as the boss can tell."""

    content: Any = None
    stages: tuple[StageSpec, ...] = ()
    move: str | None = None
    remarks: tuple[str, ...] = ()
    """Stages above that have to do better."""
    question: str | None = None
    also: tuple[str, ...] = ()
    delegate_to: str | None = None
    delegate_role: RoleName | None = None
    error: str | None = None

    @property
    def asks(self) -> bool:
        """It waits for somebody."""
        return self.question is not None or self.delegate_to is not None or self.delegate_role is not None


def done(content: Any = "done", **more: Any) -> Result:
    """Completed, with a deliverable; `stages` that it adds, or the `move` that a chooser chose."""
    return Result(content=content, **more)


def objects(*remarks: str, content: Any = "objects") -> Result:
    """Completed: a review that did not pass."""
    return Result(content=content, remarks=remarks)


def asks(question: str = "which one?", also: tuple[str, ...] = ()) -> Result:
    """Needs clarification."""
    return Result(question=question, also=also)


def delegates(to: str | None = None, role: RoleName | None = None) -> Result:
    """Needs the help of a stage above, or of a role."""
    return Result(delegate_to=to, delegate_role=role)


def fails(error: str = "boom") -> Result:
    """Failed for good."""
    return Result(error=error)
