"""Jobs as they are read: their facts, what their stages yielded, their steps and calls."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from contracts.statements import name, names, quote, say
from workers.errors import InvalidInput, NotFound
from workers.operations.base import Asker, Here, operation, own_job, require_own
from workers.reading.calls import CallFacts, read_calls
from workers.reading.decisions import DecisionFacts, read_decisions
from workers.reading.deliverables import Content, read_current, read_version
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.steps import Progress, StepFacts, read_step, read_steps
from workers.reading.values import Value

MOST_VERSIONS = 1_000_000
"""A greater number is no version of anything."""


@dataclass(frozen=True, slots=True)
class JobCalls(Value):
    """What the steps of a job were granted, and what they called."""

    granted: tuple[dict[str, Any], ...]
    calls: tuple[dict[str, Any], ...]
    journal: tuple[CallFacts, ...] | None
    """What was asked of models and tools, and what came back. None: the asker is neither the job's owner nor an operator of everything."""


@dataclass(frozen=True, slots=True)
class StepFailed(Value):
    """A failed step that a bulk replay would do again."""

    id: UUID
    job_id: UUID
    stage: str
    role: str
    kind: str
    error: str | None
    finished_at: datetime | None


@operation("jobs.job", as_stored=True)
def job(here: Here, asker: Asker, job_id: UUID) -> JobFacts:
    """Everything about a job at one revision. Raises `NotFound`."""
    facts = read_job_facts(here.db, job_id)
    require_own(asker, facts.job)
    return facts


@operation("jobs.deliverable", as_stored=True)
def deliverable(here: Here, asker: Asker, job_id: UUID, stage: str, *, version: int | None = None) -> Content:
    """What a stage yielded: its current version, or this one. Raises `NotFound`."""
    own_job(here, asker, job_id)
    if version is None:
        return read_current(here.db, job_id, stage)
    if not 1 <= version <= MOST_VERSIONS:
        there = name(f"GET /v1/jobs/{job_id}/deliverables")
        raise NotFound.of(say("refused.no_version", job=name(job_id), stage=quote(stage[:80]), version=name(version), command=there))
    return read_version(here.db, job_id, stage, version)


@operation("jobs.decisions", as_stored=True)
def decisions(here: Here, asker: Asker, job_id: UUID) -> tuple[DecisionFacts, ...]:
    """Every decision of the boss on a job, oldest first. Raises `NotFound`."""
    own_job(here, asker, job_id)
    return read_decisions(here.db, job_id)


@operation("jobs.steps")
def steps(here: Here, asker: Asker, job_id: UUID) -> Progress:
    """A job's status and its steps: what a live picture shows. Raises `NotFound`."""
    known = own_job(here, asker, job_id)
    return Progress(known.status, read_steps(here.db, job_id))


@operation("jobs.step")
def step(here: Here, asker: Asker, step_id: UUID) -> StepFacts:
    """One step. Raises `NotFound`."""
    found = read_step(here.db, step_id)
    if found is None:
        raise NotFound.of(say("refused.no_step", step=name(step_id), command=name("GET /v1/jobs/JOB")))
    own_job(here, asker, found.job_id)
    return found


@operation("jobs.tool_calls")
def tool_calls(here: Here, asker: Asker, job_id: UUID, *, texts: bool = False, step_id: UUID | None = None) -> JobCalls:
    """Tools that the steps of a job were granted, their calls of them, and the journal of its steps, oldest first; with `texts` prompts
    and answers too, as far as they are kept. These hold everything that the owner said and may see, so only the owner, and who may see
    everything, reads the journal. Raises `NotFound`."""
    from workers.tools import list_calls, list_grants

    found = own_job(here, asker, job_id)
    is_read = asker.only_owner is None or asker.owner == found.owner
    journal = read_calls(here.db, job_id, step_id=step_id, texts=texts) if is_read else None
    return JobCalls(tuple(list_grants(here.db, job_id)), tuple(list_calls(here.db, job_id)), journal)


@operation("jobs.failed_steps")
def failed_steps(
    here: Here, asker: Asker, *, role: str | None = None, kind: str | None = None, error: str | None = None, since: datetime | None = None
) -> list[StepFailed]:
    """The newest failed step of each stage of the jobs that failed, oldest first: what a bulk replay would do again."""
    from workers.app.fleet_facts import WORKERS
    from workers.coordinator.replay import failed_steps as find_failed

    if role is not None and role not in WORKERS:
        raise InvalidInput.of(say("refused.no_role", role=quote(role), roles=names(WORKERS)))
    rows = find_failed(here.db, role=role, kind=kind, error=error, since=since, owner=asker.only_owner)
    return [StepFailed(**row) for row in rows]
