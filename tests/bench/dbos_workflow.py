"""DBOS: a workflow of six steps with its system tables in Postgres. Run by a Python of its own: `--dbos-python`.

`python -m venv FOLDER && FOLDER/bin/pip install dbos psutil structlog` makes one.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg

from tests.bench.drivers import Driven
from tests.bench.load import document, work
from tests.bench.measure import STAGES, Servers
from tests.bench.processes import serve


def dbos_workflow(servers: Servers, folder: Path, *, broker: int, threads: int, python: str) -> Driven:
    """One row a step, and one a workflow."""

    def count(url: str, tag: str) -> int:
        query = """SELECT count(*) FROM dbos.operation_outputs o JOIN dbos.workflow_status w USING (workflow_uuid)
                    WHERE starts_with(workflow_uuid, %s) AND w.status = 'SUCCESS'"""
        with psycopg.connect(url) as db:
            row = db.execute(query, [f"{tag}-"]).fetchone()
        return 0 if row is None else row[0]

    return Driven(
        "dbos, postgres", "tests.bench.dbos_workflow", servers, folder,
        database="bench_dbos", broker=broker, threads=threads, count=count, rows_a_job=STAGES, python=python,
    )  # fmt: skip


def main(database_url: str, _broker_url: str, threads: str) -> None:
    """A driver process."""
    from dbos import DBOS, DBOSConfig, SetWorkflowID  # pyright: ignore  of the other Python

    @DBOS.step()
    def step(name: str, given: dict[str, Any]) -> dict[str, Any]:
        work()
        return {"stage": name, "given": given["stage"], "text": document(name)}

    @DBOS.workflow()
    def six_steps(given: dict[str, Any]) -> dict[str, Any]:
        for number in range(1, STAGES + 1):
            given = step(f"s{number}", given)
        return given

    config: Any = DBOSConfig(
        name="bench", system_database_url=database_url, log_level="WARNING", run_admin_server=False,
        application_version="1", executor_id=f"driver-{time.time_ns()}",
    )  # fmt: skip
    DBOS(config=config)
    DBOS.launch()
    executor = ThreadPoolExecutor(int(threads))

    def job(name: str) -> float:
        started = time.perf_counter()
        with SetWorkflowID(name):
            six_steps({"stage": "input", "text": document("input")})
        return time.perf_counter() - started

    serve(lambda tag, jobs: list(executor.map(job, [f"{tag}-{n}" for n in range(jobs)])))


if __name__ == "__main__":
    main(*sys.argv[1:4])
