"""What each action of a human writes, to the word: its event, its request, what an answer to the boss brings about, the rows of a fork."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

import tests.support.growing
import tests.support.noop  # noqa: F401  they register the kinds
from contracts.base import Json, content_hash
from contracts.jobs import SubmitJob
from contracts.limits import MOST_WORD_CHARACTERS
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard import steps
from workers.blackboard.board import UNROUTED
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, jsonb
from workers.blackboard.ids import new_id
from workers.coordinator import actions
from workers.coordinator.actions import answer, cancel, instruct, open_questions, plan_revision, revise, unpin
from workers.coordinator.advance import StepLimits, advance
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.replay import failed_steps, fork, plan_edit, replay_job, replay_stage, replay_step
from workers.coordinator.taking_back import take_back
from workers.errors import AlreadyAnswered, Conflict, InvalidInput, NotFound

LONG = "a" * 600
MINE: Json = {"stage": "mine", "given": {}}


@pytest.fixture
def db(services: ProcessServices) -> Database:
    return services.database


def submit(services: ProcessServices, kind: str = "noop_graph", rounds: int | None = None, **plan: Json) -> UUID:
    job: Json = {"kind": kind, "plan": plan} if rounds is None else {"kind": kind, "rounds": rounds}
    job_id = accept(services.database, SubmitJob(job=job), owner_cap=100).job_id
    run_all(services)
    return job_id


def go_on(services: ProcessServices, job_id: UUID) -> None:
    move_on(services, job_id)
    run_all(services)


def last_event(db: Database, job_id: UUID) -> tuple[str, str | None, Json]:
    row = db.row("SELECT kind, stage, detail FROM events WHERE job_id = %(id)s ORDER BY rev DESC LIMIT 1", {"id": job_id})
    assert row is not None
    return row["kind"], row["stage"], row["detail"]


def request(db: Database, request_id: UUID) -> dict[str, Any]:
    row = db.row("SELECT * FROM requests WHERE id = %(id)s", {"id": request_id})
    assert row is not None
    return row


def put_request(db: Database, job_id: UUID, *, target: str = "human", asker: str = "left", rev: int = 1, **columns: Any) -> UUID:
    """A request as it stands on the board, whatever its state."""
    request_id = new_id()
    payload = columns.pop("payload", {"text": "which?"})
    response = columns.pop("response", None)
    values = {"kind": "question", "held": False, "void": False, "about": None, **columns}
    db.statement(
        "INSERT INTO requests (id, job_id, asker, target, kind, payload, payload_hash, held, void, about, response, response_hash, rev, "
        "answered_at) VALUES (%(id)s, %(job_id)s, %(asker)s, %(target)s, %(kind)s, %(payload)s, %(hash)s, %(held)s, %(void)s, %(about)s, "
        "%(response)s, %(response_hash)s, %(rev)s, CASE WHEN %(response_hash)s::text IS NULL THEN NULL ELSE now() END)",
        {
            "id": request_id, "job_id": job_id, "asker": asker, "target": target, "rev": rev, "payload": jsonb(payload),
            "hash": content_hash(payload), "response_hash": None if response is None else content_hash(response),
            "response": None if response is None else jsonb(response), **values,
        },
    )  # fmt: skip
    return request_id


def test_each_action_is_told_by_its_event(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})

    asked = answer(db, job_id, LONG)
    assert last_event(db, job_id) == ("question_answered", "left", {"request_id": str(asked), "text": "a" * 500})
    taken = take_back(db, job_id)
    assert last_event(db, job_id) == ("answer_taken_back", "left", {"request_ids": [str(asked)], "text": "a" * 500})
    assert [(item.request_id, item.stage, item.text) for item in taken] == [(asked, "left", LONG)]
    instruct(db, job_id, LONG, stage="right")
    assert last_event(db, job_id) == ("instruction_given", "right", {"text": "a" * 500})
    revise(db, job_id, "right", MINE)
    assert last_event(db, job_id) == ("stage_revised", "right", {"version": 2})
    unpin(db, job_id, "right")
    assert last_event(db, job_id) == ("stage_unpinned", "right", {"version": 2})
    replay_stage(db, job_id, "right", edit={"b": 2, "a": 1})
    assert last_event(db, job_id) == ("replay_requested", "right", {"edited": ["a", "b"]})
    copy = fork(db, job_id, "right")
    assert last_event(db, copy) == ("job_forked", "right", {"from": str(job_id), "copied": ["input", "left", "plan"]})
    assert cancel(db, job_id)
    assert last_event(db, job_id) == ("job_cancelled", None, {})


def test_what_is_asked_of_a_stage_is_stored_as_it_was_said(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})

    told, _ = instruct(db, job_id, "shorter", stage="right")
    loose, _ = instruct(db, job_id, "longer")
    again = replay_stage(db, job_id, "right", edit={"mended": True}).request_id

    rows = [request(db, each) for each in (told, loose, again)]
    assert [(row["asker"], row["target"], row["kind"]) for row in rows] == [
        ("operator", "right", "remark"), ("operator", UNROUTED, "remark"), ("operator", "right", "replay"),
    ]  # fmt: skip
    assert [row["payload"] for row in rows[:2]] == [{"text": "shorter"}, {"text": "longer"}]
    assert rows[2]["payload"].keys() == {"nonce", "edit"}
    assert rows[2]["payload"]["edit"] == {"mended": True}
    assert replay_stage(db, job_id, "right", edit={"mended": True}).changes == (), "it is so already"
    assert plan_edit(db, job_id, "right", {"mended": True}).changes == ()
    assert len(plan_edit(db, job_id, "right", {"mended": True}, fork=True).changes) == 1, "a fork begins without edits"
    assert plan_edit(db, job_id, "right", None).value == {}
    assert request(db, replay_stage(db, job_id, "right").request_id)["payload"].keys() == {"nonce"}


def test_a_fork_is_asked_for_its_stage_with_the_edit_and_is_a_job_like_the_first(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"break": True})

    copy = fork(db, job_id, "left", edit={"mended": True})
    (asked,) = db.statement("SELECT * FROM requests WHERE job_id = %(id)s", {"id": copy})
    go_on(services, copy)

    assert asked["payload"].keys() == {"nonce", "edit"}
    assert asked["payload_hash"] == content_hash(asked["payload"])
    expected: Json = {
        "asker": "operator", "target": "left", "also": [], "kind": "replay", "role": None, "task": None, "made_from": None, "about": None,
        "held": False, "response": None, "response_hash": None, "void": False, "rev": 1, "answered_at": None,
    }  # fmt: skip
    assert {name: asked[name] for name in expected} == expected
    assert asked["payload"]["edit"] == {"mended": True}
    assert read_board(db, copy).status == "succeeded"
    rows = [db.row("SELECT kind, owner, session_id, engine, result, language, body_hash FROM jobs WHERE id = %(id)s", {"id": each})
            for each in (job_id, copy)]  # fmt: skip
    assert rows[0] == rows[1]
    with pytest.raises(NotFound, match="left, right, review") as refused:
        fork(db, job_id, "input")
    assert "input," not in str(refused.value), "no role fills it"


def test_a_fork_has_what_was_said_in_its_copied_stages(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})
    asked = answer(db, job_id, "yes")
    about = put_request(db, job_id, asker="left", about=asked, held=True, payload={"text": "and this?"})
    go_on(services, job_id)
    before = [request(db, each) for each in (asked, about)]

    copy = fork(db, job_id, "right")

    first, second, _ = db.statement("SELECT * FROM requests WHERE job_id = %(id)s ORDER BY id", {"id": copy})
    assert second["about"] == first["id"] != asked
    same = ("asker", "target", "kind", "payload", "payload_hash", "made_from", "held", "response", "response_hash", "void", "answered_at")
    assert [{name: row[name] for name in same} for row in (first, second)] == [{name: row[name] for name in same} for row in before]
    copied = db.statement("SELECT stage, content, version, origin FROM deliverables WHERE job_id = %(id)s ORDER BY stage", {"id": copy})
    own = db.statement(
        "SELECT stage, content, version, 'fork' AS origin FROM deliverables WHERE job_id = %(id)s AND stage <> ALL ('{right,review}') "
        "ORDER BY stage", {"id": job_id},
    )  # fmt: skip
    assert copied == own


def test_a_revision_keeps_what_its_stage_added_to_the_plan(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, "growing", rounds=3)

    assert revise(db, job_id, "plan/2", {"round": 7}) == 2
    go_on(services, job_id)

    view = look(read_board(db, job_id))
    assert view.result is not None
    assert view.result.stage == "plan/3"
    assert "tool/2" in view.stages


def test_a_revision_says_which_stages_it_has_done_again(services: ProcessServices, db: Database) -> None:
    job_id = submit(services)

    edit, again = plan_revision(db, job_id, "left", MINE)
    revise(db, job_id, "left", MINE)
    revise(db, job_id, "left", {"stage": "again", "given": {}})

    assert again == ("review",)
    assert edit.value == MINE
    rows = db.statement("SELECT version, origin, effects, pinned FROM deliverables WHERE stage = 'left' ORDER BY version")
    assert [tuple(row.values()) for row in rows[1:]] == [(2, "human", None, False), (3, "human", None, True)]


def test_what_cannot_be_unpinned_is_said(services: ProcessServices, db: Database) -> None:
    job_id = submit(services)

    with pytest.raises(Conflict, match="revise it instead"):
        unpin(db, job_id, "input")
    with pytest.raises(Conflict, match="no pinned version"):
        unpin(db, job_id, "left")


def test_of_two_questions_the_one_that_is_meant_is_named(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1}, right={"ask": 1})
    left, right = open_questions(db, job_id)

    with pytest.raises(InvalidInput, match=f"--request: {left['id']} .{left['asker']}., {right['id']} .{right['asker']}."):
        answer(db, job_id, "yes")
    assert answer(db, job_id, "yes", request_id=right["id"]) == right["id"]
    assert answer(db, job_id, "no") == left["id"]
    assert answer(db, job_id, "no") == left["id"], "the last answer again"
    with pytest.raises(Conflict, match="no open question"):
        answer(db, job_id, "yes")


def test_what_is_no_open_question_takes_no_answer(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})
    remark, _ = instruct(db, job_id, "shorter", stage="right")
    void, done = (put_request(db, job_id, void=True, response=response) for response in (None, {"text": "yes"}))
    other = submit(services, left={"ask": 1})

    for each in (remark, new_id(), open_questions(db, other)[0]["id"]):
        with pytest.raises(NotFound, match="has no question"):
            answer(db, job_id, "yes", request_id=each)
    with pytest.raises(Conflict, match="no longer needed"):
        answer(db, job_id, "yes", request_id=void)
    assert answer(db, job_id, "yes", request_id=done) == done


def test_of_two_answers_at_once_the_first_counts(services: ProcessServices, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = submit(services, left={"ask": 1})
    as_it_is = actions._choice

    def meanwhile(payload: Json, text: str) -> str | None:
        monkeypatch.setattr(actions, "_choice", as_it_is)
        answer(db, job_id, "no")
        return as_it_is(payload, text)

    monkeypatch.setattr(actions, "_choice", meanwhile)

    with pytest.raises(AlreadyAnswered, match="just now"):
        answer(db, job_id, "yes")
    assert db.row("SELECT response FROM requests") == {"response": {"text": "no"}}


def test_a_word_has_a_longest_length(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})

    for say in (answer, instruct):
        with pytest.raises(InvalidInput, match="characters"):
            say(db, job_id, "a" * (MOST_WORD_CHARACTERS + 1))
        say(db, job_id, "a" * MOST_WORD_CHARACTERS)


def test_an_instruction_is_given_once(services: ProcessServices, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id, first, second = submit(services, left={"ask": 1}), new_id(), new_id()
    as_it_is = actions._view

    def meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(actions, "_view", as_it_is)
        instruct(db, job_id, "shorter", request_id=second)
        return as_it_is(*given)

    assert instruct(db, job_id, "shorter", request_id=first) == (first, True)
    assert instruct(db, job_id, "shorter", request_id=first) == (first, False)
    monkeypatch.setattr(actions, "_view", meanwhile)
    assert instruct(db, job_id, "shorter", request_id=second) == (second, False), "another coordinator was faster"
    with pytest.raises(NotFound, match="no stage"):
        instruct(db, job_id, "shorter", stage="nope")


BOSS = ("escalation", "cap", "instruction")


@pytest.mark.parametrize("kind", BOSS)
def test_a_question_of_the_boss_takes_one_of_its_choices_and_keeps_it(services: ProcessServices, db: Database, kind: str) -> None:
    job_id = submit(services, left={"ask": 1})
    asked = put_request(db, job_id, asker="boss", payload={"kind": kind, "stage": "left", "choices": ["keep", "stop"]})

    with pytest.raises(InvalidInput, match="keep, stop"):
        answer(db, job_id, "perhaps", request_id=asked)
    answer(db, job_id, "keep it", request_id=asked)

    assert request(db, asked)["response"] == {"text": "keep it"}
    with pytest.raises(Conflict, match="a decision"):
        take_back(db, job_id)


def test_a_number_beyond_the_choices_of_a_role_is_refused(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, left={"ask": 1})
    asked = put_request(db, job_id, payload={"text": "which?", "choices": ["north", "south"]})

    with pytest.raises(InvalidInput, match=r"no choice 3.*1 to 2"):
        answer(db, job_id, "3", request_id=asked)
    assert answer(db, job_id, "2", request_id=asked) == asked


def boss_asks(db: Database, job_id: UUID, kind: str, about: UUID) -> UUID:
    choices = ["redo", "keep", "ignore", "stop", "continue", "left", "right"]
    return put_request(db, job_id, asker="boss", about=about, payload={"kind": kind, "stage": "left", "choices": choices})


def test_a_choice_of_the_human_is_followed(services: ProcessServices, db: Database) -> None:
    job_id = submit(services, right={"ask": 1})
    about = put_request(db, job_id, target="left", asker="review", kind="remark", rev=2, held=True, payload={"text": "first"})
    for payload in ({"text": "second"}, {"text": ""}):
        put_request(db, job_id, target="left", asker="review", kind="remark", rev=2, held=True, payload=payload)
    for more in ({"asker": "other"}, {"target": "right"}, {"rev": 3}, {"held": False}):
        put_request(db, job_id, **{"target": "left", "asker": "review", "kind": "remark", "rev": 2, "held": True, **more})  # type: ignore[arg-type]
    loose = put_request(db, job_id, target=UNROUTED, asker="operator", kind="remark", payload={"text": "loose"})
    placed = put_request(db, job_id, target="right", asker="operator", kind="remark", payload={"text": "placed"})
    revise(db, job_id, "left", MINE)

    for kind in BOSS[:2]:
        answer(db, job_id, "keep", request_id=boss_asks(db, job_id, kind, loose))
        answer(db, job_id, "continue", request_id=boss_asks(db, job_id, kind, loose))
    assert (request(db, loose)["target"], request(db, loose)["held"]) == (UNROUTED, False)
    answer(db, job_id, "right", request_id=boss_asks(db, job_id, "instruction", loose))
    answer(db, job_id, "left", request_id=boss_asks(db, job_id, "instruction", placed))
    assert [request(db, each)["target"] for each in (loose, placed)] == ["right", "right"], "what has a stage keeps it"
    answer(db, job_id, "ignore", request_id=boss_asks(db, job_id, "instruction", placed))
    assert request(db, placed)["held"]
    answer(db, job_id, "redo at once", request_id=boss_asks(db, job_id, "escalation", about))

    (again,) = db.statement("SELECT target, payload FROM requests WHERE asker = 'operator' AND kind = 'remark' AND id <> ALL (%(ids)s)",
                            {"ids": [loose, placed]})  # fmt: skip
    assert again == {"target": "left", "payload": {"text": "first\nsecond\nredo at once"}}
    assert db.statement("SELECT 1 FROM deliverables WHERE stage = 'left' AND pinned") == []

    answer(db, job_id, "stop", request_id=boss_asks(db, job_id, "cap", about))
    assert read_board(db, job_id).status == "cancelled"
    assert open_questions(db, job_id) == []


def test_a_job_is_replayed_where_it_failed_and_else_where_it_begins(services: ProcessServices, db: Database) -> None:
    failed = submit(services, left={"break": True}, right={"break": True})
    whole = submit(services)
    begun = accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id
    (live,) = advance(db, begun, StepLimits(max_attempts=2, timeout_s=60)).queued
    rows = failed_steps(db, limit=1)

    assert [(row["stage"], row["kind"], row["error"]) for row in rows] == [("left", "noop_graph", "EngineError")]
    assert failed_steps(db, owner="nobody") == []
    with pytest.raises(NotFound, match="no step"):
        replay_step(db, new_id())
    with pytest.raises(Conflict, match="is queued"):
        replay_step(db, live.id)
    steps.claim(db, live.id, token=new_id(), lease_s=60, worker="test:1")
    with pytest.raises(Conflict, match="is running"):
        replay_step(db, live.id)
    again = replay_step(db, rows[0]["id"], edit={"mended": True})
    assert (again.job_id, again.stage, [change.field for change in again.changes]) == (failed, "left", ["mended"])
    assert sorted(item.stage for item in replay_job(db, failed)) == ["left", "right"]
    assert [item.stage for item in replay_job(db, whole)] == ["plan"]
    revise(db, whole, "left", MINE)
    unpin(db, whole, "left")
    db.statement("DELETE FROM deliverables WHERE job_id = %(id)s AND stage = 'review'", {"id": whole})
    db.statement("DELETE FROM requests WHERE job_id = %(id)s", {"id": whole})
    assert [item.stage for item in replay_job(db, whole)] == ["review"], "the first that is not fresh"


@pytest.mark.parametrize("act", [lambda db, job: instruct(db, job, "x"), take_back], ids=["instruct", "take back"])
def test_an_unknown_job_says_what_to_do(db: Database, act: Callable[[Database, UUID], object]) -> None:
    with pytest.raises(NotFound, match="bullpen jobs"):
        act(db, UUID(int=7))
