"""Reads the stream of submissions in batches that are bounded in bytes, from its beginning and, without taking, from its end.

Both run inside of Redis entry by entry, so that no more than one message above the bound comes over the wire. They answer in groups:
the client reads only the beginning of a longer list (see `workers.app.redis_parser`), and an entry that it drops would wait for its
takeover although it is this consumer's.
"""

from typing import Any

from redis import Redis

_ADD = """
local groups, size = {}, 0
local function add(entry)
  local last = groups[#groups]
  if not last or #last == 100 then
    last = {}
    groups[#groups + 1] = last
  end
  last[#last + 1] = entry
end
"""

_NEXT = f"""{_ADD}
for _ = 1, tonumber(ARGV[3]) do
  local answer = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', '1', 'STREAMS', KEYS[1], '>')
  if not answer then break end
  local entry = answer[1][2][1]
  add(entry)
  for _, part in ipairs(entry[2]) do size = size + #part end
  if size > tonumber(ARGV[4]) then break end
end
return groups
"""

_BACKWARDS = f"""{_ADD}
local before = ARGV[1]
for _ = 1, tonumber(ARGV[2]) do
  local answer = redis.call('XREVRANGE', KEYS[1], before, '-', 'COUNT', '1')
  if #answer == 0 then before = ''; break end
  local id, fields = answer[1][1], answer[1][2]
  before = '(' .. id
  for place = 1, #fields - 1, 2 do
    if (fields[place] == 'body' or fields[place] == 'task') and #fields[place + 1] <= tonumber(ARGV[4]) then
      add({{id, {{fields[place], fields[place + 1]}}}})
      size = size + #fields[place + 1]
      break
    end
  end
  if size > tonumber(ARGV[3]) then break end
end
return {{before, groups}}
"""

MOST_BYTES = 8 << 20
"""Of the bodies of one batch."""


def read_next(client: "Redis", stream: str, group: str, consumer: str, *, count: int) -> list[Any]:
    """The next entries, as XREADGROUP gives them, which are this consumer's from now on."""
    groups: Any = client.eval(_NEXT, 1, stream, group, consumer, str(count), str(MOST_BYTES))
    return [(entry_id, _fields(fields)) for found in groups for entry_id, fields in found]


def _fields(pairs: list[bytes] | None) -> dict[bytes, bytes] | None:
    return None if pairs is None else dict(zip(pairs[::2], pairs[1::2], strict=False))


class LookAhead:
    """Walks backwards through a stream that is long, a window at a time, and again from its end when it has come through. Of an entry it
    gives the field with the submission: `body`, or `task` (see `workers.app.relay`)."""

    def __init__(self, client: "Redis", stream: str, *, message_bytes: int) -> None:
        self._client = client
        self._stream = stream
        self._message_bytes = message_bytes
        self._before = ""

    def newest(self, count: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """The entries at the end of the stream, newest first."""
        return self._read("+", count)[1]

    def further(self, count: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """The entries before those that were looked at last."""
        self._before, found = self._read(self._before or "+", count)
        return found

    def _read(self, before: str, count: int) -> tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]:
        answer: Any = self._client.eval(_BACKWARDS, 1, self._stream, before, str(count), str(MOST_BYTES), str(self._message_bytes))
        return answer[0].decode(), [(entry_id, _fields(fields) or {}) for found in answer[1] for entry_id, fields in found]
