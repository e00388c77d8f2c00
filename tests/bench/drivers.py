"""Contestants without a broker's workers: driver processes that run their share of the jobs by themselves."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.measure import Servers
from tests.bench.processes import Crew, Process

PROCESSES = 2


class Driven:
    """A contestant whose driver processes take `{"tag", "jobs"}` and answer with seconds a job."""

    def __init__(
        self,
        name: str,
        module: str,
        servers: Servers,
        folder: Path,
        *,
        database: str,
        broker: int,
        threads: int,
        count: Callable[[str, str], int],
        rows_a_job: int,
        python: str | None = None,
    ) -> None:
        """`python`: the interpreter that runs the drivers; by default this one."""
        self.name = name
        self.database = database
        self._arguments = ["-m", module, servers.database(database), servers.broker(broker), str(threads)]
        self._url = servers.database(database)
        self._folder = folder
        self._count = count
        self._rows_a_job = rows_a_job
        self._python = python

    @property
    def pids(self) -> list[int]:
        return self._crew.pids

    def start(self) -> None:
        first = self._process(1)
        first.wait_ready()  # makes the tables
        rest = [self._process(n) for n in range(2, PROCESSES + 1)]
        for process in rest:
            process.wait_ready()
        self._crew = Crew([first, *rest])

    def _process(self, number: int) -> Process:
        return Process(f"{self.database}-{number}", self._arguments, {}, self._folder, python=self._python)

    def freeze(self) -> None:
        self._crew.freeze()

    def thaw(self) -> None:
        self._crew.thaw()

    def end(self) -> None:
        self._crew.end()

    def burst(self, tag: str, jobs: int) -> None:
        share, more = divmod(jobs, PROCESSES)
        asked = [process for place, process in enumerate(self._crew.processes) if share + (place < more)]
        for place, process in enumerate(asked):
            process.ask(tag=f"{tag}-{place}", jobs=share + (place < more))
        for process in asked:
            process.answer()

    def once(self, tag: str) -> float:
        process = self._crew.processes[0]
        process.ask(tag=tag, jobs=1)
        answer: Any = process.answer()
        return float(answer[0])

    def check(self, tag: str, jobs: int) -> None:
        rows = self._count(self._url, tag)
        assert rows == jobs * self._rows_a_job, f"{rows} rows for {jobs} jobs, {jobs * self._rows_a_job} expected"
