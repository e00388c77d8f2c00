"""Intake: a submission becomes a job on the board, in one statement, or is refused with the reason."""

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from contracts.base import Contract, content_hash
from contracts.commands import NewerVersion, upcast
from contracts.jobs import EngineChoice, SubmitJob
from contracts.refusals import at, in_words
from contracts.roles import RoleName
from contracts.stages import INPUT
from contracts.statements import Join, Statement, code, listing, name, say
from workers.blackboard.engine import Database, jsonb
from workers.blackboard.ids import new_id
from workers.coordinator import turns
from workers.coordinator.playbooks import find_playbook
from workers.errors import IdempotencyConflict, InvalidSubmission
from workers.saying.reasons import statement_of

Message = TypeVar("Message", bound=Contract)

_INSERT = """
WITH s AS (
  INSERT INTO sessions AS known (id, owner) VALUES (%(session_id)s, %(owner)s)
  ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner WHERE known.owner = EXCLUDED.owner
  RETURNING id),
j AS (
  INSERT INTO jobs (id, kind, owner, session_id, status, priority, rev, decided_rev, human_rev, work_since, admitted, engine,
                    chooser, result, language, budget, idempotency_key, body_hash, correlation_id, reply_to)
  SELECT %(id)s, %(kind)s, %(owner)s, s.id, 'accepted', %(priority)s, 1, 0, 1, now(),
         (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE owner = %(owner)s AND finished_at IS NULL AND admitted
                                                       AND status IN ('accepted', 'running')
                                 LIMIT %(cap)s) busy) < %(cap)s,
         %(engine)s, %(chooser)s, %(result)s, %(language)s, %(budget)s, %(key)s, %(body_hash)s, %(correlation_id)s, %(reply_to)s
    FROM s
  ON CONFLICT DO NOTHING
  RETURNING id),
st AS (
  INSERT INTO stages (job_id, name, position, role, task, needs, optional, params)
  SELECT j.id, x.name, x.position, x.role, x.task, x.needs, x.optional, x.params
    FROM j, jsonb_to_recordset(%(stages)s) AS x(name text, position smallint, role text, task text, needs text[],
                                                optional boolean, params jsonb)),
d AS (
  INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, origin, pinned, rev)
  SELECT %(input_id)s, j.id, 'input', 1, %(content_hash)s, %(content_hash)s, %(content)s, 'human', true, 1 FROM j),
e AS (INSERT INTO events (job_id, rev, kind, detail) SELECT id, 1, 'job_accepted', %(detail)s FROM j)
SELECT (SELECT id FROM j) AS id, EXISTS (SELECT 1 FROM s) AS own_session
"""
"""`s` is empty when the session is another owner's: the row of the session is locked while its owner is compared, so that of two owners
who name a new session at once one is refused. A repetition after a lost answer finds its own job by the primary key, and writes nothing."""

_KNOWN = "SELECT id, body_hash FROM jobs WHERE (owner = %(owner)s AND idempotency_key = %(key)s) OR id = %(id)s"


NewJob = dict[str, Any]
"""The values of a new job's rows, by the names of the parameters of the statements here."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A durable job. `existing`: the idempotency key had it already."""

    job_id: UUID
    existing: bool = False


def read_submission(value: Any) -> SubmitJob:
    """The submission in a JSON value. Raises `InvalidSubmission` with every fault and its place, or `NewerVersion`."""
    return read_message(SubmitJob, value)


def read_message(contract: type[Message], value: Any) -> Message:
    """What a producer sent, as its contract. Raises `InvalidSubmission` with every fault and its place, or `NewerVersion`."""
    try:
        return contract.model_validate(upcast(value))
    except NewerVersion:
        raise
    except ValidationError as error:
        raise InvalidSubmission.of(faults(error)) from None
    except ValueError as error:
        raise InvalidSubmission.of(statement_of(error)) from None


def accept(db: Database, submission: SubmitJob, *, owner_cap: int, chooser: RoleName | None = None, has_model: bool = False) -> Accepted:
    """Write the job. Raises `InvalidSubmission` (unknown kind, bad request, another owner's session) or `IdempotencyConflict`.

    `chooser`: the role that finds the stage of an instruction in mid-job; None: the human is asked. `has_model`: whether this
    deployment has one, without which a job that insists on it is refused.
    """
    new = prepare(submission, chooser=chooser, has_model=has_model)
    values = {**new, "cap": owner_cap, **{name: jsonb(new[name]) for name in ("budget", "stages", "content", "detail")}}
    row = db.in_turn(turns.OF_OWNERS, _INSERT, values, {"owners": [new["owner"]]})[0]
    return Accepted(row["id"]) if row["id"] is not None else find_known(db, new, own_session=row["own_session"])


def prepare(submission: SubmitJob, *, chooser: RoleName | None = None, has_model: bool = False) -> NewJob:
    """The rows of a new job, with ids of their own. Raises `InvalidSubmission`."""
    playbook = find_playbook(submission.job.get("kind"))
    if submission.engine == EngineChoice.LLM and not has_model:
        raise InvalidSubmission.of(
            say("refused.no_model", llm=code("llm"), setting=name("BULLPEN_MODEL"), auto=code("auto"), rules=code("rules"))
        )
    try:
        request = playbook.read_request(submission.job)
    except ValidationError as error:
        raise InvalidSubmission.of(faults(error)) from None
    stages: list[dict[str, Any]] = [{"name": INPUT, "position": 0, "role": None, "task": "", "needs": [], "optional": False, "params": {}}]
    stages += [{**spec.to_json(), "position": place} for place, spec in enumerate(playbook.stages, 1)]
    return {
        "id": new_id(),
        "input_id": new_id(),
        "kind": playbook.kind,
        "owner": submission.owner,
        "session_id": submission.session_id or new_id(),
        "priority": submission.priority,
        "engine": submission.engine.value,
        "chooser": chooser,
        "result": playbook.result,
        "language": playbook.language_of(request),
        "budget": submission.budget.model_dump(mode="json", exclude_none=True),
        "key": submission.idempotency_key,
        "body_hash": content_hash(submission.model_dump(mode="json", include={"job", "priority", "engine", "budget", "session_id"})),
        "correlation_id": submission.correlation_id,
        "reply_to": submission.reply_to,
        "stages": stages,
        "content": request,
        "content_hash": content_hash(request),
        "detail": {"kind": playbook.kind},
    }


def find_known(db: Database, new: NewJob, *, own_session: bool = True) -> Accepted:
    """The job that was in the way of this new one. Raises `InvalidSubmission` or `IdempotencyConflict`."""
    known = db.row(_KNOWN, {"owner": new["owner"], "key": new["key"], "id": new["id"]})
    if known is None and not own_session:
        raise InvalidSubmission.of(
            say("refused.foreign_session", field=name("session_id"), session=name(new["session_id"]), owner=name(repr(new["owner"])))
        )
    if known is None or known["body_hash"] != new["body_hash"]:
        holder = say("refused.another_job") if known is None else say("refused.job", job=name(known["id"]))
        raise IdempotencyConflict.of(
            say("refused.key_of_another", key=name(repr(new["key"])), owner=name(repr(new["owner"])), holder=holder)
        )
    return Accepted(known["id"], existing=known["id"] != new["id"])


def faults(error: ValidationError) -> Statement:
    """Every fault with its field, in one line."""
    found = [at(".".join(map(str, item["loc"])) or "message", in_words(item)) for item in error.errors(include_url=False)[:10]]
    return say("refused.faults", faults=listing(*found, join=Join.CLAUSES))
