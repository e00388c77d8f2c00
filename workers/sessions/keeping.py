"""Reads, compresses and clears the memory of a session. Only the summaries are stored; the rest is made from the rows each time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.roles import RoleName
from contracts.sessions import Compression, RoleMemory, SessionMemory
from contracts.statements import code, name, say
from workers.blackboard.engine import Database, jsonb
from workers.errors import BullpenError, Conflict, NotFound
from workers.llm.token_count import estimate_tokens
from workers.loggers import get_logger
from workers.sessions.fitting import KEPT_TURNS, fitted, role_context, roles_to_compress
from workers.sessions.rows import read_rows
from workers.sessions.summary import MOST_SUMMARY_CHARACTERS, Summarise, extractive

log = get_logger(__name__)

WINDOW_TOKENS = 32_768
"""The room of a prompt where no model is asked."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_TRIES = 5

Change = Callable[[SessionMemory], SessionMemory]

_READ: LiteralString = "SELECT owner, memory FROM sessions WHERE id = %(id)s"
_STORE: LiteralString = "UPDATE sessions SET memory = %(memory)s WHERE id = %(id)s AND memory = %(before)s RETURNING id"
"""Compare and set: of two writers, the second reads again."""


def session_owner(db: Database, session_id: UUID) -> str:
    """The owner of a session. Raises `NotFound`."""
    return _row(db, session_id)[0]


def read_memory(db: Database, session_id: UUID, owner: str) -> SessionMemory:
    """The memory of a session, at most 8 KB. Raises `NotFound`, also for a session of another owner."""
    return fitted(_whole(db, session_id, owner, _stored(db, session_id, owner)))


def remember(
    db: Database, session_id: UUID, owner: str, *, summarise: Summarise = extractive, window_tokens: int = WINDOW_TOKENS
) -> SessionMemory:
    """The memory, compressed first where it must be: 80 % of the window, too many turns, or too large a document. A compression
    that fails leaves the turns, and a note says so."""
    memory = _whole(db, session_id, owner, _stored(db, session_id, owner))
    full = roles_to_compress(memory, _tokens(memory), window_tokens)
    if not full:
        return fitted(memory)
    done = compress_session(db, session_id, owner, summarise=summarise, roles=full)
    memory = _whole(db, session_id, owner, _stored(db, session_id, owner))
    notes = tuple(f"{item.role}: not compressed, {item.turns} turns were kept: {item.reason}"[:300] for item in done if not item.done)
    return fitted(memory.model_copy(update={"notes": notes[:10]}))


def compress_session(
    db: Database,
    session_id: UUID,
    owner: str,
    *,
    summarise: Summarise = extractive,
    roles: list[RoleName] | None = None,
    keep: int = KEPT_TURNS,
) -> tuple[Compression, ...]:
    """Compress the turns of these roles (of all by default) except the last `keep`. What became of each role that had any."""
    before = _stored(db, session_id, owner)
    memory = _whole(db, session_id, owner, before)
    results: list[Compression] = []
    for role in memory.roles if roles is None else roles:
        turns = memory.roles[role].turns if role in memory.roles else ()
        old = turns[: len(turns) - keep]
        if not old:
            continue
        try:
            text, engine = summarise(memory.roles[role].summary, old)
        except BullpenError as error:
            log.warning("session_not_compressed", session_id=str(session_id), role=role.value, error=type(error).__name__)
            results.append(Compression(role=role, done=False, turns=len(turns), engine="", reason=str(error)[:300]))
            continue
        stored = RoleMemory(summary=text[:MOST_SUMMARY_CHARACTERS], summarised_to=old[-1].at)
        _store_role(db, session_id, owner, role, stored)
        results.append(Compression(role=role, done=True, turns=len(old), engine=engine))
    return tuple(results)


def clear_session(db: Database, session_id: UUID, owner: str) -> None:
    """Forget: summaries, and everything before now. The jobs stay, but later jobs of the session no longer see their results."""
    _change(db, session_id, owner, lambda _: SessionMemory(since=datetime.now(UTC)))


def _store_role(db: Database, session_id: UUID, owner: str, role: RoleName, stored: RoleMemory) -> None:
    def change(known: SessionMemory) -> SessionMemory:
        other = known.roles.get(role, RoleMemory()).summarised_to or _LONG_AGO
        if other >= (stored.summarised_to or _LONG_AGO):
            return known  # somebody else compressed as much at the same time
        return known.model_copy(update={"roles": {**known.roles, role: stored}})

    _change(db, session_id, owner, change)


def _change(db: Database, session_id: UUID, owner: str, change: Change) -> None:
    for _ in range(_MOST_TRIES):
        raw = _owned(db, session_id, owner)
        after = change(_read(raw)).model_dump(mode="json", exclude_defaults=True)
        if after == raw or db.row(_STORE, {"id": session_id, "memory": jsonb(after), "before": jsonb(raw)}) is not None:
            return
    raise Conflict.of(say("refused.memory_changes", session=name(session_id)))


def _whole(db: Database, session_id: UUID, owner: str, stored: SessionMemory) -> SessionMemory:
    read = read_rows(db, session_id, owner, stored.since or _LONG_AGO)
    roles: dict[RoleName, RoleMemory] = {}
    for role in sorted({*read.turns, *stored.roles}):
        known = stored.roles.get(role, RoleMemory())
        after = known.summarised_to or _LONG_AGO
        roles[role] = known.model_copy(update={"turns": tuple(turn for turn in read.turns.get(role, ()) if turn.at > after)})
    return SessionMemory(asked=read.asked, decided=read.decided, selected=read.selected, roles=roles, since=stored.since)


def _tokens(memory: SessionMemory) -> dict[RoleName, int]:
    return {role: estimate_tokens(role_context(memory, role)) for role in memory.roles}


def _stored(db: Database, session_id: UUID, owner: str) -> SessionMemory:
    return _read(_owned(db, session_id, owner))


def _read(raw: Json) -> SessionMemory:
    try:
        return SessionMemory.model_validate(raw)
    except ValueError:  # another release's, or edited by hand: the rows hold what matters
        log.warning("memory_unreadable")
        return SessionMemory()


def _owned(db: Database, session_id: UUID, owner: str) -> Json:
    known, memory = _row(db, session_id)
    check_owner(session_id, known, owner)
    return memory


def check_owner(session_id: UUID, known: str, owner: str) -> None:
    """Raises `NotFound` for a session whose owner is another."""
    if known != owner:
        listing = code(f"bullpen session list --owner {owner}")
        raise NotFound.of(say("refused.no_session_of", owner=name(owner), session=name(session_id), command=listing))


def _row(db: Database, session_id: UUID) -> tuple[str, Json]:
    row = db.row(_READ, {"id": session_id})
    if row is None:
        raise NotFound.of(say("refused.no_session", session=name(session_id), command=code("bullpen session list")))
    return row["owner"], row["memory"]
