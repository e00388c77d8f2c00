"""What a model hears in an answer counts as far as the answer bears it; where the grammar read the opposite, the person is asked."""

import pytest

from contracts.diagnose.deliverables import Finding, HeardAnswer, HeardItem, PhenomenonItem, PhenomenonQuestion
from tests.support.spoken import english
from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Heard, asked_which, checked_answer, hear_latest, heard_notes

LAG, POOL, ISR = "replication lag above 600 s", "the connection pool is exhausted", "brokers drop out of the ISR"


def question(*texts: str) -> PhenomenonQuestion:
    items = tuple(
        PhenomenonItem(number=number, phenomenon_id=f"P-{text}", description=text, observation_method="", why="")
        for number, text in enumerate(texts, start=1)
    )
    return PhenomenonQuestion(turn=1, items=items)


ASKED = question(LAG, POOL, ISR)


def heard(*items: tuple[int, Finding, str]) -> HeardAnswer:
    return HeardAnswer(items=tuple(HeardItem(number=number, finding=finding, quote=quote) for number, finding, quote in items))


def checked(answer: str, *items: tuple[int, Finding, str]) -> Heard:
    return checked_answer(heard(*items), ASKED, answer)


def test_what_no_rule_understands_is_heard_with_the_words_that_say_it():
    """D27."""
    found = checked("every caller waits until somebody hands one back", (2, Finding.CONFIRMED, "waits until somebody hands one back"))

    assert [(each.phenomenon_id, each.finding) for each in found.found] == [(f"P-{POOL}", Finding.CONFIRMED)]
    assert found.disputed == ()


@pytest.mark.parametrize(
    ("answer", "item"),
    [
        ("every caller waits", (2, Finding.CONFIRMED, "everybody waits")),
        ("every caller waits", (2, Finding.CONFIRMED, "")),
        ("every caller waits", (7, Finding.CONFIRMED, "every caller waits")),
        ("every caller waits", (2, Finding.UNKNOWN, "every caller waits")),
        ("the pool is not exhausted at all", (2, Finding.CONFIRMED, "the pool is not exhausted")),
        ("our replica shows 20 seconds there", (1, Finding.CONFIRMED, "shows 20 seconds")),
        ("forget what I said about the pool", (2, Finding.DENIED, "forget what I said about the pool")),
    ],
    ids=["not their words", "no words", "no such item", "no finding", "the opposite", "a figure on the other side", "takes something back"],
)
def test_what_the_answer_does_not_bear_is_not_heard(answer: str, item: tuple[int, Finding, str]):
    """D27: quotes, words and figures are checked."""
    assert Finding.CONFIRMED not in [each.finding for each in checked(answer, item).found]
    assert not checked(answer, item).disputed


def test_where_the_grammar_read_the_same_nothing_is_added():
    answer = "1 yes, the pool is exhausted too"
    assert not checked(answer, (2, Finding.CONFIRMED, "the pool is exhausted too"))


def test_a_reading_that_the_model_contradicts_is_asked_once():
    again = checked_answer(heard((3, Finding.DENIED, "they all stay, as far as I see")), ASKED, "3 yes, they all stay, as far as I see")

    assert [each.phenomenon_id for each in again.disputed] == [f"P-{ISR}"]
    asked = asked_which(ASKED, again)
    assert [(item.number, item.description) for item in asked.items] == [(1, ISR)]
    assert english(asked.notes[0]) == "“they all stay, as far as I see” can be read as a yes and as a no to 1. Which is it?"
    before = {f"P-{ISR}"}
    assert not checked_answer(heard((3, Finding.DENIED, "they all stay")), ASKED, "3 yes, they all stay", before)


@pytest.mark.parametrize("answer", ["1 yes 2 no", "all but 2", "都没有", "1有 2没有", "how do I check 2?", "stop asking me"])
def test_a_plain_answer_and_a_question_back_are_shown_to_no_model(answer: str):
    def never(_question: PhenomenonQuestion, text: str) -> HeardAnswer:
        raise AssertionError(text)

    assert hear_latest([(ASKED, answer)], never) is NOTHING_HEARD


def test_the_person_reads_how_their_words_were_understood():
    found = checked("every caller waits until one is free", (2, Finding.CONFIRMED, "every caller waits"))

    (note,) = heard_notes(found, ASKED)
    assert (
        english(note)
        == "As the model reads “every caller waits”: “the connection pool is exhausted” is confirmed. If that is wrong, say so."
    )
