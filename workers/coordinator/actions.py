"""What humans do to a job: answer, revise, unpin, instruct, cancel. Each is one transaction that raises the job's revision.

A human word restarts the caps and the wall time. The caller advances the job afterwards (`move_on`).
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from contracts.base import Json, clean_json, content_hash
from contracts.events import EventKind
from contracts.jobs import FINISHED, JobStatus
from contracts.limits import MOST_WORD_CHARACTERS
from contracts.stages import INPUT
from contracts.statements import code, count, member_term, name, names, quote, say
from workers.blackboard.board import HUMAN, OPERATOR, UNROUTED
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row, jsonb
from workers.blackboard.ids import new_id
from workers.coordinator.choices import find_choice, number_beyond
from workers.coordinator.decide import IGNORE, KEEP, REDO, STOP
from workers.coordinator.edits import Edit, check_deliverable
from workers.coordinator.freshness import StageView, View, look
from workers.coordinator.playbooks import find_playbook
from workers.coordinator.want import BY_HUMAN
from workers.errors import AlreadyAnswered, Conflict, InvalidInput, NotFound

Connection = psycopg.Connection[Row]


@dataclass(frozen=True, slots=True)
class Touched:
    """A job under our lock, with the revision that this action gives it."""

    connection: Connection
    job_id: UUID
    rev: int
    before: JobStatus

    def tell(self, kind: EventKind, *, stage: str | None = None, detail: Json | None = None) -> None:
        """Write the event of this action; each action writes exactly one."""
        self.connection.execute(
            "INSERT INTO events (job_id, rev, kind, stage, detail) VALUES (%s, %s, %s, %s, %s)",
            (self.job_id, self.rev, kind.value, stage, jsonb(detail or {})),
        )

    def ask(self, *, asker: str, target: str, kind: str, payload: Json, request_id: UUID | None = None) -> UUID:
        """Add a request."""
        request_id = request_id or new_id()
        self.connection.execute(
            "INSERT INTO requests (id, job_id, asker, target, kind, payload, payload_hash, rev) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            (request_id, self.job_id, asker, target, kind, jsonb(payload), content_hash(payload), self.rev),
        )
        return request_id


@contextmanager
def human_word(db: Database, job_id: UUID, *, reopen: bool = False) -> Generator[Touched]:
    """Lock the job, raise its revision, restart its caps and wall time. Raises `NotFound`, or `Conflict` when the job
    has ended and `reopen` is not given."""
    with db.session() as connection, connection.transaction():
        row = connection.execute("SELECT status FROM jobs WHERE id = %s FOR UPDATE", (job_id,)).fetchone()
        if row is None:
            raise NotFound.of(say("refused.no_job", job=name(job_id), command=code("bullpen jobs")))
        before = JobStatus(row["status"])
        if before in FINISHED and not reopen:
            raise Conflict.of(
                say(
                    "refused.job_ended",
                    job=name(job_id),
                    state=member_term("fleet.status", before),
                    command=code(f"bullpen replay {job_id}"),
                )
            )
        raised = connection.execute(
            "UPDATE jobs SET rev = rev + 1, human_rev = rev + 1, exceeded = NULL, updated_at = now(), work_since = now(), "
            "status = CASE WHEN %(reopen)s AND finished_at IS NOT NULL THEN 'running' ELSE status END, "
            "error = CASE WHEN %(reopen)s THEN NULL ELSE error END, "
            "announced_at = CASE WHEN %(reopen)s AND finished_at IS NOT NULL THEN NULL ELSE announced_at END, "
            "admitted = admitted AND NOT (%(reopen)s AND finished_at IS NOT NULL), "  # it waits for its owner's turn like a new one
            "finished_at = CASE WHEN %(reopen)s THEN NULL ELSE finished_at END "
            "WHERE id = %(id)s RETURNING rev",
            {"id": job_id, "reopen": reopen},
        ).fetchone()
        yield Touched(connection, job_id, raised["rev"] if raised else 0, before)


OF_THE_BOSS = ("escalation", "cap", "instruction")
"""Kinds of questions that the boss asks, each with choices that it knows. Their answers are carried out at once."""


def open_questions(db: Database, job_id: UUID) -> list[Row]:
    """Questions of a job that wait for a human, oldest first: id, asker, payload."""
    return db.statement(
        "SELECT id, asker, payload, about, created_at FROM requests WHERE job_id = %(job_id)s AND target = 'human' "
        "AND response IS NULL AND NOT void ORDER BY id",
        {"job_id": job_id},
    )


def answer(db: Database, job_id: UUID, text: str, *, request_id: UUID | None = None) -> UUID:
    """Answer a question; its id. Naming it is optional when one is open. The first answer wins: the same text again is
    the same result, another one raises `AlreadyAnswered` and shows the first. Raises `InvalidInput` on a choice there is not."""
    if not text.strip():
        raise InvalidInput.of(say("refused.empty_answer", unknown=code("unknown")))
    _check_length(text)
    response = {"text": clean_json(text)}
    request_id = request_id or _only_open(db, job_id, response)
    known = _request(db, job_id, request_id)
    if known["response"] is not None:
        return _same_answer(known, response)
    choice = _choice(known["payload"], text)
    with human_word(db, job_id) as job:
        changed = job.connection.execute(
            "UPDATE requests SET response = %s, response_hash = %s, answered_at = now() WHERE id = %s AND response IS NULL AND NOT void "
            "RETURNING id",
            (jsonb(response), content_hash(response), request_id),
        ).fetchone()
        if changed is None:
            _request(db, job_id, request_id)  # raises for one that was withdrawn meanwhile
            raise AlreadyAnswered.of(say("refused.answered_just_now", question=name(request_id), command=code(f"bullpen show {job_id}")))
        _follow_choice(job, known, choice, text)
        job.tell(EventKind.QUESTION_ANSWERED, stage=known["asker"], detail={"request_id": str(request_id), "text": text[:500]})
    return request_id


def _only_open(db: Database, job_id: UUID, response: Json) -> UUID:
    waiting = open_questions(db, job_id)
    if len(waiting) == 1:
        return waiting[0]["id"]
    if waiting:
        if meant := _meant(waiting, str(response["text"])):
            return meant["id"]
        listed = names(f"{row['id']} ({row['asker']})" for row in waiting)
        n = count(len(waiting), exact=True)
        raise InvalidInput.of(say("refused.several_questions", job=name(job_id), n=n, option=name("--request"), questions=listed))
    last = db.row(
        "SELECT id, response FROM requests WHERE job_id = %(job_id)s AND target = 'human' AND response IS NOT NULL "
        "ORDER BY answered_at DESC LIMIT 1",
        {"job_id": job_id},
    )
    if last is not None and last["response"] == response:
        return last["id"]
    read_board(db, job_id)  # raises NotFound for an unknown job
    raise Conflict.of(say("refused.no_open_question", job=name(job_id), command=code(f"bullpen show {job_id}")))


def _meant(waiting: Sequence[Row], text: str) -> Row | None:
    """Which of several questions an answer is to: a question of the boss, such as for whom an instruction is, is answered by the words of
    one of its choices; everything else is for the one role that asks. A bare number might be for either."""
    own = [row for row in waiting if row["payload"].get("kind") in OF_THE_BOSS]
    asking = [row for row in waiting if row not in own]
    if own and text.strip().isdecimal():
        return None
    named = [row for row in own if find_choice(row["payload"].get("choices", []), text)]
    fits = named or asking
    return fits[0] if len(fits) == 1 else None


def _request(db: Database, job_id: UUID, request_id: UUID) -> Row:
    row = db.row(
        "SELECT id, asker, target, payload, response, about, void FROM requests WHERE id = %(id)s AND job_id = %(job_id)s",
        {"id": request_id, "job_id": job_id},
    )
    if row is None or row["target"] != HUMAN:
        raise NotFound.of(say("refused.no_question", job=name(job_id), question=name(request_id), command=code(f"bullpen show {job_id}")))
    if row["void"] and row["response"] is None:
        raise Conflict.of(say("refused.question_void", question=name(request_id)))
    return row


def _same_answer(known: Row, response: Json) -> UUID:
    if known["response"] != response:
        raise AlreadyAnswered.of(
            say("refused.answered_before", question=name(known["id"]), answer=quote(str(known["response"].get("text", ""))))
        )
    return known["id"]


def _choice(payload: Json, text: str) -> str | None:
    """The choice that an answer to one of the boss's own questions names; None for a role's question. Raises `InvalidInput` for a word or
    number that is no choice."""
    if payload.get("kind") not in OF_THE_BOSS:
        beyond = number_beyond(payload.get("choices") or (), text)
        if beyond is not None:
            raise InvalidInput.of(say("refused.no_such_choice", number=count(beyond, exact=True), n=count(len(payload["choices"]))))
        return None
    choices: list[str] = payload.get("choices", [])
    found = find_choice(choices, text)
    if found is None:
        raise InvalidInput.of(say("refused.choose", choices=names(choices)))
    return found


def _follow_choice(job: Touched, question: Row, choice: str | None, text: str) -> None:
    if choice in (None, KEEP):
        return
    about: UUID | None = question["about"]
    if choice == REDO:
        target: str = question["payload"]["stage"]
        job.connection.execute("UPDATE deliverables SET pinned = false WHERE job_id = %s AND stage = %s AND pinned", (job.job_id, target))
        remarks = job.connection.execute(
            "SELECT r.payload->>'text' AS text FROM requests r, requests first WHERE first.id = %s AND r.job_id = first.job_id "
            "AND r.asker = first.asker AND r.target = first.target AND r.rev = first.rev AND r.held ORDER BY r.id",
            (about,),
        ).fetchall()
        texts = [row["text"] for row in remarks if row["text"]] + [text]
        job.ask(asker=OPERATOR, target=target, kind="remark", payload={"text": "\n".join(texts)})
    elif choice == STOP:
        _cancel(job)
    elif choice == IGNORE:
        job.connection.execute("UPDATE requests SET held = true WHERE id = %s", (about,))
    elif question["payload"]["kind"] == "instruction":
        job.connection.execute("UPDATE requests SET target = %s WHERE id = %s AND target = %s", (choice, about, UNROUTED))


def plan_revision(db: Database, job_id: UUID, stage: str, content: Any) -> tuple[Edit, tuple[str, ...]]:
    """What `revise` would write and change, and the stages that would be done again. Raises what `revise` raises; writes nothing."""
    view, _, edit = _revision(db, job_id, stage, content)
    below = view.below(stage)
    return edit, tuple(name for name in view.stages if name in below)


def _revision(db: Database, job_id: UUID, stage: str, content: Any) -> tuple[View, StageView, Edit]:
    view, kind = _view(db, job_id)
    seen = view.stages.get(stage)
    if seen is None:
        raise NotFound.of(say("refused.no_stage", job=name(job_id), stage=name(stage), stages=names(view.stages)))
    return view, seen, check_deliverable(db, job_id, kind, seen, content)


def revise(db: Database, job_id: UUID, stage: str, content: Any) -> int:
    """Write a pinned version of a stage's deliverable, which is fresh independent of its inputs. Returns its version number. Raises
    `NotFound` for a stage that is not in the plan, and `InvalidInput`, naming each wrong field, if the content does not fit the stage."""
    _, seen, edit = _revision(db, job_id, stage, content)
    content = edit.value
    made_from = f"{BY_HUMAN}{seen.want}"
    effects = seen.current.effects if seen.current is not None else None  # what the stage added to the plan stays in it
    with human_word(db, job_id, reopen=True) as job:
        job.connection.execute("UPDATE deliverables SET pinned = false WHERE job_id = %s AND stage = %s AND pinned", (job_id, stage))
        row = job.connection.execute(
            "INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, effects, origin, pinned, rev) "
            "SELECT %(id)s, %(job_id)s, %(stage)s, COALESCE(max(version), 0) + 1, %(made_from)s, %(hash)s, %(content)s, "
            "%(effects)s::jsonb, 'human', true, %(rev)s "
            "FROM deliverables WHERE job_id = %(job_id)s AND stage = %(stage)s RETURNING version",
            {
                "id": new_id(),
                "job_id": job_id,
                "stage": stage,
                "made_from": made_from,
                "hash": content_hash(content),
                "content": jsonb(content),
                "effects": None if effects is None else jsonb(effects),
                "rev": job.rev,
            },
        ).fetchone()
        version: int = row["version"] if row else 0
        job.tell(EventKind.STAGE_REVISED, stage=stage, detail={"version": version})
    return version


def unpin(db: Database, job_id: UUID, stage: str) -> None:
    """Let the rule decide again which version of a stage is current. Raises `Conflict` when none is pinned."""
    if stage == INPUT:
        raise Conflict.of(say("refused.input_pinned"))
    with human_word(db, job_id, reopen=True) as job:
        row = job.connection.execute(
            "UPDATE deliverables SET pinned = false WHERE job_id = %s AND stage = %s AND pinned RETURNING version", (job_id, stage)
        ).fetchone()
        if row is None:
            raise Conflict.of(say("refused.nothing_pinned", stage=name(stage), job=name(job_id)))
        job.tell(EventKind.STAGE_UNPINNED, stage=stage, detail={"version": row["version"]})


def _check_length(text: str) -> None:
    if len(text) > MOST_WORD_CHARACTERS:
        raise InvalidInput.of(say("refused.too_long", n=name(len(text)), most=name(MOST_WORD_CHARACTERS)))


def instruct(db: Database, job_id: UUID, text: str, *, stage: str | None = None, request_id: UUID | None = None) -> tuple[UUID, bool]:
    """Give an instruction in mid-job; without a stage, it goes to the one that the kind of job has for it, or the boss finds out which one
    is meant, or asks. A kind with such a stage takes it after the job has succeeded too, which opens the job again. Returns the id of the
    instruction, and False if an instruction of this `request_id` was given before."""
    _check_length(text)
    if request_id is not None and db.row("SELECT 1 FROM requests WHERE id = %(id)s", {"id": request_id}):
        return request_id, False
    view, kind = _view(db, job_id)
    added_to = find_playbook(kind).remarks_to
    if stage is not None and stage not in view.stages:
        raise NotFound.of(say("refused.no_stage", job=name(job_id), stage=name(stage), stages=names(view.stages)))
    try:
        with human_word(db, job_id, reopen=_takes_more(db, job_id, added_to)) as job:
            given = job.ask(
                asker=OPERATOR,
                target=stage or added_to or UNROUTED,
                kind="remark",
                payload={"text": clean_json(text)},
                request_id=request_id,
            )
            job.tell(EventKind.INSTRUCTION_GIVEN, stage=stage, detail={"text": text[:500]})
    except psycopg.errors.UniqueViolation:
        if request_id is None:
            raise
        return request_id, False  # another coordinator was given the same message
    return given, True


def _takes_more(db: Database, job_id: UUID, added_to: str) -> bool:
    """Whether a person may add something though the job has ended: to a kind that has a stage for it, where it succeeded."""
    row = db.row("SELECT status FROM jobs WHERE id = %(id)s", {"id": job_id}) if added_to else None
    return row is not None and JobStatus(row["status"]) is JobStatus.SUCCEEDED


def cancel(db: Database, job_id: UUID) -> bool:
    """End a job: its live steps and open questions with it. False when it had ended before."""
    with db.session() as connection, connection.transaction():
        row = connection.execute("SELECT status FROM jobs WHERE id = %s FOR UPDATE", (job_id,)).fetchone()
        if row is None:
            raise NotFound.of(say("refused.no_job", job=name(job_id), command=code("bullpen jobs")))
        if row["status"] in FINISHED:
            return False
        raised = connection.execute("UPDATE jobs SET rev = rev + 1 WHERE id = %s RETURNING rev", (job_id,)).fetchone()
        job = Touched(connection, job_id, raised["rev"] if raised else 0, JobStatus(row["status"]))
        _cancel(job)
        job.tell(EventKind.JOB_CANCELLED)
    return True


def _cancel(job: Touched) -> None:
    job.connection.execute(
        "UPDATE jobs SET status = 'cancelled', finished_at = now(), updated_at = now(), decided_rev = rev WHERE id = %s", (job.job_id,)
    )
    job.connection.execute(
        "UPDATE steps SET status = 'cancelled', token = NULL, lease_until = NULL, finished_at = now(), ended_rev = %s "
        "WHERE job_id = %s AND status IN ('queued', 'running')",
        (job.rev, job.job_id),
    )
    job.connection.execute("UPDATE requests SET void = true WHERE job_id = %s AND target = 'human' AND response IS NULL", (job.job_id,))


def _view(db: Database, job_id: UUID) -> tuple[View, str]:
    board = read_board(db, job_id)
    return look(board), board.kind
