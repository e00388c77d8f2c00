"""The cap of an owner's running jobs holds however many processes submit, end and admit jobs at once."""

import threading
from collections.abc import Callable
from random import Random
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from workers.blackboard.engine import Database
from workers.coordinator import turns
from workers.coordinator.intake import accept, prepare
from workers.coordinator.intake_batch import accept_many
from workers.coordinator.sweeper import admit_jobs, admit_next

CAP = 3
OWNERS = ("greedy", "other")
THREADS = 6
RUNNING = "SELECT id FROM jobs WHERE owner = %(owner)s AND admitted AND finished_at IS NULL AND status IN ('accepted', 'running')"
FINISH = "UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = %(id)s AND finished_at IS NULL"


def running(db: Database, owner: str) -> list[UUID]:
    return [row["id"] for row in db.statement(RUNNING, {"owner": owner})]


def submission(owner: str) -> SubmitJob:
    return SubmitJob(job={"kind": "noop"}, owner=owner)


def end_one(db: Database, owner: str) -> None:
    for job_id in running(db, owner)[:1]:
        db.statement(FINISH, {"id": job_id})
        admit_next(db, job_id, owner_cap=CAP)


ACTS: tuple[Callable[[Database, str], object], ...] = (
    lambda db, owner: accept(db, submission(owner), owner_cap=CAP),
    lambda db, owner: accept_many(db, [prepare(submission(each)) for each in (owner, *reversed(OWNERS), *OWNERS)], owner_cap=CAP),
    lambda db, owner: admit_jobs(db, owner_cap=CAP),
    end_one,
    end_one,
)


def at_once(db: Database, work: Callable[[Random], None]) -> None:
    """Run it in several threads that begin together. Raises what one of them raised."""
    failed: list[BaseException] = []
    together = threading.Barrier(THREADS)

    def one(seed: int) -> None:
        try:
            together.wait(30)
            work(Random(seed))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def most_running(db: Database, rounds: int) -> int:
    """The most jobs of an owner that ran at once while threads did all that can let one in."""
    most = [0]

    def work(rng: Random) -> None:
        for _ in range(rounds):
            rng.choice(ACTS)(db, rng.choice(OWNERS))
            most[0] = max(most[0], *(len(running(db, owner)) for owner in OWNERS))

    at_once(db, work)
    return most[0]


def test_no_owner_has_more_jobs_running_than_the_cap_whoever_lets_them_in(database: Database) -> None:
    assert most_running(database, 25) == CAP


def test_without_turns_it_would_not_hold(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above sees the race: two that count at once let in one too many."""
    for name in ("OF_OWNERS", "OF_JOB", "OF_WAITING"):
        monkeypatch.setattr(turns, name, "SELECT pg_sleep(0)")
    found = 0
    for _ in range(20):
        found = max(found, most_running(database, 25))
        if found > CAP:
            break

    assert found > CAP


def test_submissions_of_one_owner_at_once_fill_the_cap_and_no_more(database: Database) -> None:
    at_once(database, lambda rng: [accept(database, submission("greedy"), owner_cap=CAP) for _ in range(5)].clear())

    assert len(running(database, "greedy")) == CAP
