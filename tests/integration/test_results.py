"""The result of a job is what `look` says, wherever it is shown: to its producer, by `show`, to who reads it."""

import json
from collections.abc import Iterator
from threading import Event
from typing import Any
from uuid import UUID

import pytest

import tests.support.growing
import tests.support.noop  # noqa: F401  they register the kinds
from contracts.base import Json
from contracts.jobs import SubmitJob
from tests.support.said import kept
from workers.app import answers
from workers.app.answers import Announcer
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.coordinator.actions import cancel, revise, unpin
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.replay import fork, replay_stage
from workers.reading.facts import read_job_facts
from workers.reading.results import read_result
from workers.settings import Settings


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    yield made
    made.close()


def submit(services: ProcessServices, job: Json) -> UUID:
    job_id = accept(services.database, SubmitJob(job=job, reply_to="stream:bullpen:replies:answers"), owner_cap=100).job_id
    run_all(services)
    return job_id


def go_on(services: ProcessServices, job_id: UUID) -> None:
    move_on(services, job_id)
    run_all(services)


def test_a_job_that_was_opened_again_while_its_end_is_told_is_told_of_again(
    services: ProcessServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = accept(services.database, SubmitJob(job={"kind": "noop"}, reply_to="stream:bullpen:replies:answers"), owner_cap=100).job_id
    cancel(services.database, job_id)
    read = answers.read_results

    def meanwhile(*values: Any) -> Any:
        monkeypatch.setattr(answers, "read_results", read)
        replay_stage(services.database, job_id, "s1")
        go_on(services, job_id)
        return read(*values)

    monkeypatch.setattr(answers, "read_results", meanwhile)
    for _ in range(2):
        Announcer(services, Event()).announce()

    told = services.database.statement("SELECT body->>'status' AS status FROM answers ORDER BY seq")
    assert [row["status"] for row in told] == ["succeeded"]


def announced(services: ProcessServices) -> dict[str, Any]:
    """The last answer on the producer's stream, after a round of the announcer."""
    Announcer(services, Event()).announce()
    Senders(services, Event()).send_broker()
    ((_, fields),) = services.redis.xrevrange("bullpen:replies:answers", count=1)
    return json.loads(fields[b"body"])


def shown(services: ProcessServices, job_id: UUID) -> Json:
    return read_job_facts(services.database, job_id).to_json()["result"]


def test_after_revise_and_unpin_the_role_s_own_version_is_announced_and_shown(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "noop_graph"})
    own = announced(services)["result"]

    revise(services.database, job_id, "review", {"stage": "mine", "given": {}})
    go_on(services, job_id)
    assert announced(services)["result"] == {"stage": "mine", "given": {}} == shown(services, job_id)["content"]
    unpin(services.database, job_id, "review")
    go_on(services, job_id)

    assert announced(services)["result"] == own
    assert shown(services, job_id) == {"stage": "review", "version": 1, "content": own}


def test_inputs_that_return_bring_the_old_result_back(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "noop_graph"})
    plan = read_job_facts(services.database, job_id).to_json()["stages"][1]["name"]
    revise(services.database, job_id, plan, {"stage": "other", "given": {}})
    go_on(services, job_id)
    newest = shown(services, job_id)["version"]

    unpin(services.database, job_id, plan)
    go_on(services, job_id)

    assert (newest, shown(services, job_id)["version"]) == (2, 1)
    assert announced(services)["result"] == shown(services, job_id)["content"]


def test_the_result_of_a_plan_that_grew_is_its_last_member(services: ProcessServices) -> None:
    """Eleven plans: they are in the order of their numbers, not of their letters."""
    job_id = submit(services, {"kind": "growing", "rounds": 11})

    assert announced(services)["result"] == {"round": 11}
    assert shown(services, job_id) == {"stage": "plan/11", "version": 1, "content": {"round": 11}}


def test_a_stage_behind_a_plan_that_grows_runs_once_and_is_given_all_of_it(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing_answer", "rounds": 3, "cache": "there"})

    assert announced(services)["result"] == {"plans": {"plan/1": 1, "plan/2": 2, "plan/3": 3}, "cache": "there"}
    assert [step.stage for step in read_board(services.database, job_id).steps].count("answer") == 1


def test_a_replay_that_makes_the_plan_shorter_makes_the_result_again(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing_answer", "rounds": 3})
    revise(services.database, job_id, "input", {"rounds": 2})
    go_on(services, job_id)
    assert announced(services)["result"]["plans"] == {"plan/1": 1, "plan/2": 2}

    replay_stage(services.database, job_id, "plan/2")
    go_on(services, job_id)

    assert announced(services)["result"]["plans"] == {"plan/1": 1, "plan/2": 2}


def test_a_fork_has_the_result_that_its_job_had(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing", "rounds": 3})

    copy = fork(services.database, job_id, "plan/2")
    go_on(services, copy)

    assert read_board(services.database, copy).result == "plan/*"
    assert shown(services, copy)["stage"] == "plan/3"


def test_a_job_that_has_not_succeeded_has_no_result(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "noop_graph", "plan": {"review": {"break": True}}})

    assert read_result(services.database, job_id) is None
    assert (announced(services)["status"], announced(services)["result"]) == ("failed", None)


def test_a_job_of_the_last_release_has_the_result_of_its_last_stage(services: ProcessServices) -> None:
    """Its coordinators may still write jobs while they are replaced; they do not know the column."""
    job_id = submit(services, {"kind": "noop_graph"})
    services.database.statement("UPDATE jobs SET result = NULL")

    assert look(read_board(services.database, job_id)).result is not None
    assert announced(services)["result"]["stage"] == "review"


def test_an_optional_stage_may_yield_nothing_and_its_consumers_see_why(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing_answer", "rounds": 1})

    assert shown(services, job_id)["content"] == {"plans": {"plan/1": 1}, "cache": "no cache is configured."}


def test_a_stage_that_is_not_optional_may_not_yield_nothing(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing_answer", "rounds": 1, "nothing_from": "probe"})

    assert "Stage probe yields nothing, and is not optional" in kept(read_job_facts(services.database, job_id).to_json()["error"])


def test_who_needs_what_does_not_apply_and_cannot_do_without_fails_with_the_reason(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "growing_strict"})

    error = kept(read_job_facts(services.database, job_id).to_json()["error"])

    assert "Stage strict needs cache, which yields nothing: no cache is configured." in error
