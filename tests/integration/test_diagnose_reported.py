"""What a person says unasked: an error text in an answer or an instruction is taken for the ticket's phenomenon that copies it, is echoed,
counts, and is learnt; also after the diagnosis has ended."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.tickets import Ticket
from tests.support.commands import Commands, commands_on
from workers.coordinator.actions import open_questions
from workers.tickets import import_tickets


def ticket(number: int, description: str, cause: str, *anomalies: str) -> Ticket:
    return Ticket.model_validate(
        {
            "ticket_id": f"NF-{number}",
            "description": description,
            "root_cause": cause,
            "solution": f"solved {number}",
            "anomalies": [{"description": text} for text in anomalies],
        }
    )


HISTORY = [
    ticket(
        1,
        "Consumers of the orders topic stopped after the broker went away",
        "File descriptor limit of the broker too low",
        "The broker log says 'too many open files'",
        "Consumers report that the leader is not available",
    ),
    ticket(
        2,
        "Messages of the orders topic come late since the broker was restarted",
        "Partitions were not rebalanced after a restart",
        "One broker leads all partitions",
        "Network threads of one broker are busy",
    ),
    ticket(
        3,
        "The orders topic takes no more messages from the shop",
        "Disk of the broker full",
        "The broker log says 'No space left on device'",
        "Log directories are offline",
    ),
    *[
        ticket(n, f"Report {n} is late every Monday", f"Cause {n} of late reports", f"Query {n} scans the table of report {n}")
        for n in range(4, 30)
    ],
]
OPENING = {"en": "Consumers of the orders topic stopped, the broker is gone", "zh": "orders topic 的消费者停了，broker 掉线"}
ADDED = {"en": "there is too many open files in the broker's log", "zh": "另外 broker 日志里有 too many open files"}
PHENOMENON = "The broker log says 'too many open files'"


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        import_tickets(commands.db, None, enumerate(HISTORY, start=1))
        yield commands


def asked(bullpen: Commands, job: UUID) -> PhenomenonQuestion | None:
    rows = open_questions(bullpen.db, job)
    assert len(rows) < 2
    return PhenomenonQuestion.model_validate(rows[0]["payload"]["detail"]) if rows else None


def begun(bullpen: Commands, language: str) -> UUID:
    job = UUID(bullpen.out("submit", "diagnose", OPENING[language]).strip())
    bullpen.run_all()
    assert asked(bullpen, job) is not None
    return job


def ended(bullpen: Commands, job: UUID, answer: str = "don't know") -> dict[str, object]:
    """The diagnosis, whatever is still asked being answered so."""
    while asked(bullpen, job) is not None:
        bullpen.out("answer", job, answer)
        bullpen.run_all()
    return bullpen.json("show", job)["result"]["content"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_error_text_beside_an_answer_ranks_causes_confirms_nothing_and_is_learnt(bullpen: Commands, language: str) -> None:
    job = begun(bullpen, language)

    bullpen.out("answer", job, f"{'not checked, also' if language == 'en' else '没查；'} {ADDED[language]}")
    bullpen.run_all()
    question = asked(bullpen, job)
    if question is not None:
        assert "too many open files" in str(question.notes)
        assert PHENOMENON in str(question.notes)
    found = ended(bullpen, job)

    assert found["root_cause"] == HISTORY[0].root_cause
    sources = {each["description"]: each["source"] for each in found["evidence_for"]}  # type: ignore[index, union-attr]
    assert sources[PHENOMENON] == "alike"
    bullpen.out("feedback", job, "--right", "--yes")
    assert "too many open files" in bullpen.out("tickets", "show", f"bullpen-{job}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_to_a_waiting_job_is_an_observation(bullpen: Commands, language: str) -> None:
    """No second question about which stage is meant; the next one says how it was read."""
    job = begun(bullpen, language)

    bullpen.out("instruct", job, ADDED[language])
    bullpen.run_all()

    question = asked(bullpen, job)
    if question is not None:
        assert PHENOMENON in str(question.notes)
    found = ended(bullpen, job)
    assert found["root_cause"] == HISTORY[0].root_cause
    assert PHENOMENON in {each["description"] for each in found["evidence_for"]}  # type: ignore[index, union-attr]


def test_an_ended_diagnosis_is_taken_further(bullpen: Commands) -> None:
    job = begun(bullpen, "en")
    before = ended(bullpen, job)
    page = bullpen.out("show", job, "--handover")
    assert "To check next" in page
    assert f"bullpen instruct {job}" in " ".join(page.split())

    bullpen.out("instruct", job, ADDED["en"])
    bullpen.run_all()
    after = ended(bullpen, job)

    assert PHENOMENON in {each["description"] for each in after["evidence_for"]}  # type: ignore[index, union-attr]
    assert float(str(after["confidence"])) > float(str(before["confidence"]))
    assert "too many open files in the broker's log" in bullpen.out("show", job, "--handover")


def test_a_dialogue_does_not_end_while_what_would_settle_it_is_unasked(bullpen: Commands) -> None:
    job = begun(bullpen, "en")
    texts: list[str] = []
    while (question := asked(bullpen, job)) is not None:
        texts += [item.description for item in question.items]
        shown = [item.number for item in question.items if item.description in {a.description for a in HISTORY[0].anomalies}]
        bullpen.out("answer", job, " ".join(f"{item.number} {'yes' if item.number in shown else 'no'}" for item in question.items) or "-")
        bullpen.run_all()

    found = bullpen.json("show", job)["result"]["content"]
    assert PHENOMENON in texts
    assert (found["verdict"], found["root_cause"]) == ("diagnosed", HISTORY[0].root_cause)
