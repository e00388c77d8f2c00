"""What Flower shows of a task: job, stage and attempt as columns, and nothing of what a user wrote.

A message of the fleet holds ids. A job that is submitted as a Celery task is different: its arguments are the user's text and the address
for the answer, Celery puts both into its events, and Flower would show and index them. They are removed where Flower takes in an event or
the answer of a worker, so that no page and no part of its HTTP API has them.
"""

import re
import socket
from typing import Any

LABEL = re.compile(r"job=(?P<job>[0-9a-f-]{36})(?: stage=(?P<stage>[a-z0-9_/]{1,80}))?(?: attempt=(?P<attempt>[0-9]{1,9}))?")
"""What the fleet's own messages show as their arguments; see `Publisher`."""

RESULT = re.compile(r"'?[a-z_]{1,40}( [a-z_]{1,40}){0,4}'?")
"""What the fleet's own tasks return: a few words, which never quote anything."""

COLUMNS = {"job": "Job", "stage": "Stage", "attempt": "Attempt"}
SHOWN = "name,job,stage,attempt,state,received,runtime,worker,uuid"
"""The columns of the task list, in their order. FLOWER_TASKS_COLUMNS chooses others."""

FRAME = re.compile(r'  File "[^"\n]{1,400}", line \d+, in [\w<>.]{1,200}')
"""A line of a traceback that says where. Other lines can quote data: the error's message, and the values in it."""

_LISTED = frozenset({"active", "reserved", "scheduled"})
"""The answers of a worker that hold tasks."""


def of_label(args: object, part: str) -> str | None:
    """`job`, `stage` or `attempt` of the arguments that a message shows; None if they are something else."""
    found = LABEL.fullmatch(args) if isinstance(args, str) else None
    return found[part] if found else None


def clean_event(event: dict[str, Any]) -> dict[str, Any]:
    """An event of a task without what may quote a user."""
    cleaned = dict(event)
    if "args" in cleaned:
        cleaned["args"] = _clean_args(cleaned["args"])
    if "kwargs" in cleaned:
        cleaned["kwargs"] = ""
    if "result" in cleaned:
        result = str(cleaned["result"])
        cleaned["result"] = result if RESULT.fullmatch(result) else ""
    if "exception" in cleaned:
        cleaned["exception"] = error_class(str(cleaned["exception"]))
    if "traceback" in cleaned:
        cleaned["traceback"] = "\n".join(line for line in str(cleaned["traceback"]).splitlines() if FRAME.fullmatch(line))
    return cleaned


def clean_answer(method: str, answer: Any) -> Any:
    """A worker's list of tasks without their arguments; any other answer as it is."""
    if method not in _LISTED or not isinstance(answer, list):
        return answer
    return [_clean_listed(task) for task in answer]  # pyright: ignore[reportUnknownVariableType] a worker's answer has no static type


def error_class(text: str) -> str:
    """The class of an error from its `repr`: what follows quotes data."""
    found = re.match(r"[A-Za-z_][\w.]{0,100}", text)
    return found[0] if found else ""


def _clean_args(args: object) -> str:
    return args if isinstance(args, str) and LABEL.fullmatch(args) else ""


def _clean_listed(task: Any) -> Any:
    if not isinstance(task, dict):
        return task
    cleaned: dict[str, Any] = {**task}
    if isinstance(cleaned.get("request"), dict):  # a scheduled task has its request one level below
        cleaned["request"] = _clean_listed(cleaned["request"])
    for name in ("args", "kwargs"):
        if name in cleaned:
            cleaned[name] = _clean_args(cleaned[name]) if name == "args" else ""
    return cleaned


ASKS_EVERY_MS = 1_000
"""How often Flower asks workers for their events, so that it misses little of a worker that starts; by itself every 5 s."""


def prepare_flower(listening_fd: str | None = None) -> None:
    """Change Flower in this process, before it starts: its columns, what it takes in, who may read `/metrics`, and the socket that it takes
    over."""
    import celery.events.state as celery_state
    import flower.app
    import flower.events
    import flower.inspector
    import flower.urls
    import flower.views.tasks
    from flower.views.monitor import Metrics
    from tornado.web import authenticated

    if listening_fd is not None:
        handed = socket.socket(fileno=int(listening_fd))
        handed.setblocking(False)
        flower.app.bind_sockets = lambda port, address=None: [handed]  # pyright: ignore[reportUnknownLambdaType] tornado's has no types here
    task: Any = celery_state.Task
    if "job" in task._fields:
        return
    flower.views.tasks.TASK_COLUMNS.update(COLUMNS)
    for part in COLUMNS:
        setattr(task, part, property(lambda self, part=part: of_label(self.args, part)))
    task._fields = (*task._fields, *COLUMNS)

    states: Any = flower.events.EventsState
    take_event = states.event

    def event(state: Any, event: dict[str, Any]) -> None:
        take_event(state, clean_event(event) if event["type"].startswith("task-") else event)

    states.event = event
    flower.events.Events.events_enable_interval = ASKS_EVERY_MS

    inspector: Any = flower.inspector.Inspector
    take_answer = inspector._on_update

    def on_update(inspector: Any, worker: str, method: str, answer: Any) -> None:
        take_answer(inspector, worker, method, clean_answer(method, answer))

    inspector._on_update = on_update

    class GuardedMetrics(Metrics):
        """`/metrics` behind the same login as every page."""

        get = authenticated(Metrics.get)  # pyright: ignore[reportAssignmentType] tornado types it as a method that may not wait

    handlers: list[Any] = flower.urls.handlers
    handlers[:] = [(r"/metrics", GuardedMetrics) if isinstance(rule, tuple) and rule[1] is Metrics else rule for rule in handlers]
