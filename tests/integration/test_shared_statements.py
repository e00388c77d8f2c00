"""Statements of several threads in one transaction: as each by itself, and nobody suffers from another's trouble."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from workers.blackboard import steps
from workers.blackboard.engine import Database, Row
from workers.blackboard.shared_statements import SharedStatements
from workers.coordinator.advance import StepLimits, advance
from workers.coordinator.intake import accept
from workers.errors import DatabaseUnavailable

LIMITS = StepLimits(max_attempts=2, timeout_s=60)
OTHERS = 4
NUMBER: LiteralString = "SELECT 100 / %(number)s AS share, txid_current() AS transaction"


class WaitingDatabase(Database):
    """The first round waits until all others wait for it, so that they go together. It records the rounds."""

    def __init__(self, url: str) -> None:
        super().__init__(url, pool_size=8)
        self.everybody_waits: Callable[[], bool] = lambda: True
        self.rounds: list[list[Mapping[str, Any]]] = []
        self.fault: Exception | None = None
        self.alone = 0

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        self.alone += 1
        return super().statement(sql, parameters)

    def statements(self, statements: Sequence[tuple[LiteralString, Mapping[str, Any]]]) -> list[list[Row]]:
        self.rounds.append([parameters for _, parameters in statements])
        if len(self.rounds) == 1:
            pause, give_up_after = threading.Event(), 1_000
            while not self.everybody_waits() and give_up_after:
                pause.wait(0.01)
                give_up_after -= 1
        if self.fault is not None:
            raise self.fault
        return super().statements(statements)


@pytest.fixture
def waiting(database_url: str) -> Iterator[WaitingDatabase]:
    db = WaitingDatabase(database_url)
    yield db
    db.close()


def run(db: WaitingDatabase, sql: LiteralString, values: Sequence[Mapping[str, Any]], *, order: str) -> list[Future[list[Row]]]:
    """One thread each: the first one alone, the others together after it."""
    shared = SharedStatements(db, order=order)
    db.rounds.clear()
    db.alone = 0
    db.everybody_waits = lambda: len(shared._together._waiting) == len(values) - 1
    with ThreadPoolExecutor(len(values)) as pool:
        return [pool.submit(shared.statement, sql, item) for item in values]


def test_what_comes_at_the_same_time_is_one_transaction_and_each_gets_its_own_rows(waiting: WaitingDatabase) -> None:
    numbers = (1, 50, 2, 25, 10)

    done = [future.result()[0] for future in run(waiting, NUMBER, [{"number": number} for number in numbers], order="number")]

    assert [row["share"] for row in done] == [100, 2, 50, 4, 10]
    assert len({row["transaction"] for row in done[1:]}) == 1
    assert [len(together) for together in waiting.rounds] == [1, 4]
    assert waiting.alone == 0


def test_rows_of_one_transaction_are_locked_in_one_order(waiting: WaitingDatabase) -> None:
    """Two processes that both lock several rows would wait for each other else."""
    run(waiting, NUMBER, [{"number": number} for number in (1, 50, 2, 25, 10)], order="number")

    together = waiting.rounds[1]
    numbers = [parameters["number"] for parameters in together]
    assert numbers == sorted(numbers)


def test_an_error_of_one_is_its_own_alone(waiting: WaitingDatabase) -> None:
    first, *others = run(waiting, NUMBER, [{"number": number} for number in (1, 50, 0, 25)], order="number")

    assert [future.result()[0]["share"] for future in (first, others[0], others[2])] == [100, 2, 4]
    with pytest.raises(psycopg.errors.DivisionByZero):
        others[1].result()


def test_what_a_lost_connection_leaves_in_doubt_is_repeated_alone(waiting: WaitingDatabase) -> None:
    waiting.fault = DatabaseUnavailable("The connection was lost.")

    done = run(waiting, NUMBER, [{"number": number} for number in (1, 50, 2)], order="number")

    assert [future.result()[0]["share"] for future in done] == [100, 2, 50]
    assert waiting.alone == 3


@pytest.mark.parametrize("held", [0, 2], ids=["alone", "in company"])
def test_who_waits_for_a_lock_does_not_hold_up_the_others(waiting: WaitingDatabase, database_url: str, held: int) -> None:
    jobs = [accept(waiting, SubmitJob(job={"kind": "noop"}), owner_cap=1_000).job_id for _ in range(OTHERS)]
    touch: LiteralString = "UPDATE jobs SET updated_at = now() WHERE id = %(id)s RETURNING id"

    with psycopg.connect(database_url) as holder, ThreadPoolExecutor(1) as pool:
        holder.execute("SELECT 1 FROM jobs WHERE id = %s FOR UPDATE", [jobs[held]])
        all_of_them = pool.submit(run, waiting, touch, [{"id": job} for job in jobs], order="id")
        free = {job for job in jobs if job != jobs[held]}
        seen: set[UUID] = set()
        look, give_up_after = threading.Event(), 1_000
        with psycopg.connect(database_url, autocommit=True) as reader:
            while seen != free and give_up_after:
                rows = reader.execute("SELECT id FROM jobs WHERE updated_at > created_at").fetchall()
                seen = {row[0] for row in rows}
                give_up_after -= 1
                look.wait(0.02)
        holder.rollback()
        done = [future.result()[0]["id"] for future in all_of_them.result()]

    assert seen == free
    assert done == jobs


def test_claims_that_need_not_reach_the_disk_do_not_make_reports_lazy(waiting: WaitingDatabase) -> None:
    lazily: LiteralString = "SELECT set_config('synchronous_commit', 'local', true), %(number)s::int AS number"
    asked: LiteralString = "SELECT current_setting('synchronous_commit') AS durable, %(number)s::int AS number"
    values = [{"number": number} for number in range(OTHERS)]

    run(waiting, lazily, values, order="number")
    reports = run(waiting, asked, values, order="number")

    assert len(waiting.rounds) == 2
    assert "local" not in {future.result()[0]["durable"] for future in reports}


def test_steps_claimed_together_are_claimed_as_each_by_itself(waiting: WaitingDatabase) -> None:
    jobs = [accept(waiting, SubmitJob(job={"kind": "noop"}), owner_cap=1_000).job_id for _ in range(OTHERS)]
    queued = [step for job in jobs for step in advance(waiting, job, LIMITS).queued]
    shared = SharedStatements(waiting, order="step_id")
    wanted = [*queued, queued[0]]  # a second message for the same step
    waiting.everybody_waits = lambda: len(shared._together._waiting) == len(wanted) - 1

    with ThreadPoolExecutor(len(wanted)) as pool:
        claims = list(
            pool.map(lambda step: steps.claim(shared, step.id, token=uuid4(), lease_s=60, worker="test:1", with_board=True), wanted)
        )

    held = [claim for claim in claims if claim is not None]
    assert len(waiting.rounds) == 2
    assert sorted(claim.step_id for claim in held) == sorted(step.id for step in queued)
    assert all(claim.board is not None and claim.board.job_id == claim.job_id for claim in held)
