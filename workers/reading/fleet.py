"""The fleet as the database sees it: what waits and runs by role, leases, paused roles, owners, quarantine.

Which processes are alive is not in the database: the shells ask the broker.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.jobs import JobStatus
from workers.blackboard.engine import Row
from workers.reading.snapshot import Reader
from workers.reading.values import Value

_ROLES: LiteralString = """
SELECT role, count(*) FILTER (WHERE status = 'queued' AND due_at <= now()) AS waiting,
       count(*) FILTER (WHERE status = 'queued' AND due_at > now()) AS delayed,
       count(*) FILTER (WHERE status = 'running') AS running,
       count(*) FILTER (WHERE status = 'running' AND lease_until < now()) AS expired,
       extract(epoch FROM now() - min(due_at) FILTER (WHERE status = 'queued' AND due_at <= now()))::float AS oldest_s
  FROM steps WHERE finished_at IS NULL GROUP BY role
"""

_STATES: LiteralString = "SELECT role, state FROM role_states"

_LEASES: LiteralString = """
SELECT id AS step_id, job_id, stage, role, worker, attempt, max_attempts, started_at, deadline,
       extract(epoch FROM lease_until - now())::float AS left_s
  FROM steps WHERE finished_at IS NULL AND status = 'running'
   AND (%(owner)s::text IS NULL OR EXISTS (SELECT FROM jobs j WHERE j.id = steps.job_id AND j.owner = %(owner)s))
 ORDER BY lease_until LIMIT %(limit)s
"""

_LIVE_JOBS: LiteralString = "SELECT status, admitted, count(*) AS jobs FROM jobs WHERE finished_at IS NULL GROUP BY status, admitted"

_QUARANTINE: LiteralString = "SELECT count(*) AS entries FROM quarantine WHERE state = 'new'"

_OVERDUE: LiteralString = """
SELECT (SELECT count(*) FROM jobs WHERE finished_at IS NULL AND rev <> decided_rev AND admitted
                                    AND updated_at < now() - make_interval(secs => %(old_s)s)) AS undecided_jobs,
       (SELECT count(*) FROM steps WHERE finished_at IS NULL AND status = 'running'
                                     AND lease_until < now() - make_interval(secs => %(old_s)s)) AS expired_leases
"""

_BUSY: LiteralString = """
SELECT count(*) AS jobs FROM jobs WHERE owner = %(owner)s AND finished_at IS NULL AND admitted AND status IN ('accepted', 'running')
"""


@dataclass(frozen=True, slots=True)
class RoleFacts(Value):
    """The work of one role."""

    role: str
    state: str
    """`running`, `paused` or `draining`."""
    waiting: int = 0
    """Steps that could be taken now."""
    delayed: int = 0
    """Steps that are tried again later."""
    running: int = 0
    expired: int = 0
    """Of the running ones, those whose lease ran out."""
    oldest_s: float | None = None
    """Seconds that the oldest waiting step has waited."""


@dataclass(frozen=True, slots=True)
class Lease(Value):
    """A step that a worker holds."""

    step_id: UUID
    job_id: UUID
    stage: str
    role: str
    worker: str | None
    attempt: int
    max_attempts: int
    started_at: datetime | None
    deadline: datetime | None
    left_s: float
    """Seconds until the lease runs out, unless it is renewed; negative: it ran out."""


@dataclass(frozen=True, slots=True)
class FleetFacts(Value):
    """Everything that waits or runs."""

    roles: tuple[RoleFacts, ...]
    """Those with live steps or a state of their own."""
    live_jobs: Mapping[str, int]
    """Jobs that have not ended, by status; a role's queue shows only those with a step."""
    held_back: int
    """Of these, jobs whose owner has as many running as they may."""
    quarantined: int
    """Entries that nobody has replayed or given up yet."""

    def role(self, name: str) -> RoleFacts:
        """The work of a role, also of one that has none."""
        return next((role for role in self.roles if role.role == name), RoleFacts(name, "running"))


@dataclass(frozen=True, slots=True)
class Overdue(Value):
    """What a coordinator's sweep should have taken up by now."""

    undecided_jobs: int
    expired_leases: int


def read_fleet(read: Reader) -> FleetFacts:
    """Queues, roles, live jobs and quarantine."""
    states = read_role_states(read)
    work = {row["role"]: row for row in read.statement(_ROLES)}
    roles = [_role(work.get(role, {"role": role}), states.get(role, "running")) for role in sorted({*work, *states})]
    jobs = read.statement(_LIVE_JOBS)
    live: dict[str, int] = {}
    for row in jobs:
        live[row["status"]] = live.get(row["status"], 0) + row["jobs"]
    held_back = sum(row["jobs"] for row in jobs if not row["admitted"])
    return FleetFacts(tuple(roles), live, held_back, count_quarantined(read))


def _role(work: Row, state: str) -> RoleFacts:
    work["state"] = state
    return RoleFacts(**work)


def read_role_states(read: Reader) -> dict[str, str]:
    """Role → `running`, `paused` or `draining`, of roles that were ever set; others run."""
    return {row["role"]: row["state"] for row in read.statement(_STATES)}


def read_leases(read: Reader, *, owner: str | None = None, limit: int = 1_000) -> tuple[Lease, ...]:
    """Steps that workers hold now, the one that runs out first before the others. `owner`: only those of their jobs."""
    return tuple(Lease(**row) for row in read.statement(_LEASES, {"owner": owner, "limit": limit}))


def count_quarantined(read: Reader) -> int:
    """New entries of the quarantine."""
    return read.statement(_QUARANTINE)[0]["entries"]


def read_overdue(read: Reader, *, old_s: float) -> Overdue:
    """Jobs that changed more than `old_s` ago and were not decided since, and leases that ran out as long ago."""
    return Overdue(**read.statement(_OVERDUE, {"old_s": old_s})[0])


def count_busy(read: Reader, owner: str) -> int:
    """Jobs of an owner that count against their cap."""
    row = read.row(_BUSY, {"owner": owner})
    return 0 if row is None else row["jobs"]


def count_waiting_for_human(facts: FleetFacts) -> int:
    """Jobs that wait for an answer."""
    return facts.live_jobs.get(JobStatus.WAITING_HUMAN.value, 0)
