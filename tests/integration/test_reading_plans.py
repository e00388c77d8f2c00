"""What a reading costs does not grow with the number of jobs. `make bench` measures it on 100,000; on 3,000 the plans show it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.jobs import JobStatus
from tests.bench.reading import readings
from tests.support.many_jobs import LARGE, fill, run_patterns
from tests.support.plans import statements_of, work_of
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.kinds.registry import load_kinds
from workers.reading.facts import read_job_facts
from workers.reading.lists import EXAMINED, JobFilter, list_jobs
from workers.settings import Settings

SUMS = {"costs of a day", "costs of all time"}
"""They read what they add up."""
MOST_ROWS = 700
MOST_ROWS_OF_A_SEARCH = 3 * EXAMINED


@pytest.fixture
def services(database: Database, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    settings = Settings(
        database_url=database.url, broker_url=broker_url, home=tmp_path, extensions=("tests.support.noop",), embeddings="none"
    )
    load_kinds(settings.extensions)
    running = ProcessServices(settings)
    yield running
    running.close()


def test_no_reading_reads_more_of_a_large_table_than_it_returns(services: ProcessServices) -> None:
    patterns = run_patterns(services)
    fill(services.database, patterns, 3_000)

    works = {
        reading.name: [work_of(services.database, ran) for ran in statements_of(reading.read)]
        for reading in readings(services.database, patterns)
        if reading.name not in SUMS
    }
    scans = {name: {table for work in several for table in work.scanned} & set(LARGE) for name, several in works.items()}
    rows = {name: sum(work.rows for work in several) for name, several in works.items()}

    assert {name: tables for name, tables in scans.items() if tables} == {}
    assert {name: n for name, n in rows.items() if n > (MOST_ROWS_OF_A_SEARCH if "--text" in name else MOST_ROWS)} == {}


def test_a_copied_job_is_a_job_like_others(services: ProcessServices) -> None:
    """What the bench reads has fresh stages and a result."""
    patterns = run_patterns(services)
    fill(services.database, patterns, 100)

    done = list_jobs(services.database, JobFilter(status=JobStatus.SUCCEEDED), limit=100).jobs
    facts = [read_job_facts(services.database, line.id) for line in done]

    assert len(facts) == 93
    assert all(stage.fresh for job in facts for stage in job.stages)
    assert all(job.result is not None for job in facts)
