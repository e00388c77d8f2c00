"""What the probe found of models: figures by server, model and sort of task, until the probe runs again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from workers.blackboard.engine import Database
from workers.errors import BullpenError
from workers.llm.backend import Backend
from workers.llm.probe import Probed
from workers.loggers import get_logger

log = get_logger(__name__)

_FORGET: LiteralString = "DELETE FROM model_probes WHERE server = %(server)s AND model = %(model)s AND task = ANY (%(tasks)s)"
_KEEP: LiteralString = """
INSERT INTO model_probes (server, model, task, prompts, is_right, tries, fault)
VALUES (%(server)s, %(model)s, %(task)s, %(prompts)s, %(is_right)s, %(tries)s, %(fault)s)
"""
_READ: LiteralString = """
SELECT task, is_right, tries, fault, asked_at FROM model_probes WHERE server = %(server)s AND model = %(model)s ORDER BY task
"""
_FAILED: LiteralString = """
SELECT DISTINCT unnest(prompts) AS prompt FROM model_probes WHERE server = %(server)s AND model = %(model)s AND NOT is_right
"""


@dataclass(frozen=True, slots=True)
class ProbeFigure:
    """What is known of one sort of task."""

    task: str
    is_right: bool
    tries: int
    fault: str
    asked_at: datetime


def keep_figures(db: Database, server: str, model: str, probed: Sequence[Probed]) -> None:
    """Keep them in the place of earlier ones of the same tasks."""
    key: dict[str, Any] = {"server": server, "model": model}
    made: list[tuple[LiteralString, dict[str, Any]]] = [
        (
            _KEEP,
            {
                **key,
                "task": task.task,
                "prompts": list(task.prompts),
                "is_right": task.is_right,
                "tries": task.tries,
                "fault": task.fault,
            },
        )
        for task in probed
    ]
    db.statements([(_FORGET, {**key, "tasks": [task.task for task in probed]}), *made])


def read_figures(db: Database, server: str, model: str) -> list[ProbeFigure]:
    """The figures of a model, by task. Empty: the probe has not been run."""
    return [ProbeFigure(**row) for row in db.statement(_READ, {"server": server, "model": model})]


class FailedTasks:
    """The prompts that models of one conversation are not asked, since the probe saw them fail."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def has(self, backend: Backend, prompt: str) -> bool:
        """Whether the model failed the sort of task of this prompt."""
        key = (backend.server, backend.model)
        if key not in self._known:
            try:
                rows = self._database().statements([(_FAILED, {"server": key[0], "model": key[1]})])[0]
            except BullpenError as error:
                log.info("probe_not_read", error=type(error).__name__)
                rows = []
            self._known[key] = frozenset(row["prompt"] for row in rows)
        return prompt in self._known[key]
