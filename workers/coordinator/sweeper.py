"""The sweep: what no message will bring about any more. Each function is one statement and says what to publish.

It looks at jobs that nobody decided, queued steps whose message may be lost, leases that ran out, budgets that are used
up, and jobs whose owner has room again. Any number of coordinators may sweep at once.
"""

from uuid import UUID

from workers.blackboard import quarantine
from workers.blackboard.engine import Database
from workers.coordinator.advance import QueuedStep

_UNDECIDED = """
SELECT id FROM jobs
 WHERE finished_at IS NULL AND rev <> decided_rev AND admitted AND updated_at < now() - make_interval(secs => %(grace_s)s)
 ORDER BY priority DESC, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
"""

_EXPIRED = """
UPDATE steps SET status = 'queued', token = NULL, lease_until = NULL, due_at = now(), sent_at = now()
 WHERE id IN (SELECT id FROM steps WHERE finished_at IS NULL AND status = 'running' AND lease_until < now() AND attempt < max_attempts
               ORDER BY lease_until LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING id, job_id, stage, role, priority, attempt + 1 AS attempt
"""

_HOPELESS = """
SELECT id, job_id, stage, role, attempt, worker FROM steps
 WHERE finished_at IS NULL AND status = 'running' AND lease_until < now() AND attempt >= max_attempts LIMIT %(limit)s
"""

_GIVE_UP = """
WITH j AS (
  UPDATE jobs SET rev = rev + 1, updated_at = now()
   WHERE id = %(job_id)s AND EXISTS (SELECT 1 FROM steps WHERE id = %(step_id)s AND status = 'running' AND lease_until < now())
  RETURNING id, rev),
gone AS (
  UPDATE steps SET status = 'failed', outcome = 'failed', token = NULL, lease_until = NULL, finished_at = now(), ended_rev = j.rev,
         error = jsonb_build_object('type', 'LeaseExpired', 'message', %(message)s::text, 'retryable', true)
    FROM j WHERE steps.id = %(step_id)s AND steps.status = 'running' AND steps.lease_until < now() RETURNING steps.id)
INSERT INTO events (job_id, rev, kind, stage, step_id, detail)
SELECT j.id, j.rev, CASE WHEN gone.id IS NULL THEN 'late_report_ignored' ELSE 'step_given_up' END, %(stage)s, %(step_id)s,
       jsonb_build_object('message', %(message)s::text)
  FROM j LEFT JOIN gone ON true RETURNING kind
"""

_QUEUED_BY_ROLE = """
SELECT role, count(*) AS waiting, count(*) FILTER (WHERE sent_at < now() - make_interval(secs => %(grace_s)s)) AS old
  FROM steps WHERE finished_at IS NULL AND status = 'queued' AND due_at <= now() GROUP BY role
"""

_RESEND = """
UPDATE steps SET sent_at = now(), sends = LEAST(sends + 1, 12)
 WHERE id IN (SELECT id FROM steps
               WHERE finished_at IS NULL AND status = 'queued' AND role = %(role)s AND due_at <= now()
                 AND sent_at < now() - make_interval(secs => CASE WHEN %(at_once)s THEN %(grace_s)s
                                                                  ELSE LEAST(600, %(after_s)s * 2 ^ (sends - 1)) END)
               ORDER BY priority DESC, sent_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING id, job_id, stage, role, priority, attempt + 1 AS attempt
"""

_OVER_BUDGET = """
WITH late AS (
  SELECT j.id, CASE
      WHEN now() - j.work_since > make_interval(secs => COALESCE((j.budget->>'wall_time_s')::float, %(wall_time_s)s))
        THEN format('BudgetExceeded: the job worked longer than %%s s.', COALESCE((j.budget->>'wall_time_s')::float, %(wall_time_s)s))
      WHEN u.tokens > b.tokens THEN format('BudgetExceeded: the job used %%s tokens of %%s.', u.tokens, b.tokens)
      WHEN u.cost_usd > b.cost_usd THEN format('BudgetExceeded: the job cost %%s USD of %%s.', u.cost_usd, b.cost_usd)
    END AS reason
    FROM jobs j
    CROSS JOIN LATERAL (SELECT COALESCE((j.budget->>'tokens')::bigint, %(tokens)s::bigint) AS tokens,
                               COALESCE((j.budget->>'cost_usd')::float, %(cost_usd)s::float) AS cost_usd) b
    LEFT JOIN LATERAL (
      SELECT sum(COALESCE((usage->>'input_tokens')::bigint, 0) + COALESCE((usage->>'output_tokens')::bigint, 0)) AS tokens,
             sum(COALESCE((usage->>'cost_usd')::float, 0)) AS cost_usd
        FROM steps WHERE steps.job_id = j.id AND steps.dispatch_rev > j.human_rev
         AND (b.tokens IS NOT NULL OR b.cost_usd IS NOT NULL)) u ON true
   WHERE j.finished_at IS NULL AND j.status = 'running' AND j.exceeded IS NULL),
j AS (
  UPDATE jobs SET exceeded = late.reason || ' Raise the budget and replay, or fork it.', rev = jobs.rev + 1, updated_at = now()
    FROM late WHERE jobs.id = late.id AND late.reason IS NOT NULL AND jobs.status = 'running' AND jobs.exceeded IS NULL
  RETURNING jobs.id, jobs.rev, jobs.exceeded)
INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, 'budget_exceeded', jsonb_build_object('reason', exceeded) FROM j
RETURNING job_id
"""

_ADMIT = """
WITH room AS (
  SELECT h.owner, %(cap)s - (
      SELECT count(*) FROM jobs b WHERE b.owner = h.owner AND b.finished_at IS NULL AND b.admitted
         AND b.status IN ('accepted', 'running')) AS free
    FROM (SELECT DISTINCT owner FROM jobs WHERE NOT admitted AND status = 'accepted') h),
next AS (
  SELECT j.id FROM room CROSS JOIN LATERAL (
    SELECT id FROM jobs WHERE owner = room.owner AND NOT admitted AND status = 'accepted'
     ORDER BY priority DESC, id LIMIT GREATEST(room.free, 0) FOR UPDATE SKIP LOCKED) j),
j AS (
  UPDATE jobs SET admitted = true, rev = rev + 1, work_since = now(), updated_at = now()
    FROM next WHERE jobs.id = next.id AND NOT jobs.admitted RETURNING jobs.id, jobs.rev)
INSERT INTO events (job_id, rev, kind) SELECT id, rev, 'job_admitted' FROM j RETURNING job_id
"""


def undecided_jobs(db: Database, *, grace_s: float, limit: int = 200) -> list[UUID]:
    """Jobs that changed more than `grace_s` ago and were not decided since."""
    return [row["id"] for row in db.statement(_UNDECIDED, {"grace_s": grace_s, "limit": limit})]


def take_back_expired(db: Database, *, limit: int = 500) -> list[QueuedStep]:
    """Steps whose lease ran out and that have attempts left: queued again, to be published."""
    return [QueuedStep(**row) for row in db.statement(_EXPIRED, {"limit": limit})]


def give_up_hopeless(db: Database, *, limit: int = 100) -> list[UUID]:
    """Steps whose last attempt's lease ran out: failed, and into quarantine. The jobs to be advanced."""
    jobs: list[UUID] = []
    for row in db.statement(_HOPELESS, {"limit": limit}):
        message = (
            f"The lease of attempt {row['attempt']} ran out on {row['worker']}; no attempt is left. "
            f"`bullpen replay {row['id']}` tries again."
        )
        told = db.row(_GIVE_UP, {"job_id": row["job_id"], "step_id": row["id"], "stage": row["stage"], "message": message})
        if told is not None and told["kind"] == "step_given_up":
            body = f'{{"job_id":"{row["job_id"]}","step_id":"{row["id"]}","stage":"{row["stage"]}","role":"{row["role"]}"}}'
            quarantine.put(
                db, source="sweep", cause="LeaseExpired", message=message, body=body.encode(), job_id=row["job_id"], step_id=row["id"]
            )
            jobs.append(row["job_id"])
    return jobs


def waiting_by_role(db: Database, *, grace_s: float) -> dict[str, tuple[int, int]]:
    """Role → queued steps that are due, and how many of them had a message sent more than `grace_s` ago."""
    return {row["role"]: (row["waiting"], row["old"]) for row in db.statement(_QUEUED_BY_ROLE, {"grace_s": grace_s})}


def take_unsent(db: Database, role: str, *, at_once: bool, grace_s: float, after_s: float, limit: int) -> list[QueuedStep]:
    """Queued steps of a role whose message is old: older than `grace_s` when `at_once` (the queue reads empty), else than
    an interval that doubles from `after_s` with each sending, 10 minutes at most."""
    values = {"role": role, "at_once": at_once, "grace_s": grace_s, "after_s": after_s, "limit": limit}
    return [QueuedStep(**row) for row in db.statement(_RESEND, values)]


def mark_over_budget(db: Database, *, wall_time_s: float, tokens: int | None = None, cost_usd: float | None = None) -> list[UUID]:
    """Write the fact that a budget is used up; the boss ends the job. The jobs to be advanced. The figures: of a job that names none."""
    values = {"wall_time_s": wall_time_s, "tokens": tokens, "cost_usd": cost_usd}
    return [row["job_id"] for row in db.statement(_OVER_BUDGET, values)]


def admit_jobs(db: Database, *, owner_cap: int) -> list[UUID]:
    """Let waiting jobs in whose owner has room, the most urgent first. The jobs to be advanced."""
    return [row["job_id"] for row in db.statement(_ADMIT, {"cap": owner_cap})]
