"""Moves submissions that Celery programs queued on Redis into the stream of submissions, inside Redis.

They share their queue with the coordinator's own commands, and each takes a slot of a coordinator for some milliseconds: 50,000 of one
owner would keep every other job waiting for minutes. In the stream they are taken many together, each owner in turn.
"""

from typing import TYPE_CHECKING, Any, cast

from contracts.roles import COORDINATOR, queue_name
from workers.app.celery_submissions import SUBMIT_TASK, read_envelope
from workers.app.entries import Entry
from workers.app.key_types import list_names
from workers.app.queues import JOBS_STREAM
from workers.app.redis_alone import exceptions
from workers.loggers import get_logger

if TYPE_CHECKING:
    from redis import Redis

    from workers.app.services import ProcessServices

log = get_logger(__name__)

TASK_ID, CORRELATION_ID = "task_id", "correlation_id"
"""Fields of an entry beside `body`, for a submission that came as a task."""

FEW = 20
"""Messages of a list that are left to Celery: without a queue nothing is gained."""
BATCH = 2_000
"""Messages that one call looks at, so that Redis answers others again within some milliseconds."""
MOST_BYTES = 8 << 20
"""Of the messages that one call looks at."""

_MOVE = """
local moved, size = 0, 0
for place = 1, #KEYS - 1 do
  local list = KEYS[place]
  local length = redis.call('LLEN', list)
  if length > tonumber(ARGV[1]) then
    local seen, kept = 0, {}
    while seen < tonumber(ARGV[2]) and seen < length and size < tonumber(ARGV[3]) do
      seen = seen + 1
      local item = redis.call('LINDEX', list, -seen)
      size = size + #item
      if #item <= tonumber(ARGV[4]) and string.find(item, '"task":%s*"bullpen%.submit"')
          and string.find(item, '"eta":%s*null') and string.find(item, '"expires":%s*null') then
        redis.call('XADD', KEYS[#KEYS], '*', 'task', item)
        moved = moved + 1
      else
        kept[#kept + 1] = item
      end
    end
    if #kept < seen then
      redis.call('LTRIM', list, 0, -seen - 1)
      for at = #kept, 1, -1 do redis.call('RPUSH', list, kept[at]) end
    end
  end
end
return moved
"""
"""The list ends at its right: there the next message is taken. What is not moved keeps its place. Entries are added before anything is
removed, so that an error in the middle leaves a message twice, which its id makes one job again. In a header or an argument these
patterns cannot occur: there quotation marks are escaped, and the body is base64."""

LISTS = list_names(queue_name(COORDINATOR))


def move_submissions(client: "Redis", *, message_bytes: int) -> int:
    """Move what waits, when it is more than a few; how many were moved. An error is logged: the messages then stay where they are."""
    moved = 0
    try:
        while True:
            found: int = client.eval(_MOVE, len(LISTS) + 1, *LISTS, JOBS_STREAM, str(FEW), str(BATCH), str(MOST_BYTES), str(message_bytes))  # pyright: ignore[reportAssignmentType]
            moved += found
            if found < BATCH // 4:
                break
    except exceptions.RedisError as error:
        log.warning("submissions_not_moved", error=type(error).__name__, reason=str(error)[:200])
    if moved:
        log.info("submissions_moved", count=moved)
    return moved


def put_into_stream(services: "ProcessServices", body: bytes, *, task_id: str, correlation_id: str | None) -> None:
    """Let a submission that came as a task wait in the stream. Raises `RedisError`."""
    fields = {"body": body, TASK_ID: task_id, **({CORRELATION_ID: correlation_id} if correlation_id else {})}
    services.redis.xadd(JOBS_STREAM, cast("dict[Any, Any]", fields))


def read_entry(name: str, fields: dict[bytes, bytes], *, message_bytes: int) -> Entry:
    """An entry of the stream. Raises `LookupError` without a submission, and what `read_envelope` raises."""
    if (task := fields.get(b"task")) is not None:
        return read_envelope(name, task, message_bytes=message_bytes)
    task_id = fields.get(TASK_ID.encode())
    if task_id is None:
        return Entry(name, fields[b"body"], JOBS_STREAM, message_id=name)
    correlation_id = fields.get(CORRELATION_ID.encode(), b"").decode("utf-8", "replace")
    return Entry(
        name, fields[b"body"], SUBMIT_TASK, message_id=task_id.decode("utf-8", "replace"), correlation_id=correlation_id or None
    )  # fmt: skip
