"""One step: a message arrives, a role works, a report is written, the next message leaves.

No transaction is open while the role works. A crash at any point leaves a row that says what is left to do.
"""

import random
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

from celery.exceptions import Retry

from contracts.commands import RunStep
from contracts.events import EventKind
from contracts.jobs import StepStatus
from contracts.reports import ErrorInfo, Outcome
from contracts.roles import queue_name
from contracts.statements import Sayable, as_stored
from workers import metrics
from workers.app.leases import Held
from workers.app.outbox import Follower, run_command
from workers.app.report_rows import as_result
from workers.app.services import ProcessServices
from workers.app.step_chat import StepChat, check_stopped_of, engine_of
from workers.app.step_journal import journal_notes, open_journal
from workers.app.step_session import open_session
from workers.app.step_tools import open_toolbox
from workers.blackboard.journal import Journal
from workers.blackboard.steps import Claim, StepResult, claim, report, retry, role_that_waits
from workers.coordinator.advance import Advanced, QueuedStep
from workers.coordinator.finish import finish
from workers.coordinator.follow import FreeSlot
from workers.coordinator.stage_contracts import find_contract
from workers.coordinator.sweeper import admit_next
from workers.errors import BullpenError, ModelUnavailable, StepCancelled
from workers.failpoints import failpoint
from workers.loggers import bind_step, clear_step, get_logger
from workers.roles.base import HeardRequest, StepContext
from workers.roles.instructions import unheeded
from workers.roles.registry import find_task
from workers.saying import message_of, text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.secrets import redact_url
from workers.tracing import add_step

log = get_logger(__name__)

LONGEST_ASKED_S = 300.0
"""The longest wait between two attempts that a server may ask for."""


def run_step(services: ProcessServices, command: RunStep) -> str:
    """Claim, work, report, move on. What became of it, in one word. Raises Celery's `Retry` when it will be tried again.

    A step that has lost a process runs beside no other such step of this process: the one that is the cause takes no other one down twice.
    """
    if (begun := services.begun.pop(command.step_id, None)) is not None:
        return _run(services, begun)
    alone = command.attempt > 1 and services.alone.acquire(blocking=False)
    try:
        held = claim(
            services.claims, command.step_id, token=uuid4(), lease_s=services.settings.lease_s, worker=services.worker_name,
            with_board=services.settings.advance == "inline", alone=alone,
        )  # fmt: skip
        if held is None:
            return _refused(services, command, alone=alone)
        if alone and not held.lost:
            services.alone.release()
            alone = False
        return _run(services, held)
    finally:
        if alone:
            services.alone.release()


def _refused(services: ProcessServices, command: RunStep, *, alone: bool) -> str:
    """Drop the message, unless its step has lost a process: then it is claimed alone, or comes again while another such step runs."""
    log.debug("claim_refused", step_id=str(command.step_id))
    role = None if alone else role_that_waits(services.database, command.step_id)
    if role is None:
        return "dropped"
    if command.attempt == 1:  # a step that was queued again begins to count its attempts again, but not its lost processes
        return run_step(services, command.model_copy(update={"attempt": 2}))
    kept = services.put_off.later(queue_name(role), command.to_json(), age_s=max(0.0, time.time() - command.at) if command.at else 0.0)
    return "put off" if kept else "dropped"


def _run(services: ProcessServices, held: Claim) -> str:
    failpoint("after_claim")
    bind_step(job_id=str(held.job_id), step_id=str(held.step_id), role=held.role.value, attempt=held.attempt)
    add_step(job_id=str(held.job_id), step_id=str(held.step_id), role=held.role.value, stage=held.stage, attempt=held.attempt)
    services.notifier.changed(held.job_id)
    lease = services.leases.hold(held.token, held.timeout_s)
    try:
        result = _work(services, held, lease)
        if "live" in vars(services):
            services.live.flush()
        failpoint("before_report")
        return _report(services, held, result)
    except StepCancelled:
        log.info("step_stopped")
        return "cancelled"
    finally:
        services.leases.release(held.token)
        clear_step()


def _report(services: ProcessServices, held: Claim, result: StepResult) -> str:
    """Write the end of a step and bring its job on: in one statement where that can be. What became of it, in one word."""
    follower = services.publisher.free_follower()
    slot = None if follower is None else FreeSlot(services.worker_name, services.settings.lease_s, partial(follower.takes, after=held.role))
    advanced = finish(services.reports, held, result, services.limits, slot)
    taken = advanced is not None or report(services.reports, held, result)
    failpoint("after_report")
    if not taken:
        log.warning("late_report_ignored")
        return "late"
    metrics.count(metrics.STEPS, role=held.role.value, status=result.status)
    log.info("step_reported", status=result.status, outcome=result.outcome, summary=result.summary)
    if advanced is None:
        _send_on(services, held.job_id, held.priority)
    else:
        failpoint("after_advance")
        if follower is not None and advanced.begun is not None:
            _follow(services, follower, advanced.begun)
        _publish(services, held.job_id, advanced)
    return result.status


def _follow(services: ProcessServices, follower: Follower, begun: Claim) -> None:
    """Go on with this step in this slot, when it is free."""
    services.begun[begun.step_id] = begun
    step = QueuedStep(begun.step_id, begun.job_id, begun.stage, begun.role.value, begun.priority)
    follower.follow(run_command(step, time.time()))


def move_on(services: ProcessServices, job_id: UUID, priority: int = 5) -> None:
    """After what a person did to a job: let it in if it waits and its owner has room, and advance it here (`inline`) or ask a coordinator
    to, as urgently as the job is."""
    let_in = dict(admit_next(services.database, job_id, owner_cap=services.settings.owner_cap))
    _send_on(services, job_id, let_in.pop(job_id, priority))
    for waiting, its_priority in let_in.items():
        with _of_another(waiting):
            _send_on(services, waiting, its_priority)


@contextmanager
def _of_another(job_id: UUID) -> Generator[None]:
    """Log what goes wrong with a job that was let in: the one that made room is decided, and the sweep advances this one again."""
    try:
        yield
    except Exception as error:
        log.warning("let_in_not_advanced", job_id=str(job_id), error=type(error).__name__, reason=message_of(error)[:200])


def _send_on(services: ProcessServices, job_id: UUID, priority: int) -> None:
    services.notifier.changed(job_id)
    if services.settings.advance == "inline":
        advance_and_publish(services, job_id)
    else:
        services.publisher.advance(job_id, priority)


def advance_and_publish(services: ProcessServices, job_id: UUID) -> str:
    """Decide, and send what was queued. The rule that fired."""
    return _publish(services, job_id, services.rounds.advance(job_id))


def _publish(services: ProcessServices, job_id: UUID, advanced: Advanced) -> str:
    if advanced.queued:
        services.publisher.run_steps(advanced.queued)
    if advanced.decision is None:
        return "nothing to decide"
    services.notifier.changed(job_id)
    if advanced.gave_room:
        for waiting, _ in admit_next(services.database, job_id, owner_cap=services.settings.owner_cap):
            with _of_another(waiting):
                advance_and_publish(services, waiting)
    return advanced.decision.rule


def _work(services: ProcessServices, held: Claim, lease: Held) -> StepResult:
    started = time.monotonic()
    journal = open_journal(services, held)
    talk = StepChat(services, held, lease, journal)
    try:
        context = _context(services, held, lease, talk, journal)
        done = find_task(held.role, held.task)(context)
        contract = find_contract(held.role, held.task)
        notes = unheeded(context, done, has_parameters=lambda: contract is None or bool(contract.parameters)) + journal_notes(held)
        result = talk.credited(as_result(done, held, notes=notes), done)
    except (StepCancelled, Retry):
        raise
    except Exception as error:  # a role's fault is this step's fate, not the process's
        result = talk.credited(_failed(services, held, error, talk))
    finally:
        metrics.observe(metrics.STEP_SECONDS, time.monotonic() - started, role=held.role.value)
    return _timed(result, time.monotonic() - started)


def _timed(result: StepResult, duration_s: float) -> StepResult:
    if result.detail is not None:
        result.detail["duration_s"] = round(duration_s, 4)
    return result


def _context(services: ProcessServices, held: Claim, lease: Held, talk: StepChat, journal: Journal) -> StepContext:
    return StepContext(
        job_id=held.job_id,
        step_id=held.step_id,
        stage=held.stage,
        kind=held.kind,
        attempt=held.attempt,
        params=held.params,
        needs=held.needs,
        requests=tuple(HeardRequest(r.asker, r.target, r.kind, r.payload, r.response, r.held) for r in held.heard),
        services=services,
        owner=held.owner,
        language=held.language or DEFAULT_LANGUAGE,
        session=open_session(services, held, talk),
        may_ask=held.may_ask,
        engine=engine_of(held, services.settings),
        draft=held.draft,
        previous=held.previous,
        stopped=lambda: lease.lost or time.monotonic() > lease.deadline,
        open_chat=talk.open,
        tools=open_toolbox(services, held, check_stopped_of(held, lease), journal),
        clock=journal.clock,
    )


def is_retryable(error: Exception, *, attempt: int) -> bool:
    """Whether a further attempt may help. A process without memory may be the machine's fault once; the second time, it is the step's."""
    if isinstance(error, MemoryError):
        return attempt == 1
    return isinstance(error, ConnectionError | TimeoutError) or (isinstance(error, BullpenError) and error.retryable)


def _failed(services: ProcessServices, held: Claim, error: Exception, talk: StepChat) -> StepResult:
    retryable = is_retryable(error, attempt=held.attempt)
    message = redact_url(message_of(error))[:4000] or type(error).__name__
    info = ErrorInfo(type=type(error).__name__, message=_kept(error, message), retryable=retryable)
    attempt, left = held.attempt, held.max_attempts - held.attempt
    if retryable and left > 0:
        delay_s = max(backoff_s(attempt, services.settings.retry_base_s, services.settings.retry_max_s), _asked_to_wait_s(error))
        if retry(services.database, held, delay_s=delay_s, error=info, usage=talk.used()):
            metrics.count(metrics.RETRIES, role=held.role.value, error=info.type)
            log.warning("step_will_be_retried", error=info.type, reason=message, delay_s=round(delay_s, 2))
            raise Retry(f"attempt {attempt} failed: {message}", error, when=datetime.now(UTC) + timedelta(seconds=delay_s))
        raise StepCancelled(f"Step {held.step_id} is no longer ours.")
    log.warning("step_failed", error=info.type, reason=message, exc_info=not isinstance(error, BullpenError))
    return StepResult(
        status=StepStatus.FAILED,
        outcome=Outcome.FAILED,
        event=EventKind.STEP_FAILED,
        summary=text_of(info.message, held.language or DEFAULT_LANGUAGE)[:200],
        error=info,
        detail={"error": info.type, "message": as_stored(info.message)},
    )


def _kept(error: Exception, message: str) -> Sayable:
    """What is stored of an error: its statement, so that each reader has it in their language; as text where the text had to be changed."""
    says = error.says if isinstance(error, BullpenError) else None
    return message if says is None or message_of(error) != message else says


def _asked_to_wait_s(error: Exception) -> float:
    """What a server asked for with its refusal, within reason; before that the next attempt would be refused as well."""
    asked_s = error.retry_after_s if isinstance(error, ModelUnavailable) else None
    return min(asked_s or 0.0, LONGEST_ASKED_S)


def backoff_s(attempt: int, base_s: float, max_s: float) -> float:
    """Seconds before the next attempt: doubling, between half and the whole of it at random, bounded."""
    return min(max_s, base_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)
