"""A reply to questions that were offered in the place of one that was not read."""

import pytest

from contracts.ask.steps import ReadingChoice
from workers.kinds.ask.roles.conversation import in_whole

OFFERS = ("How many rides are there per city?", "How many bikes are there per state?", "How many rides are there?")
ASKED = {"kind": "ask_reading", "detail": ReadingChoice(offers=OFFERS).model_dump(mode="json")}


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("2", OFFERS[1]),
        ("the third", OFFERS[2]),
        ("第二个", OFFERS[1]),
        (OFFERS[0], OFFERS[0]),
        ("First, what was revenue in May?", "First, what was revenue in May?"),
        ("3, 4 and 5 star rides per city", "3, 4 and 5 star rides per city"),
        ("1: no, I mean fares", "1: no, I mean fares"),
    ],
)
def test_an_offer_is_taken_by_a_reply_that_says_nothing_else(reply: str, question: str) -> None:
    """A new question that began like a number was spliced to the one of that number."""
    assert in_whole(ASKED, reply) == question
