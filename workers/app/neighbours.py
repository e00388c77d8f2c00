"""Which other processes serve a role: each of them writes it to Redis every second.

A slot may go on with a job's next step without a message (see `redis_reading.py`). Where another process serves that step's role too, the
message goes to the queue instead while that queue is empty: then the other one may be idle, and takes its share at once. Nothing depends
on it being right: a process that died is counted for a few seconds, and costs messages meanwhile.
"""

from collections.abc import Sequence
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from workers.loggers import get_logger

log = get_logger(__name__)

KEY = "bullpen:serving"
"""A sorted set: `ROLE WORKER`, by the server's second in which it was written last."""
FORGOTTEN_S = 5
"""Seconds after which a silent process is no neighbour any more."""

_TELL = """
local now = tonumber(redis.call('TIME')[1])
for place = 2, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[place]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[1]))
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""


class Neighbours:
    """Of one process: the roles that others serve as well."""

    def __init__(self, client: Redis | None, worker: str, roles: Sequence[str]) -> None:
        """`client` None: the broker is not Redis, and nothing is written or known."""
        self._client = client
        self._worker = worker
        self._roles = roles
        self._others: frozenset[str] = frozenset()

    def serve(self, role: str) -> bool:
        """Whether another process serves this role, as of the last second."""
        return role in self._others

    def tell(self) -> None:
        """Say what this process serves, and hear of the others. A server that does not answer leaves things as they were."""
        if self._client is None:
            return
        try:
            entries: Any = self._client.eval(_TELL, 1, KEY, str(FORGOTTEN_S), *(f"{role} {self._worker}" for role in self._roles))
        except Exception as error:  # redis' errors are many
            log.warning("neighbours_unknown", error=type(error).__name__, reason=str(error)[:200])
            if isinstance(error, ResponseError) and "WRONGTYPE" in str(error):
                self._client.delete(KEY)
            return
        pairs = (entry.decode(errors="replace").partition(" ") for entry in entries)
        self._others = frozenset(role for role, _, worker in pairs if worker != self._worker)

    def leave(self) -> None:
        """This process serves nothing any more."""
        if self._client is None:
            return
        try:
            self._client.zrem(KEY, *(f"{role} {self._worker}" for role in self._roles))
        except Exception as error:
            log.warning("neighbours_not_told", error=type(error).__name__, reason=str(error)[:200])
