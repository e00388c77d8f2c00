"""A message to an open question: an answer to it, or a complete new question in its place."""

import pytest

from workers.kinds.ask.rules.new_questions import is_new_question, since_new_question


@pytest.mark.parametrize(
    "reply",
    [
        "How many orders failed last month?",
        "Show me the revenue per month in 2026",
        "Which table holds the refunds?",
        "no, what is the average price per category?",
        "Delete all orders of 2024",
        "2026年每月的订单数是多少？",
        "列出2026年注册的客户",
        "换个问题，统计每个渠道的订单数",
    ],
)
def test_a_complete_question_replaces_the_open_one(reply: str) -> None:
    assert is_new_question(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "2", "the second one", "yes", "by quarter", "per month", "按季度", "第二个", "by number of orders", "the orders of 2026",
        "how many orders they placed", "what customers gave on top of the price", "What do you mean?", "which ones are there?",
        "we define churn as customers without orders in 90 days", "churn = lost customers / all customers",
        "AOV means total amount / orders",         "我说的是订单金额最高的客户", "指的是哪些客户下过单？", "你是什么意思？", "order amount",
        "Then the average amount per payment method",
        "the one with signed_up", "only those from the web", "订单数量",
    ],
)  # fmt: skip
def test_what_may_be_an_answer_stays_one(reply: str) -> None:
    assert not is_new_question(reply)


def test_replies_to_the_new_question_belong_to_it() -> None:
    parts = ["What is the average tip?", "the fee", "How many customers placed orders in 2026?", "the time of the order"]

    assert since_new_question(parts) == ("How many customers placed orders in 2026?", "the time of the order")
    assert since_new_question(parts[:2]) == tuple(parts[:2])
