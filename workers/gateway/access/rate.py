"""How often a key may call, counted in Postgres, so that all gateways count together.

The generic cell rate algorithm (ITU-T I.371): each request takes 60 s / `per_minute` of a time line that may run ahead by a minute. A key
that was silent may so make `per_minute` requests at once, and then as many as are due.
"""

from typing import LiteralString

from workers.blackboard.engine import Database
from workers.gateway.access.keys import ApiKey

WINDOW_S = 60.0

_TAKE: LiteralString = """
UPDATE api_keys SET busy_until = greatest(busy_until, now()) + make_interval(secs => %(each_s)s)
 WHERE id = %(id)s AND greatest(busy_until, now()) + make_interval(secs => %(each_s)s) <= now() + make_interval(secs => %(window_s)s)
RETURNING id
"""

_WAIT: LiteralString = """
SELECT extract(epoch FROM busy_until + make_interval(secs => %(each_s)s) - make_interval(secs => %(window_s)s) - now())::float AS wait_s
  FROM api_keys WHERE id = %(id)s
"""


def take_turn(db: Database, key: ApiKey) -> float:
    """Count a request of this key; seconds to wait before the next try, 0 when it may go on."""
    if key.per_minute is None:
        return 0.0
    values = {"id": key.id, "each_s": WINDOW_S / key.per_minute, "window_s": WINDOW_S + 1e-3}
    if db.statement(_TAKE, values):
        return 0.0
    row = db.row(_WAIT, values)
    return 0.0 if row is None else max(float(row["wait_s"] or 0.0), 0.1)
