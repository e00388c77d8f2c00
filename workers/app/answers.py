"""Answers to producers: kept in Postgres first, then delivered by the senders (`workers/app/senders.py`), found again by correlation id."""

import json
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.events import Answer, JobFinished
from contracts.jobs import JobStatus
from contracts.statements import read_stored
from workers.app.asking import announce_questions
from workers.app.job_pages import page_of
from workers.app.reply_addresses import read_address
from workers.app.services import ProcessServices
from workers.blackboard import answers, quarantine, sweeps
from workers.blackboard.board_rows import BOARD_COLUMNS, as_board
from workers.blackboard.engine import Database, jsonb
from workers.blackboard.sweeps import Round
from workers.coordinator.job_language import job_language
from workers.errors import InvalidSubmission
from workers.loggers import get_logger
from workers.reading.results import Result, read_results
from workers.saying import text_of
from workers.saying.content import in_words

log = get_logger(__name__)

RESULT_BYTES = 65_536

_DUE: LiteralString = """
SELECT j.id, j.error, j.reply_to, j.correlation_id, j.language, j.finished_at,
       CASE WHEN j.language IS NULL THEN
         (SELECT content FROM deliverables i WHERE i.job_id = j.id AND i.stage = 'input' ORDER BY pinned DESC, version DESC LIMIT 1)
       END AS input,
"""
_OF_JOBS: LiteralString = """
FROM jobs j WHERE j.reply_to IS NOT NULL AND j.announced_at IS NULL AND j.finished_at IS NOT NULL
ORDER BY j.finished_at LIMIT %(limit)s
"""

_ANNOUNCE: LiteralString = """
WITH ended AS (
  UPDATE jobs SET announced_at = now() WHERE id = %(job_id)s AND announced_at IS NULL AND finished_at = %(finished_at)s RETURNING id)
INSERT INTO answers (address, target, lane, job_id, body)
SELECT %(address)s, %(target)s, %(lane)s, id, %(body)s FROM ended WHERE %(address)s::text IS NOT NULL
"""
"""`announced_at` says that this end is kept as an answer; the senders see to it from there. A job that was opened again meanwhile
is announced at its next end."""


def keep_answer(services: ProcessServices, reply_to: str | None, answer: Answer, *, job_id: UUID | None = None) -> None:
    """Keep an answer for the senders. One that may not go to its address is logged: the address was refused at intake already."""
    if not reply_to:
        return
    try:
        address = read_address(services.settings, reply_to)
    except InvalidSubmission as error:
        log.warning("answer_without_address", kind=getattr(answer, "kind", ""), reason=str(error))
        return
    answers.put(
        services.database, address=reply_to, target=address.target, lane=address.lane, body=answer.to_json(), job_id=job_id
    )  # fmt: skip
    services.answers_wait[address.lane].set()


def keep_answers(services: ProcessServices, kept: Sequence[tuple[str, Answer, UUID]]) -> None:
    """Keep answers about jobs, in one statement; their addresses were read before."""
    rows: list[Json] = []
    for reply_to, answer, job_id in kept:
        address = read_address(services.settings, reply_to)
        rows.append(
            {
                "address": reply_to,
                "target": address.target,
                "lane": address.lane,
                "job_id": str(job_id),
                "body": answer.to_json(),
            }
        )
        services.answers_wait[address.lane].set()
    answers.put_many(services.database, rows)


class Announcer(threading.Thread):
    """Turns the questions and the ends of jobs into answers, until `stop` is set."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-announcer", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Announce until the stop event is set."""
        while not self._stopping.wait(self._services.settings.sweep_s):
            began, fault = time.monotonic(), None
            try:
                self.announce()
                announce_questions(self._services)
            except Exception as error:  # the next round does the work
                fault = f"{type(error).__name__}: {error}"
                log.warning("announcing_failed", error=type(error).__name__, reason=str(error)[:200])
            record_round(self._services, Round("announcements", time.monotonic() - began, fault))

    def announce(self, *, limit: int = 100) -> int:
        """One round. Returns the number of ends that are answers now."""
        db = self._services.database
        rows = db.statement(_DUE + BOARD_COLUMNS + _OF_JOBS, {"limit": limit})
        results = read_results(db, [as_board(row["id"], row) for row in rows])
        for row in rows:
            self._announce(row, results.get(row["id"]))
        return len(rows)

    def _announce(self, row: dict[str, Any], result: Result | None) -> None:
        db, answer = self._services.database, _finished(row, result, page_of(self._services.settings, row["id"]))
        try:
            address = read_address(self._services.settings, row["reply_to"])
        except InvalidSubmission as error:  # a job of a release, or of settings, that allowed it
            give_up(db, row["id"], answer.to_json(), str(error))
            mark_announced(db, row["id"], row["finished_at"])
            return
        db.statement(
            _ANNOUNCE,
            {
                "job_id": row["id"],
                "finished_at": row["finished_at"],
                "address": row["reply_to"],
                "target": address.target,
                "lane": address.lane,
                "body": jsonb(answer.to_json()),
            },
        )
        self._services.answers_wait[address.lane].set()


def give_up(db: Database, job_id: UUID | None, body: dict[str, Any], reason: str) -> None:
    """Keep an answer that cannot be delivered in quarantine."""
    what = f"An answer ({body.get('kind')})" + (f" about job {job_id}" if job_id else "")
    quarantine.put(
        db,
        source="answers",
        cause="Undeliverable",
        message=f"{what} could not be delivered to its reply_to: {reason} The job itself is not affected.",
        body=json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        job_id=job_id,
    )


def record_round(services: ProcessServices, done: Round) -> None:
    """Record how a round went, for `bullpen doctor`. While the database is not reachable, nothing is recorded."""
    try:
        sweeps.record(services.database, [done], worker=services.worker_name)
    except Exception as error:
        log.warning("round_not_recorded", part=done.part, error=type(error).__name__, reason=str(error)[:200])


def mark_announced(db: Database, job_id: UUID, finished_at: datetime) -> None:
    """Record that this end of the job was announced."""
    values = {"id": job_id, "finished_at": finished_at}
    db.statement("UPDATE jobs SET announced_at = now() WHERE id = %(id)s AND finished_at = %(finished_at)s", values)


def _finished(row: dict[str, Any], result: Result | None, page: str | None) -> JobFinished:
    language = job_language(row["kind"], row["language"], row["input"])
    content = None if result is None else in_words(result.content, language)
    if len(json.dumps(content)) > RESULT_BYTES:
        content = None
    return JobFinished(
        job_id=row["id"],
        correlation_id=row["correlation_id"],
        status=JobStatus(row["status"]),
        result=content,
        error=None if row["error"] is None else text_of(read_stored(row["error"]), language),
        page=page,
    )
