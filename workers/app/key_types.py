"""Keys of the fleet in Redis that somebody overwrote with another type: such a value is renamed, so that its name is free again.

Every command on such a key fails with WRONGTYPE for as long as it stands: no message reaches its role, and no sweep can count its queue.
What the messages in it asked for is made again from the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.roles import COORDINATOR, RoleName, queue_name
from workers.app.queues import JOBS_STREAM, MEMORY_KEY, PRIORITY_STEPS, list_name
from workers.app.redis_alone import exceptions
from workers.blackboard import quarantine
from workers.blackboard.engine import Database
from workers.loggers import get_logger

log = get_logger(__name__)

WRONG_TYPE = "WRONGTYPE"
"""In the answer of Redis to a command for another type; of a pipeline, somewhere in it."""


def list_names(queue: str) -> list[str]:
    """The lists of a queue, the most urgent first."""
    return [list_name(queue, step) for step in PRIORITY_STEPS]


KEY_TYPES: Mapping[str, str] = {
    **{key: "list" for role in (*RoleName, COORDINATOR) for key in list_names(queue_name(role))},
    JOBS_STREAM: "stream",
    MEMORY_KEY: "string",
    "unacked": "hash",
    "unacked_index": "zset",
    "unacked_mutex": "string",
    "_kombu.binding.celery.pidbox": "set",
    "_kombu.binding.reply.celery.pidbox": "set",
    "_kombu.binding.celeryev": "set",
}
"""Every key that a fleet cannot do without, and its type: queues, submissions, the mark of the memory, and what kombu keeps."""

_SET_ASIDE = """
local found, now = {}, redis.call('TIME')
for place, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and kind ~= ARGV[place] then
    local aside = key .. ':set-aside:' .. now[1] .. string.format('%06d', now[2])
    redis.call('RENAME', key, aside)
    found[#found + 1] = {key, kind, aside}
  end
end
return found
"""
"""In one step, so that of two processes none renames what the other has just made."""


class WrongType(Exception):
    """A key of the fleet holds another type."""


def is_wrong_type(error: BaseException | None) -> bool:
    """Whether Redis refused a command because its key holds another type; kombu and pipelines wrap its error."""
    return error is not None and (WRONG_TYPE in str(error) or is_wrong_type(error.__cause__ or error.__context__))


def is_read_only(error: BaseException | None) -> bool:
    """Whether the server became a replica: its address leads to another one for who connects again."""
    return error is not None and ("READONLY" in str(error) or isinstance(error, exceptions.ReadOnlyError) or is_read_only(error.__cause__))


@dataclass(frozen=True, slots=True)
class Renamed:
    """A key that held another type."""

    key: str
    aside: str
    """What it is called now."""
    held: str
    wanted: str

    @property
    def says(self) -> str:
        """What happened, and what may be done."""
        again = " Send its content again with XADD." if self.key == JOBS_STREAM else " What the fleet needs is made again from the rows."
        return f"The key {self.key!r} held a {self.held}, not a {self.wanted}. It is now called {self.aside!r}.{again}"


def set_wrong_types_aside(client: Any, key_types: Mapping[str, str] = KEY_TYPES) -> list[Renamed]:
    """Rename each of these keys that holds another type. Raises redis' errors."""
    found: list[list[bytes]] = client.eval(_SET_ASIDE, len(key_types), *key_types, *key_types.values())
    renamed: list[Renamed] = []
    for key, held, aside in ([part.decode() for part in parts] for parts in found):
        renamed.append(Renamed(key, aside, held, key_types[key]))
        log.error("key_of_wrong_type", key=key, held=held, wanted=key_types[key], renamed=aside)
    return renamed


def keep_wrong_types(db: Database, renamed: Sequence[Renamed]) -> None:
    """Say in quarantine what was renamed."""
    for key in renamed:
        quarantine.put(db, source=key.key, cause="WrongType", message=key.says, body=key.aside.encode())
