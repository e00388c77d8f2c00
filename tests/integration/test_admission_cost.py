"""What admission reads: the jobs that run, never those that wait, however many there are and whatever the statistics say."""

from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from workers.blackboard.engine import Database
from workers.coordinator.intake import accept, prepare
from workers.coordinator.intake_batch import accept_many
from workers.coordinator.sweeper import admit_jobs, admit_next

CAP = 20
WAITING = 1_000
FINISH = "UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = %(id)s"
ASK_HUMANS = "UPDATE jobs SET status = 'waiting_human' WHERE owner = 'flood' AND admitted"
READ = "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'jobs'"


def submit_many(db: Database, jobs: int) -> list[UUID]:
    """The ids of those that may run."""
    made = accept_many(db, [prepare(SubmitJob(job={"kind": "noop"}, owner="flood")) for _ in range(jobs)], owner_cap=CAP)
    return [job_id for job_id, may_run in made.items() if may_run]


def rows_read(db: Database) -> int:
    """By all that ran on this database up to now."""
    db.statement("SELECT pg_stat_force_next_flush()")
    with psycopg.connect(db.url, autocommit=True, row_factory=dict_row) as other:
        row = other.execute(READ).fetchone()
    return 0 if row is None else row["rows"]


@pytest.fixture(params=["old statistics", "new statistics"])
def flooded(request: pytest.FixtureRequest, database: Database) -> tuple[Database, list[UUID]]:
    """An owner at the cap with many waiting jobs, and the ids of those that run. The statistics may be older than the flood."""
    running = submit_many(database, CAP)
    if request.param == "old statistics":
        database.statement("ANALYZE jobs")
    submit_many(database, WAITING)
    if request.param == "new statistics":
        database.statement("ANALYZE jobs")
    return database, running


def test_the_end_of_a_job_lets_the_next_one_in_without_reading_all_that_wait(flooded: tuple[Database, list[UUID]]) -> None:
    db, running = flooded
    db.statement(FINISH, {"id": running[0]})
    before = rows_read(db)

    admitted = admit_next(db, running[0], owner_cap=CAP)

    assert len(admitted) == 1
    assert rows_read(db) - before < 3 * CAP
    assert admit_next(db, running[0], owner_cap=CAP) == [], "there is no more room"


def test_a_submission_is_accepted_without_reading_all_that_wait(flooded: tuple[Database, list[UUID]]) -> None:
    db, _ = flooded
    before = rows_read(db)

    accept(db, SubmitJob(job={"kind": "noop"}, owner="flood"), owner_cap=CAP)

    assert rows_read(db) - before < 3 * CAP


def test_jobs_that_wait_for_a_human_are_not_counted_one_by_one(database: Database) -> None:
    for _ in range(10):
        submit_many(database, CAP)
        database.statement(ASK_HUMANS)
        admit_jobs(database, owner_cap=CAP)
    database.statement(ASK_HUMANS)
    database.statement("VACUUM jobs")
    before = rows_read(database)

    accept(database, SubmitJob(job={"kind": "noop"}, owner="flood"), owner_cap=CAP)

    assert rows_read(database) - before < 3 * CAP


def test_the_most_urgent_job_of_the_owner_that_made_room_is_next(database: Database) -> None:
    first = accept(database, SubmitJob(job={"kind": "noop"}, owner="one"), owner_cap=1).job_id
    accept(database, SubmitJob(job={"kind": "noop"}, owner="one"), owner_cap=1)
    urgent = accept(database, SubmitJob(job={"kind": "noop"}, owner="one", priority=9), owner_cap=1).job_id
    accept(database, SubmitJob(job={"kind": "noop"}, owner="other", priority=9), owner_cap=0)

    assert admit_next(database, first, owner_cap=1) == [], "it still runs"
    database.statement(FINISH, {"id": first})

    assert admit_next(database, first, owner_cap=1) == [(urgent, 9)]
