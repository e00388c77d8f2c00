"""Many submissions become jobs in one statement: what costs a round trip and a commit for one costs the same for some hundred."""

from collections.abc import Sequence
from typing import LiteralString
from uuid import UUID

from contracts.jobs import SubmitJob
from workers.blackboard.engine import Database, jsonb
from workers.coordinator import turns
from workers.coordinator.intake import NewJob

_INSERT: LiteralString = """
WITH r AS (
  SELECT * FROM jsonb_to_recordset(%(rows)s) AS x(
    id uuid, input_id uuid, kind text, owner text, session_id uuid, priority smallint, engine text, chooser text, result text,
    language text, budget jsonb, key text, body_hash text, correlation_id text, reply_to text, stages jsonb, content jsonb,
    content_hash text, detail jsonb)),
busy AS MATERIALIZED (
  SELECT o.owner, (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE owner = o.owner AND finished_at IS NULL AND admitted
                                                            AND status IN ('accepted', 'running') LIMIT %(cap)s) b) AS jobs
    FROM (SELECT DISTINCT owner FROM r) o),
s AS (
  INSERT INTO sessions (id, owner) SELECT session_id, owner FROM r
  ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner WHERE sessions.owner = EXCLUDED.owner
  RETURNING id),
j AS (
  INSERT INTO jobs (id, kind, owner, session_id, status, priority, rev, decided_rev, human_rev, work_since, admitted, engine,
                    chooser, result, language, budget, idempotency_key, body_hash, correlation_id, reply_to)
  SELECT r.id, r.kind, r.owner, r.session_id, 'accepted', r.priority, 1, 0, 1, now(),
         busy.jobs + row_number() OVER (PARTITION BY r.owner ORDER BY r.priority DESC, r.id) <= %(cap)s,
         r.engine, r.chooser, r.result, r.language, r.budget, r.key, r.body_hash, r.correlation_id, r.reply_to
    FROM r JOIN busy USING (owner) JOIN s ON s.id = r.session_id
  ON CONFLICT DO NOTHING
  RETURNING id, admitted),
st AS (
  INSERT INTO stages (job_id, name, position, role, task, needs, optional, params)
  SELECT j.id, x.name, x.position, x.role, x.task, x.needs, x.optional, x.params
    FROM j JOIN r USING (id) CROSS JOIN LATERAL jsonb_to_recordset(r.stages)
      AS x(name text, position smallint, role text, task text, needs text[], optional boolean, params jsonb)),
d AS (
  INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, origin, pinned, rev)
  SELECT r.input_id, j.id, 'input', 1, r.content_hash, r.content_hash, r.content, 'human', true, 1 FROM j JOIN r USING (id)),
e AS (INSERT INTO events (job_id, rev, kind, detail) SELECT j.id, 1, 'job_accepted', r.detail FROM j JOIN r USING (id))
SELECT id, admitted FROM j
"""


def fits_batch(submission: SubmitJob) -> bool:
    """Whether it can be written together with others. A named session is compared with its owner row by row, by `accept`."""
    return submission.session_id is None


def accept_many(db: Database, jobs: Sequence[NewJob], *, owner_cap: int) -> dict[UUID, bool]:
    """Write these jobs; of each new one, whether it may run at once. A job that is missing in the answer was in the way of another one, or
    was written by a first try of this statement: see `find_known`."""
    if not jobs:
        return {}
    rows = [{**job, "id": str(job["id"]), "input_id": str(job["input_id"]), "session_id": str(job["session_id"])} for job in jobs]
    owners = sorted({job["owner"] for job in jobs})
    made = db.in_turn(turns.OF_OWNERS, _INSERT, {"rows": jsonb(rows), "cap": owner_cap}, {"owners": owners})
    return {row["id"]: row["admitted"] for row in made}
