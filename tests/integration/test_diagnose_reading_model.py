"""The default method with a model on the wire that reads the description: whole jobs over Postgres and HTTP."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.model_jobs import ModelJob, recommends
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from workers.app.services import ProcessServices
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets

TEXT = "Since noon the nightly report crawls. All processors of the database host are busy the whole time."
QUOTE = "processors of the database host are busy"
READ = "CPU usage of the database host is above 90 %"
SILENT = good(recommends("nothing"))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def services(database_url: str, broker_url: str, server: OpenAIServer) -> Iterator[ProcessServices]:
    made = ProcessServices(
        Settings(
            database_url=database_url,
            broker_url=broker_url,
            model="test-model",
            model_base_url=server.base_url,
            model_retries=0,
            model_timeout_s=10.0,
            max_attempts=1,
            embeddings="none",
        )
    )
    import_tickets(made.database, None, read_tickets(sample_tickets_path()))
    yield made
    made.close()


def stated(number: int, quote: str = QUOTE) -> dict[str, Any]:
    return {"stated": [{"number": number, "present": True, "quote": quote}]}


def number_in(prompt: str) -> int:
    """Of the phenomenon, in the list that the model got."""
    found = re.search(rf"^(\d+)\. {re.escape(READ)}$", prompt, re.MULTILINE)
    assert found, prompt
    return int(found[1])


def start(services: ProcessServices, *answers: Say, server: OpenAIServer) -> ModelJob:
    server.will(*answers)
    return ModelJob.submit(services, description=TEXT, method="differential")


def test_what_the_model_reads_in_the_description_is_evidence_and_never_asked(services: ProcessServices, server: OpenAIServer) -> None:
    """D12, D27: read once, at the first turn; later turns know it, and the report says that a model read it."""
    start(services, SILENT, good({"stated": []}), server=server)
    number = number_in(server.asked[1].user_text)
    asked = len(server.asked)

    job = start(services, SILENT, good(stated(number)), *[SILENT] * 6, server=server)
    assert (QUOTE in server.asked[asked + 1].user_text, len(server.asked)) == (True, asked + 2)
    assert job.status == "waiting_human"
    assert [found.quote for found in job.question.read] == [QUOTE]
    questions: list[str] = []
    while job.status == "waiting_human":
        questions += job.asks
        job.say(", ".join(f"{at} no" for at in range(1, len(job.asks) + 1)) or "nothing else")

    assert READ not in questions
    assert not [heard for heard in server.asked[asked + 2 :] if "Known observations" in heard.user_text]
    found = job.diagnosis
    evidence = [each for each in (*found.evidence_for, *found.evidence_against) if each.source == "read"]
    shown = [each for hypothesis in found.alternatives for each in hypothesis.evidence if each.source == "read"]
    assert {each.description for each in (*evidence, *shown)} == {READ}


@pytest.mark.parametrize("quote", ["CPU usage of the database host is above 90 %", "", "the"], ids=["not said", "empty", "a word"])
def test_what_the_description_does_not_say_is_not_evidence(services: ProcessServices, server: OpenAIServer, quote: str) -> None:
    """D27."""
    start(services, SILENT, good({"stated": []}), server=server)
    number = number_in(server.asked[1].user_text)

    job = start(services, SILENT, good(stated(number, quote)), server=server)

    assert job.question.read == ()


def test_an_answer_of_no_use_leaves_the_rules_to_go_on(services: ProcessServices, server: OpenAIServer) -> None:
    """D8: the turn is asked all the same, and the step says what happened."""
    job = start(services, SILENT, *[Say("no JSON at all")] * 4, server=server)

    assert job.status == "waiting_human"
    assert job.question.read == ()
    assert "nothing was read from it" in " ".join(job.step["notes"])
