"""Keeps a session's memory small. Pure functions of the document."""

from collections.abc import Collection, Mapping
from typing import TypeVar
from uuid import UUID

from contracts.base import canonical_json
from contracts.roles import RoleName
from contracts.sessions import MEMORY_BYTES, RoleMemory, SessionMemory

MOST_JOBS = 10
"""Jobs whose turns a role remembers one by one; of more, they are compressed. In a job of `ask` the
classifier takes four turns, so turns are not counted: every third question would pay for a summary."""
KEPT_TURNS = 3
"""Turns of a role that stay as they are when the older ones are compressed."""
FULL = 0.8
"""Share of the room that the model's window leaves to a prompt above which turns are compressed."""
_LEAST = 3
"""Questions and decisions that stay while turns can still be left out."""

T = TypeVar("T")


def size(memory: SessionMemory) -> int:
    """Bytes of the document as JSON."""
    return len(canonical_json(memory.to_json()).encode("utf-8", "surrogatepass"))


def roles_to_compress(memory: SessionMemory, tokens: Mapping[RoleName, int], window_tokens: int) -> list[RoleName]:
    """The roles whose turns must be compressed: of too many jobs, or the role's context would take 80 % of the window, or the document is
    too large. `tokens`: of each role's context."""
    too_large = size(memory) > MEMORY_BYTES

    def is_full(role: RoleName) -> bool:
        jobs = {turn.job_id for turn in memory.roles[role].turns}
        return too_large or len(jobs) > MOST_JOBS or tokens[role] >= FULL * window_tokens

    return [role for role, known in memory.roles.items() if len(known.turns) > KEPT_TURNS and is_full(role)]


def fitted(memory: SessionMemory) -> SessionMemory:
    """The document within its size: the oldest turns are left out first, then the oldest decisions and questions, then the oldest
    selections."""
    while size(memory) > MEMORY_BYTES:
        smaller = _smaller(memory)
        if smaller is None:
            return memory
        memory = smaller
    return memory


def _smaller(memory: SessionMemory) -> SessionMemory | None:
    """The document without its least useful part. None if nothing can be left out."""
    longest = max(memory.roles, key=lambda role: (len(memory.roles[role].turns), role), default=None)
    if longest is not None and len(memory.roles[longest].turns) > 1:
        return memory.model_copy(update={"roles": {**memory.roles, longest: _without_oldest(memory.roles[longest])}})
    for name in ("decided", "asked"):
        if len(getattr(memory, name)) > _LEAST:
            return memory.model_copy(update={name: getattr(memory, name)[1:]})
    if memory.selected:
        return memory.model_copy(update={"selected": memory.selected[:-1]})
    return None


def _without_oldest(known: RoleMemory) -> RoleMemory:
    return known.model_copy(update={"turns": known.turns[1:]})


def role_context(memory: SessionMemory, role: RoleName, *, without: Collection[UUID] = ()) -> str:
    """What a prompt of this role shows of the session: what was asked, decided and selected, and what the role did before. `without`:
    the jobs that the prompt shows elsewhere, and whole: the one that it is for among them."""
    known = memory.roles.get(role, RoleMemory())
    lines = [f"asked ({item.kind}, {item.status}): {item.title}" for item in memory.asked if item.job_id not in without]
    decided = [item for item in memory.decided if item.job_id not in without]
    lines += [f"decided: {item.question} -> {item.answer}" if item.question else f"instruction: {item.answer}" for item in decided]
    lines += [f"selected: {place}" for place in memory.selected]
    lines += [f"before: {known.summary}"] if known.summary else []
    lines += [f"{turn.stage}: {turn.summary}" for turn in known.turns if turn.job_id not in without]
    return "\n".join(lines)
