"""A whole `diagnose` job over real Postgres and Redis, its steps run in this process: the dialogue as a user has it."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.jobs import SubmitJob
from tests.support.spoken import english
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.reading.results import read_result
from workers.saying.content import in_words
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"))
    import_tickets(made.database, None, read_tickets(sample_tickets_path()))
    yield made
    made.close()


def open_question(services: ProcessServices, job_id: UUID) -> tuple[PhenomenonQuestion, str]:
    """The one open question, and its text as it is shown."""
    (row,) = open_questions(services.database, job_id)
    return PhenomenonQuestion.model_validate(row["payload"]["detail"]), in_words(row["payload"]["text"], "en")


def say(services: ProcessServices, job_id: UUID, text: str) -> None:
    answer(services.database, job_id, text)
    move_on(services, job_id)
    run_all(services)


def status(services: ProcessServices, job_id: UUID) -> str:
    row = services.database.row("SELECT status FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    return row["status"]


def diagnosis(services: ProcessServices, job_id: UUID) -> Diagnosis:
    result = read_result(services.database, job_id)
    assert result is not None
    return Diagnosis.model_validate(result.content)


def test_a_user_asks_back_and_loses_no_turn(services: ProcessServices) -> None:
    """D16, D20: why, what is known, which causes; then answers, and the diagnosis counts the real turns."""
    incident = sample_incident()
    job_id = accept(services.database, SubmitJob(job={"kind": "diagnose", "description": incident.description}), owner_cap=100).job_id
    run_all(services)
    first, _ = open_question(services, job_id)

    for back, told in (("why?", "Why these are asked"), ("why?", "Why these are asked"), ("what do you know so far?", "Known so far")):
        say(services, job_id, back)
        again, text = open_question(services, job_id)
        assert again.model_copy(update={"notes": ()}) == first.model_copy(update={"notes": ()})
        assert text.startswith(told)
        assert "1. " + first.items[0].description in text

    turns = 0
    while status(services, job_id) == "waiting_human":
        question, _ = open_question(services, job_id)
        turns += 1
        assert question.turn == turns
        say(services, job_id, f"{incident.answer(question)}; which causes are possible?")

    found = diagnosis(services, job_id)
    assert (found.verdict, found.turns) == (Verdict.DIAGNOSED, turns)
    assert "Other causes that were considered:" in english(found.explanation)


def test_asking_back_has_no_end(services: ProcessServices) -> None:
    """E18: each human word resets the caps of dispatches and questions."""
    job_id = accept(services.database, SubmitJob(job={"kind": "diagnose", "description": "商城很慢", "max_turns": 1}), owner_cap=100).job_id
    run_all(services)
    first, _ = open_question(services, job_id)

    for _ in range(10):
        say(services, job_id, "为什么？")

    again, text = open_question(services, job_id)
    assert (again.turn, again.items) == (1, first.items)
    assert text.startswith(("Why these are asked", "Why you are asked"))


@pytest.mark.parametrize(("language", "cause"), [("en", "Stale planner statistics after a bulk load"), ("zh", "批量导入后统计信息过期")])
def test_the_incident_of_the_demo_is_diagnosed_in_both_languages(services: ProcessServices, language: str, cause: str) -> None:
    incident = sample_incident(language)
    job_id = accept(services.database, SubmitJob(job={"kind": "diagnose", "description": incident.description}), owner_cap=100).job_id
    run_all(services)
    while status(services, job_id) == "waiting_human":
        question, _ = open_question(services, job_id)
        say(services, job_id, incident.answer(question))

    assert (diagnosis(services, job_id).verdict, diagnosis(services, job_id).root_cause) == (Verdict.DIAGNOSED, cause)
