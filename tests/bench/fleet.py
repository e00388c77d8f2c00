"""Ours: jobs of six stages of six roles that hand on documents, everything durable. How many processes: the layout."""

import os
import sys
import time
from pathlib import Path
from typing import Literal

from celery import signals
from psycopg.rows import tuple_row

from contracts.jobs import SubmitJob
from contracts.roles import COORDINATOR
from tests.bench.load import document
from tests.bench.measure import DONE_POLL_S, POLL_S, STAGES, Servers, wait_until
from tests.bench.processes import READY, Crew, Process
from tests.bench.six_stages import ROLES
from workers.app.fleet_facts import WORKERS
from workers.app.services import ProcessServices
from workers.app.worker import run_worker
from workers.blackboard.schema import migrate
from workers.coordinator.intake import accept
from workers.kinds.registry import load_kinds
from workers.settings import Settings

CAP = 1_000_000
EXTENSION = "tests.bench.six_stages"

LAYOUTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "one": (tuple(WORKERS),),
    "halves": ((COORDINATOR,), ROLES[:3], ROLES[3:]),
    "roles": ((COORDINATOR,), *((role,) for role in ROLES)),
}
"""What each process serves: everything in one, as `bullpen up` does; half of the roles each; a role each."""

_COUNTS = """
WITH mine AS (SELECT id, rev, status FROM jobs WHERE owner = %(owner)s)
SELECT (SELECT count(*) FROM mine WHERE status = 'succeeded'),
       (SELECT count(*) FROM steps s JOIN mine ON mine.id = s.job_id WHERE s.status = 'succeeded' AND s.attempt = 1),
       (SELECT count(*) FROM steps s JOIN mine ON mine.id = s.job_id),
       (SELECT count(*) FROM deliverables d JOIN mine ON mine.id = d.job_id),
       (SELECT count(*) FROM decisions d JOIN mine ON mine.id = d.job_id),
       (SELECT count(*) FROM events e JOIN mine ON mine.id = e.job_id),
       (SELECT sum(rev) FROM mine)
"""


class Fleet:
    """`advance`: who runs the boss after a report."""

    def __init__(
        self,
        servers: Servers,
        folder: Path,
        *,
        advance: Literal["coordinator", "inline"],
        broker: int,
        threads: int,
        layout: str,
        pool: str = "threads",
        checkout: Path | None = None,
    ) -> None:
        """`checkout`: another version of this repository, to see what a change brings."""
        self.name = f"ours, {advance}" if checkout is None else f"{checkout.name}, {advance}"
        self.database = f"bench_{advance}_{broker}"
        self._checkout = checkout
        self._folder = folder
        self._threads = threads
        self._layout = layout
        self._pool = pool
        self.environment = {
            "BULLPEN_DATABASE_URL": servers.database(self.database),
            "BULLPEN_BROKER_URL": servers.broker(broker),
            "BULLPEN_ADVANCE": advance,
            "BULLPEN_EXTENSIONS": EXTENSION,
            "BULLPEN_OWNER_CAP": str(CAP),
            "BULLPEN_LOG_LEVEL": "warning",
            "BULLPEN_HUNG_AFTER_S": "3600",  # a process that is frozen while others are measured is not hung
        }

    @property
    def pids(self) -> list[int]:
        return self._crew.pids

    def start(self) -> None:
        load_kinds((EXTENSION,))
        settings = Settings(
            database_url=self.environment["BULLPEN_DATABASE_URL"], broker_url=self.environment["BULLPEN_BROKER_URL"], log_level="warning"
        )
        self._services = ProcessServices(settings)
        migrate(self._services.database)
        broker = self.environment["BULLPEN_BROKER_URL"]
        processes = [Process(f"{self.database}-events", ["-m", "tests.bench.events", broker], {}, self._folder, checkout=self._checkout)]
        for number, served in enumerate(LAYOUTS[self._layout]):
            arguments = ["-m", "tests.bench.fleet", "+".join(served), str(self._threads), self._pool]
            name = f"{self.database}-{number}"
            processes.append(Process(name, arguments, self.environment, self._folder, checkout=self._checkout))
        self._crew = Crew(processes)
        self._crew.wait_ready()

    def freeze(self) -> None:
        self._crew.freeze()

    def thaw(self) -> None:
        self._crew.thaw()

    def end(self) -> None:
        self._crew.end()
        self._services.database.close()

    def submit(self, tag: str) -> str:
        accepted = accept(
            self._services.database, SubmitJob(job={"kind": "six_stages", "text": document("input")}, owner=tag), owner_cap=CAP
        )
        self._services.publisher.advance(accepted.job_id)
        return str(accepted.job_id)

    def burst(self, tag: str, jobs: int) -> None:
        for _ in range(jobs):
            self.submit(tag)
        with self._services.database.session() as connection:
            cursor = connection.cursor(row_factory=tuple_row)
            query = "SELECT count(*) FROM jobs WHERE owner = %s AND finished_at IS NULL"
            wait_until(lambda: cursor.execute(query, [tag]).fetchone() == (0,), poll_s=DONE_POLL_S)

    def once(self, tag: str) -> float:
        with self._services.database.session() as connection:
            cursor = connection.cursor(row_factory=tuple_row)
            query = "SELECT finished_at IS NOT NULL FROM jobs WHERE id = %s"
            started = time.perf_counter()
            job_id = self.submit(tag)
            wait_until(lambda: cursor.execute(query, [job_id]).fetchone() == (True,), poll_s=POLL_S)
            return time.perf_counter() - started

    def check(self, tag: str, jobs: int) -> None:
        """Every job succeeded; each step ran once; every deliverable, decision and event is there, without a gap."""
        with self._services.database.session() as connection:
            row = connection.cursor(row_factory=tuple_row).execute(_COUNTS, {"owner": tag}).fetchone()
        assert row is not None
        succeeded, ran_once, steps, deliverables, decisions, events, revs = row
        assert succeeded == jobs, f"{succeeded} of {jobs} jobs succeeded"
        assert ran_once == steps == jobs * STAGES, f"{ran_once} of {steps} steps, {jobs * STAGES} expected"
        assert deliverables == jobs * (STAGES + 1), f"{deliverables} deliverables"
        assert decisions == jobs * (STAGES + 1), f"{decisions} decisions"  # one a step, and the last word
        assert events == revs == jobs * (2 * STAGES + 2), f"{events} events for revisions up to {revs}"


def main(served: str, threads: str, pool: str) -> int:
    """A worker process."""
    signals.worker_ready.connect(lambda **_: print(READY, flush=True), weak=False)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    return run_worker(Settings(), *served.split("+"), concurrency=int(threads), pool=pool)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
