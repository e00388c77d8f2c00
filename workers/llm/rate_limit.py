"""One rate limit for the whole fleet: a row in Postgres holds the time of the next call (GCRA).

Each `take` is one statement that advances the row by one interval, unless the turn would come too late. Turns are given in
order and evenly spread, and no connection is held during a wait.
"""

from typing import Protocol

from workers.blackboard.engine import Database
from workers.errors import ModelUnavailable

_TAKE = """
WITH taken AS (
  INSERT INTO rate_limits AS r (key, tat) VALUES (%(key)s, clock_timestamp() + make_interval(secs => %(interval_s)s))
  ON CONFLICT (key) DO UPDATE SET tat = GREATEST(r.tat, clock_timestamp()) + make_interval(secs => %(interval_s)s)
   WHERE r.tat <= clock_timestamp() + make_interval(secs => %(most_s)s)
  RETURNING tat)
SELECT true AS taken, extract(epoch FROM tat - clock_timestamp())::float - %(interval_s)s AS wait_s FROM taken
UNION ALL
SELECT false, extract(epoch FROM tat - clock_timestamp())::float FROM rate_limits
 WHERE key = %(key)s AND NOT EXISTS (SELECT 1 FROM taken)
"""

MODEL_CALLS = "model_calls"
"""The key under which the fleet's model calls are counted."""


class RateLimit(Protocol):
    """Limits how often a call may be made."""

    def take(self, most_s: float) -> float:
        """Reserve the next turn; the result is the wait in seconds. Raises `ModelUnavailable` if it is more than `most_s`."""
        ...


class NoRateLimit:
    """No limit."""

    def take(self, most_s: float) -> float:
        """No wait."""
        return 0.0


class FleetRateLimit:
    """At most `per_minute` calls a minute, over all processes that share the database."""

    def __init__(self, db: Database, *, per_minute: float, key: str = MODEL_CALLS) -> None:
        self._db = db
        self._per_minute = per_minute
        self._key = key

    def take(self, most_s: float) -> float:
        """See `RateLimit`."""
        row = self._db.row(_TAKE, {"key": self._key, "interval_s": 60.0 / self._per_minute, "most_s": most_s})
        if row is None or row["taken"]:
            return 0.0 if row is None else max(0.0, row["wait_s"])
        wait_s = max(row["wait_s"], most_s)
        raise ModelUnavailable(
            f"The fleet's limit of {self._per_minute:g} model calls a minute is used up: the next turn is in {wait_s:.0f} s. "
            "Raise BULLPEN_MODEL_REQUESTS_PER_MINUTE if the server allows more.",
            retry_after_s=wait_s,
        )
