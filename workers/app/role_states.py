"""Pause, resume and drain of a role: a row on the blackboard that every worker of the role follows."""

import threading
from typing import Any

from contracts.roles import queue_name
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.errors import BullpenError
from workers.loggers import get_logger

log = get_logger(__name__)

POLL_S = 1.0

_SET = """
INSERT INTO role_states (role, state) VALUES (%(role)s, %(state)s)
ON CONFLICT (role) DO UPDATE SET state = EXCLUDED.state, updated_at = now()
"""


def set_role_state(db: Database, role: str, state: str) -> None:
    """`running`, `paused` or `draining`. Workers follow within about a second."""
    db.statement(_SET, {"role": role, "state": state})


def role_state(db: Database, role: str) -> str:
    """The state of a role; `running` when nobody said otherwise."""
    row = db.row("SELECT state FROM role_states WHERE role = %(role)s", {"role": role})
    return "running" if row is None else row["state"]


def running_steps(db: Database, role: str) -> int:
    """Steps of a role that a worker holds now."""
    row = db.row("SELECT count(*) AS n FROM steps WHERE role = %(role)s AND finished_at IS NULL AND status = 'running'", {"role": role})
    return 0 if row is None else row["n"]


class RoleWatch(threading.Thread):
    """Cancels and resumes a worker's consumption as its role's row says."""

    def __init__(self, services: ProcessServices, role: str, consumer: Any) -> None:
        super().__init__(name="bullpen-role-state", daemon=True)
        self._services = services
        self._role = role
        self._consumer = consumer
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()

    def run(self) -> None:
        """Follow the state of the role until the process ends."""
        while True:
            try:
                self._follow(role_state(self._services.database, self._role) == "running")
            except BullpenError as error:
                log.warning("role_state_unknown", reason=str(error))
            if self._stopping.wait(POLL_S):
                return

    def _follow(self, wanted: bool) -> None:
        """Compared with what the worker really listens to: Celery forgets a resumed queue when its connection is lost."""
        queue = queue_name(self._role)
        consumer = self._consumer.task_consumer
        if consumer is None or wanted == consumer.consuming_from(queue):
            return
        log.info("role_resumed" if wanted else "role_paused", role=self._role)
        self._consumer.call_soon(self._consumer.add_task_queue if wanted else self._consumer.cancel_task_queue, queue)
