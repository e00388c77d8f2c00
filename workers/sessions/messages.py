"""A message to a session: the answer to its open question, an instruction to its running job, or a new job.

The session decides, not the text: a question that is open takes any message as its answer. `/compress [ROLE]` (also
`/compact`) is the only text with a meaning of its own.
"""

from collections.abc import Callable
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus, SubmitJob
from contracts.limits import MOST_MESSAGE_CHARACTERS
from contracts.roles import RoleName
from contracts.sessions import MessageKind, MessageTaken
from contracts.statements import Join, Name, code, count, listing, name, names, quote, say
from workers.blackboard.engine import Database
from workers.coordinator import actions
from workers.coordinator.playbooks import find_playbook
from workers.errors import Conflict, InvalidInput, NotFound
from workers.sessions.keeping import check_owner, compress_session, session_owner
from workers.sessions.summary import Summarise, extractive

COMMANDS = ("/compress", "/compact")
_MOST_TRIES = 3
"""Times that a message is placed, if the session moves on meanwhile."""

_OPEN: LiteralString = """
SELECT r.id, r.job_id FROM requests r JOIN jobs j ON j.id = r.job_id
 WHERE j.session_id = %(session_id)s AND j.owner = %(owner)s AND j.finished_at IS NULL
   AND r.target = 'human' AND r.response IS NULL AND NOT r.void
 ORDER BY r.id
"""

_LATEST: LiteralString = """
SELECT id, kind, status FROM jobs WHERE session_id = %(session_id)s AND owner = %(owner)s AND (NOT %(live)s OR finished_at IS NULL)
 ORDER BY created_at DESC, id DESC LIMIT 1
"""

Submit = Callable[[SubmitJob], UUID]
"""Accepts a submission; the job's id."""


def send_message(
    db: Database,
    session_id: UUID,
    owner: str,
    text: str,
    *,
    submit: Submit,
    kind: str | None = None,
    fields: Json | None = None,
    summarise: Summarise = extractive,
) -> MessageTaken:
    """Take a message to a session. `kind`: of a new job; by default the kind of the session's last job. `fields`: of its request, beside
    the text. The caller lets the boss look at the job afterwards.

    Raises `NotFound` for another owner's session, `InvalidInput` when several questions are open or a new job cannot be made.
    """
    if not text.strip():
        raise InvalidInput.of(say("refused.empty_message"))
    if len(text) > MOST_MESSAGE_CHARACTERS:
        raise InvalidInput.of(say("refused.too_long", n=name(len(text)), most=name(MOST_MESSAGE_CHARACTERS)))
    _check_owner(db, session_id, owner)
    command, _, scope = text.strip().partition(" ")
    if command in COMMANDS:
        done = compress_session(db, session_id, owner, summarise=summarise, roles=_scope(scope.strip()), keep=0)
        return MessageTaken(kind=MessageKind.COMPRESSED, session_id=session_id, compressions=done)
    for tried in range(1, _MOST_TRIES + 1):
        try:
            taken = _placed(db, session_id, owner, text)
        except Conflict:  # answered or ended by somebody else since we looked
            if tried == _MOST_TRIES:
                raise
            continue
        if taken is not None:
            return taken
        break
    request = _request(db, session_id, owner, text, kind, fields or {})
    job_id = submit(SubmitJob.model_validate({"job": request, "owner": owner, "session_id": session_id}))
    return MessageTaken(kind=MessageKind.JOB, session_id=session_id, job_id=job_id)


def _placed(db: Database, session_id: UUID, owner: str, text: str) -> MessageTaken | None:
    """The message as an answer or an instruction. None if it is a new job."""
    asked = db.statement(_OPEN, {"session_id": session_id, "owner": owner})
    if len(asked) > 1:
        listed = listing(*(code(f"bullpen answer {row['job_id']} --request {row['id']} TEXT") for row in asked), join=Join.CLAUSES)
        raise InvalidInput.of(say("refused.session_asks", session=Name(text=str(session_id)), n=count(len(asked)), answers=listed))
    if asked:
        question, job_id = asked[0]["id"], asked[0]["job_id"]
        actions.answer(db, job_id, text, request_id=question)
        return MessageTaken(kind=MessageKind.ANSWER, session_id=session_id, job_id=job_id, request_id=question)
    live = _latest(db, session_id, owner, live=True)
    if live is None:
        return None
    if live["status"] == JobStatus.WAITING_HUMAN:  # its question is void, and the boss has not looked yet
        raise Conflict.of(say("refused.moves_on", job=name(live["id"])))
    request_id, _ = actions.instruct(db, live["id"], text)
    return MessageTaken(kind=MessageKind.INSTRUCTION, session_id=session_id, job_id=live["id"], request_id=request_id)


def _request(db: Database, session_id: UUID, owner: str, text: str, kind: str | None, fields: Json) -> Json:
    """The request of a new job."""
    if kind is None:
        last = _latest(db, session_id, owner, live=False)
        if last is None:
            raise InvalidInput.of(say("refused.session_empty", session=Name(text=str(session_id))))
        kind = str(last["kind"])
    words = find_playbook(kind).words
    if not words:
        raise InvalidInput.of(say("refused.no_words", kind=Name(text=kind), command=code(f"bullpen submit {kind} --session {session_id}")))
    return {**fields, "kind": kind, words: text}


def _latest(db: Database, session_id: UUID, owner: str, *, live: bool) -> Any:
    return db.row(_LATEST, {"session_id": session_id, "owner": owner, "live": live})


def _check_owner(db: Database, session_id: UUID, owner: str) -> None:
    try:
        known = session_owner(db, session_id)
    except NotFound:
        return  # the first job makes the session its owner's
    check_owner(session_id, known, owner)


def _scope(name: str) -> list[RoleName] | None:
    """The role that `/compress ROLE` names. None: all."""
    if not name or name == "all":
        return None
    try:
        return [RoleName(name)]
    except ValueError:
        raise InvalidInput.of(say("refused.not_a_role", role=quote(name[:80]), roles=names(RoleName))) from None
