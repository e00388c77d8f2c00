"""`/v1/alerts`: alerts of monitoring become jobs. Alertmanager, Grafana and PagerDuty post to it, with a key of scope submit."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.base import Contract
from workers.app.reply_addresses import read_address
from workers.gateway.access.caller import Here, MayRead, MaySubmit
from workers.gateway.alerts.reading import read_alerts
from workers.gateway.alerts.taking import AlertSeen, AlertTaken, kind_for_alerts, list_alerts, take_alert
from workers.gateway.bodies import StrictRoute, answered

router = APIRouter(prefix="/v1", tags=["alerts"], route_class=StrictRoute)


class AlertsTaken(Contract):
    """What became of each alert of a message."""

    alerts: tuple[AlertTaken, ...]


@router.post("/alerts", status_code=202)
def take_alerts(
    here: Here,
    caller: MaySubmit,
    body: dict[str, Any],
    kind: Annotated[str | None, Query(max_length=200, description="The kind of job. Default: the only one that takes alerts.")] = None,
    reply_to: Annotated[str | None, Query(max_length=500, description="Where the jobs' questions and ends are sent.")] = None,
) -> AlertsTaken:
    """Take a message of Alertmanager, Grafana or PagerDuty, or a plain one. Each thing that fires has one job, however often it is sent."""
    chosen = kind_for_alerts(kind)
    if reply_to is not None:
        read_address(here.settings, reply_to)
        caller.may_be_answered(here.db, reply_to)
    found = read_alerts(body)
    return AlertsTaken(alerts=tuple(take_alert(here.services, caller.owner, chosen, alert, reply_to=reply_to) for alert in found))


@router.get("/alerts", response_model=list[AlertSeen])
def alerts(here: Here, caller: MayRead, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Response:
    """Alerts, the last heard of first, with their jobs, and whether they are resolved."""
    return answered(list_alerts(here.db, owner=caller.only_owner, limit=limit))


@router.get("/jobs/{job_id}/alerts", response_model=list[AlertSeen])
def alerts_of(here: Here, caller: MayRead, job_id: UUID) -> Response:
    """The alert that a job was made from."""
    job = caller.job(here.db, job_id)
    return answered(list_alerts(here.db, owner=job.owner, job_id=job_id))
