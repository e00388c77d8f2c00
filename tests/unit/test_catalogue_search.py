"""Searching the catalogue: the names that are not looked at closely have none of the question's words."""

from hypothesis import given
from hypothesis import strategies as st

from workers.catalogue.search import Question, _may_have  # pyright: ignore[reportPrivateUsage] its promise has no other witness
from workers.retrieval.tokens import tokens

_SAMPLES = "order orders category categories box boxes status statuses id Größe größen 订单 金额 statusCode HTTPServer v2 2 x glasses bus"
WORDS = st.sampled_from(_SAMPLES.split(" "))


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["_", " ", ".", ""]), st.lists(WORDS | st.text(max_size=8), max_size=4))
def test_a_name_that_has_a_word_of_the_question_is_never_left_out(parts: list[str], seam: str, asked: list[str]) -> None:
    name = seam.join(parts)
    question = Question("", None, weights=dict.fromkeys(tokens(" ".join(asked)), 1.0))

    assert _may_have(name, question) or not set(tokens(name)) & set(question.weights)


def test_most_names_are_left_out() -> None:
    question = Question("", None, weights={"refund": 1.0, "customer": 1.0})
    names = ("order_id", "customer_name", "refunds", "amount")

    assert [name for name in names if _may_have(name, question)] == ["customer_name", "refunds"]
