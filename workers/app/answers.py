"""Answers to producers: to a Redis stream, an AMQP queue, or (when allowed) a webhook, found again by correlation id."""

import json
import urllib.request
from typing import Any
from uuid import UUID

import structlog

from contracts.base import Message
from contracts.events import JobFinished
from contracts.jobs import JobStatus
from workers.app.queues import is_redis
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.telemetry import redact_url

log = structlog.get_logger()

STREAM_LENGTH = 10_000
"""Answers that a reply stream keeps, about; older ones fall out."""
RESULT_BYTES = 65_536
WEBHOOK_TIMEOUT_S = 5.0

_DUE = """
SELECT j.id, j.status, j.error, j.reply_to, j.correlation_id,
  (SELECT d.content FROM deliverables d WHERE d.job_id = j.id
      AND d.stage = (SELECT name FROM stages s WHERE s.job_id = j.id ORDER BY position DESC LIMIT 1)
    ORDER BY d.pinned DESC, d.version DESC LIMIT 1) AS result
FROM jobs j WHERE j.reply_to IS NOT NULL AND j.announced_at IS NULL AND j.finished_at IS NOT NULL
ORDER BY j.finished_at LIMIT %(limit)s
"""


def send_answer(services: ProcessServices, reply_to: str | None, answer: Message) -> bool:
    """Send one answer. False when it could not be delivered (logged); nothing to do without an address counts as sent."""
    if not reply_to:
        return True
    scheme, _, name = reply_to.partition(":")
    body = json.dumps(answer.to_json(), ensure_ascii=False)
    try:
        if scheme == "stream":
            _to_stream(services, name, body)
        elif scheme == "queue":
            _to_queue(services, name, body, answer)
        elif scheme in ("http", "https"):
            _to_webhook(services, reply_to, body)
        else:
            log.warning("reply_to_unknown", reply_to=redact_url(reply_to)[:100])
    except Exception as error:  # a producer's address is not our fault; the sweep tries job ends again
        log.warning("answer_failed", reply_to=redact_url(reply_to)[:100], error=type(error).__name__, reason=str(error)[:200])
        return False
    return True


def announce_finished(services: ProcessServices, *, limit: int = 100) -> int:
    """Tell the producers of jobs that ended; how many were told. One that cannot be told is tried at the next sweep."""
    told = 0
    for row in services.database.statement(_DUE, {"limit": limit}):
        if send_answer(services, row["reply_to"], _finished(row)):
            mark_announced(services.database, row["id"])
            told += 1
    return told


def mark_announced(db: Database, job_id: UUID) -> None:
    """The end of this job was told."""
    db.statement("UPDATE jobs SET announced_at = now() WHERE id = %(id)s AND finished_at IS NOT NULL", {"id": job_id})


def _finished(row: dict[str, Any]) -> JobFinished:
    result = row["result"] if row["status"] == JobStatus.SUCCEEDED else None
    if result is not None and len(json.dumps(result)) > RESULT_BYTES:
        result = None
    return JobFinished(
        job_id=row["id"], correlation_id=row["correlation_id"], status=JobStatus(row["status"]), result=result, error=row["error"]
    )


def _to_stream(services: ProcessServices, name: str, body: str) -> None:
    url = services.settings.broker_url or ""
    if not is_redis(url):
        raise ValueError("reply_to stream:NAME needs a Redis broker; use queue:NAME on AMQP.")
    if name.startswith(("bullpen", "_kombu", "unacked")):
        raise ValueError("That stream name belongs to the fleet. Choose another.")
    services.redis.xadd(name, {"body": body}, maxlen=STREAM_LENGTH, approximate=True)


def _to_queue(services: ProcessServices, name: str, body: str, answer: Message) -> None:
    url = services.settings.broker_url or ""
    if is_redis(url):
        raise ValueError("reply_to queue:NAME needs an AMQP broker; use stream:NAME on Redis.")
    if name.startswith(("bullpen.", "celery")):
        raise ValueError("That queue name belongs to the fleet. Choose another.")
    with services.celery.connection_for_write() as connection:
        producer = connection.Producer()
        correlation = answer.to_json().get("correlation_id")
        producer.publish(
            body, exchange="", routing_key=name, content_type="application/json", content_encoding="utf-8",
            correlation_id=correlation, delivery_mode=2, retry=False,
        )  # fmt: skip


def _to_webhook(services: ProcessServices, url: str, body: str) -> None:
    if not services.settings.webhooks:
        raise ValueError("Webhooks are off. Set BULLPEN_WEBHOOKS=true to allow them.")
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json", "User-Agent": "bullpen"}, method="POST")  # noqa: S310  the scheme was checked
    with urllib.request.urlopen(request, timeout=WEBHOOK_TIMEOUT_S):  # noqa: S310
        pass
