"""What humans do to a job, on a real Postgres and Redis, with the real steps run in this process."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.base import Json
from contracts.jobs import SubmitJob
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish, move_on
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.coordinator.actions import answer, cancel, instruct, open_questions, revise, unpin
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.replay import failed_steps, fork, replay_job, replay_stage
from workers.coordinator.sweeper import admit_jobs
from workers.errors import AlreadyAnswered, Conflict, DatabaseUnavailable, InvalidInput, NotFound
from workers.reading.fleet import count_busy
from workers.settings import Settings


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    yield made
    made.close()


def submit(services: ProcessServices, kind: str = "noop_graph", **plan: Json) -> UUID:
    job_id = accept(services.database, SubmitJob(job={"kind": kind, "plan": plan}), owner_cap=100).job_id
    run_all(services)
    return job_id


def go_on(services: ProcessServices, job_id: UUID) -> None:
    move_on(services, job_id)
    run_all(services)


@pytest.mark.parametrize("advance", ["coordinator", "inline"])
def test_what_a_person_did_is_done_whatever_the_job_that_is_let_in_with_it_raises(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch, advance: str
) -> None:
    """A cancelled job was reported as failed, though the cancel had been committed; and the other was sent as urgently as it."""
    one = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, owner_cap=2, advance=advance))
    first = accept(one.database, SubmitJob(job={"kind": "noop"}, priority=2), owner_cap=1).job_id
    other = accept(one.database, SubmitJob(job={"kind": "noop"}, priority=8), owner_cap=1).job_id
    advanced: list[tuple[object, ...]] = []
    rounds = one.rounds.advance

    def fails(job_id: UUID) -> object:
        advanced.append((job_id,))
        if job_id == other:
            raise DatabaseUnavailable("gone")
        return rounds(job_id)

    monkeypatch.setattr(type(one.rounds), "advance", lambda _, job_id: fails(job_id))
    monkeypatch.setattr(type(one.publisher), "advance", lambda _, *sent: advanced.append(sent))
    cancel(one.database, first)

    move_on(one, first, 2)

    assert advanced == ([(first,), (other,)] if advance == "inline" else [(first, 2), (other, 8)])
    assert one.database.row("SELECT admitted FROM jobs WHERE id = %(id)s", {"id": other}) == {"admitted": True}
    one.close()


def test_copies_and_jobs_that_are_opened_again_wait_for_their_owners_turn(database_url: str, broker_url: str) -> None:
    """The cap is for what runs at once, however it came to run; what waits is done in the end."""
    few = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, owner_cap=2))
    db = few.database
    plan = {"s1": {"ask": 1}}
    jobs = [accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=2).job_id for _ in range(2)]
    asking = [accept(db, SubmitJob(job={"kind": "noop", "plan": plan}), owner_cap=100).job_id for _ in range(2)]
    for job_id in asking:
        cancel(db, job_id)

    copies = [fork(db, jobs[0], "s1") for _ in range(3)]
    for job_id in copies:
        move_on(few, job_id)
    for job_id in asking:
        replay_job(db, job_id)
        move_on(few, job_id)

    assert count_busy(db, "default") == 2
    assert db.row("SELECT count(*) AS n FROM jobs WHERE NOT admitted AND finished_at IS NULL") == {"n": 5}
    run_all(few)
    while waiting := admit_jobs(db, owner_cap=2):
        assert len(waiting) <= 2
        run_all(few)
    assert [status(few, job_id) for job_id in (*jobs, *copies, *asking)] == ["succeeded"] * 5 + ["waiting_human"] * 2
    few.close()


@pytest.mark.parametrize("word", ["replay", "fork"])
def test_a_job_that_is_opened_again_runs_in_its_turn_though_a_coordinator_sees_it_at_once(services: ProcessServices, word: str) -> None:
    """It was held back by a second statement, and began where a coordinator came before that."""
    db = services.database
    services.settings = services.settings.model_copy(update={"owner_cap": 1})
    ended = accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=1).job_id
    cancel(db, ended)
    accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=1)

    again = fork(db, ended, "s1") if word == "fork" else ended
    if word == "replay":
        replay_job(db, again)
    advance_and_publish(services, again)

    assert db.statement("SELECT FROM steps WHERE job_id = %(id)s", {"id": again}) == []
    assert count_busy(db, "default") == 1


def status(services: ProcessServices, job_id: UUID) -> str:
    row = services.database.row("SELECT status FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    return row["status"]


def runs(services: ProcessServices, job_id: UUID) -> list[str]:
    """The stages that ran, in the order of their steps."""
    return [step.stage for step in read_board(services.database, job_id).steps]


def test_a_job_that_asks_waits_holding_no_step_and_goes_on_when_answered(services: ProcessServices) -> None:
    """E18: needs_clarification becomes a human request."""
    job_id = submit(services, right={"ask": 2})
    assert status(services, job_id) == "waiting_human"
    assert not any(step.live for step in read_board(services.database, job_id).steps)

    for number in (1, 2):
        question = open_questions(services.database, job_id)[0]
        assert question["payload"]["text"] == f"right: question {number}?"
        answer(services.database, job_id, f"answer {number}")
        go_on(services, job_id)

    assert status(services, job_id) == "succeeded"
    assert runs(services, job_id) == ["plan", "left", "right", "right", "right", "review"]


def test_the_first_answer_wins_and_the_same_again_is_the_same(services: ProcessServices) -> None:
    job_id = submit(services, plan={"ask": 1})
    first = answer(services.database, job_id, "yes")

    assert answer(services.database, job_id, "yes") == first
    assert answer(services.database, job_id, "yes", request_id=first) == first
    with pytest.raises(AlreadyAnswered, match="“yes”"):
        answer(services.database, job_id, "no", request_id=first)


def test_an_answer_that_another_stage_must_hear_makes_it_run_again(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1, "also": ["plan"]})
    answer(services.database, job_id, "look again")
    go_on(services, job_id)

    assert status(services, job_id) == "succeeded"
    assert runs(services, job_id).count("plan") == 2
    assert runs(services, job_id).count("left") == 1


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_answer_is_refused(services: ProcessServices, text: str) -> None:
    job_id = submit(services, plan={"ask": 1})

    with pytest.raises(InvalidInput, match="empty"):
        answer(services.database, job_id, text)


def test_a_job_without_a_question_says_so(services: ProcessServices) -> None:
    with pytest.raises(Conflict, match="no open question"):
        answer(services.database, submit(services), "yes")


def test_a_remark_has_the_stage_redone_and_the_review_looks_again_though_nothing_changed(services: ProcessServices) -> None:
    job_id = submit(services, review={"remark": 1, "on": "left"})

    assert status(services, job_id) == "succeeded"
    assert runs(services, job_id) == ["plan", "left", "right", "review", "left", "review"]


def test_the_third_round_of_remarks_goes_to_the_human(services: ProcessServices) -> None:
    """E: review threshold 3."""
    job_id = submit(services, review={"remark": 9, "on": "left"})
    question = open_questions(services.database, job_id)[0]
    assert question["payload"]["choices"] == ["redo", "keep"]

    with pytest.raises(InvalidInput, match="redo, keep"):
        answer(services.database, job_id, "perhaps")
    answer(services.database, job_id, "redo, and mind the keys")
    go_on(services, job_id)

    assert status(services, job_id) == "waiting_human"
    told = services.database.statement("SELECT payload->>'text' AS text FROM requests WHERE asker = 'operator' AND kind = 'remark'")
    assert "mind the keys" in told[0]["text"]
    assert runs(services, job_id).count("left") >= 4


def test_an_edit_makes_what_is_below_it_anew_and_undoing_it_makes_nothing(services: ProcessServices) -> None:
    job_id = submit(services)
    assert revise(services.database, job_id, "left", {"stage": "mine", "given": {}}) == 2
    go_on(services, job_id)

    assert runs(services, job_id) == ["plan", "left", "right", "review", "review"]
    assert status(services, job_id) == "succeeded"

    unpin(services.database, job_id, "left")
    go_on(services, job_id)

    assert runs(services, job_id) == ["plan", "left", "right", "review", "review"]
    assert status(services, job_id) == "succeeded"


def test_a_pinned_edit_is_shown_as_drifted_and_never_overwritten(services: ProcessServices) -> None:
    job_id = submit(services)
    revise(services.database, job_id, "left", {"stage": "mine", "given": {}})
    go_on(services, job_id)
    assert not look(read_board(services.database, job_id)).stages["left"].drifted
    with pytest.raises(Conflict, match="bullpen unpin"):
        replay_stage(services.database, job_id, "left")
    revise(services.database, job_id, "plan", {"stage": "new plan", "given": {}})
    go_on(services, job_id)

    left = look(read_board(services.database, job_id)).stages["left"]
    assert left.current is not None
    assert left.current.pinned
    assert left.drifted
    assert runs(services, job_id).count("left") == 1


def test_revising_the_input_makes_everything_anew_and_checks_it(services: ProcessServices) -> None:
    job_id = submit(services)
    with pytest.raises(InvalidInput, match="no request of kind noop_graph"):
        revise(services.database, job_id, "input", {"nonsense": 1})

    revise(services.database, job_id, "input", {"text": "other"})
    go_on(services, job_id)

    assert sorted(runs(services, job_id)) == sorted(["plan", "left", "right", "review"] * 2)


def test_a_failed_stage_lets_its_siblings_finish_and_can_be_replayed_with_an_edit(services: ProcessServices) -> None:
    """F7."""
    job_id = submit(services, left={"break": True})
    assert status(services, job_id) == "failed"
    assert runs(services, job_id) == ["plan", "left", "right"]
    assert [row["stage"] for row in failed_steps(services.database, role="developer", kind="noop_graph", error="EngineError")] == ["left"]
    assert failed_steps(services.database, role="analyst") == []

    replayed = replay_stage(services.database, job_id, "left", edit={"mended": True})
    go_on(services, job_id)

    assert replayed.stage == "left"
    assert status(services, job_id) == "succeeded"
    assert runs(services, job_id) == ["plan", "left", "right", "left", "review"]
    assert failed_steps(services.database) == []


def test_replaying_a_finished_stage_reopens_the_job(services: ProcessServices) -> None:
    job_id = submit(services)

    assert [item.stage for item in replay_job(services.database, job_id)] == ["plan"]
    go_on(services, job_id)

    assert status(services, job_id) == "succeeded"
    assert runs(services, job_id) == ["plan", "left", "right", "review", "plan"]  # the same content again: nothing below is stale


def test_a_fork_runs_the_stage_and_what_is_below_it_and_nothing_else(services: ProcessServices) -> None:
    job_id = submit(services)

    copy = fork(services.database, job_id, "left")
    go_on(services, copy)

    assert status(services, copy) == "succeeded"
    assert runs(services, copy) == ["left", "review"]
    assert runs(services, job_id) == ["plan", "left", "right", "review"]


def test_a_fork_keeps_the_answers_that_its_copied_stages_heard(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1, "also": ["plan"]})
    answer(services.database, job_id, "look again")
    go_on(services, job_id)

    copy = fork(services.database, job_id, "review")
    go_on(services, copy)

    assert status(services, copy) == "succeeded"
    assert runs(services, copy) == ["review"]


def test_a_job_that_ends_lets_the_next_of_its_owner_in_at_once(services: ProcessServices) -> None:
    ids = [accept(services.database, SubmitJob(job={"kind": "noop"}), owner_cap=1).job_id for _ in range(3)]
    services.settings = services.settings.model_copy(update={"owner_cap": 1})

    run_all(services)

    assert [status(services, job_id) for job_id in ids] == ["succeeded"] * 3
    steps = services.database.statement("SELECT DISTINCT job_id, min(id::text) AS first FROM steps GROUP BY job_id ORDER BY first")
    assert [row["job_id"] for row in steps] == ids


def test_a_cancelled_job_drops_its_steps_and_questions_and_a_replay_takes_it_up(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1})
    assert cancel(services.database, job_id) is True
    assert cancel(services.database, job_id) is False
    go_on(services, job_id)

    assert status(services, job_id) == "cancelled"
    assert open_questions(services.database, job_id) == []
    with pytest.raises(Conflict):
        answer(services.database, job_id, "too late")

    replay_stage(services.database, job_id, "left")
    go_on(services, job_id)
    assert status(services, job_id) == "waiting_human"


def test_an_instruction_without_a_stage_is_placed_by_the_human(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1})
    instruct(services.database, job_id, "use the new schema")
    go_on(services, job_id)
    questions = {row["payload"]["kind"]: row["id"] for row in open_questions(services.database, job_id)}
    with pytest.raises(InvalidInput, match="has 2 open questions"):
        answer(services.database, job_id, "1")

    assert answer(services.database, job_id, "left") == questions.pop("instruction"), "it names a stage"
    assert [answer(services.database, job_id, "yes")] == list(questions.values())
    go_on(services, job_id)

    assert runs(services, job_id).count("left") == 2
    done = submit(services)
    with pytest.raises(Conflict, match="replay"):
        instruct(services.database, done, "too late")


def test_every_action_is_an_event_and_the_numbers_have_no_gap(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1})
    answer(services.database, job_id, "yes")
    go_on(services, job_id)
    revise(services.database, job_id, "left", {"stage": "x", "given": {}})
    unpin(services.database, job_id, "left")
    replay_stage(services.database, job_id, "plan")
    go_on(services, job_id)

    rows = services.database.statement("SELECT rev, kind FROM events WHERE job_id = %(id)s ORDER BY rev", {"id": job_id})
    kinds = [row["kind"] for row in rows]
    assert [row["rev"] for row in rows] == list(range(1, len(rows) + 1))
    assert {"question_answered", "stage_revised", "stage_unpinned", "replay_requested"} <= set(kinds)


@pytest.mark.parametrize(
    "action",
    [
        lambda db, job: cancel(db, job),
        lambda db, job: revise(db, job, "left", {}),
        lambda db, job: unpin(db, job, "left"),
        lambda db, job: answer(db, job, "x"),
        lambda db, job: fork(db, job, "left"),
        lambda db, job: replay_job(db, job),
    ],
    ids=["cancel", "revise", "unpin", "answer", "fork", "replay"],
)
def test_an_unknown_job_says_what_to_do(services: ProcessServices, action) -> None:
    with pytest.raises(NotFound, match="bullpen jobs"):
        action(services.database, UUID(int=7))


def test_an_unknown_stage_names_the_ones_there_are(services: ProcessServices) -> None:
    job_id = submit(services)

    with pytest.raises(NotFound, match="left, right, review"):
        revise(services.database, job_id, "nope", {})
    with pytest.raises(NotFound, match="left, right, review"):
        replay_stage(services.database, job_id, "nope")
    with pytest.raises(NotFound, match="left, right, review"):
        fork(services.database, job_id, "nope")


def test_a_question_that_is_withdrawn_while_it_is_answered_stays_without_an_answer(services: ProcessServices) -> None:
    job_id = submit(services, right={"ask": 1})
    (question,) = open_questions(services.database, job_id)
    waiting = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with ThreadPoolExecutor(1) as pool:
        with services.database.session() as connection, connection.transaction():
            connection.execute("SELECT 1 FROM jobs WHERE id = %s FOR UPDATE", (job_id,))
            answering = pool.submit(answer, services.database, job_id, "yes", request_id=question["id"])
            while not services.database.statement(waiting)[0]["n"]:
                assert not answering.done()
            connection.execute("UPDATE requests SET void = true WHERE id = %s", (question["id"],))
        with pytest.raises(Conflict):
            answering.result(timeout=60)

    row = services.database.row("SELECT response FROM requests WHERE id = %(id)s", {"id": question["id"]})
    assert row == {"response": None}
