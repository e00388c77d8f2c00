"""Playbooks: for each kind of job, the shape of its request and its stages. Data; the boss needs nothing else to know."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel

from contracts.base import Json
from contracts.diagnose.request import DiagnoseRequest
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.tune.request import TuneRequest
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


DIAGNOSE = Playbook(
    "diagnose",
    DiagnoseRequest,
    (
        StageSpec(name="tickets", role=RoleName.RETRIEVER, task="tickets.retrieve", needs=(INPUT,)),
        StageSpec(name="diagnosis", role=RoleName.DIAGNOSER, task="diagnosis.conclude", needs=(INPUT, "tickets")),
    ),
)

TUNE = Playbook(
    "tune",
    TuneRequest,
    (
        StageSpec(name="bundle", role=RoleName.FILE_RECOMMENDER, task="tuning.catalogue", needs=(INPUT,)),
        StageSpec(name="classification", role=RoleName.CLASSIFIER, task="tuning.classify", needs=(INPUT, "bundle")),
        StageSpec(name="key_code", role=RoleName.ANALYST, task="tuning.key_code", needs=(INPUT, "bundle", "classification")),
        StageSpec(name="experience", role=RoleName.RETRIEVER, task="experience.retrieve", needs=(INPUT, "classification", "key_code")),
        StageSpec(
            name="causes",
            role=RoleName.DIAGNOSER,
            task="tuning.causes",
            needs=(INPUT, "bundle", "classification", "key_code", "experience"),
        ),
        StageSpec(
            name="evidence",
            role=RoleName.ANALYST,
            task="tuning.evidence",
            needs=(INPUT, "bundle", "classification", "key_code", "causes"),
        ),
        StageSpec(
            name="information_check",
            role=RoleName.FILE_RECOMMENDER,
            task="tuning.check",
            needs=(INPUT, "bundle", "classification", "key_code", "causes", "evidence"),
        ),
        StageSpec(
            name="plan",
            role=RoleName.DIAGNOSER,
            task="tuning.plan",
            needs=(INPUT, "bundle", "classification", "experience", "causes", "evidence", "information_check"),
        ),
        StageSpec(
            name="review",
            role=RoleName.REVIEWER,
            task="tuning.review",
            needs=(INPUT, "bundle", "classification", "key_code", "causes", "evidence", "information_check", "plan"),
        ),
    ),
)
"""Requests go upwards only: `information_check` asks `evidence` to read more, and `classification` to think again when the
evidence contradicts it; `review` objects to `plan`."""

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


register_playbook(DIAGNOSE)
register_playbook(TUNE)
