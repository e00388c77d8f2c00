"""What a person reads back of an answer: what was read, corrected, about another system, or not understood; and how items are checked."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from tests.support.spoken import chinese, english
from tests.unit.test_asking_back import EVIDENCE, INCIDENT
from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.asking_back import counted_turns
from workers.kinds.diagnose.rules.known import Dialogue, read_all
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.search_terms import search_terms, systems_named


def after(*turns: tuple[PhenomenonQuestion, str]) -> PhenomenonQuestion:
    request = DiagnoseRequest(description=INCIDENT)
    found: Diagnosis | PhenomenonQuestion = move(request, EVIDENCE, list(turns), method=DiagnosisMethod.GAR)
    assert isinstance(found, PhenomenonQuestion)
    return found


def notes(question: PhenomenonQuestion) -> str:
    return "\n".join(english(note) for note in question.notes)


def test_how_an_item_is_checked_is_answered_without_a_turn() -> None:
    """D16: for the item that is named, with its check."""
    first = after()

    again = after((first, "how do I check 2?"))

    assert (again.turn, again.items) == (first.turn, first.items)
    assert f"2. “{first.items[1].description}”: SELECT 1" in notes(again)
    assert f"1. “{first.items[0].description}”" not in notes(again)


def test_an_answer_and_a_question_in_one_are_both_heard() -> None:
    first = after()

    found = after((first, "1 no, 2 how do I see that?"))

    assert found.turn == 2
    assert "Understood: 1 denied" in notes(found)
    assert "SELECT 1" in notes(found)


@pytest.mark.parametrize("reply", ["9 yes", "…", "好的"])
def test_what_cannot_be_read_costs_no_turn_and_is_said(reply: str) -> None:
    """D16."""
    first = after()

    again = after((first, reply))

    assert (again.turn, again.items) == (1, first.items)
    assert "did not use a turn" in notes(again)
    assert counted_turns([(first, reply)]) == []
    assert "不计入轮次" in chinese(again.notes[0])


def test_a_correction_is_read_back() -> None:
    first = after()
    second = after((first, "2 no"))

    third = after((first, "2 no"), (second, "sorry, 2 was wrong"))

    assert f"Corrected: “{first.items[1].description}” is now confirmed." in notes(third)


def test_an_observation_is_taken_back() -> None:
    first = after()
    second = after((first, "2 no; the tape robot squeaks loudly"))
    dialogue: Dialogue = [
        (first, "2 no; the tape robot squeaks loudly"),
        (second, "forget what I said about the tape robot"),
    ]

    third = after(*dialogue)

    assert "Taken back: “the tape robot squeaks loudly”." in notes(third)
    assert all("tape" not in text for reading in read_all(dialogue) for text in reading.observations)


@pytest.mark.parametrize(
    ("reply", "system"),
    [("this is MySQL", "MySQL"), ("wrong system", ""), ("这是Kafka，问错了", "Kafka"), ("we run Redis here, nothing of that", "Redis")],
)
def test_a_reply_that_the_system_is_another_is_heard(reply: str, system: str) -> None:
    first = after()
    reading = read_answer(reply, first)

    assert (reading.wrong_system, reading.system) == (True, system)
    assert (f"this is “{system}”" if system else "another system") in notes(after((first, reply)))
    assert search_terms([(first, reply)])[0] == []
    assert systems_named([(first, reply)]) == ([system] if system else [])


def test_naming_the_system_with_a_yes_is_no_complaint() -> None:
    assert not read_answer("we use MySQL 8, 1 yes", after()).wrong_system
    assert read_answer("we use MySQL 8, 1 yes", after()).findings[after().items[0].phenomenon_id] is Finding.CONFIRMED
