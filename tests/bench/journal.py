"""What the journal costs a call of a model: `python -m tests.bench.journal [--calls 200] [--tokens 12000]`.

One step makes calls with prompts of this size; the beginning of a prompt, most of it, is the same in all of them, as in a job. Printed are
statements, milliseconds, and bytes of the tables a call; and the same for a step whose prompts have nothing in common.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID, uuid4

import tests.support.ten_calls  # noqa: F401  the kind of its job
from contracts.jobs import EngineChoice, SubmitJob
from contracts.reports import Usage
from tests.acceptance.conftest import own_database
from tests.conftest import make_template
from tests.support.servers import Servers
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.journal import Journal, Message, Part, Request
from workers.coordinator.intake import accept
from workers.settings import Settings

_CHARACTERS_A_TOKEN = 4
_CHANGING_TOKENS = 400
"""Of a prompt: the request, and the answer before."""
_BYTES: LiteralString = """
SELECT pg_total_relation_size('calls') AS calls, pg_total_relation_size('call_texts') AS texts
"""


class Counted(Database):
    """A database that counts its statements."""

    sent = 0

    def statement(self, *given: Any, **more: Any) -> Any:
        """See `Database`."""
        self.sent += 1
        return super().statement(*given, **more)


def main() -> None:
    """Measure, and print a line for each sort of prompts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=12_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Servers(Path(folder, "servers")) as servers:
        template = make_template(servers)
        for shared, name in ((True, "one stable part"), (False, "nothing shared")):
            with own_database(servers, template) as url:
                _measure(name, url, servers.valkey.url, given.calls, given.tokens, shared=shared)


def _measure(name: str, url: str, broker: str, calls: int, tokens: int, *, shared: bool) -> None:
    services = ProcessServices(Settings(database_url=url, broker_url=broker, engine=EngineChoice.RULES, embeddings="none"))
    job_id = accept(services.database, SubmitJob(job={"kind": "trip"}), owner_cap=10, has_model=False).job_id
    services.database.statement("UPDATE jobs SET admitted = true")
    advance_and_publish(services, job_id)
    db = Counted(url)
    journal = _open(db, job_id)
    db.sent = 0
    before = _bytes(db)
    took: list[float] = []
    stable = _text("stable", tokens - _CHANGING_TOKENS)
    for number in range(calls):
        first = stable if shared else _text(f"own {number}", tokens - _CHANGING_TOKENS)
        parts = (Part("instructions", first), Part("message", _text(f"question {number}", _CHANGING_TOKENS)))
        begun = time.perf_counter()
        call = journal.model_call(Request("developer/sql", (Message("user", parts),), "a-model", {"form": "SqlAnswer"}))
        journal.end(call, answer={"text": _text(f"answer {number}", 300)}, outcome="answered", used=Usage(model_calls=1), duration_ms=1)
        took.append((time.perf_counter() - begun) * 1000)
    sent = db.sent
    kept = {table: (size - before[table]) / calls / 1024 for table, size in _bytes(db).items()}
    print(
        f"{name}: {sent / calls:.1f} statements, {statistics.median(took):.1f} ms in the median, "
        f"{kept['calls']:.1f} KB of rows and {kept['texts']:.1f} KB of texts a call of {tokens} tokens"
    )
    db.close()
    services.close()


def _open(db: Database, job_id: UUID) -> Journal:
    token = uuid4()
    row = db.row(
        "UPDATE steps SET status = 'running', token = %(token)s, lease_until = now() + interval '1 hour' WHERE job_id = %(id)s "
        "AND stage = 'held' RETURNING id",
        {"id": job_id, "token": token},
    )
    assert row is not None
    return Journal(db, job_id=job_id, step_id=row["id"], token=token, attempt=1)


def _bytes(db: Database) -> dict[str, int]:
    row = db.row(_BYTES)
    assert row is not None
    return row


def _text(seed: str, tokens: int) -> str:
    """Lines like those of a schema, different for each seed."""
    lines: list[str] = []
    length = 0
    while length < tokens * _CHARACTERS_A_TOKEN:
        lines.append(f"  column_{seed.replace(' ', '_')}_{len(lines)} DECIMAL(12,2),  -- measured at place {len(lines) * 7919 % 1009}")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


if __name__ == "__main__":
    main()
