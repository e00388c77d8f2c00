"""Why a job is not done, with what would help: the boss's reasons, what workers and queues look like, and what helped before."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from contracts.base import Json
from contracts.faults import Fault, FaultAdvice
from contracts.jobs import JobStatus
from contracts.roles import COORDINATOR
from contracts.statements import Name, Sayable, Statement, Term, as_value, count, name, passage, quote, say, seconds, sentences
from workers.app import fleet_facts
from workers.kinds.faults import advise_on
from workers.kinds.languages import language_for
from workers.kinds.registry import load_kinds
from workers.reading.answering import answer_command
from workers.reading.faults import read_failed, read_solved
from workers.reading.jobs import Job
from workers.reading.values import Value, adapter, as_json
from workers.reading.waiting import (
    AnswerNeeded,
    Ended,
    Explanation,
    OwnerAtCap,
    StepDelayed,
    StepRuns,
    StepWaits,
    Undecided,
    Wait,
    explain,
)
from workers.reading.words import ROLE_STATES
from workers.saying import text_of

if TYPE_CHECKING:
    from workers.app.services import ProcessServices

_QUESTION_CHARACTERS = 200
"""Of a question that is only mentioned."""


@dataclass(frozen=True, slots=True)
class Explained(Value):
    """An explanation, and what would help."""

    explanation: Explanation
    hints: tuple[Sayable, ...]
    """For each of `explanation.waits`."""
    faults: tuple[Fault, ...]
    """Of a job that failed: those of its faults that were met before."""
    advice: tuple[FaultAdvice, ...]
    """For each of `faults`: what helped."""

    def to_json(self) -> Json:
        """One flat object."""
        parts = {"hints": as_json(self.hints), "advice": as_json(self.advice), "faults": as_json(self.faults)}
        return {**self.explanation.to_json(), **parts}


def explained_from(job: Job, value: Json) -> Explained:
    """From the JSON of such a value, with its statements as they are stored, and the job's row."""
    faults = tuple(Fault.model_validate(fault) for fault in value["faults"])
    advice = tuple(FaultAdvice.model_validate(item) for item in value["advice"])
    return Explained(Explanation.of(job, value), adapter(tuple[Sayable, ...]).validate_python(value["hints"]), faults, advice)


def explained(services: "ProcessServices", job_id: UUID, stage: str | None = None, *, language: str | None = None) -> Explained:
    """Why a job, or one of its stages, is not done. `language`: of the commands in the hints; default: the job's. Raises `NotFound`."""
    found = explain(services.database, job_id, stage)
    spoken = language_for(services.database, found.job, language)
    advised = _advice(services, found)
    return Explained(found, _hints(services, found, spoken), tuple(fault for fault, _ in advised), tuple(advice for _, advice in advised))


def _advice(services: "ProcessServices", found: Explanation) -> list[tuple[Fault, FaultAdvice]]:
    faults = read_failed(services.database, found.job.id) if found.job.status == JobStatus.FAILED else []
    if not faults:
        return []
    load_kinds(services.settings.extensions)  # that of the job may not be the one that advises
    solved = read_solved(services.database, owner=found.job.owner)
    return [(fault, advice) for fault in faults if (advice := advise_on(fault, solved)) is not None]


def _hints(services: "ProcessServices", found: Explanation, language: str) -> tuple[Sayable, ...]:
    workers: dict[str, int] | None = {}
    if any(_needs_workers(wait) for wait in found.waits):
        workers = fleet_facts.live_workers(services)
    several = sum(1 for wait in found.waits if isinstance(wait, AnswerNeeded)) > 1
    return tuple(_hint(services, found.job, wait, workers, language, several=several) for wait in found.waits)


def _needs_workers(wait: Wait) -> bool:
    """Whether it depends on the processes that answer. Asking them takes a second."""
    return isinstance(wait, Undecided) or (isinstance(wait, StepWaits) and not wait.is_young)


def _hint(services: "ProcessServices", job: Job, wait: Wait, workers: dict[str, int] | None, language: str, *, several: bool) -> Sayable:
    match wait:
        case Ended():
            return say("fleet.hint.again", job=name(str(job.id).rpartition("-")[2]))
        case OwnerAtCap():
            cap = services.settings.owner_cap
            return say("fleet.hint.owner_at_cap", owner=quote(wait.owner), running=count(wait.running), cap=count(cap))
        case AnswerNeeded():
            answer_with = name(answer_command(job.id, wait.question, language, several=several))
            return say("fleet.hint.answer", asked=asked(wait, language), command=answer_with)
        case Undecided():
            return _undecided(wait, workers)
        case StepRuns():
            return _running(wait)
        case StepWaits():
            return _queued(services, wait, workers)
        case StepDelayed():
            return _delayed(wait)


def asked(wait: AnswerNeeded, language: str) -> Statement:
    """Who asks, and the beginning of the question."""
    question = _shortened(text_of(wait.question.form.text, language))
    return say("fleet.hint.asks", asker=name(wait.question.asker), question=passage(question))


def _delayed(wait: StepDelayed) -> Statement:
    again = delayed(wait)
    error = wait.step.error
    return again if error is None else say("fleet.hint.after_error", again=again, type=name(error.type), message=as_value(error.message))


def undecided(wait: Undecided) -> Statement:
    """The boss has not seen the job's last change."""
    return say("fleet.hint.undecided", rev=count(wait.rev, exact=True), decided=count(wait.decided_rev, exact=True))


def running(wait: StepRuns) -> Statement:
    """A step runs: where, and for how long."""
    step = wait.step
    return say(
        "fleet.hint.runs", stage=name(step.stage), worker=name(step.worker or "?"), duration=seconds(step.duration_s or 0.0),
        attempt=count(step.attempt), most=count(step.max_attempts),
    )  # fmt: skip


def waiting(wait: StepWaits) -> Statement:
    """A step waits for a worker of its role, or was handed to one just now."""
    if wait.is_young:
        return say("fleet.hint.just_queued", stage=name(wait.step.stage), role=name(wait.step.role))
    return say("fleet.hint.waits", stage=name(wait.step.stage), duration=seconds(wait.waits_s), role=name(wait.step.role))


def delayed(wait: StepDelayed) -> Statement:
    """A step is tried again after a pause."""
    return say("fleet.hint.delayed", stage=name(wait.step.stage), delay=seconds(wait.in_s))


def _undecided(wait: Undecided, workers: dict[str, int] | None) -> Sayable:
    behind = undecided(wait)
    if wait.coordinator_state != "running":
        helps = say("fleet.hint.coordinator_stopped", state=_state(wait.coordinator_state), role=name(COORDINATOR))
    elif workers is None:
        helps = say("fleet.hint.coordinator_without_broker")
    elif not workers.get(COORDINATOR):
        helps = say("fleet.hint.no_coordinator", role=name(COORDINATOR))
    else:
        helps = say("fleet.hint.coordinator_runs")
    return _both(behind, helps)


def _state(state: str) -> Name | Term:
    return ROLE_STATES.get(state, name(state))


def _running(wait: StepRuns) -> Sayable:
    runs = running(wait)
    if wait.lease_left_s > 0:
        return runs
    return _both(runs, say("fleet.hint.lease_ran_out", age=seconds(-wait.lease_left_s)))


def _queued(services: "ProcessServices", wait: StepWaits, workers: dict[str, int] | None) -> Sayable:
    role = name(wait.step.role)
    waits = waiting(wait)
    if wait.role_state != "running":
        return _both(waits, say("fleet.hint.role_stopped", state=_state(wait.role_state), role=role))
    if wait.is_young:
        return waits
    if workers is None:
        return _both(waits, say("fleet.hint.no_broker"))
    if not workers.get(wait.step.role):
        return _both(waits, say("fleet.hint.no_worker", role=role))
    length = fleet_facts.queued_messages(services, wait.step.role)
    if length:
        busy = say("fleet.hint.workers_busy", workers=count(workers[wait.step.role]))
        return _both(waits, say("fleet.hint.in_queue", busy=busy, messages=count(length)))
    return _both(waits, say("fleet.hint.not_in_queue"))


def _both(first: Statement, second: Statement) -> Sayable:
    return say("fleet.hint.both", parts=sentences(first, second))


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _QUESTION_CHARACTERS else flat[: _QUESTION_CHARACTERS - 1] + "…"
