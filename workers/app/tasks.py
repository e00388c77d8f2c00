"""The Celery tasks: one a role, the coordinator's, and `bullpen.submit`. Thin: parse the message, call the function."""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import Celery, Task
from celery.exceptions import Reject, Retry
from pydantic import ValidationError

from contracts.commands import AdvanceJob, NewerVersion, RunStep, upcast
from contracts.roles import COORDINATOR, task_name
from workers.app.celery_submissions import SUBMIT_TASK, as_json
from workers.app.garbage import tidy
from workers.app.intake_amqp import put_into_queue
from workers.app.queues import is_amqp, is_redis
from workers.app.relay import move_submissions, put_into_stream
from workers.app.relay_amqp import Relay
from workers.app.run_step import advance_and_publish, run_step
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.blackboard import quarantine
from workers.errors import NotFound, Unavailable
from workers.loggers import get_logger

log = get_logger(__name__)


def register_tasks(app: Celery, services: ProcessServices, name: str) -> None:
    """Give the app the task of a role, or the coordinator's two. A worker has no tasks but those of the names that it serves."""
    if name != COORDINATOR:
        _register(app, task_name(name), services, RunStep, lambda command: run_step(services, command))
        return
    _register(app, task_name(COORDINATOR), services, AdvanceJob, lambda command: _advance(services, command.job_id))
    broker_url, relay = services.settings.broker_url or "", Relay()

    @app.task(name=SUBMIT_TASK, bind=True, ignore_result=True, shared=False)  # not another app's of this process
    def submit(self: "Task[..., Any]", body: Any) -> str:
        """Submit a job from a Celery program; the answer goes to the body's `reply_to`."""
        raw, request = as_json(body), self.request
        if is_redis(broker_url):
            move_submissions(services.redis, message_bytes=services.settings.message_bytes)
        elif is_amqp(broker_url):
            relay.move(services)
        try:
            answer = take_submission(
                services, raw, source=SUBMIT_TASK, correlation_id=request.correlation_id, message_id=request.id
            )  # fmt: skip
        except NewerVersion as error:
            return _newer_submission(services, raw, request, error)
        except Unavailable as error:
            raise Reject(str(error), requeue=True) from error
        return answer.kind


def run_followed(services: ProcessServices, command: RunStep) -> None:
    """What the task of a role does, without Celery around it: for a step that a slot goes on with. That it is tried again is in its row."""
    try:
        run_step(services, command)
    except Retry as later:
        log.debug("step_put_off", step_id=str(command.step_id), reason=str(later))
    finally:
        tidy()


def _register(app: Celery, name: str, services: ProcessServices, contract: type[Any], run: Callable[[Any], str]) -> None:
    @app.task(name=name, bind=True, ignore_result=True, shared=False)
    def task(self: "Task[..., Any]", message: Any = None, *args: Any, **kwargs: Any) -> str:
        try:
            command = contract.model_validate(upcast(message))
        except NewerVersion as error:
            return _newer(services, name, message, error)
        except (ValidationError, ValueError) as error:
            return _refuse(services, name, {"message": message, "args": args, "kwargs": kwargs}, error)
        try:
            return run(command)
        finally:
            tidy()


def _newer(services: ProcessServices, queue: str, message: dict[str, Any], error: NewerVersion) -> str:
    """It waits for a worker that can read it, and goes to quarantine when it has waited long enough."""
    sent_at, now = message.get("at"), time.time()
    first_seen = min(sent_at, now) if isinstance(sent_at, int | float) and sent_at > 0 else now
    if now - first_seen > services.settings.newer_message_wait_s:
        return _refuse(services, queue, message, error)
    kept = services.put_off.later(queue, {**message, "at": first_seen}, age_s=now - first_seen)
    return "put off" if kept else "dropped"


def _newer_submission(services: ProcessServices, body: bytes, request: Any, error: NewerVersion) -> str:
    """It waits where the plain JSON submissions of newer versions wait, in no slot."""
    wait = put_into_stream if is_redis(services.settings.broker_url or "") else put_into_queue
    try:
        wait(services, body, task_id=request.id, correlation_id=request.correlation_id)
    except Exception as fault:  # each broker client raises its own
        raise Reject(str(error), requeue=True) from fault
    return "put off"


def _refuse(services: ProcessServices, queue: str, message: Any, error: Exception) -> str:
    body = as_json(message)
    quarantine.put(services.database, source=queue, cause=type(error).__name__, message=str(error), body=body)
    return "quarantined"


def _advance(services: ProcessServices, job_id: UUID) -> str:
    try:
        return advance_and_publish(services, job_id)
    except NotFound:
        log.info("job_gone", job_id=str(job_id))
        return "gone"
