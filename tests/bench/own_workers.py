"""A fleet of a bench's own beside its gateway: the coordinator, and a worker process for each role that the no-op jobs have."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from contracts.roles import COORDINATOR
from tests.bench.processes import Crew, Process
from tests.support.noop import CHAIN
from workers.blackboard.engine import Database
from workers.local.fleet import BESIDE_SERVERS

CAP = 1_000_000
"""Jobs of one owner that run at once: more than a bench submits."""

_ENDED = """
SELECT count(*) AS submitted,
       count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
       count(*) FILTER (WHERE finished_at IS NULL) AS open,
       percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - created_at)) AS took
FROM jobs WHERE id <> ALL(%(watched)s) AND created_at > %(since)s
"""


@dataclass(frozen=True, slots=True)
class OwnWorkers:
    """The processes, by what they are."""

    coordinator: int
    workers: tuple[int, ...]


@contextmanager
def own_workers(environment: Mapping[str, str], folder: Path, *, threads: int = 4, gives_way: bool = False) -> Generator[OwnWorkers]:
    """A fleet that works until the block ends; the boss runs in the worker that reports (`inline`). `gives_way`: as with `bullpen up`, it
    gets what the gateway and the servers leave."""
    given = {**environment, "BULLPEN_ADVANCE": "inline", "BULLPEN_OWNER_CAP": str(CAP)}
    given["BULLPEN_WORKER_NICE"] = str(BESIDE_SERVERS if gives_way else 0)
    crew = Crew(
        [Process(role, ["-m", "tests.bench.fleet", role, str(threads), "threads"], given, folder) for role in (COORDINATOR, *CHAIN)]
    )
    try:
        crew.wait_ready()
        for pid in crew.pids if gives_way else ():
            _give_way(pid)
        yield OwnWorkers(crew.pids[0], tuple(crew.pids[1:]))
    finally:
        crew.end()


def _give_way(pid: int) -> None:
    """What niceness does for others, under a bench that runs at a real-time priority so that nothing else disturbs it: all threads of the
    process get one priority less."""
    priority = os.sched_getparam(pid).sched_priority
    for thread in Path(f"/proc/{pid}/task").iterdir() if priority > 1 else ():
        os.sched_setparam(int(thread.name), os.sched_param(priority - 1))


def worked(db: Database, watched: list[object], since: object) -> str:
    """What became of the jobs that were submitted meanwhile, for people."""
    (row,) = db.statement(_ENDED, {"watched": watched, "since": since})
    p50, p95 = row["took"] or (0.0, 0.0)
    return (
        f"jobs: {row['submitted']} submitted, {row['succeeded']} succeeded, {row['open']} still open; "
        f"from submission to end p50 {p50:.2f} s, p95 {p95:.2f} s"
    )
