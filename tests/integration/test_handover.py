"""`bullpen show --handover`: what was checked already, as a page, while the job waits and after it has ended."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from contracts.diagnose.deliverables import PhenomenonQuestion
from tests.support.commands import Commands, commands_on
from workers.coordinator.actions import answer, open_questions
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.tickets import import_tickets, read_tickets

INCIDENT = sample_incident()


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        import_tickets(commands.db, None, read_tickets(sample_tickets_path()))
        yield commands


def waiting(bullpen: Commands, job: UUID) -> PhenomenonQuestion | None:
    rows = open_questions(bullpen.db, job)
    return PhenomenonQuestion.model_validate(rows[0]["payload"]["detail"]) if rows else None


def test_the_page_says_what_was_checked_and_what_is_next(bullpen: Commands) -> None:
    job = UUID(bullpen.out("submit", "diagnose", INCIDENT.description, "--method", "gar").strip())
    bullpen.run_all()
    before = bullpen.out("show", job, "--handover", "--format", "md")
    first = waiting(bullpen, job)
    assert first is not None
    answer(bullpen.db, job, "1 yes 2 no 3 don't know, also the backup runs twice as long as usual")
    meanwhile = bullpen.out("show", job, "--handover", "--format", "md")
    bullpen.run_all()

    page = bullpen.out("show", job, "--handover", "--format", "md")

    assert "Nothing was checked yet." in before
    assert INCIDENT.description in page
    assert "the backup runs twice as long as usual" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    found = [next(line for line in rows if item.description[:30] in line).split("|")[1].strip() for item in first.items]
    assert found == ["present", "not present", "not known"]
    assert "still working on it" in meanwhile
    assert meanwhile.partition("Most likely now")[2].strip() == before.partition("Most likely now")[2].partition("#")[0].strip()
    second = waiting(bullpen, job)
    assert second is not None
    assert all(item.description[:20] in page[page.index("To check next") :] for item in second.items)


def test_the_page_of_an_ended_job_names_the_cause_and_what_helped(bullpen: Commands) -> None:
    job = UUID(bullpen.out("submit", "diagnose", INCIDENT.description, "--method", "gar").strip())
    bullpen.run_all()
    while question := waiting(bullpen, job):
        answer(bullpen.db, job, INCIDENT.answer(question))
        bullpen.run_all()

    page = " ".join(bullpen.out("show", job, "--handover").split())

    assert bullpen.json("show", job)["result"]["content"]["root_cause"] in page
    assert "to be checked before it is done again" in page
    assert "已检查的内容" in bullpen.out("show", job, "--handover", "--language", "zh")


def test_a_kind_without_such_a_page_says_so(bullpen: Commands) -> None:
    other = bullpen.ran()

    assert "has no page to hand over" in bullpen.fails("show", other, "--handover", code=2)
    assert "goes with --language and --format only" in bullpen.fails("show", other, "--handover", "--json", code=2)
