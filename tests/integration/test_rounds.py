"""Several jobs brought on in one round: as each by itself, and no job suffers from another's trouble."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.events import EventKind
from contracts.jobs import SubmitJob
from contracts.reports import ErrorInfo
from workers.app import rounds as rounds_module
from workers.app.rounds import Rounds
from workers.blackboard import steps
from workers.blackboard import together as together_module
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.blackboard.ids import new_id
from workers.blackboard.steps import StepResult
from workers.blackboard.together import MOST, Together
from workers.coordinator import actions, advance_many
from workers.coordinator.advance import Advanced, StepLimits, advance
from workers.coordinator.decide import Decision, decide
from workers.coordinator.intake import accept
from workers.errors import NotFound

LIMITS = StepLimits(max_attempts=2, timeout_s=60)


def submitted(db: Database, jobs: int) -> list[UUID]:
    return [accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=1_000).job_id for _ in range(jobs)]


def together(db: Database, jobs: list[UUID]) -> dict[UUID, Advanced]:
    done = advance_many.advance_many(db, jobs, LIMITS)
    assert set(done) == set(jobs)
    return {job_id: one for job_id, one in done.items() if isinstance(one, Advanced)}


def work(db: Database, advanced: Advanced, breaks_at: str = "") -> None:
    """Do what was queued, and report it; one stage may fail."""
    for step in advanced.queued:
        held = steps.claim(db, step.id, token=uuid4(), lease_s=60, worker="test:1")
        assert held is not None
        failed = StepResult("failed", "failed", EventKind.STEP_FAILED, error=ErrorInfo(type="EngineError", message="no such table"))
        made = (
            failed
            if step.stage == breaks_at
            else StepResult(
                "succeeded", "completed", EventKind.STEP_SUCCEEDED, "ok", new_id(), {"stage": step.stage, "given": {}}, "0" * 64
            )
        )
        assert steps.report(db, held, made)


def story(db: Database, job_id: UUID) -> list[tuple[Any, ...]]:
    """All that was written of a job, without what differs from job to job."""
    board = read_board(db, job_id)
    decisions = db.statement("SELECT rev, rule, status, moves FROM decisions WHERE job_id = %(id)s ORDER BY rev", {"id": job_id})
    events = db.statement("SELECT rev, kind, stage, detail FROM events WHERE job_id = %(id)s ORDER BY rev, kind", {"id": job_id})
    row = db.row("SELECT error, work_since IS NULL AS rests, finished_at IS NULL AS open FROM jobs WHERE id = %(id)s", {"id": job_id})
    rows = db.statement(
        "SELECT stage, role, task, status, params, may_ask, optional, ancestors, priority, max_attempts, timeout_s, dispatch_rev, "
        "cardinality(need_ids) AS needs FROM steps WHERE job_id = %(id)s ORDER BY dispatch_rev, stage", {"id": job_id}
    )  # fmt: skip
    return [(board.rev, board.decided_rev, board.status), *decisions, *events, row, *rows]  # type: ignore[list-item]


@pytest.mark.parametrize(("breaks_at", "status"), [("", "succeeded"), ("s3", "failed")])
def test_a_round_leaves_what_the_jobs_would_have_come_to_one_by_one(database: Database, breaks_at: str, status: str) -> None:
    alone, *others = submitted(database, 6)
    while (one := advance(database, alone, LIMITS)).queued:
        work(database, one, breaks_at)
    queued = True
    while queued:
        done = together(database, others).values()
        queued = any(one.queued for one in done)
        for one in done:
            assert all(step.priority == 5 and step.attempt == 1 for step in one.queued)
            work(database, one, breaks_at)

    assert read_board(database, alone).status == status
    for job_id in others:
        assert story(database, job_id) == story(database, alone)


def test_jobs_of_one_round_are_written_in_one_transaction(database: Database) -> None:
    jobs = submitted(database, 5)
    together(database, jobs)

    written = database.statement("SELECT DISTINCT xmin FROM jobs WHERE id = ANY (%(ids)s)", {"ids": jobs})
    assert len(written) == 1


def test_a_job_that_moved_meanwhile_is_decided_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    moved, still = submitted(database, 2)

    def meanwhile(board: Board) -> Decision:
        decision = decide(board)
        if board.job_id == moved and board.status == "accepted":
            actions.cancel(database, moved)
        return decision

    monkeypatch.setattr(advance_many, "decide", meanwhile)
    done = together(database, [moved, still])

    assert done[moved].queued == ()
    assert read_board(database, moved).status == "cancelled"
    assert len(done[still].queued) == 1


def test_what_one_job_cannot_be_given_is_kept_from_that_job_alone(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad, gone = *submitted(database, 2), uuid4()

    def broken(board: Board) -> Decision:
        if board.job_id == bad:
            raise RuntimeError("no rule for this")
        return decide(board)

    monkeypatch.setattr(advance_many, "decide", broken)
    done = advance_many.advance_many(database, [good, bad, gone], LIMITS)

    assert isinstance(done[bad], RuntimeError)
    assert isinstance(done[gone], NotFound)
    assert isinstance(done[good], Advanced)
    assert done[good].queued


def test_a_round_that_cannot_be_written_is_written_job_by_job(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = submitted(database, 2)

    def unwritable(board: Board) -> Decision:
        decision = decide(board)
        return replace(decision, rule="no\x00text") if board.job_id == second else decision

    monkeypatch.setattr(advance_many, "decide", unwritable)
    done = together(database, [first, second])

    assert [len(done[job_id].queued) for job_id in (first, second)] == [1, 1]


def test_threads_share_rounds_and_every_job_is_brought_on_once(database: Database) -> None:
    jobs, rounds = submitted(database, 3 * MOST), Rounds(database, LIMITS)
    with ThreadPoolExecutor(12) as pool:
        done = list(pool.map(rounds.advance, [*jobs, *jobs]))

    queued = Counter(step.job_id for one in done for step in one.queued)
    assert queued == dict.fromkeys(jobs, 1)
    shared = database.statement("SELECT count(*) AS jobs FROM jobs GROUP BY xmin HAVING count(*) > 1")
    assert shared, "twelve threads, and no two of them in one round"


def test_a_fault_of_a_round_reaches_all_that_were_in_it_and_the_next_one_goes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, rounds = submitted(database, 4), Rounds(database, LIMITS)
    began, go_on, calls = threading.Event(), threading.Event(), count_calls()

    def fails_once(_: Database, job_ids: Any, limits: StepLimits) -> Any:
        if calls() == 1:
            raise RuntimeError("the disk is full")
        return advance_many.advance_many(database, job_ids, limits)

    def waits(db: Database, job_id: UUID, limits: StepLimits) -> Advanced:
        began.set()
        assert go_on.wait(120)
        return advance(db, job_id, limits)

    monkeypatch.setattr("workers.app.rounds.advance", waits)
    monkeypatch.setattr("workers.app.rounds.advance_many", fails_once)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(rounds.advance, jobs[0])
        assert began.wait(120)
        others = [pool.submit(rounds.advance, job_id) for job_id in jobs[1:]]
        while len(rounds._together._waiting) < 3:
            assert not any(other.done() for other in others)
        go_on.set()
        assert first.result(30).queued
        for other in others:
            with pytest.raises(RuntimeError, match="the disk is full"):
                other.result(30)
        assert pool.submit(rounds.advance, jobs[1]).result(30).queued


def count_calls() -> Callable[[], int]:
    numbers = iter(range(1, 1_000))
    return lambda: next(numbers)


def test_a_round_waits_for_company_only_where_other_jobs_were_advanced_a_moment_ago(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock that the rounds read: a job that has the coordinator to itself is brought on at once."""
    one, other = submitted(database, 2)
    waited: list[float] = []
    now = 100.0
    monkeypatch.setattr(rounds_module, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(together_module, "time", SimpleNamespace(sleep=waited.append))
    rounds = Rounds(database, LIMITS)

    work(database, rounds.advance(one))
    work(database, rounds.advance(one))
    assert waited == []

    work(database, rounds.advance(other))
    assert waited == [rounds_module.WAIT_S]

    now += rounds_module.SOON_S
    rounds.advance(one)
    assert waited == [rounds_module.WAIT_S]


def test_who_comes_while_a_round_waits_goes_with_it() -> None:
    gone: list[list[int]] = []
    others: list[Future[int]] = []

    def go(items: list[int]) -> list[int]:
        gone.append(sorted(items))
        return items

    def wait_s(item: int) -> float:
        others.append(pool.submit(together.do, item + 1))
        give_up_at = time.monotonic() + 60
        while not together._waiting and time.monotonic() < give_up_at:  # pyright: ignore[reportPrivateUsage] the other is on its way
            time.sleep(0.001)
        return 0.001

    together = Together[int, int](go, wait_s)
    with ThreadPoolExecutor(1) as pool:
        assert together.do(1) == 1
        assert others[0].result(60) == 2

    assert gone == [[1, 2]]
