"""Pause, resume and drain of a role: a row on the blackboard that every worker of the role follows."""

import threading
from collections.abc import Sequence
from typing import Any

from contracts.roles import queue_name
from workers.app.neighbours import Neighbours
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


def held_back(db: Database, roles: Sequence[str]) -> set[str]:
    """Those of these roles that are not `running`."""
    statement = "SELECT role FROM role_states WHERE role = ANY (%(roles)s) AND state <> 'running'"
    return {row["role"] for row in db.statement(statement, {"roles": list(roles)})}


class RoleWatch(threading.Thread):
    """Cancels and resumes a worker's consumption as the rows of its roles say, and tells its neighbours what it serves."""

    def __init__(self, services: ProcessServices, roles: Sequence[str], consumer: Any, neighbours: Neighbours) -> None:
        super().__init__(name="bullpen-role-state", daemon=True)
        self._services = services
        self._roles = roles
        self._consumer = consumer
        self._neighbours = neighbours
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()

    def run(self) -> None:
        """Follow the states of the roles until the process ends."""
        while True:
            self._neighbours.tell()
            try:
                resting = held_back(self._services.database, self._roles)
                for role in self._roles:
                    self._follow(role, role not in resting)
            except BullpenError as error:
                log.warning("role_state_unknown", reason=str(error))
            if self._stopping.wait(POLL_S):
                self._neighbours.leave()
                return

    def _follow(self, role: str, wanted: bool) -> None:
        """Compared with what the worker really listens to: Celery forgets a resumed queue when its connection is lost."""
        queue = queue_name(role)
        consumer = self._consumer.task_consumer
        if consumer is None or wanted == consumer.consuming_from(queue):
            return
        log.info("role_resumed" if wanted else "role_paused", role=role)
        self._consumer.call_soon(self._consumer.add_task_queue if wanted else self._consumer.cancel_task_queue, queue)
