"""Claim, renew, report, retry, advance, sweep: each promise of the protocol, on a real Postgres."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.events import EventKind
from contracts.jobs import SubmitJob
from contracts.reports import ErrorInfo
from tests.support.said import kept
from workers.blackboard import steps
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.blackboard.ids import new_id
from workers.blackboard.steps import Claim, StepResult
from workers.coordinator import actions, sweeper
from workers.coordinator import advance as advancing
from workers.coordinator.advance import Advanced, QueuedStep, StepLimits, advance, write_decision
from workers.coordinator.decide import Decision, decide
from workers.coordinator.finish import finish, reported
from workers.coordinator.intake import accept
from workers.release import RELEASE

LIMITS = StepLimits(max_attempts=2, timeout_s=60)

Claimer = Callable[..., Claim | None]


def begin(db: Database, **more: object) -> tuple[UUID, QueuedStep]:
    job_id = accept(db, SubmitJob(job={"kind": "noop"}, **more), owner_cap=100).job_id
    return job_id, advance(db, job_id, LIMITS).queued[0]


def claim(db: Database, step_id: UUID, lease_s: float = 60, token: UUID | None = None) -> Claim | None:
    return steps.claim(db, step_id, token=token or uuid4(), lease_s=lease_s, worker="test:1")


def done(name: str = "s1") -> StepResult:
    content = {"stage": name, "given": {}}
    return StepResult("succeeded", "completed", EventKind.STEP_SUCCEEDED, "ok", new_id(), content, "0" * 64)


def expire(db: Database, step_id: UUID) -> None:
    db.statement("UPDATE steps SET lease_until = now() - interval '1 second' WHERE id = %(id)s", {"id": step_id})


def status(db: Database, step_id: UUID) -> str:
    row = db.row("SELECT status FROM steps WHERE id = %(id)s", {"id": step_id})
    assert row is not None
    return row["status"]


def test_a_step_is_claimed_once(database: Database) -> None:
    """F7: a message delivered twice."""
    _, step = begin(database)

    first, second = claim(database, step.id), claim(database, step.id)

    assert first is not None
    assert second is None
    assert first.attempt == 1
    assert first.needs["input"]["kind"] == "noop"


def test_the_same_token_may_claim_again_without_using_up_an_attempt(database: Database) -> None:
    _, step = begin(database)
    token = uuid4()
    claim(database, step.id, token=token)

    again = claim(database, step.id, token=token)

    assert again is not None
    assert again.attempt == 1


def test_a_zombie_that_lost_its_lease_cannot_report(database: Database) -> None:
    """F7: a zombie's late report changes nothing."""
    job_id, step = begin(database)
    zombie = claim(database, step.id)
    assert zombie is not None
    expire(database, step.id)
    successor = claim(database, step.id)
    assert successor is not None
    before = read_board(database, job_id)

    taken = steps.report(database, zombie, done())

    assert taken is False
    assert read_board(database, job_id) == before
    assert steps.report(database, successor, done()) is True
    assert len([d for d in read_board(database, job_id).deliverables if d.stage == "s1"]) == 1


def test_a_report_whose_answer_was_lost_may_be_repeated(database: Database) -> None:
    job_id, step = begin(database)
    held = claim(database, step.id)
    assert held is not None
    result = done()

    assert steps.report(database, held, result) is True
    assert steps.report(database, held, result) is True

    assert [d.version for d in read_board(database, job_id).deliverables if d.stage == "s1"] == [1]


def test_only_the_tokens_that_still_hold_are_renewed(database: Database) -> None:
    _, one = begin(database)
    _, two = begin(database)
    kept, lost = claim(database, one.id), claim(database, two.id)
    assert kept is not None
    assert lost is not None
    expire(database, two.id)
    assert claim(database, two.id) is not None

    assert steps.renew(database, [kept.token, lost.token], lease_s=60) == {kept.token}


def test_a_step_past_its_deadline_is_not_renewed(database: Database) -> None:
    _, step = begin(database)
    held = claim(database, step.id)
    assert held is not None
    database.statement("UPDATE steps SET deadline = now() - interval '1 second'")

    assert steps.renew(database, [held.token], lease_s=60) == set()


def test_a_retried_step_waits_for_its_time_and_then_counts_an_attempt(database: Database) -> None:
    _, step = begin(database)
    held = claim(database, step.id)
    assert held is not None

    assert steps.retry(database, held, delay_s=3600, error=ErrorInfo(type="TransientError", message="429")) is True

    assert claim(database, step.id) is None
    database.statement("UPDATE steps SET due_at = now()")
    again = claim(database, step.id)
    assert again is not None
    assert again.attempt == 2
    assert steps.retry(database, again, delay_s=0, error=ErrorInfo(type="TransientError", message="429")) is False


def claim_with_board(db: Database, step_id: UUID) -> Claim:
    held = steps.claim(db, step_id, token=uuid4(), lease_s=60, worker="test:1", with_board=True)
    assert held is not None
    return held


def test_a_report_and_the_answer_to_it_are_one_transaction(database: Database) -> None:
    job_id, step = begin(database)

    advanced = finish(database, claim_with_board(database, step.id), done(), LIMITS)

    assert advanced is not None
    assert [queued.stage for queued in advanced.queued] == ["s2"]
    rows = database.statement("SELECT xmin FROM deliverables WHERE stage = 's1' UNION SELECT xmin FROM steps")
    assert len(rows) == 1
    assert advance(database, job_id, LIMITS) == Advanced(None), "it is decided"


def test_a_step_that_is_lost_at_the_moment_of_its_report_leaves_the_board_as_it_was(database: Database) -> None:
    """Another worker takes it over after the statement began to look, and before it may write."""
    job_id, step = begin(database)
    held = claim_with_board(database, step.id)
    before = read_board(database, job_id)
    with database.session() as other, ThreadPoolExecutor(1) as thread:
        with other.transaction():
            other.execute("UPDATE steps SET token = %s WHERE id = %s", (uuid4(), step.id))
            late = thread.submit(finish, database, held, done(), LIMITS)
            waiting = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            while not late.done() and database.statement(waiting) == [{"n": 0}]:
                time.sleep(0.01)
            assert not late.done(), "it waits for the row"
        assert late.result(timeout=60) is None

    assert read_board(database, job_id) == before
    assert database.row("SELECT count(*) AS n FROM events WHERE kind = 'step_succeeded'") == {"n": 0}


def test_a_board_that_moved_since_the_claim_is_read_anew(database: Database) -> None:
    job_id, step = begin(database)
    held = claim_with_board(database, step.id)
    actions.instruct(database, job_id, "shorter", stage="s1")

    assert finish(database, held, done(), LIMITS) is None
    assert steps.report(database, held, done()) is True


def test_what_the_role_did_is_kept_when_the_boss_cannot_decide(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(board: Board) -> Decision:
        raise RuntimeError("a fault of the boss's own")

    _, step = begin(database)
    held = claim_with_board(database, step.id)
    monkeypatch.setattr("workers.coordinator.finish.decide", broken)

    assert finish(database, held, done(), LIMITS) is None
    assert steps.report(database, held, done()) is True


def test_events_are_numbered_by_the_revision_without_a_gap(database: Database) -> None:
    """F3."""
    job_id, step = begin(database)
    while True:
        held = claim(database, step.id)
        assert held is not None
        steps.report(database, held, done(step.stage))
        queued = advance(database, job_id, LIMITS).queued
        if not queued:
            break
        step = queued[0]

    rows = database.statement("SELECT rev, kind FROM events WHERE job_id = %(id)s ORDER BY rev", {"id": job_id})
    job = database.row("SELECT rev, status FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert job == {"rev": 14, "status": "succeeded"}
    assert [row["rev"] for row in rows] == list(range(1, 15))
    told = database.statement("SELECT detail FROM events WHERE kind = 'job_decided' ORDER BY rev")
    assert told[0]["detail"] == {"rule": "ready", "dispatched": ["s1"], "status": "running"}
    assert told[1]["detail"] == {"rule": "ready", "dispatched": ["s2"]}
    assert told[-1]["detail"] == {"rule": "final", "dispatched": [], "status": "succeeded"}
    recorded = database.statement("SELECT rev, rule, status, moves, release FROM decisions ORDER BY rev")
    assert tuple(recorded[0].values()) == (1, "ready", "running", {"dispatch": ["s1"]}, RELEASE)
    assert tuple(recorded[-1].values()) == (13, "final", "succeeded", {}, RELEASE)


def test_a_decision_tells_what_it_ended_and_why(database: Database) -> None:
    job_id, step = begin(database)
    held = claim(database, step.id)
    assert held is not None
    actions.instruct(database, job_id, "shorter", stage="s1")
    advance(database, job_id, LIMITS)
    (told,) = database.statement("SELECT detail FROM events WHERE kind = 'job_decided' ORDER BY rev DESC LIMIT 1")
    assert told["detail"] == {"rule": "ready", "dispatched": ["s1"], "superseded": 1}

    (again,) = (each for each in read_board(database, job_id).steps if each.live)
    held = claim_with_board(database, again.id)
    error = ErrorInfo(type="EngineError", message="no such table")
    finish(database, held, StepResult("failed", "failed", EventKind.STEP_FAILED, error=error), LIMITS)

    (told,) = database.statement("SELECT detail FROM events WHERE kind = 'job_decided' ORDER BY rev DESC LIMIT 1")
    job = database.row("SELECT status, error FROM jobs")
    assert job is not None
    assert (job["status"], "no such table" in kept(job["error"])) == ("failed", True)
    assert told["detail"] == {"rule": "failed", "dispatched": [], "status": "failed", "error": job["error"]}


def test_a_step_is_queued_with_all_that_its_worker_needs(database: Database) -> None:
    _, step = begin(database, priority=7)
    row = database.row("SELECT * FROM steps")
    assert row is not None
    held = claim(database, step.id)
    assert held is not None

    assert (step.priority, step.attempt, step.stage, step.role) == (7, 1, "s1", "classifier")
    names = (
        "role",
        "task",
        "status",
        "params",
        "may_ask",
        "optional",
        "ancestors",
        "priority",
        "max_attempts",
        "timeout_s",
        "dispatch_rev",
    )
    assert [row[name] for name in names] == ["classifier", "noop", "queued", {}, True, False, ["input"], 7, 2, 60, 2]
    assert (len(row["need_ids"]), row["request_ids"]) == (1, [])


def in_order(board: Board) -> Board:
    return replace(board, deliverables=tuple(sorted(board.deliverables, key=lambda item: item.id)))


def test_the_board_after_a_report_is_known_before_it_is_written(database: Database) -> None:
    """What `finish` decides on is what a reader finds afterwards: new and later versions, and failures."""
    job_id, step = begin(database)
    failed = StepResult("failed", "failed", EventKind.STEP_FAILED, error=ErrorInfo(type="EngineError", message="no such table"))
    for number, result in enumerate((replace(done(), effects={"stages": []}), done(), failed)):
        if number:
            actions.instruct(database, job_id, f"again {number}", stage="s1")
            (step,) = advance(database, job_id, LIMITS).queued
        held = claim_with_board(database, step.id)
        assert held.board is not None
        expected = reported(held.board, step.id, result)

        assert steps.report(database, held, result)
        assert in_order(read_board(database, job_id)) == in_order(expected)


def test_of_two_coordinators_with_one_board_one_writes(database: Database) -> None:
    job_id = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    board = read_board(database, job_id)
    decision = decide(board)

    first, second = write_decision(database, board, decision, LIMITS), write_decision(database, board, decision, LIMITS)

    assert first is not None
    assert len(first) == 1
    assert second is None
    assert advance(database, job_id, LIMITS) == Advanced(None)
    assert len(read_board(database, job_id).steps) == 1


def test_a_finished_stage_is_not_dispatched_again_by_a_duplicate_advance(database: Database) -> None:
    job_id, step = begin(database)
    held = claim(database, step.id)
    assert held is not None
    steps.report(database, held, done())
    advance(database, job_id, LIMITS)
    database.statement("UPDATE jobs SET decided_rev = 0")

    before = read_board(database, job_id).rev

    assert advance(database, job_id, LIMITS).queued == ()
    board = read_board(database, job_id)
    assert sorted(s.stage for s in board.steps) == ["s1", "s2"]
    assert (board.rev, board.decided_rev) == (before, before), "that nothing is to be done is no event"
    (quiet,) = database.statement("SELECT rule, status, moves, release FROM decisions WHERE rev = %(rev)s", {"rev": before})
    assert quiet == {"rule": "wait", "status": "running", "moves": {}, "release": RELEASE}


def test_a_job_that_others_keep_moving_is_left_to_them(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    tries: list[Board] = []
    monkeypatch.setattr(advancing, "write_decision", lambda _db, board, *_: tries.append(board))

    assert advance(database, job_id, LIMITS) == Advanced(None)
    assert len(tries) == advancing.MAX_TRIES == 5


def test_a_lease_that_ran_out_is_queued_again_and_published(database: Database) -> None:
    _, step = begin(database)
    claim(database, step.id)
    expire(database, step.id)

    taken_back = sweeper.take_back_expired(database)

    assert taken_back == [step]
    assert taken_back[0].attempt == 2
    assert status(database, step.id) == "queued"
    assert sweeper.take_back_expired(database) == []


def test_a_step_whose_last_lease_ran_out_has_failed_and_stands_in_quarantine(database: Database) -> None:
    job_id, step = begin(database)
    for _ in range(2):
        claim(database, step.id)
        expire(database, step.id)

    assert sweeper.take_back_expired(database) == []
    assert sweeper.give_up_hopeless(database) == [job_id]

    advanced = advance(database, job_id, LIMITS)
    assert advanced.decision is not None
    assert advanced.decision.status == "failed"
    row = database.row("SELECT cause, state, step_id FROM quarantine")
    assert row == {"cause": "LeaseExpired", "state": "new", "step_id": step.id}


PATIENT = StepLimits(max_attempts=20, timeout_s=60)


def facts(db: Database, step_id: UUID, *columns: str) -> tuple[object, ...]:
    row = db.row("SELECT * FROM steps WHERE id = %(id)s", {"id": step_id})
    assert row is not None
    return tuple(row[column] for column in columns)


def test_a_step_that_took_its_process_down_three_times_is_set_aside_whatever_attempts_it_has_left(database: Database) -> None:
    job_id = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    (step,) = advance(database, job_id, PATIENT).queued
    for lost in (0, 1, 2):
        held = claim(database, step.id)
        assert held is not None
        assert held.lost == lost
        expire(database, step.id)
        assert sweeper.take_back_expired(database) == ([step] if lost < 2 else [])

    assert claim(database, step.id) is None, "a message that comes late starts it no more"
    assert sweeper.give_up_hopeless(database) == [job_id]

    assert facts(database, step.id, "status", "attempt", "lost") == ("failed", 3, 3)
    (error,) = facts(database, step.id, "error")
    assert isinstance(error, dict)
    assert (error["type"], error["retryable"]) == ("TookProcessDown", False)
    assert "3 times" in kept(error["message"])
    decided = advance(database, job_id, PATIENT).decision
    assert decided is not None
    assert decided.status == "failed"
    row = database.row("SELECT cause, state, step_id FROM quarantine")
    assert row == {"cause": "TookProcessDown", "state": "new", "step_id": step.id}


def test_a_message_that_finds_a_hung_process_counts_it_as_the_sweep_does(database: Database) -> None:
    job_id = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    (step,) = advance(database, job_id, PATIENT).queued

    for lost in (0, 1, 2):
        held = claim(database, step.id)
        assert held is not None
        assert held.lost == lost
        expire(database, step.id)

    assert claim(database, step.id) is None
    assert sweeper.give_up_hopeless(database) == [job_id]


def test_a_step_that_only_takes_too_long_has_taken_nothing_down(database: Database) -> None:
    job_id = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    (step,) = advance(database, job_id, PATIENT).queued
    for _ in range(4):
        assert claim(database, step.id) is not None
        database.statement("UPDATE steps SET deadline = now() - interval '9 seconds', lease_until = now() - interval '1 second'")
        assert sweeper.take_back_expired(database) == [step]

    assert facts(database, step.id, "attempt", "lost") == (4, 0)


def test_a_step_that_lost_a_process_is_claimed_only_where_no_other_such_step_runs(database: Database) -> None:
    """The one that is the cause takes the others down once, not three times."""
    _, step = begin(database)
    claim(database, step.id)
    expire(database, step.id)

    def beside_another() -> Claim | None:
        return steps.claim(database, step.id, token=uuid4(), lease_s=60, worker="test:1", alone=False)

    assert beside_another() is None
    assert sweeper.take_back_expired(database) == [step]
    assert beside_another() is None
    assert steps.role_that_waits(database, step.id) == "classifier"
    assert claim(database, step.id) is not None
    assert steps.role_that_waits(database, step.id) is None


def test_a_lost_message_is_sent_again_at_once_when_the_queue_reads_empty(database: Database) -> None:
    _, step = begin(database)
    database.statement("UPDATE steps SET sent_at = now() - interval '2 seconds'")

    assert sweeper.waiting_by_role(database, grace_s=1) == {"classifier": (1, 1)}
    assert sweeper.take_unsent(database, "classifier", at_once=False, grace_s=1, after_s=10, limit=10) == []
    assert sweeper.take_unsent(database, "classifier", at_once=True, grace_s=1, after_s=10, limit=10) == [step]


def test_the_interval_of_sending_again_grows(database: Database) -> None:
    begin(database)
    database.statement("UPDATE steps SET sent_at = now() - interval '15 seconds'")
    assert len(sweeper.take_unsent(database, "classifier", at_once=False, grace_s=1, after_s=10, limit=10)) == 1
    database.statement("UPDATE steps SET sent_at = now() - interval '15 seconds'")

    assert sweeper.take_unsent(database, "classifier", at_once=False, grace_s=1, after_s=10, limit=10) == []


def test_a_budget_that_is_used_up_ends_the_job_with_the_reason(database: Database) -> None:
    job_id, _ = begin(database, budget={"wall_time_s": 5})
    database.statement("UPDATE jobs SET work_since = now() - interval '6 seconds'")

    assert sweeper.mark_over_budget(database, wall_time_s=3600) == [job_id]
    advance(database, job_id, LIMITS)

    row = database.row("SELECT status, error FROM jobs")
    assert row is not None
    assert row["status"] == "failed"
    assert "longer than 5 s" in kept(row["error"])
    assert [s.status for s in read_board(database, job_id).steps] == ["cancelled"]


def test_tokens_over_the_budget_end_the_job(database: Database) -> None:
    job_id, step = begin(database, budget={"tokens": 100})
    database.statement('UPDATE steps SET usage = \'{"input_tokens": 90, "output_tokens": 20}\' WHERE id = %(id)s', {"id": step.id})

    assert sweeper.mark_over_budget(database, wall_time_s=3600) == [job_id]


def test_an_owner_over_the_cap_waits_and_the_most_urgent_job_enters_first(database: Database) -> None:
    """10,000 batch jobs of one owner must not starve another's incident."""
    submit = {"kind": "noop"}
    first = accept(database, SubmitJob(job=submit, owner="batch"), owner_cap=1).job_id
    waiting = accept(database, SubmitJob(job=submit, owner="batch", priority=1), owner_cap=1).job_id
    urgent = accept(database, SubmitJob(job=submit, owner="batch", priority=9), owner_cap=1).job_id
    other = accept(database, SubmitJob(job=submit, owner="incident"), owner_cap=1).job_id

    assert len(advance(database, first, LIMITS).queued) == 1
    assert advance(database, waiting, LIMITS).queued == ()
    assert len(advance(database, other, LIMITS).queued) == 1
    assert sweeper.admit_jobs(database, owner_cap=1) == []
    database.statement("UPDATE jobs SET status = 'succeeded', finished_at = now() WHERE id = %(id)s", {"id": first})
    assert sweeper.admit_jobs(database, owner_cap=1) == [urgent]
    assert len(advance(database, urgent, LIMITS).queued) == 1


@pytest.mark.parametrize("kind", ["nonsense", "", None, 7])
def test_an_unknown_kind_is_refused_with_the_kinds_there_are(database: Database, kind: object) -> None:
    from workers.errors import InvalidSubmission

    with pytest.raises(InvalidSubmission, match="diagnose"):
        accept(database, SubmitJob(job={"kind": kind}), owner_cap=1)


def test_an_idempotency_key_makes_one_job(database: Database) -> None:
    """F4."""
    from workers.errors import IdempotencyConflict

    body = SubmitJob(job={"kind": "noop"}, idempotency_key="k")
    first, again = accept(database, body, owner_cap=1), accept(database, body.model_copy(update={"correlation_id": "2"}), owner_cap=1)

    assert (again.job_id, again.existing) == (first.job_id, True)
    assert accept(database, body.model_copy(update={"owner": "another"}), owner_cap=1).job_id != first.job_id
    with pytest.raises(IdempotencyConflict, match=str(first.job_id)):
        accept(database, body.model_copy(update={"job": {"kind": "noop", "text": "other"}}), owner_cap=1)
