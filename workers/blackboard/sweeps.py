"""How the parts of the sweep fared, where every process can read it: a part that fails or is late makes `bullpen doctor` fail."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import LiteralString

from workers.blackboard.engine import Database, Row, jsonb

MOST_ERROR_CHARACTERS = 1_000

_RECORD: LiteralString = """
INSERT INTO sweeps AS s (part, ok_at, failed_at, error, failures, duration_s, worker)
SELECT r.part, CASE WHEN r.error IS NULL THEN now() END, CASE WHEN r.error IS NOT NULL THEN now() END, r.error,
       (r.error IS NOT NULL)::int, r.duration_s, %(worker)s
  FROM jsonb_to_recordset(%(rounds)s) AS r(part text, error text, duration_s float)
ON CONFLICT (part) DO UPDATE
   SET ok_at = COALESCE(EXCLUDED.ok_at, s.ok_at), failed_at = COALESCE(EXCLUDED.failed_at, s.failed_at),
       error = COALESCE(EXCLUDED.error, s.error), failures = CASE WHEN EXCLUDED.error IS NULL THEN 0 ELSE s.failures + 1 END,
       duration_s = EXCLUDED.duration_s, worker = EXCLUDED.worker
"""

_READ: LiteralString = """
SELECT part, error, failures, duration_s, worker, extract(epoch FROM now() - ok_at)::float AS ok_age_s,
       extract(epoch FROM now() - failed_at)::float AS failed_age_s
  FROM sweeps ORDER BY part
"""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of one part. `error` None: it succeeded."""

    part: str
    duration_s: float
    error: str | None = None


def record(db: Database, rounds: Sequence[Round], *, worker: str) -> None:
    """Write down how these parts fared."""
    rows = [{**asdict(item), "error": item.error and item.error[:MOST_ERROR_CHARACTERS].replace("\x00", "\ufffd")} for item in rounds]
    db.statement(_RECORD, {"rounds": jsonb(rows), "worker": worker})


PARTS = (
    "leases", "hopeless", "resend", "undecided", "budgets", "admission", "quarantine", "calls",
    "announcements", "answers to broker", "answers to web",
)  # fmt: skip
"""What a coordinator does every `sweep_s` seconds, the most urgent first; the last three have threads of their own."""


def oldest_work_s(db: Database) -> float:
    """Age in seconds of the oldest job that is not finished and waits for no human; 0 when there is none."""
    row = db.row(
        "SELECT extract(epoch FROM now() - min(created_at))::float AS age_s FROM jobs WHERE finished_at IS NULL "
        "AND status IN ('accepted', 'running')"
    )
    return 0.0 if row is None or row["age_s"] is None else float(row["age_s"])


def read(db: Database) -> list[Row]:
    """Every part that ever ran: its failures in a row, its last error, and the ages in seconds of its last success and failure."""
    return db.statement(_READ)
