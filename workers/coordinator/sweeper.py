"""The sweep: what no message will bring about any more. Each function is one statement and says what to publish.

It looks at jobs that nobody decided, queued steps whose message may be lost, leases that ran out, budgets that are used
up, and jobs whose owner has room again. Any number of coordinators may sweep at once.
"""

from collections.abc import Collection
from functools import partial
from typing import Any, LiteralString
from uuid import UUID

from contracts.statements import Term, as_stored, code, count, name, say, term
from workers.blackboard import quarantine
from workers.blackboard.amounts import BUDGET_COST_USD, BUDGET_TOKENS, BUDGET_WALL_TIME_S, USED
from workers.blackboard.engine import Database, Row, jsonb
from workers.blackboard.steps import MAY_TAKE_OVER, MOST_LOST, PROCESS_GONE
from workers.coordinator import turns
from workers.coordinator.advance import QueuedStep
from workers.coordinator.set_aside import BROKEN_ROW, set_aside
from workers.loggers import get_logger
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE

log = get_logger(__name__)

OUT_OF_ATTEMPTS = "LeaseExpired"
"""Cause of a step that was given up: its last attempt was not heard of again."""
POISONOUS = "TookProcessDown"
"""Cause of a step that was given up: it ended or hung `MOST_LOST` processes."""
GIVEN_UP = frozenset({OUT_OF_ATTEMPTS, POISONOUS})

_UNDECIDED = """
SELECT id FROM jobs
 WHERE finished_at IS NULL AND rev <> decided_rev AND admitted AND updated_at < now() - make_interval(secs => %(grace_s)s)
   AND id <> ALL (%(skip)s)
 ORDER BY priority DESC, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
"""

_COUNT_UNDECIDED = """
SELECT count(*) AS jobs FROM jobs WHERE finished_at IS NULL AND rev <> decided_rev AND admitted AND id <> ALL (%(skip)s)
"""

_EXPIRED: LiteralString = f"""
WITH chosen AS MATERIALIZED (
  SELECT id FROM steps WHERE finished_at IS NULL AND status = 'running' AND lease_until < now() AND {MAY_TAKE_OVER}
   ORDER BY lease_until LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
UPDATE steps SET status = 'queued', token = NULL, lease_until = NULL, due_at = now(), sent_at = now(), lost = lost + ({PROCESS_GONE})::int
 WHERE id IN (SELECT id FROM chosen)
RETURNING id, job_id, stage, role, priority, attempt + 1 AS attempt
"""  # noqa: S608  made of constants

_HOPELESS: LiteralString = f"""
SELECT id, job_id, stage, role, attempt, worker, lost + ({PROCESS_GONE})::int AS lost FROM steps
 WHERE finished_at IS NULL AND status = 'running' AND lease_until < now() AND NOT {MAY_TAKE_OVER} LIMIT %(limit)s
"""  # noqa: S608  made of constants

_GIVE_UP: LiteralString = f"""
WITH j AS (
  UPDATE jobs SET rev = rev + 1, updated_at = now()
   WHERE id = %(job_id)s AND EXISTS (SELECT 1 FROM steps WHERE id = %(step_id)s AND status = 'running' AND lease_until < now())
  RETURNING id, rev),
gone AS (
  UPDATE steps SET status = 'failed', outcome = 'failed', token = NULL, lease_until = NULL, finished_at = now(), ended_rev = j.rev,
         lost = %(lost)s,
         error = jsonb_build_object('type', %(cause)s::text, 'message', %(message)s::jsonb,
                                    'retryable', %(cause)s::text = 'LeaseExpired')
    FROM j WHERE steps.id = %(step_id)s AND steps.status = 'running' AND steps.lease_until < now() RETURNING steps.id),
kept AS ({quarantine.PUT} FROM gone)
INSERT INTO events (job_id, rev, kind, stage, step_id, detail)
SELECT j.id, j.rev, CASE WHEN gone.id IS NULL THEN 'late_report_ignored' ELSE 'step_given_up' END, %(stage)s, %(step_id)s,
       jsonb_build_object('message', %(message)s::jsonb)
  FROM j LEFT JOIN gone ON true RETURNING kind
"""  # noqa: S608  made of constants

_QUEUED_BY_ROLE = """
SELECT role, count(*) AS waiting, count(*) FILTER (WHERE sent_at < now() - make_interval(secs => %(grace_s)s)) AS old
  FROM steps WHERE finished_at IS NULL AND status = 'queued' AND due_at <= now() GROUP BY role
"""

_RESEND = """
WITH chosen AS MATERIALIZED (
  SELECT id FROM steps
   WHERE finished_at IS NULL AND status = 'queued' AND role = %(role)s AND due_at <= now()
     AND sent_at < now() - make_interval(secs => CASE WHEN %(at_once)s THEN %(grace_s)s
                                                      ELSE LEAST(600, %(after_s)s * 2 ^ LEAST(GREATEST(sends, 1) - 1, 11)) END)
   ORDER BY priority DESC, sent_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
UPDATE steps SET sent_at = now(), sends = LEAST(sends, 11) + 1 WHERE id IN (SELECT id FROM chosen)
RETURNING id, job_id, stage, role, priority, attempt + 1 AS attempt
"""


def _with(statement: LiteralString, figure: LiteralString, column: LiteralString) -> LiteralString:
    """SQL of a statement with a figure in it as it is."""
    return f"jsonb_set({statement}, '{{values,{figure},text}}', to_jsonb(({column})::text))"


_OVER_TIME: LiteralString = _with("%(over_time)s::jsonb", "limit", "b.wall_time_s")
_OVER_TOKENS: LiteralString = _with(_with("%(over_tokens)s::jsonb", "used", "u.tokens"), "limit", "b.tokens")
_OVER_COST: LiteralString = _with(_with("%(over_cost)s::jsonb", "used", "u.cost_usd"), "limit", "b.cost_usd")

_OVER_BUDGET: LiteralString = f"""
WITH late AS (
  SELECT j.id, CASE
      WHEN extract(epoch FROM now() - j.work_since) > b.wall_time_s THEN {_OVER_TIME}
      WHEN u.tokens > b.tokens THEN {_OVER_TOKENS}
      WHEN u.cost_usd > b.cost_usd THEN {_OVER_COST}
    END AS reason
    FROM jobs j
    CROSS JOIN LATERAL (SELECT COALESCE({BUDGET_WALL_TIME_S}, %(wall_time_s)s::float8) AS wall_time_s,
                               COALESCE({BUDGET_TOKENS}, %(tokens)s::bigint) AS tokens,
                               COALESCE({BUDGET_COST_USD}, %(cost_usd)s::float8) AS cost_usd) b
    CROSS JOIN LATERAL (
      {USED} WHERE steps.job_id = j.id AND steps.dispatch_rev > j.human_rev AND (b.tokens IS NOT NULL OR b.cost_usd IS NOT NULL)) u
   WHERE j.finished_at IS NULL AND j.status = 'running' AND j.admitted AND j.exceeded IS NULL
     AND (%(only)s::uuid IS NULL OR j.id = %(only)s)),
j AS (
  UPDATE jobs SET exceeded = late.reason, rev = jobs.rev + 1, updated_at = now()
    FROM late WHERE jobs.id = late.id AND late.reason IS NOT NULL AND jobs.status = 'running' AND jobs.exceeded IS NULL
  RETURNING jobs.id, jobs.rev, jobs.exceeded)
INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, 'budget_exceeded', jsonb_build_object('reason', exceeded) FROM j
RETURNING job_id
"""  # noqa: S608  made of constants

_RUNNING = "SELECT id FROM jobs WHERE finished_at IS NULL AND status = 'running' AND exceeded IS NULL ORDER BY priority DESC, id"

_ADMIT = """
WITH RECURSIVE owners AS (
  (SELECT owner FROM jobs WHERE NOT admitted ORDER BY owner LIMIT 1)
  UNION ALL
  SELECT (SELECT owner FROM jobs WHERE NOT admitted AND owner > o.owner ORDER BY owner LIMIT 1) FROM owners o WHERE o.owner IS NOT NULL),
room AS (
  SELECT h.owner, %(cap)s - (
      SELECT count(*) FROM jobs b WHERE b.owner = h.owner AND b.finished_at IS NULL AND b.admitted
         AND b.status IN ('accepted', 'running')) AS free
    FROM owners h WHERE h.owner IS NOT NULL),
next AS MATERIALIZED (
  SELECT j.id FROM room CROSS JOIN LATERAL (
    SELECT id FROM jobs WHERE owner = room.owner AND NOT admitted AND finished_at IS NULL
       AND (%(only)s::uuid IS NULL OR id = %(only)s)
     ORDER BY priority DESC, id LIMIT GREATEST(room.free, 0) FOR UPDATE SKIP LOCKED) j),
j AS (
  UPDATE jobs SET admitted = true, rev = rev + 1, work_since = now(), updated_at = now()
    FROM next WHERE jobs.id = next.id RETURNING jobs.id, jobs.rev)
INSERT INTO events (job_id, rev, kind) SELECT id, rev, 'job_admitted' FROM j RETURNING job_id
"""

# Both lock the rows in `next`, which checks them once more. A second condition on `admitted` in the update would make Postgres look for
# the rows among all that wait, by the index of these.

_ADMIT_NEXT = """
WITH near AS MATERIALIZED (SELECT owner FROM jobs WHERE id = %(job_id)s),
next AS MATERIALIZED (
  SELECT id FROM jobs
   WHERE owner = (SELECT owner FROM near) AND NOT admitted AND finished_at IS NULL
     AND (SELECT count(*) FROM (SELECT 1 FROM jobs b WHERE b.owner = (SELECT owner FROM near) AND b.finished_at IS NULL AND b.admitted
                                   AND b.status IN ('accepted', 'running') LIMIT %(cap)s) busy) < %(cap)s
   ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED),
j AS (
  UPDATE jobs SET admitted = true, rev = rev + 1, work_since = now(), updated_at = now()
    FROM next WHERE jobs.id = next.id RETURNING jobs.id, jobs.rev, jobs.priority),
e AS (INSERT INTO events (job_id, rev, kind) SELECT id, rev, 'job_admitted' FROM j)
SELECT id, priority FROM j
"""

_WAITING = "SELECT id FROM jobs WHERE NOT admitted AND finished_at IS NULL ORDER BY priority DESC, id"


def undecided_jobs(db: Database, *, grace_s: float, skip: Collection[UUID] = (), limit: int = 200) -> list[UUID]:
    """Jobs that changed more than `grace_s` ago and were not decided since, without those in `skip`."""
    return [row["id"] for row in db.statement(_UNDECIDED, {"grace_s": grace_s, "skip": list(skip), "limit": limit})]


def count_undecided(db: Database, *, skip: Collection[UUID] = ()) -> int:
    """Jobs that changed and were not decided since, however short a time ago, without those in `skip`."""
    row = db.row(_COUNT_UNDECIDED, {"skip": list(skip)})
    return row["jobs"] if row else 0


def take_back_expired(db: Database, *, limit: int = 500) -> list[QueuedStep]:
    """Steps whose lease ran out and that have attempts left: queued again, to be published."""
    return [QueuedStep(**row) for row in db.statement(_EXPIRED, {"limit": limit})]


def give_up_hopeless(db: Database, *, limit: int = 100) -> list[UUID]:
    """Steps whose last attempt's lease ran out, and those that took down one process too many: failed, and into quarantine. The jobs to be
    advanced."""
    jobs: list[UUID] = []
    for row in db.statement(_HOPELESS, {"limit": limit}):
        try:
            given_up = _give_up(db, row)
        except BROKEN_ROW as error:
            set_aside(db, row["job_id"], error, during=term("fleet.during.giving_up"))
            continue
        if given_up:
            jobs.append(row["job_id"])
    return jobs


def _give_up(db: Database, row: Row) -> bool:
    """False: somebody else ended the step or took it over just now."""
    again, worker = code(f"bullpen replay {row['id']}"), name(row["worker"] or "?")
    if row["lost"] >= MOST_LOST:
        cause, message = POISONOUS, say("fleet.error.poisonous", times=count(row["lost"], exact=True), worker=worker, command=again)
    else:
        cause, message = OUT_OF_ATTEMPTS, say("fleet.error.lease", attempt=count(row["attempt"], exact=True), worker=worker, command=again)
    values = {"job_id": row["job_id"], "step_id": row["id"], "stage": row["stage"], "message": jsonb(as_stored(message))}
    body = f'{{"job_id":"{row["job_id"]}","step_id":"{row["id"]}","stage":"{row["stage"]}","role":"{row["role"]}"}}'
    words = text_of(message, DEFAULT_LANGUAGE)
    kept = quarantine.entry_values(
        source="sweep", cause=cause, message=words, body=body.encode(), job_id=row["job_id"], step_id=row["id"]
    )  # fmt: skip
    event = db.row(_GIVE_UP, values | {"cause": cause, "lost": row["lost"]} | kept)
    if event is None or event["kind"] != "step_given_up":
        return False
    quarantine.tell(kept)
    return True


def waiting_by_role(db: Database, *, grace_s: float) -> dict[str, tuple[int, int]]:
    """Role → queued steps that are due, and how many of them had a message sent more than `grace_s` ago."""
    return {row["role"]: (row["waiting"], row["old"]) for row in db.statement(_QUEUED_BY_ROLE, {"grace_s": grace_s})}


def take_unsent(db: Database, role: str, *, at_once: bool, grace_s: float, after_s: float, limit: int) -> list[QueuedStep]:
    """Queued steps of a role whose message is old: older than `grace_s` when `at_once` (the queue reads empty), else than
    an interval that doubles from `after_s` with each sending, 10 minutes at most."""
    values = {"role": role, "at_once": at_once, "grace_s": grace_s, "after_s": after_s, "limit": limit}
    return [QueuedStep(**row) for row in db.statement(_RESEND, values)]


def mark_over_budget(db: Database, *, wall_time_s: float, tokens: int | None = None, cost_usd: float | None = None) -> list[UUID]:
    """Record that a budget is used up, so that the coordinator ends the job. Returns the jobs to be advanced. The figures are the limits
    of jobs that have none of their own."""
    figure = name("?")  # set where the rows are
    says = {
        "over_time": say("fleet.error.budget_time", limit=figure),
        "over_tokens": say("fleet.error.budget_tokens", used=figure, limit=figure),
        "over_cost": say("fleet.error.budget_cost", used=figure, limit=figure),
    }
    budgets = {"wall_time_s": wall_time_s, "tokens": tokens, "cost_usd": cost_usd}
    values = budgets | {field: jsonb(as_stored(over)) for field, over in says.items()}
    return _all_or_each(db, _OVER_BUDGET, values, each=_RUNNING, during=term("fleet.during.budget"))


def admit_jobs(db: Database, *, owner_cap: int) -> list[UUID]:
    """Admit waiting jobs whose owner is below the limit, the most urgent first. Returns the jobs to be advanced."""
    return _all_or_each(db, _ADMIT, {"cap": owner_cap}, each=_WAITING, during=term("fleet.during.admitting"), turn=turns.OF_WAITING)


def admit_next(db: Database, job_id: UUID, *, owner_cap: int) -> list[tuple[UUID, int]]:
    """Admit the most urgent waiting job of the owner of a job, which made room or waits itself, if there is room: one at most, however many
    wait. The sweep does the rest, and what a row that cannot be admitted leaves undone. Returns the job to be advanced, with its
    priority."""
    try:
        made = db.in_turn(turns.OF_JOB, _ADMIT_NEXT, {"job_id": job_id, "cap": owner_cap}, {"job_id": job_id})
        return [(row["id"], row["priority"]) for row in made]
    except BROKEN_ROW as error:
        log.warning("not_admitted", job_id=str(job_id), error=type(error).__name__, reason=str(error)[:200])
        return []


def _all_or_each(
    db: Database, sql: LiteralString, values: dict[str, Any], *, each: LiteralString, during: Term, turn: LiteralString | None = None
) -> list[UUID]:
    """One statement for all jobs, behind `turn`. If a row makes it fail, it runs for each job of `each` separately; jobs that still fail
    are set aside."""
    run = db.statement if turn is None else partial(db.in_turn, turn)
    try:
        return [row["job_id"] for row in run(sql, {**values, "only": None})]
    except BROKEN_ROW as error:
        log.warning("sweeping_one_by_one", during=during.code, error=type(error).__name__, reason=str(error)[:200])
    done: list[UUID] = []
    for job in db.statement(each):
        try:
            done += [row["job_id"] for row in run(sql, {**values, "only": job["id"]})]
        except BROKEN_ROW as error:
            set_aside(db, job["id"], error, during=during)
    return done
