"""Playbooks: for each kind of job, the shape of its request and its stages. Data; the boss needs nothing else to know."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.base import Json
from contracts.stages import INPUT, StageSpec
from workers.errors import InvalidPlan, InvalidSubmission


@dataclass(frozen=True, slots=True)
class Playbook:
    """One kind of job. The last stage is the one whose deliverable is the job's result."""

    kind: str
    request: type[BaseModel]
    stages: tuple[StageSpec, ...]

    def read_request(self, job: Json) -> Json:
        """The validated request, defaults filled in. Raises pydantic's `ValidationError`."""
        return self.request.model_validate(job).model_dump(mode="json")


_playbooks: dict[str, Playbook] = {}


def register_playbook(playbook: Playbook) -> None:
    """Make a kind of job known. Raises `InvalidPlan` when its stages do not form a plan or the kind is taken."""
    if _playbooks.get(playbook.kind, playbook) != playbook:
        raise InvalidPlan(f"Two playbooks for kind {playbook.kind!r}. Rename one.")
    check_stages(playbook.stages)
    _playbooks[playbook.kind] = playbook


def find_playbook(kind: object) -> Playbook:
    """The playbook of a kind. Raises `InvalidSubmission`, naming the kinds there are."""
    playbook = _playbooks.get(kind) if isinstance(kind, str) else None
    if playbook is None:
        raise InvalidSubmission(f"No kind of job is called {str(kind)[:80]!r}. This release knows: {', '.join(sorted(_playbooks))}.")
    return playbook


def kinds() -> list[str]:
    """The kinds of jobs this process knows."""
    return sorted(_playbooks)


def check_stages(stages: Iterable[StageSpec]) -> None:
    """Raises `InvalidPlan` unless every stage's needs stand before it and no name stands twice."""
    seen = {INPUT}
    for stage in stages:
        missing = [need for need in stage.needs if need not in seen]
        if missing:
            raise InvalidPlan(f"Stage {stage.name} needs {', '.join(missing)}, which must stand before it.")
        if stage.name in seen:
            raise InvalidPlan(f"Two stages are called {stage.name}.")
        seen.add(stage.name)
