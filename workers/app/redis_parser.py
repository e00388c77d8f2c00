"""A reader of Redis' answers that holds no more of one value, and no more elements of one list, than it is allowed.

Redis takes values of 512 MB and stream entries of any number of fields, and hands them over whole; redis-py would keep all of it.
"""

# The reader of redis-py is not part of its typed interface:
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportOptionalMemberAccess=false, reportMissingTypeArgument=false, reportUnknownParameterType=false

from typing import Any, ClassVar

from redis._parsers.resp2 import _RESP2Parser
from redis.utils import SENTINEL

from workers.blackboard.quarantine import Cut, Cutter


class BoundedParser(_RESP2Parser):
    """See `bounded_parser`."""

    most_bytes: ClassVar[int]
    most_items: ClassVar[int | None]

    def _read_response(self, disable_decoding: bool = False, timeout: float | object = SENTINEL) -> Any:
        mark = self._buffer.get_pos()
        line = self._buffer.readline(timeout=timeout)
        if line[:1] == b"$" and int(line[1:]) > self.most_bytes:
            return self._cut(int(line[1:]), timeout)
        if line[:1] == b"*" and self.most_items is not None and int(line[1:]) > self.most_items:
            return self._first_items(int(line[1:]), disable_decoding, timeout)
        self._buffer.rewind(mark)
        return super()._read_response(disable_decoding=disable_decoding, timeout=timeout)

    def _first_items(self, count: int, disable_decoding: bool, timeout: float | object) -> list[Any]:
        kept: list[Any] = []
        for _ in range(count):
            item = self._read_response(disable_decoding=disable_decoding, timeout=timeout)
            if len(kept) < (self.most_items or 0):
                kept.append(item)
            self._forget()
        return kept

    def _cut(self, size: int, timeout: float | object) -> Cut:
        """The value's beginning. An error in the middle ends the connection, as any error while reading does."""
        cutter, missing = Cutter(), size
        while missing:
            piece = self._buffer._buffer.read(missing)
            if not piece:
                self._buffer._read_from_socket(timeout=timeout)
                continue
            cutter.add(piece)
            missing -= len(piece)
            self._forget()
        self._buffer.read(0, timeout=timeout)  # the end of the line
        return cutter.cut()

    def _forget(self) -> None:
        """Let go of what was read. The buffer of redis-py keeps all bytes of an answer until its end."""
        held = self._buffer._buffer
        if held.tell() > self.socket_read_size or not self._buffer.unread_bytes():
            rest = held.read()
            held.seek(0)
            held.truncate()
            held.write(rest)
            held.seek(0)


def bounded_parser(*, most_bytes: int, most_items: int | None = None) -> type[BoundedParser]:
    """A class for `parser_class` of a redis connection of protocol 2. A larger value arrives as `Cut`, a longer list as its beginning."""
    return type("BoundedParser", (BoundedParser,), {"most_bytes": most_bytes, "most_items": most_items})
