"""Reply streams on Redis: keys under a reserved prefix, each with a lifetime, and what Redis forgot is written again.

Redis may lose its memory: it is killed, restarted without its file, or flushed. Answers are therefore kept in Postgres as long as their
stream lives, together with a mark of the memory that took them. When the mark has changed, every kept answer whose entry is gone is sent
again.
"""

from typing import Any
from uuid import uuid4

from workers.app.queues import MEMORY_KEY
from workers.app.services import ProcessServices
from workers.blackboard import answers
from workers.loggers import get_logger

log = get_logger(__name__)

LENGTH = 10_000
"""Answers that a reply stream keeps, about; older ones fall out."""
BATCH = 500

_ADD = """
local entry = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'body', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return entry
"""
"""In one step, so that no stream is left without a lifetime."""

_LAST_ID = """
local key_type = redis.call('TYPE', KEYS[1]).ok
if key_type ~= 'stream' then return '0-0' end
local info = redis.call('XINFO', 'STREAM', KEYS[1])
for i = 1, #info, 2 do if info[i] == 'last-generated-id' then return info[i + 1] end end
return '0-0'
"""


class ReplyStreams:
    """The reply streams of a process's broker. For one thread."""

    def __init__(self, services: ProcessServices) -> None:
        self._services = services
        self._memory = ""

    def add(self, name: str, body: str) -> tuple[str, str]:
        """Write an answer. Returns the id of its entry and the mark of the memory that took it."""
        lifetime_ms = int(self._services.settings.reply_lifetime_s * 1000)
        entry: Any = self._services.redis.eval(_ADD, 1, name, str(LENGTH), body, str(lifetime_ms))
        return entry.decode(), self._memory

    def look_after(self) -> int:
        """Notice whether Redis lost its memory, and send again what went with it. Returns the number of answers that will be sent again."""
        memory = self._read_memory()
        if memory == self._memory:
            return 0
        lost = 0
        while kept := answers.of_other_memory(self._services.database, memory, limit=BATCH):
            pipe = self._services.redis.pipeline(transaction=False)
            for answer in kept:
                pipe.eval(_LAST_ID, 1, answer.stream)
            last_ids: list[Any] = pipe.execute()
            gone = [answer.seq for answer, last in zip(kept, last_ids, strict=True) if _order(last.decode()) < _order(answer.entry)]
            answers.send_again(self._services.database, gone)
            answers.confirm(self._services.database, [answer.seq for answer in kept if answer.seq not in set(gone)], memory)
            lost += len(gone)
        self._memory = memory
        if lost:
            log.warning("answers_sent_again", count=lost, reason="Redis lost its memory")
        return lost

    def _read_memory(self) -> str:
        """The run of the server, and a key that a flush removes."""
        pipe = self._services.redis.pipeline(transaction=False)
        pipe.set(MEMORY_KEY, uuid4().hex, nx=True)
        pipe.get(MEMORY_KEY)
        pipe.info("server")
        _, mark, server = pipe.execute()
        return f"{server['run_id']}:{mark.decode() if mark else ''}"


def _order(entry: str) -> tuple[int, int]:
    """`1700000000000-3` as numbers, which compare as Redis compares them."""
    milliseconds, _, number = entry.partition("-")
    return int(milliseconds), int(number or 0)
