"""The fleet at work: roles, queues, rates, leases; pausing a role and letting it go on."""

from dataclasses import dataclass
from typing import Any, LiteralString

from fastapi import APIRouter, Response

from workers.app.fleet_facts import WORKERS, live_workers, worker_name
from workers.app.role_states import set_role_state
from workers.blackboard.engine import Database
from workers.console.pages import Administering, Look, Operating, SeenTag
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.reading.fleet import RoleFacts, count_waiting_for_human, read_fleet, read_leases

router = APIRouter(prefix="/console/fleet", include_in_schema=False, route_class=PageRoute)

PERIOD_S = 300
"""Over which rates are counted."""

_RATES: LiteralString = """
SELECT role, count(*) FILTER (WHERE status = 'succeeded') AS done, count(*) FILTER (WHERE status = 'failed') AS failed,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at))::float AS median_s
  FROM (SELECT role, status, started_at, finished_at FROM steps ORDER BY id DESC LIMIT 5000) s
 WHERE finished_at > now() - make_interval(secs => %(period)s) GROUP BY role
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a role did lately."""

    done: int = 0
    failed: int = 0
    median_s: float | None = None


@router.get("")
def fleet(here: Here, look: Operating) -> Response:
    """The page."""
    return look.renewed("fleet.html", "fleet_now.html", **_facts(here.db, look))


@router.get("/now")
def now(here: Here, look: Operating, seen: SeenTag = "") -> Response:
    """The changing part of the page; nothing where the page has it already."""
    return look.renewed("now.html", "fleet_now.html", seen, **_facts(here.db, look))


@router.get("/workers")
def workers(here: Here, look: Operating) -> Response:
    """Which processes answer. Asking them takes a second."""
    return look.html("fleet_workers.html", workers=live_workers(here.services), roles=WORKERS)


@router.post("/{role}/{state}")
def set_state(here: Here, look: Administering, role: str, state: str) -> Response:
    """Pause a role, for every owner's jobs, or let it go on."""
    wanted = {"pause": "paused", "resume": "running"}.get(state, "running")
    set_role_state(here.db, worker_name(role), wanted)
    return look.renewed("now.html", "fleet_now.html", **_facts(here.db, look))


def _facts(db: Database, look: Look) -> dict[str, Any]:
    facts = read_fleet(db)
    rates = {row["role"]: Rate(row["done"], row["failed"], row["median_s"]) for row in db.statement(_RATES, {"period": PERIOD_S})}
    roles: list[tuple[RoleFacts, Rate]] = [(facts.role(role), rates.get(role, Rate())) for role in WORKERS]
    return {
        "facts": facts,
        "roles": roles,
        "leases": read_leases(db, owner=look.who.only_owner, limit=100),
        "asking": count_waiting_for_human(facts),
        "minutes": PERIOD_S // 60,
    }
