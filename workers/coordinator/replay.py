"""Replay and fork: ask for a new answer, of one step, of all that failed, or in a copy of the job."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from contracts.base import Json, content_hash
from contracts.events import EventKind
from contracts.jobs import StepStatus
from contracts.statements import as_value, code, count, member_term, name, names, say
from workers.blackboard.board import OPERATOR
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row, jsonb
from workers.blackboard.ids import new_id
from workers.blackboard.journal import MOST_BODY_BYTES, keep_texts, read_steps_calls
from workers.coordinator.actions import human_word
from workers.coordinator.by_stage import CHOOSE
from workers.coordinator.edits import Change, Edit, check_parameters
from workers.coordinator.freshness import StageView, View, look
from workers.errors import Conflict, InvalidInput, NotFound


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay requested again."""

    job_id: UUID
    stage: str
    request_id: UUID
    changes: tuple[Change, ...] = ()
    """The parameters that the edit changes."""


@dataclass(frozen=True, slots=True)
class FromCall:
    """A replay that goes on from the calls of a step: those before `call` get their recorded answers."""

    step_id: UUID
    call: int
    messages: tuple[tuple[str, str], ...] = ()
    """Role and text of each message of the edited prompt; empty: the prompt as it is."""

    @classmethod
    def read(cls, step_id: UUID, call: int, edit: Json | None) -> Self:
        """From a prompt as `bullpen show JOB --calls --json` prints it: an object with `messages`, each with `role` and `text`. Raises
        `InvalidInput`."""
        if edit is None:
            return cls(step_id, call)
        messages: Any = edit.get("messages")
        if not isinstance(messages, list) or not messages:
            raise InvalidInput.of(say("refused.call.edit", form=name('{"messages": [{"role": ..., "text": ...}]}')))
        read: list[tuple[str, str]] = []
        for item in messages:  # pyright: ignore[reportUnknownVariableType] JSON from outside
            role, text = (item.get("role"), item.get("text")) if isinstance(item, dict) else (None, None)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if not isinstance(role, str) or not isinstance(text, str) or len(text) > MOST_BODY_BYTES // 4:
                raise InvalidInput.of(say("refused.call.edit", form=name('{"messages": [{"role": ..., "text": ...}]}')))
            read.append((role, text))
        return cls(step_id, call, tuple(read))


def plan_edit(db: Database, job_id: UUID, stage: str, edit: Json | None, *, fork: bool = False) -> Edit:
    """The edit of a replay or a fork, checked against the parameters of the stage. Raises `NotFound` for a stage that no role fills,
    and `InvalidInput`, naming each wrong field; writes nothing."""
    seen = _able(look(read_board(db, job_id)), job_id, stage)
    return _checked(db, job_id, seen, edit, fork=fork)


def _checked(db: Database, job_id: UUID, seen: StageView, edit: Json | None, *, fork: bool = False) -> Edit:
    return check_parameters(db, job_id, seen.stage, edit, fresh=fork) if edit else Edit({}, ())  # a fork copies no replay of its stage


def _able(view: View, job_id: UUID, stage: str) -> StageView:
    """A stage that a role fills. Raises `NotFound`."""
    seen = view.stages.get(stage)
    if seen is None or seen.stage.role is None:
        able = [name for name, other in view.stages.items() if other.stage.role]
        raise NotFound.of(say("refused.no_stage_to_do", job=name(job_id), stage=name(stage), stages=names(able)))
    return seen


def replay_stage(db: Database, job_id: UUID, stage: str, *, edit: Json | None = None, from_call: FromCall | None = None) -> Replayed:
    """Have a stage done again even if its inputs are unchanged. `edit` overrides parameters of the stage. Reopens a finished job."""
    view = look(read_board(db, job_id))
    seen = _able(view, job_id, stage)
    if seen.current is not None and seen.current.pinned:
        raise Conflict.of(
            say("refused.pinned", stage=name(stage), version=name(seen.current.version), command=code(f"bullpen unpin {job_id} {stage}"))
        )
    checked = _checked(db, job_id, seen, edit)
    kept = None if from_call is None else _kept(db, job_id, from_call)
    with human_word(db, job_id, reopen=True) as job:
        payload: Json = {"nonce": str(new_id())}
        if checked.value:
            payload["edit"] = checked.value
        detail: Json = {"edited": sorted(checked.value)}
        if from_call is not None:
            payload["from_call"] = kept
            detail["from_call"] = from_call.call
        request_id = job.ask(asker=OPERATOR, target=stage, kind="replay", payload=payload)
        job.tell(EventKind.REPLAY_REQUESTED, stage=stage, detail=detail)
    return Replayed(job_id, stage, request_id, checked.changes)


def _kept(db: Database, job_id: UUID, wanted: FromCall) -> Json:
    """What the new step is given: where it goes on, and the edited prompt by hashes, since a request is read by more people than prompts
    are. Raises `NotFound` for a call that was not made, `Conflict` when the calls are no longer kept."""
    calls = [item for item in read_steps_calls(db, wanted.step_id) if item["kind"] == "model"]
    if not any(item["call"] == wanted.call for item in calls):
        raise NotFound.of(
            say("refused.call.none", call=count(wanted.call), n=count(len(calls)), command=code(f"bullpen show {job_id} --calls"))
        )
    if any(item["call"] < wanted.call and not item["is_kept"] for item in calls):
        raise Conflict.of(say("refused.call.not_kept", setting=name("BULLPEN_KEEP_CALLS")))
    kept: Json = {"step": str(wanted.step_id), "call": wanted.call}
    if wanted.messages:
        hashes = keep_texts(db, job_id, (text for _, text in wanted.messages))
        kept["messages"] = [{"role": role, "hash": found} for (role, _), found in zip(wanted.messages, hashes, strict=True)]
    return kept


def replay_step(db: Database, step_id: UUID, *, edit: Json | None = None, from_call: FromCall | None = None) -> Replayed:
    """Replay the stage of a failed or succeeded step. Raises `Conflict` while the step is live."""
    row = db.row("SELECT job_id, stage, status FROM steps WHERE id = %(id)s", {"id": step_id})
    if row is None:
        raise NotFound.of(say("refused.no_step", step=name(step_id), command=code("bullpen show JOB")))
    if row["status"] in ("queued", "running"):
        raise Conflict.of(say("refused.step_live", step=name(step_id), state=member_term("fleet.status", StepStatus(row["status"]))))
    return replay_stage(db, row["job_id"], row["stage"], edit=edit, from_call=from_call)


def replay_job(db: Database, job_id: UUID) -> list[Replayed]:
    """Replay every stage of a job whose last step failed; of a job without one, its first stage. A cancelled job goes on."""
    failed = _failed_stages(db, job_id)
    if failed:
        return [replay_stage(db, job_id, stage) for stage in failed]
    view = look(read_board(db, job_id))
    stale = [stage for stage, seen in view.stages.items() if seen.stage.role and not seen.fresh]
    able = stale or [stage for stage, seen in view.stages.items() if seen.stage.role]
    if not able:
        why = as_value(view.fault) if view.fault else say("refused.empty_plan")
        raise Conflict.of(say("refused.nothing_again", job=name(job_id), why=why))
    return [replay_stage(db, job_id, able[0])]


def failed_steps(
    db: Database,
    *,
    role: str | None = None,
    kind: str | None = None,
    error: str | None = None,
    since: datetime | None = None,
    owner: str | None = None,
    limit: int = 10_000,
) -> list[Row]:
    """The failed steps that a bulk replay is about: the newest of their stage, in jobs that have failed; oldest first."""
    return db.statement(
        """
        SELECT s.id, s.job_id, s.stage, s.role, j.kind, s.error->>'type' AS error, s.finished_at
          FROM steps s JOIN jobs j ON j.id = s.job_id
         WHERE s.status = 'failed' AND j.status = 'failed'
           AND NOT EXISTS (SELECT 1 FROM steps n WHERE n.job_id = s.job_id AND n.stage = s.stage AND n.id > s.id)
           AND (%(role)s::text IS NULL OR s.role = %(role)s)
           AND (%(kind)s::text IS NULL OR j.kind = %(kind)s)
           AND (%(error)s::text IS NULL OR s.error->>'type' = %(error)s)
           AND (%(since)s::timestamptz IS NULL OR s.finished_at >= %(since)s)
           AND (%(owner)s::text IS NULL OR j.owner = %(owner)s)
         ORDER BY s.id LIMIT %(limit)s
        """,
        {"role": role, "kind": kind, "error": error, "since": since, "owner": owner, "limit": limit},
    )


def _failed_stages(db: Database, job_id: UUID) -> list[str]:
    rows = db.statement("SELECT DISTINCT ON (stage) stage, status FROM steps WHERE job_id = %(id)s ORDER BY stage, id DESC", {"id": job_id})
    return [row["stage"] for row in rows if row["status"] == "failed"]


def fork(db: Database, job_id: UUID, stage: str, *, edit: Json | None = None) -> UUID:
    """A new job with everything that is neither STAGE nor below it, in which STAGE is done again. Its id."""
    view = look(read_board(db, job_id))
    seen = _able(view, job_id, stage)
    if seen.stage.task == CHOOSE:
        raise Conflict.of(say("refused.only_routes", stage=name(stage)))
    copied = sorted(set(view.stages) - {stage} - view.below(stage))
    payload: Json = {"nonce": str(new_id())}
    checked = _checked(db, job_id, seen, edit, fork=True)
    if checked.value:
        payload["edit"] = checked.value
    with db.session() as connection, connection.transaction():
        new = new_id()
        connection.execute(_COPY_JOB, {"new": new, "old": job_id})
        connection.execute(_COPY_STAGES, {"new": new, "old": job_id})
        rows = connection.execute(
            "SELECT * FROM deliverables WHERE job_id = %s AND stage = ANY (%s) ORDER BY id", (job_id, copied)
        ).fetchall()
        for row in rows:
            connection.execute(
                _PUT_DELIVERABLE, {**row, "id": new_id(), "job_id": new, "effects": _json(row["effects"]), "content": jsonb(row["content"])}
            )
        requests = connection.execute(
            "SELECT * FROM requests WHERE job_id = %s AND (target = ANY (%s) OR asker = ANY (%s) OR also && %s "
            "OR (role IS NOT NULL AND starts_with(%s || '/', target || '/'))) ORDER BY id",  # what made STAGE itself a stage
            (job_id, copied, copied, copied, stage),
        ).fetchall()
        ids: dict[UUID, UUID] = {row["id"]: new_id() for row in requests}
        for row in requests:
            connection.execute(
                _PUT_REQUEST,
                {
                    **row,
                    "id": ids[row["id"]],
                    "job_id": new,
                    "about": ids.get(row["about"]),
                    "payload": jsonb(row["payload"]),
                    "response": _json(row["response"]),
                },
            )
        connection.execute(
            _PUT_REQUEST,
            {
                "id": new_id(), "job_id": new, "asker": OPERATOR, "target": stage, "also": [], "kind": "replay", "payload": jsonb(payload),
                "payload_hash": content_hash(payload), "role": None, "task": None, "made_from": None, "about": None, "held": False,
                "response": None, "response_hash": None, "void": False, "answered_at": None,
            },
        )  # fmt: skip
        connection.execute(
            "INSERT INTO events (job_id, rev, kind, stage, detail) VALUES (%s, 1, %s, %s, %s)",
            (new, EventKind.JOB_FORKED.value, stage, jsonb({"from": str(job_id), "copied": copied})),
        )
    return new


def _json(value: Any) -> Any:
    return None if value is None else jsonb(value)


_COPY_JOB = """
INSERT INTO jobs (id, kind, owner, session_id, status, priority, rev, decided_rev, human_rev, work_since, admitted, engine, chooser,
                  result, language, budget, body_hash, forked_from)
SELECT %(new)s, kind, owner, session_id, 'accepted', priority, 1, 0, 1, now(), false, engine, chooser, result, language, budget,
       body_hash, id
  FROM jobs WHERE id = %(old)s
"""

_COPY_STAGES = """
INSERT INTO stages (job_id, name, position, role, task, needs, optional, params)
SELECT %(new)s, name, position, role, task, needs, optional, params FROM stages WHERE job_id = %(old)s
"""

_PUT_DELIVERABLE = """
INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, effects, origin, pinned, rev)
VALUES (%(id)s, %(job_id)s, %(stage)s, %(version)s, %(made_from)s, %(content_hash)s, %(content)s, %(effects)s, 'fork', %(pinned)s, 1)
"""

_PUT_REQUEST = """
INSERT INTO requests (id, job_id, asker, target, also, kind, payload, payload_hash, role, task, made_from, about, held, response,
                      response_hash, void, rev, answered_at)
VALUES (%(id)s, %(job_id)s, %(asker)s, %(target)s, %(also)s, %(kind)s, %(payload)s, %(payload_hash)s, %(role)s, %(task)s,
        %(made_from)s, %(about)s, %(held)s, %(response)s, %(response_hash)s, %(void)s, 1, %(answered_at)s)
"""
