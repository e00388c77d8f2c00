"""Answers to producers: to a Redis stream, an AMQP queue, or (when allowed) a webhook, found again by correlation id."""

import json
import threading
import time
import urllib.request
from typing import Any, LiteralString
from uuid import UUID

import structlog

from contracts.base import Message
from contracts.events import JobFinished
from contracts.jobs import JobStatus
from workers.app.queues import is_redis
from workers.app.services import ProcessServices
from workers.blackboard import quarantine, sweeps
from workers.blackboard.board_rows import BOARD_COLUMNS, as_board
from workers.blackboard.engine import Database
from workers.blackboard.sweeps import Round
from workers.coordinator.job_language import job_language
from workers.reading.results import Result, read_results
from workers.saying.content import in_words
from workers.telemetry import redact_url

log = structlog.get_logger()

STREAM_LENGTH = 10_000
"""Answers that a reply stream keeps, about; older ones fall out."""
RESULT_BYTES = 65_536
WEBHOOK_TIMEOUT_S = 5.0
GIVE_UP_S = 3600.0
"""Since the job's end; an answer that could not be delivered by then goes into quarantine."""
MAX_PAUSE_S = 300.0

_DUE: LiteralString = """
SELECT j.id, j.error, j.reply_to, j.correlation_id, j.language, j.finished_at < now() - make_interval(secs => %(give_up_s)s) AS old,
       CASE WHEN j.language IS NULL THEN
         (SELECT content FROM deliverables i WHERE i.job_id = j.id AND i.stage = 'input' ORDER BY pinned DESC, version DESC LIMIT 1)
       END AS input,
"""
_OF_JOBS: LiteralString = """
FROM jobs j WHERE j.reply_to IS NOT NULL AND j.announced_at IS NULL AND j.finished_at IS NOT NULL
  AND NOT (j.id = ANY (%(skip)s))
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


class Announcer(threading.Thread):
    """Tells the producers of jobs that ended, until `stop` is set. Apart from the sweep: a slow address must not hold that up."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-announcer", daemon=True)
        self._services = services
        self._stopping = stop
        self._again: dict[UUID, tuple[float, float]] = {}
        """Job whose answer could not be sent → when to try again (monotonic seconds), and the pause before it."""

    def run(self) -> None:
        """Announce ended jobs until the stop event is set."""
        while not self._stopping.wait(self._services.settings.sweep_s):
            began, fault = time.monotonic(), None
            try:
                self.announce()
            except Exception as error:  # the next round does the work
                fault = f"{type(error).__name__}: {error}"
                log.warning("announcing_failed", error=type(error).__name__, reason=str(error)[:200])
            record_round(self._services, Round("announcements", time.monotonic() - began, fault))

    def announce(self, *, limit: int = 100) -> int:
        """One round. Returns the number of answers sent. An answer that cannot be sent is tried again for an hour, after pauses that
        double."""
        now, count = time.monotonic(), 0
        skip = [job_id for job_id, (at, _) in self._again.items() if at > now]
        db = self._services.database
        rows = db.statement(_DUE + BOARD_COLUMNS + _OF_JOBS, {"limit": limit, "skip": skip, "give_up_s": GIVE_UP_S})
        results = read_results(db, [as_board(row["id"], row) for row in rows])
        for row in rows:
            if self._stopping.is_set():
                break
            answer = _finished(row, results.get(row["id"]))
            sent = send_answer(self._services, row["reply_to"], answer)
            if not sent and not row["old"]:
                _, pause_s = self._again.get(row["id"], (0.0, 0.5))
                self._again[row["id"]] = (now + 2 * pause_s, min(2 * pause_s, MAX_PAUSE_S))
                continue
            self._again.pop(row["id"], None)
            if not sent:
                _give_up(self._services, row, answer)
            mark_announced(self._services.database, row["id"])
            count += sent
        return count


def _give_up(services: ProcessServices, row: dict[str, Any], answer: JobFinished) -> None:
    message = f"The end of job {row['id']} could not be announced to {redact_url(row['reply_to'])}. The job itself is not affected."
    quarantine.put(
        services.database,
        source="answers",
        cause="Undeliverable",
        message=message,
        body=json.dumps(answer.to_json()).encode(),
        job_id=row["id"],
    )


def record_round(services: ProcessServices, done: Round) -> None:
    """Record how a round went, for `bullpen doctor`. While the database is not reachable, nothing is recorded."""
    try:
        sweeps.record(services.database, [done], worker=services.worker_name)
    except Exception as error:
        log.warning("round_not_recorded", part=done.part, error=type(error).__name__, reason=str(error)[:200])


def mark_announced(db: Database, job_id: UUID) -> None:
    """Record that the end of this job was announced."""
    db.statement("UPDATE jobs SET announced_at = now() WHERE id = %(id)s AND finished_at IS NOT NULL", {"id": job_id})


def _finished(row: dict[str, Any], result: Result | None) -> JobFinished:
    content = None if result is None else in_words(result.content, job_language(row["kind"], row["language"], row["input"]))
    if len(json.dumps(content)) > RESULT_BYTES:
        content = None
    return JobFinished(
        job_id=row["id"], correlation_id=row["correlation_id"], status=JobStatus(row["status"]), result=content, error=row["error"]
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
    with services.celery.connection_for_write(transport_options={"confirm_publish": True}) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
        producer = connection.Producer()
        correlation = answer.to_json().get("correlation_id")
        producer.publish(
            body, exchange="", routing_key=name, content_type="application/json", content_encoding="utf-8",
            correlation_id=correlation, delivery_mode=2, retry=False,
            mandatory=True,  # a queue that is not there sends it back, which raises
        )  # fmt: skip


def _to_webhook(services: ProcessServices, url: str, body: str) -> None:
    if not services.settings.webhooks:
        raise ValueError("Webhooks are off. Set BULLPEN_WEBHOOKS=true to allow them.")
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json", "User-Agent": "bullpen"}, method="POST")  # noqa: S310  the scheme was checked
    with urllib.request.urlopen(request, timeout=WEBHOOK_TIMEOUT_S):  # noqa: S310
        pass
