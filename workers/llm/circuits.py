"""A circuit breaker for each model of each server, shared by the fleet through one row in Postgres.

A hanging server otherwise costs every call its full timeout, times the retries, in every worker. The states are the usual ones:

closed      calls pass. A server that has not answered for a while gets a short first timeout; when it lets that pass, one look at its
            list of models tells a slow server, which is then given the full time, from one that hangs.
open        no call is made until `open_until`: the fallback model or the rules take over at once.
half open   `open_until` has passed: one caller in the whole fleet tries, with the short timeout; its outcome closes or opens the circuit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString, Protocol

from workers.blackboard.engine import Database, Row
from workers.errors import ModelCircuitOpen, ModelUnavailable
from workers.loggers import get_logger

log = get_logger(__name__)

MOST_TIMEOUTS = 2
"""Full timeouts in a row that open a circuit: each costs a worker minutes, so a second one is the last."""
MOST_FAILURES = 5
"""Lost connections, 5xx and unreadable bodies in a row that open a circuit. They cost little, and a server that restarts gives some."""
OPEN_S = 30.0
"""Seconds that a circuit stays open the first time; doubles each time a trial fails, up to `MOST_OPEN_S`."""
MOST_OPEN_S = 300.0
KNOWN_S = 3_600.0
"""A server that answered within these seconds gets the full timeout at once."""
TRIAL_SLACK_S = 30.0
"""A trial holds the circuit for the short timeout and this long, for the look at the server and a wait for the rate limit."""
MOST_REASON_CHARACTERS = 500

_ENTER: LiteralString = """
WITH trial AS (
  UPDATE model_circuits SET open_until = clock_timestamp() + make_interval(secs => %(trial_s)s), tried_at = clock_timestamp()
   WHERE server = %(server)s AND model = %(model)s AND open_until <= clock_timestamp() RETURNING 1)
SELECT c.reason, extract(epoch FROM c.open_until - clock_timestamp())::float AS wait_s, EXISTS (SELECT 1 FROM trial) AS is_trial,
       COALESCE(c.known_at > clock_timestamp() - make_interval(secs => %(known_s)s), false) AS is_known
  FROM model_circuits c WHERE c.server = %(server)s AND c.model = %(model)s
"""

_ANSWERED: LiteralString = """
INSERT INTO model_circuits AS c (server, model, known_at) VALUES (%(server)s, %(model)s, clock_timestamp())
ON CONFLICT (server, model) DO UPDATE
   SET failures = 0, timeouts = 0, openings = 0, open_until = NULL, reason = NULL, known_at = EXCLUDED.known_at
 WHERE c.failures > 0 OR c.open_until IS NOT NULL OR c.known_at IS NULL OR c.known_at < clock_timestamp() - interval '1 minute'
"""

_FAILED: LiteralString = """
WITH counted AS (
  INSERT INTO model_circuits AS c (server, model, failures, timeouts, failed_at, reason, known_at)
  VALUES (%(server)s, %(model)s, 1, %(timeouts)s, clock_timestamp(), %(reason)s, CASE WHEN %(is_slow)s THEN clock_timestamp() END)
  ON CONFLICT (server, model) DO UPDATE
     SET failures = c.failures + 1, timeouts = c.timeouts + EXCLUDED.timeouts, failed_at = EXCLUDED.failed_at, reason = EXCLUDED.reason,
         known_at = CASE WHEN %(is_slow)s THEN EXCLUDED.known_at WHEN %(is_gone)s THEN NULL ELSE c.known_at END,
         open_until = CASE WHEN %(is_slow)s THEN NULL ELSE c.open_until END
  RETURNING failures, timeouts, openings, open_until)
SELECT failures, timeouts, openings, open_until IS NOT NULL AS was_open FROM counted
"""

_OPEN: LiteralString = """
UPDATE model_circuits SET open_until = clock_timestamp() + make_interval(secs => %(open_s)s), openings = openings + 1
 WHERE server = %(server)s AND model = %(model)s AND openings = %(openings)s
"""

_READ: LiteralString = """
SELECT server, model, failures, reason, failed_at, GREATEST(0, extract(epoch FROM open_until - clock_timestamp()))::float AS wait_s
  FROM model_circuits WHERE open_until IS NOT NULL ORDER BY server, model
"""


@dataclass(frozen=True, slots=True)
class Gate:
    """Leave to make a call."""

    is_known: bool
    """Whether the server answered lately: then it gets the full timeout."""
    is_trial: bool = False
    """Whether this is the one call of a half-open circuit."""


@dataclass(frozen=True, slots=True)
class OpenCircuit:
    """A model that is not called at present."""

    server: str
    model: str
    failures: int
    reason: str
    failed_at: datetime | None
    wait_s: float
    """Seconds until the next trial. Zero: the next call is the trial."""


class Circuits(Protocol):
    """Says whether a model of a server may be called, and hears how calls ended."""

    def enter(self, server: str, model: str) -> Gate:
        """Leave for one call. Raises `ModelCircuitOpen`."""
        ...

    def answered(self, server: str, model: str) -> None:
        """The server answered, be it with a refusal."""
        ...

    def failed(self, server: str, model: str, error: ModelUnavailable, gate: Gate, is_there: Callable[[], bool]) -> None:
        """The call that `gate` allowed failed. `is_there` asks whether the server answers at all; it is asked after a short timeout."""
        ...


class NoCircuits:
    """Every call is made."""

    def enter(self, server: str, model: str) -> Gate:
        """Always."""
        return Gate(is_known=True)

    def answered(self, server: str, model: str) -> None:
        """Not remembered."""

    def failed(self, server: str, model: str, error: ModelUnavailable, gate: Gate, is_there: Callable[[], bool]) -> None:
        """Not remembered."""


class FleetCircuits:
    """The circuits of a fleet: what one worker learns of a server, all know."""

    def __init__(self, db: Database, *, first_timeout_s: float) -> None:
        """`first_timeout_s`: the short timeout, for which a trial holds the circuit."""
        self._db = db
        self._trial_s = first_timeout_s + TRIAL_SLACK_S

    def enter(self, server: str, model: str) -> Gate:
        """See `Circuits`."""
        values = {"server": server, "model": model, "trial_s": self._trial_s, "known_s": KNOWN_S}
        row = self._db.row(_ENTER, values)
        if row is None:
            return Gate(is_known=False)
        if row["wait_s"] is None:
            return Gate(is_known=row["is_known"])
        if row["is_trial"]:
            log.info("model_circuit_trial", server=server, model=model)
            return Gate(is_known=False, is_trial=True)
        wait_s = row["wait_s"] if row["wait_s"] > 0 else self._trial_s
        raise ModelCircuitOpen(
            f"Model {model} at {server} is not called for another {max(1.0, wait_s):.0f} s, since it failed before: {row['reason']}",
            retry_after_s=wait_s,
        )

    def answered(self, server: str, model: str) -> None:
        """See `Circuits`."""
        self._db.statement(_ANSWERED, {"server": server, "model": model})

    def failed(self, server: str, model: str, error: ModelUnavailable, gate: Gate, is_there: Callable[[], bool]) -> None:
        """See `Circuits`."""
        if error.is_busy:  # a server that asks for patience is there
            self.answered(server, model)
            return
        is_short = error.timed_out and not gate.is_known
        is_slow = is_short and is_there()
        is_gone = is_short and not is_slow
        values = {"server": server, "model": model, "timeouts": int(error.timed_out), "is_slow": is_slow, "is_gone": is_gone}
        row = self._db.row(_FAILED, {**values, "reason": str(error)[:MOST_REASON_CHARACTERS].replace("\x00", "\ufffd")})
        if row is None or is_slow or not _opens(row, gate, is_gone=is_gone):
            return
        open_s = min(MOST_OPEN_S, OPEN_S * 2.0 ** min(row["openings"], 10))
        self._db.statement(_OPEN, {"server": server, "model": model, "open_s": open_s, "openings": row["openings"]})
        log.warning("model_circuit_opened", server=server, model=model, open_s=open_s, failures=row["failures"])


def _opens(row: Row, gate: Gate, *, is_gone: bool) -> bool:
    """Whether a failure opens the circuit. A call that began before others opened it changes nothing."""
    if row["was_open"]:
        return gate.is_trial
    return is_gone or row["timeouts"] >= MOST_TIMEOUTS or row["failures"] >= MOST_FAILURES


def read_open(db: Database) -> list[OpenCircuit]:
    """The circuits that are open, or wait for a trial."""
    return [
        OpenCircuit(row["server"], row["model"], row["failures"], row["reason"] or "", row["failed_at"], row["wait_s"])
        for row in db.statement(_READ)
    ]
