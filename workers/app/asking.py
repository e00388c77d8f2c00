"""Tells producers what their jobs ask: each open question becomes an answer `job_asks`, with its form and how to reply to it."""

import json
from typing import Any, LiteralString

from contracts.base import Json
from contracts.events import JobAsks
from contracts.statements import Sayable, Statement
from workers.app.job_pages import page_of
from workers.app.reply_addresses import read_address
from workers.app.services import ProcessServices
from workers.blackboard.engine import Row, jsonb
from workers.coordinator.job_language import job_language
from workers.errors import InvalidSubmission
from workers.reading.questions import as_question
from workers.saying.content import in_words

DETAIL_BYTES = 65_536

_DUE: LiteralString = """
SELECT r.id AS request_id, r.asker, r.also, r.step_id, r.about, r.payload, r.response, r.void, r.created_at, r.answered_at,
       j.id AS job_id, j.kind, j.owner, j.reply_to, j.correlation_id, j.language,
       CASE WHEN j.language IS NULL THEN
         (SELECT content FROM deliverables i WHERE i.job_id = j.id AND i.stage = 'input' ORDER BY pinned DESC, version DESC LIMIT 1)
       END AS input
  FROM requests r JOIN jobs j ON j.id = r.job_id
 WHERE r.target = 'human' AND r.response IS NULL AND NOT r.void AND r.announced_at IS NULL
   AND j.reply_to IS NOT NULL AND j.finished_at IS NULL AND r.rev <= j.decided_rev
 ORDER BY r.id LIMIT %(limit)s
"""
"""A question that the boss has not seen yet may be void a moment later; it waits."""

_ASK: LiteralString = """
WITH asked AS (
  UPDATE requests SET announced_at = now() WHERE id = %(request_id)s AND announced_at IS NULL AND response IS NULL AND NOT void
  RETURNING job_id)
INSERT INTO answers (address, target, lane, job_id, body)
SELECT %(address)s, %(target)s, %(lane)s, job_id, %(body)s FROM asked WHERE %(target)s::text IS NOT NULL
"""


def announce_questions(services: ProcessServices, *, limit: int = 100) -> int:
    """One round. Returns the number of questions that are announced now."""
    rows = services.database.statement(_DUE, {"limit": limit})
    for row in rows:
        try:
            address = read_address(services.settings, row["reply_to"])
            target, lane = address.target, address.lane
        except InvalidSubmission:  # a job of an earlier release or of other settings: its question is asked on the command line only
            target, lane = None, "broker"
        services.database.statement(
            _ASK,
            {
                "request_id": row["request_id"],
                "address": row["reply_to"],
                "target": target,
                "lane": lane,
                "body": jsonb(_asks(row, page_of(services.settings, row["job_id"])).to_json()),
            },
        )
    if rows:
        for wait in services.answers_wait.values():
            wait.set()
    return len(rows)


def _asks(row: Row, page: str | None) -> JobAsks:
    question = as_question(row)
    language = job_language(row["kind"], row["language"], row["input"])

    def text(sayable: Sayable) -> str:
        return str(in_words(sayable.to_json(), language)) if isinstance(sayable, Statement) else sayable

    form = question.form
    return JobAsks(
        job_id=row["job_id"],
        correlation_id=row["correlation_id"],
        request_id=question.request_id,
        stage=question.asker,
        question=text(form.text),
        choices=tuple(text(choice) for choice in form.choices),
        must_choose=form.must_choose,
        guidance=None if form.guidance is None else text(form.guidance),
        detail=_detail(in_words(question.payload.get("detail"), language)),
        reply_with=_reply_with(row),
        page=page,
    )


def _detail(value: Any) -> Json | None:
    fits = isinstance(value, dict) and len(json.dumps(value)) <= DETAIL_BYTES
    return value if fits else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _reply_with(row: Row) -> Json:
    """The message that answers it, but for the text."""
    reply: Json = {"answer": {"job_id": str(row["job_id"]), "request_id": str(row["request_id"]), "text": ""}}
    return reply if row["owner"] == "default" else {**reply, "owner": row["owner"]}
