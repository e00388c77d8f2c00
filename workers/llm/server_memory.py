"""What the fleet learnt of a model and its server: which fields of a request it refuses, and whether the model reasons. One row a model and
server, so that neither another worker nor a restart pays for the same refusals again. A lesson is forgotten after 30 days.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import LiteralString

from contracts.base import Json
from workers.blackboard.engine import Database, jsonb
from workers.errors import BullpenError
from workers.llm.dialects import Dialect
from workers.loggers import get_logger

log = get_logger(__name__)

_READ: LiteralString = """
SELECT learnt FROM model_servers
 WHERE server = %(server)s AND model = %(model)s AND learnt IS NOT NULL AND learnt_at > now() - interval '30 days'
"""
_WRITE: LiteralString = """
INSERT INTO model_servers (server, model, learnt, learnt_at) VALUES (%(server)s, %(model)s, %(learnt)s, now())
ON CONFLICT (server, model) DO UPDATE SET learnt = EXCLUDED.learnt, learnt_at = now()
"""
_FORGET_CALLS: LiteralString = "UPDATE model_servers SET takes_native_calls = NULL WHERE server = %(server)s AND model = %(model)s"


class ServerMemory:
    """Of one model and server. Without a database nothing is remembered, and no call fails for that."""

    def __init__(self, database: Callable[[], Database], server: str, model: str) -> None:
        """`server`: its address without secrets."""
        self._database = database
        self._key = {"server": server, "model": model}

    def recall(self, begin: Dialect) -> Dialect:
        """`begin` with what is remembered. What was learnt of requests that began otherwise, by other settings, does not count."""
        try:
            rows = self._database().statements([(_READ, self._key)])[0]
        except BullpenError as error:
            log.info("model_server_not_recalled", error=type(error).__name__)
            return begin
        return _dialect(begin, rows[0]["learnt"]) if rows else begin

    def keep(self, begin: Dialect, learnt: Dialect) -> None:
        """Remember how requests that began as `begin` are made now. Equal to `begin`: what was remembered is forgotten."""
        before, now = asdict(begin), asdict(learnt)
        lessons = {field: value for field, value in now.items() if value != before[field]}
        kept = jsonb({"begin": before, "lessons": lessons}) if lessons else None
        try:
            self._database().statements([(_WRITE, {**self._key, "learnt": kept})])
        except BullpenError as error:
            log.info("model_server_not_kept", error=type(error).__name__)

    def forget_native_calls(self) -> None:
        """The server refused a request with tools: whether it takes them is found out again."""
        try:
            self._database().statements([(_FORGET_CALLS, self._key)])
        except BullpenError as error:
            log.info("model_server_not_kept", error=type(error).__name__)


def _dialect(begin: Dialect, kept: Json) -> Dialect:
    """The dialect of a row. Another release may know other fields: what it says of those is left out."""
    before = asdict(begin)
    if any(before[field] != value for field, value in kept["begin"].items() if field in before):
        return begin
    return replace(begin, **{field: value for field, value in kept["lessons"].items() if field in before})
