"""The Celery tasks: one a role, the coordinator's, and `bullpen.submit`. Thin: parse the message, call the function."""

import json
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import structlog
from celery import Celery, Task
from celery.exceptions import Reject
from celery.utils.saferepr import saferepr
from pydantic import ValidationError

from contracts.commands import AdvanceJob, NewerVersion, RunStep, upcast
from contracts.roles import COORDINATOR, RoleName, queue_name, task_name
from workers.app.garbage import tidy
from workers.app.run_step import advance_and_publish, run_step
from workers.app.services import ProcessServices
from workers.app.submissions import refuse, take_submission
from workers.blackboard import quarantine
from workers.errors import NotFound, Unavailable

log = structlog.get_logger()

SUBMIT_TASK = "bullpen.submit"

NEWER_PAUSE_S = 1.0
"""How long a slot holds a message of a newer version before it puts it back: a worker that can read it gets its turn."""


def register_tasks(app: Celery, services: ProcessServices, *, role: RoleName | None) -> None:
    """Give the app the task of a role, or with None the coordinator's two. A worker has no other task."""
    if role is not None:
        _register(app, task_name(role), services, RunStep, lambda command: run_step(services, command))
        return
    _register(app, task_name(COORDINATOR), services, AdvanceJob, lambda command: _advance(services, command.job_id))

    @app.task(name=SUBMIT_TASK, bind=True, ignore_result=True)
    def submit(self: "Task[..., Any]", body: Any) -> str:
        """Submit a job from a Celery program; the answer goes to the body's `reply_to`."""
        raw, request = _as_json(body), self.request
        try:
            answer = take_submission(
                services, raw, source=SUBMIT_TASK, correlation_id=request.correlation_id, message_id=request.id
            )  # fmt: skip
        except NewerVersion as error:
            return _newer(services, SUBMIT_TASK, queue_name(COORDINATOR), body, str(error))
        except Unavailable as error:
            raise Reject(str(error), requeue=True) from error
        return answer.kind


def _register(app: Celery, name: str, services: ProcessServices, contract: type[Any], run: Callable[[Any], str]) -> None:
    @app.task(name=name, bind=True, ignore_result=True)
    def task(self: "Task[..., Any]", message: Any = None, *args: Any, **kwargs: Any) -> str:
        try:
            command = contract.model_validate(upcast(message))
        except NewerVersion as error:
            return _newer(services, name, name, message, str(error))
        except (ValidationError, ValueError) as error:
            return _refuse(services, name, {"message": message, "args": args, "kwargs": kwargs}, error)
        try:
            return run(command)
        finally:
            tidy()


def _newer(services: ProcessServices, name: str, queue: str, message: dict[str, Any], reason: str) -> str:
    """Back to the end of its queue, as a new message: a rejected one would come next, and on RabbitMQ soon be dead."""
    sent_at, now = message.get("at"), time.time()
    first_seen = min(sent_at, now) if isinstance(sent_at, int | float) and sent_at > 0 else now
    if now - first_seen > services.settings.newer_message_wait_s:
        if name == SUBMIT_TASK:
            return refuse(services, _as_json(message), NewerVersion(reason), source=name).kind
        return _refuse(services, queue, message, NewerVersion(reason))
    time.sleep(NEWER_PAUSE_S)
    try:
        services.celery.send_task(name, args=({**message, "at": first_seen},), queue=queue, ignore_result=True)
    except Exception as error:
        raise Reject(reason, requeue=True) from error
    return "put back"


def _as_json(value: Any) -> bytes:
    """An argument of a Celery message as JSON. A value that is nested too deeply is described instead, in text that is not JSON."""
    try:
        return json.dumps(value, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError, TypeError):
        return saferepr(value, maxlen=quarantine.KEPT_BYTES).encode("utf-8", "replace")


def _refuse(services: ProcessServices, queue: str, message: Any, error: Exception) -> str:
    body = _as_json(message)
    quarantine.put(services.database, source=queue, cause=type(error).__name__, message=str(error), body=body)
    return "quarantined"


def _advance(services: ProcessServices, job_id: UUID) -> str:
    try:
        return advance_and_publish(services, job_id)
    except NotFound:
        log.info("job_gone", job_id=str(job_id))
        return "gone"
