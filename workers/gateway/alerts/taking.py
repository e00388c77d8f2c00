"""Alerts become jobs: one for each thing that fires, however often it is said, and no more than a storm may make.

An alert whose fingerprint fires already is only counted. One that was resolved more than `FLAPS_MIN` minutes ago and fires again is a new
job. That a thing is resolved is kept with its alert; its job goes on, since why it happened is still asked. Beyond `STORM_JOBS` new jobs of
an owner in `STORM_MIN` minutes an alert is kept without a job; it becomes one when it is sent again after the storm, as Alertmanager
does by itself.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import LiteralString
from uuid import UUID, uuid5

from contracts.base import Contract, Json
from contracts.jobs import SubmitJob
from contracts.statements import names, say
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.blackboard.engine import Database, Row
from workers.errors import InvalidInput
from workers.gateway.alerts.alert import Alert
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds, get_kind
from workers.loggers import get_logger
from workers.reading.values import Value

log = get_logger(__name__)

STORM_JOBS = 20
STORM_MIN = 10
FLAPS_MIN = 10
"""A thing that fires again so soon after it was resolved has the same cause: it flaps."""
_URGENT = 7
"""Priority of a job that an alert makes."""

_SEEN: LiteralString = """
INSERT INTO alerts AS known (owner, fingerprint, title) VALUES (%(owner)s, %(fingerprint)s, %(title)s)
ON CONFLICT (owner, fingerprint) DO UPDATE
   SET times = known.times + 1, last_at = now(), title = EXCLUDED.title,
       job_id = CASE WHEN coalesce(known.resolved_at, now()) > now() - make_interval(mins => %(flaps)s) THEN known.job_id END,
       begun_at = CASE WHEN coalesce(known.resolved_at, now()) > now() - make_interval(mins => %(flaps)s) THEN known.begun_at END,
       resolved_at = NULL
RETURNING job_id
"""

_RESOLVED: LiteralString = """
UPDATE alerts SET resolved_at = coalesce(resolved_at, now()), last_at = now()
 WHERE owner = %(owner)s AND fingerprint = %(fingerprint)s RETURNING job_id
"""

_ROOM: LiteralString = """
UPDATE alerts SET begun_at = coalesce(begun_at, now())
 WHERE owner = %(owner)s AND fingerprint = %(fingerprint)s AND job_id IS NULL
   AND (SELECT count(*) FROM alerts WHERE owner = %(owner)s AND fingerprint <> %(fingerprint)s
         AND begun_at > now() - make_interval(mins => %(minutes)s)) < %(most)s
RETURNING begun_at
"""
"""When its job was begun: the same for all who take it at once, as the gateways that two Alertmanagers of one cluster call."""

_BEGUN: LiteralString = """
UPDATE alerts SET job_id = %(job_id)s, begun_at = now() WHERE owner = %(owner)s AND fingerprint = %(fingerprint)s
"""


_JOB: LiteralString = "SELECT job_id FROM alerts WHERE owner = %(owner)s AND fingerprint = %(fingerprint)s"


_LISTED: LiteralString = """
SELECT fingerprint, owner, title, job_id, times, first_at, last_at, resolved_at FROM alerts
 WHERE (%(owner)s::text IS NULL OR owner = %(owner)s) AND (%(job_id)s::uuid IS NULL OR job_id = %(job_id)s)
 ORDER BY last_at DESC, fingerprint LIMIT %(limit)s
"""


class Became(StrEnum):
    """What became of an alert."""

    JOB = "job"
    KNOWN = "known"
    """It fires already; it was counted."""
    HELD = "held"
    """A storm: it has no job yet."""
    RESOLVED = "resolved"
    UNKNOWN = "unknown"
    """Resolved, and never seen firing."""


class AlertTaken(Contract):
    """What became of an alert."""

    fingerprint: str
    became: Became
    job_id: UUID | None = None


def kind_for_alerts(name: str | None) -> Kind:
    """The kind that alerts become: the named one, or the only one that takes alerts. Raises `InvalidInput`."""
    able = [kind for kind in all_kinds() if kind.takes_alerts]
    if name is not None and get_kind(name).takes_alerts:
        return get_kind(name)
    if name is None and len(able) == 1:
        return able[0]
    raise InvalidInput.of(say("refused.name_alert_kind", kinds=names(kind.name for kind in able)) if able else say("refused.no_alert_kind"))


def take_alert(services: ProcessServices, owner: str, kind: Kind, alert: Alert, *, reply_to: str | None = None) -> AlertTaken:
    """Take one alert of this owner."""
    values: Json = {"owner": owner, "fingerprint": alert.fingerprint, "title": alert.title[:500], "flaps": FLAPS_MIN}
    if alert.is_resolved:
        return _resolved(services, alert, values)
    known: Row = services.database.statement(_SEEN, values)[0]
    if known["job_id"] is not None:
        return AlertTaken(fingerprint=alert.fingerprint, became=Became.KNOWN, job_id=known["job_id"])
    room = services.database.statement(_ROOM, {**values, "minutes": STORM_MIN, "most": STORM_JOBS})
    if not room and (job_id := services.database.statement(_JOB, values)[0]["job_id"]) is not None:
        return AlertTaken(fingerprint=alert.fingerprint, became=Became.KNOWN, job_id=job_id)  # begun by another since
    if not room:
        log.warning("alert_held", owner=owner, fingerprint=alert.fingerprint)
        return AlertTaken(fingerprint=alert.fingerprint, became=Became.HELD)
    key = str(uuid5(_NAMES, f"{owner}\n{alert.fingerprint}\n{room[0]['begun_at'].isoformat()}"))
    submission = {
        "job": {"kind": kind.name, kind.playbook.words: alert.text},
        "owner": owner,
        "priority": _URGENT,
        "idempotency_key": f"alert:{key}",
        "correlation_id": alert.fingerprint[:200],
        "reply_to": reply_to,
        "engine": services.settings.engine.value,
    }
    made = submit(services, SubmitJob.model_validate(submission))
    services.database.statement(_BEGUN, {**values, "job_id": made.job_id})
    return AlertTaken(fingerprint=alert.fingerprint, became=Became.JOB, job_id=made.job_id)


_NAMES = UUID("5a1cbe2e-90d5-5d7c-8c0a-0f6f1f9d6f7e")
"""The namespace of these keys."""


def _resolved(services: ProcessServices, alert: Alert, values: Json) -> AlertTaken:
    rows = services.database.statement(_RESOLVED, values)
    if not rows:
        return AlertTaken(fingerprint=alert.fingerprint, became=Became.UNKNOWN)
    return AlertTaken(fingerprint=alert.fingerprint, became=Became.RESOLVED, job_id=rows[0]["job_id"])


@dataclass(frozen=True, slots=True)
class AlertSeen(Value):
    """An alert that was taken."""

    fingerprint: str
    owner: str
    title: str
    job_id: UUID | None
    """None: it was held back by the limit of new jobs."""
    times: int
    first_at: datetime
    last_at: datetime
    resolved_at: datetime | None


def list_alerts(db: Database, *, owner: str | None, job_id: UUID | None = None, limit: int = 100) -> list[AlertSeen]:
    """Alerts, the last heard of first. `owner`: only theirs."""
    return [AlertSeen(**row) for row in db.statement(_LISTED, {"owner": owner, "job_id": job_id, "limit": limit})]
