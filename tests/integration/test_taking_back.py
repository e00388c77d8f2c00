"""`bullpen answer --undo`: the last answer is taken back, at once and after the job has ended, over real Postgres and Redis."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from contracts.diagnose.deliverables import PhenomenonQuestion
from tests.support.commands import Commands, commands_on
from workers.coordinator.actions import open_questions
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.tickets import import_tickets, read_tickets

INCIDENT = sample_incident()


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        import_tickets(commands.db, None, read_tickets(sample_tickets_path()))
        yield commands


def asked(bullpen: Commands, job: UUID) -> PhenomenonQuestion:
    (row,) = open_questions(bullpen.db, job)
    return PhenomenonQuestion.model_validate(row["payload"]["detail"])


def say(bullpen: Commands, job: UUID, *arguments: str) -> None:
    bullpen.out("answer", job, *arguments)
    bullpen.run_all()


def started(bullpen: Commands) -> UUID:
    job = UUID(bullpen.out("submit", "diagnose", INCIDENT.description, "--method", "gar").strip())
    bullpen.run_all()
    return job


def finished(bullpen: Commands) -> UUID:
    job = started(bullpen)
    while open_questions(bullpen.db, job):
        say(bullpen, job, INCIDENT.answer(asked(bullpen, job)))
    return job


def test_the_last_answer_is_taken_back_and_its_question_is_open_again(bullpen: Commands) -> None:
    job = started(bullpen)
    first = asked(bullpen, job)
    say(bullpen, job, "1 yes 2 yes 3 yes")
    second = asked(bullpen, job)

    told = bullpen.out("answer", job, "--undo")
    bullpen.run_all()

    assert "Taken back: “1 yes 2 yes 3 yes”. The question is open again" in " ".join(told.split())
    assert asked(bullpen, job) == first
    say(bullpen, job, "1 no 2 no 3 no")
    assert asked(bullpen, job) != second
    assert asked(bullpen, job).turn == 2


def test_the_same_answer_again_brings_the_same_question_back(bullpen: Commands) -> None:
    job = started(bullpen)
    say(bullpen, job, "1 no 2 no 3 no")
    second = asked(bullpen, job)
    say(bullpen, job, "--undo")

    say(bullpen, job, "1 no 2 no 3 no")

    assert asked(bullpen, job) == second


def test_an_answer_is_taken_back_after_the_job_has_ended(bullpen: Commands) -> None:
    job = finished(bullpen)
    assert bullpen.json("show", job)["status"] == "succeeded"

    say(bullpen, job, "--undo")

    assert bullpen.json("show", job)["status"] == "waiting_human"
    assert bullpen.json("show", job)["result"] is None
    say(bullpen, job, INCIDENT.answer(asked(bullpen, job)))
    assert bullpen.json("show", job)["status"] == "succeeded"


def test_an_earlier_answer_is_taken_back_with_those_after_it(bullpen: Commands) -> None:
    job = started(bullpen)
    first = asked(bullpen, job)
    (row,) = open_questions(bullpen.db, job)
    say(bullpen, job, "1 no 2 no 3 no")
    say(bullpen, job, "1 no 2 no 3 no")

    told = bullpen.json("answer", job, "--undo", "--request", row["id"])
    bullpen.run_all()

    assert told["taken_back"] == ["1 no 2 no 3 no"] * 2
    assert asked(bullpen, job) == first


def test_what_cannot_be_taken_back_says_why(bullpen: Commands) -> None:
    job = started(bullpen)

    assert "has no answer to take back" in bullpen.fails("answer", job, "--undo", code=5)
    assert "one of the two" in bullpen.fails("answer", job, code=2)
    assert "one of the two" in bullpen.fails("answer", job, "1 yes", "--undo", code=2)
    (row,) = open_questions(bullpen.db, job)
    say(bullpen, job, "1 no 2 no 3 no")
    (later,) = open_questions(bullpen.db, job)
    assert "has no answer" in bullpen.fails("answer", job, "--undo", "--request", later["id"], code=4)
    assert row["id"] != later["id"]
