"""A database with as many jobs as one likes: a few real ones, run to where they stop, and copies of them under new ids.

A copy has its own ids and times and is otherwise what it was copied from, so its stages are as fresh as the pattern's.
"""

from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

import psycopg

from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.actions import answer, cancel
from workers.coordinator.intake import accept, read_submission

LARGE = ("jobs", "stages", "steps", "deliverables", "requests", "events", "decisions", "quarantine")
"""Tables that grow with the number of jobs, or of faults."""

APART_MS = 40_000
"""Between two submissions: 100,000 jobs are 46 days."""

_FUNCTION: LiteralString = """
CREATE OR REPLACE FUNCTION copied(id uuid, n int) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (lpad(to_hex(('x' || substr(h, 1, 12))::bit(48)::bigint - n::bigint * 40000), 12, '0') || substr(h, 13, 8)
          || substr(md5(h || n), 1, 12))::uuid FROM (SELECT replace(id::text, '-', '') AS h) hex
$$
"""
"""The time in a UUIDv7 moves back, the order within a job stays, and the end is the copy's own."""

_COPIES: LiteralString = """
CREATE TEMP TABLE copies AS
SELECT n, (%(patterns)s::uuid[])[1 + (n * 7919) %% %(weight)s] AS pattern FROM generate_series(1, %(count)s) n
"""

_SESSIONS: LiteralString = """
INSERT INTO sessions (id, owner) SELECT md5('session' || n)::uuid, 'owner-' || n %% 100 FROM generate_series(1, 500) n
"""

_JOBS: LiteralString = """
INSERT INTO jobs (id, kind, owner, session_id, status, priority, rev, decided_rev, human_rev, work_since, admitted, engine, chooser, budget,
                  exceeded, error, body_hash, result, language, created_at, updated_at, finished_at)
SELECT copied(j.id, c.n), j.kind, 'owner-' || c.n %% 100, CASE WHEN c.n %% 10 = 0 THEN md5('session' || 1 + c.n %% 500)::uuid END, j.status,
       j.priority, j.rev, j.decided_rev, j.human_rev, j.work_since, j.admitted, j.engine, j.chooser, j.budget, j.exceeded, j.error,
       j.body_hash, j.result, j.language, j.created_at - c.n * interval '40 s',
       j.updated_at - c.n * interval '40 s', j.finished_at - c.n * interval '40 s'
  FROM copies c JOIN jobs j ON j.id = c.pattern
"""

_STAGES: LiteralString = """
INSERT INTO stages SELECT copied(s.job_id, c.n), s.name, s.position, s.role, s.task, s.needs, s.optional, s.params
  FROM copies c JOIN stages s ON s.job_id = c.pattern
"""

_STEPS: LiteralString = """
INSERT INTO steps (id, job_id, stage, role, task, status, outcome, made_from, params, may_ask, need_ids, request_ids, ancestors, priority,
                   attempt, max_attempts, token, reported_by, lease_until, deadline, timeout_s, due_at, sent_at, sends, dispatches,
                   dispatch_rev, ended_rev, summary, draft, error, usage, engine, notes, worker, created_at, started_at, finished_at)
SELECT copied(s.id, c.n), copied(s.job_id, c.n), s.stage, s.role, s.task, s.status, s.outcome, s.made_from, s.params, s.may_ask,
       ARRAY(SELECT copied(u, c.n) FROM unnest(s.need_ids) u), ARRAY(SELECT copied(u, c.n) FROM unnest(s.request_ids) u), s.ancestors,
       s.priority, s.attempt, s.max_attempts, s.token, s.reported_by, s.lease_until, s.deadline, s.timeout_s, s.due_at, s.sent_at, s.sends,
       s.dispatches, s.dispatch_rev, s.ended_rev, s.summary, s.draft, s.error,
       CASE WHEN c.n %% 4 = 0 THEN '{"input_tokens": 1200, "output_tokens": 300, "model_calls": 1, "cost_usd": 0.002}'::jsonb END,
       CASE WHEN c.n %% 4 = 0 THEN 'model-' || c.n %% 3 ELSE s.engine END, s.notes, s.worker,
       s.created_at - c.n * interval '40 s', s.started_at - c.n * interval '40 s', s.finished_at - c.n * interval '40 s'
  FROM copies c JOIN steps s ON s.job_id = c.pattern
"""

_DELIVERABLES: LiteralString = """
INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, effects, origin, pinned, step_id, rev, created_at)
SELECT copied(d.id, c.n), copied(d.job_id, c.n), d.stage, d.version, d.made_from, d.content_hash,
       CASE WHEN d.stage = 'input' THEN d.content || jsonb_build_object('text', 'Report ' || c.n || ' is slow since the load 夜间作业变慢')
            ELSE d.content END,
       d.effects, d.origin, d.pinned, copied(d.step_id, c.n), d.rev, d.created_at - c.n * interval '40 s'
  FROM copies c JOIN deliverables d ON d.job_id = c.pattern
"""

_REQUESTS: LiteralString = """
INSERT INTO requests (id, job_id, asker, target, also, kind, payload, payload_hash, role, task, made_from, about, held, response,
                      response_hash, void, step_id, rev, created_at, answered_at)
SELECT copied(r.id, c.n), copied(r.job_id, c.n), r.asker, r.target, r.also, r.kind, r.payload, r.payload_hash, r.role, r.task, r.made_from,
       copied(r.about, c.n), r.held, r.response, r.response_hash, r.void, copied(r.step_id, c.n), r.rev, r.created_at, r.answered_at
  FROM copies c JOIN requests r ON r.job_id = c.pattern
"""

_DECISIONS: LiteralString = """
INSERT INTO decisions SELECT copied(d.job_id, c.n), d.rev, d.rule, d.status, d.moves, d.release, d.created_at - c.n * interval '40 s'
  FROM copies c JOIN decisions d ON d.job_id = c.pattern
"""

_EVENTS: LiteralString = """
INSERT INTO events SELECT copied(e.job_id, c.n), e.rev, e.kind, e.stage, copied(e.step_id, c.n), e.detail, e.at - c.n * interval '40 s'
  FROM copies c JOIN events e ON e.job_id = c.pattern
"""

_QUARANTINE: LiteralString = """
INSERT INTO quarantine (id, source, cause, message, body, body_hash, body_size, state)
SELECT md5('entry' || n)::uuid, 'bullpen:jobs', 'NotJson', 'Not JSON', 'x'::bytea, md5('x'), 1,
       CASE WHEN n %% 50 = 0 THEN 'new' ELSE 'given_up' END
  FROM generate_series(1, %(count)s) n
"""

_FILL: tuple[LiteralString, ...] = (
    _SESSIONS, _JOBS, _STAGES, _STEPS, _DELIVERABLES, _REQUESTS, _DECISIONS, _EVENTS,
)  # fmt: skip


@dataclass(frozen=True)
class Patterns:
    """Real jobs, by where they stopped."""

    chain: UUID
    review: UUID
    answered: UUID
    failed: UUID
    waiting: UUID
    queued: UUID
    cancelled: UUID

    def weighted(self) -> list[UUID]:
        """Of a hundred jobs, how many are copies of each."""
        counts = {self.chain: 62, self.review: 20, self.answered: 8, self.failed: 5, self.waiting: 2, self.queued: 2, self.cancelled: 1}
        return [pattern for pattern, count in counts.items() for _ in range(count)]


def run_patterns(services: ProcessServices) -> Patterns:
    """Run the jobs that are copied. Needs the extension tests.support.noop."""
    db = services.database

    def submit(kind: str = "noop", **plan: dict[str, Any]) -> UUID:
        submission = read_submission({"job": {"kind": kind, "text": "slow", "plan": plan}, "owner": "owner-0", "engine": "rules"})
        return accept(db, submission, owner_cap=1000, has_model=False).job_id

    chain, review = submit(), submit("noop_graph", review={"remark": 1, "on": "left"})
    answered, failed, waiting, cancelled = submit(s2={"ask": 1}), submit(s3={"break": 1}), submit(s1={"ask": 1}), submit()
    cancel(db, cancelled)
    run_all(services)
    answer(db, answered, "yes")
    run_all(services)
    queued = submit()
    advance_and_publish(services, queued)
    return Patterns(chain, review, answered, failed, waiting, queued, cancelled)


def fill(db: Database, patterns: Patterns, count: int) -> None:
    """Add `count` copies of the patterns, and quarantine entries."""
    weighted = patterns.weighted()
    with psycopg.connect(db.url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute("SET work_mem = '256MB'")
        connection.execute(_FUNCTION)
        connection.execute(_COPIES, {"patterns": weighted, "weight": len(weighted), "count": count})
        for statement in _FILL:
            connection.execute(statement.replace("%%", "%"))
        connection.execute(_QUARANTINE, {"count": count})
        connection.execute("VACUUM ANALYZE")
