"""What a step costs as the board fills: `python -m tests.bench.flat [--rounds 5] [--advance inline]`.

Four boards, each with a fleet of its own (a coordinator, two workers), one after the other in every round while the others are frozen. An
owner at the cap of 100 has as many jobs held back as the board's name says, so that every end of a job lets another in. Measured are 100
ends of jobs of six steps: CPU seconds of the fleet and of both servers for 1000 steps. Ratios are medians of the ratios in the same round.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg import sql

from contracts.jobs import SubmitJob
from tests.bench.fleet import Fleet
from tests.bench.load import document
from tests.bench.measure import DONE_POLL_S, Servers, machine, median, tree_cpu_s, wait_until
from tests.support.many_jobs import Patterns, fill, run_patterns
from workers.app.services import ProcessServices
from workers.blackboard.schema import migrate
from workers.coordinator.intake import prepare
from workers.coordinator.intake_batch import accept_many
from workers.kinds.registry import load_kinds
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings
from workers.telemetry import configure_logging

CAP = 100
ENDS = 100
"""Jobs that end while it is measured."""
TARGET = 0.10
"""How far from the first board the others may be."""
OWNER = "flood"

_ENDED = "SELECT count(*) AS n FROM jobs WHERE owner = %(owner)s AND finished_at IS NOT NULL"
_STEPS = "SELECT count(*) AS n FROM steps s JOIN jobs j ON j.id = s.job_id WHERE j.owner = %(owner)s AND s.finished_at IS NOT NULL"
_OPEN = "SELECT count(*) AS n FROM jobs WHERE owner = %(owner)s AND finished_at IS NULL"


@dataclass(frozen=True)
class Board:
    """What is on a board before anything is measured."""

    name: str
    held_back: int = 100
    finished: int = 0
    waiting: int = 0


BOARDS = (
    Board("100 held back"),
    Board("10,000 held back", held_back=10_000),
    Board("100,000 finished", finished=100_000),
    Board("1,000 wait for a human", waiting=1_000),
)


class Filled:
    """A fleet on a board."""

    def __init__(self, board: Board, servers: Servers, folder: Path, number: int, advance: str) -> None:
        self.board = board
        self._servers = servers
        self._fleet = Fleet(servers, folder, advance="inline" if advance == "inline" else "coordinator", broker=number, threads=4)
        self._fleet.database = f"flat_{number}"
        url = servers.database(self._fleet.database)
        self._fleet.environment |= {"BULLPEN_DATABASE_URL": url, "BULLPEN_OWNER_CAP": str(CAP)}
        extensions = ("tests.support.noop", "tests.bench.six_stages")
        self._services = ProcessServices(Settings(database_url=url, broker_url=servers.broker(number), extensions=extensions))

    @property
    def database(self) -> str:
        return self._fleet.database

    def start(self) -> None:
        """Fill the board, start the fleet, let it warm up, and freeze it."""
        db = self._services.database
        migrate(db)
        load_kinds(self._services.settings.extensions)
        patterns = run_patterns(self._services)
        db.statement("UPDATE steps SET due_at = 'infinity' WHERE job_id = %(id)s", {"id": patterns.queued})  # nobody's, here
        for pattern, count in ((patterns.chain, self.board.finished), (patterns.waiting, self.board.waiting)):
            if count:
                fill(db, Patterns(*[pattern] * 7), count)
        self._fleet.start()
        self._submit(20)
        wait_until(lambda: self._count(_OPEN) == 0, poll_s=DONE_POLL_S)
        self._fleet.freeze()

    def round(self) -> float:
        """CPU seconds for 1000 steps."""
        self._submit(CAP + self.board.held_back - self._count(_OPEN))
        ended, steps, before = self._count(_ENDED), self._count(_STEPS), self._cpu()
        self._fleet.thaw()
        wait_until(lambda: self._count(_ENDED) >= ended + ENDS, poll_s=DONE_POLL_S)
        self._fleet.freeze()
        time.sleep(0.3)  # lazy commits that still are on their way
        return (self._cpu() - before) * 1000 / (self._count(_STEPS) - steps)

    def end(self) -> None:
        self._fleet.end()
        self._services.close()

    def _submit(self, jobs: int) -> None:
        request = {"kind": "six_stages", "text": document("input")}
        admitted: list[tuple[UUID, int]] = []
        for start in range(0, jobs, 500):
            batch = [prepare(SubmitJob(job=request, owner=OWNER)) for _ in range(start, min(start + 500, jobs))]
            made = accept_many(self._services.database, batch, owner_cap=CAP)
            admitted += [(job_id, 5) for job_id, may_run in made.items() if may_run]
        self._services.publisher.advance_many(admitted)

    def _count(self, query: str) -> int:
        row = self._services.database.row(query, {"owner": OWNER})  # type: ignore[arg-type]
        return row["n"] if row else 0

    def _cpu(self) -> float:
        return tree_cpu_s([*self._fleet.pids, self._servers.postgres_pid, self._servers.redis_pid])


def main() -> int:
    """0: every board costs what the first one costs, within the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--advance", choices=("coordinator", "inline"), default="coordinator")
    given = parser.parse_args()
    configure_logging("console", "error")
    with tempfile.TemporaryDirectory(prefix="bullpen-flat-") as folder:
        postgres = EmbeddedPostgres(Path(folder, "postgres"), options={"max_connections": "600"})
        valkey = EmbeddedValkey(Path(folder, "valkey"))
        with postgres, valkey:
            servers = Servers(postgres.url, postgres.pid or 0, valkey.url, valkey.pid or 0)
            return _run(servers, Path(folder), given.rounds, given.advance)


def _run(servers: Servers, folder: Path, rounds: int, advance: str) -> int:
    boards = [Filled(board, servers, folder, number, advance) for number, board in enumerate(BOARDS)]
    costs: dict[str, list[float]] = {item.board.name: [] for item in boards}
    try:
        with psycopg.connect(servers.postgres_url, autocommit=True) as admin:
            for item in boards:
                admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(item.database)))
        for item in boards:
            item.start()
        for number in range(rounds):
            turn = number % len(boards)
            for item in [*boards[turn:], *boards[:turn]]:
                costs[item.board.name].append(item.round())
            print(f"round {number + 1} of {rounds} done", file=sys.stderr, flush=True)
    finally:
        for item in boards:
            item.end()
    first = costs[BOARDS[0].name]
    print(f"{advance}, cap {CAP}, {rounds} rounds, {machine()}")
    met = True
    for name, taken in costs.items():
        ratio = median(cost / base for cost, base in zip(taken, first, strict=True))
        met &= abs(ratio - 1) <= TARGET
        print(f"{name:24} {median(taken):6.2f} CPU s per 1000 steps   x {ratio:.2f}   ({min(taken):.2f} to {max(taken):.2f})")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
