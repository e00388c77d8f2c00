"""Whether the fleet answers: a line on every page while work waits and no process of its role is there."""

import threading
import time
from typing import LiteralString

from fastapi import APIRouter, Response

from workers.app.fleet_facts import live_workers
from workers.console.pages import Reading
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway

router = APIRouter(prefix="/console/standing", include_in_schema=False, route_class=PageRoute)

LATE_S = 15.0
"""A step that nobody has taken for so long is looked into: a free worker takes one within a second."""
KEPT_S = 20.0
"""For which an answer of the workers is kept: asking them takes a second, and many pages may be open."""

_LATE: LiteralString = """
SELECT role, count(*)::int AS n FROM steps s
 WHERE s.status = 'queued' AND s.due_at < now() - make_interval(secs => %(late_s)s)
   AND NOT EXISTS (SELECT FROM role_states r WHERE r.role = s.role AND r.state <> 'running') GROUP BY role ORDER BY role
"""


class _Asked:
    """The last answer of the workers, for all pages of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = 0.0
        self._workers: dict[str, int] | None = None

    def workers(self, here: Gateway) -> dict[str, int] | None:
        """Role → processes that answer; None: the broker does not."""
        with self._lock:
            if time.monotonic() - self._at > KEPT_S or not self._at:
                self._workers, self._at = live_workers(here.services), time.monotonic()
            return self._workers


_ASKED = _Asked()


@router.get("")
def standing(here: Here, look: Reading) -> Response:
    """Nothing where all is well."""
    late = {row["role"]: row["n"] for row in here.db.statement(_LATE, {"late_s": LATE_S})}
    workers = _ASKED.workers(here) if late else {}
    missing = [role for role in late if not (workers or {}).get(role)]
    return look.html(
        "standing.html", broker_away=bool(late) and workers is None, roles=missing, waiting=sum(late[role] for role in missing)
    )
