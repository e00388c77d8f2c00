"""What the reader of questions is given of a message: every word that is not known to say something else."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.ask.request import Strategy
from contracts.ask.results import Reading, ReadingStatus, TablesFound
from contracts.ask.steps import ReadingChoice, Understanding
from contracts.ask.tools import Tool
from contracts.tables import ColumnDetail, TableDetail
from contracts.times import TimeSettings
from workers.kinds.ask.roles.conversation import chosen_reading
from workers.kinds.ask.rules.following import definitions_in
from workers.kinds.ask.rules.planning import next_move
from workers.kinds.ask.work.reading import read_question
from workers.saying import text_of

ORDERS = TableDetail(
    name="orders",
    rows=1000,
    primary_key=("id",),
    columns=(
        ColumnDetail(name="id", type="INTEGER", nullable=False),
        ColumnDetail(name="amount", type="DECIMAL"),
        ColumnDetail(name="order_date", type="DATE", minimum="2024-01-01", maximum="2024-12-31"),
        ColumnDetail(name="status", type="TEXT", values=("paid", "open"), distinct=2),
        ColumnDetail(name="department", type="TEXT", values=("marketing", "finance"), distinct=2),
        ColumnDetail(name="state", type="TEXT", description="C collected, R returned to merchant", values=("C", "R"), distinct=2),
    ),
)


def read(words: str, source: str = "shop") -> Reading:
    services = SimpleNamespace(settings=SimpleNamespace(times=TimeSettings()))
    terms = SimpleNamespace(definitions=(), synonyms={})
    floor: Any = SimpleNamespace(
        tables=lambda _: (ORDERS,), joins=lambda _: (), now=datetime(2025, 1, 10, tzinfo=UTC), owner="ann",
        ctx=SimpleNamespace(services=services), catalogue=SimpleNamespace(terms=lambda *_, **__: terms, queries=lambda *_, **__: ()),
        dialect=lambda _: "sqlite",
        sources=SimpleNamespace(query=lambda *_, **__: SimpleNamespace(rows=())),
    )  # fmt: skip
    definitions = tuple(definitions_in(words))
    understanding = Understanding(
        question=words, words=words, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE, definitions=definitions
    )
    step: Any = SimpleNamespace(understanding=understanding)
    return read_question(floor, step, source)


@pytest.mark.parametrize(
    ("reply", "is_chosen"),
    [
        ("yes", True), ("R", True), ("r.", True), ("returned to merchant", True), ("1", True), ("是的", True),
        ("orders.state “R” (“returned to merchant”)", True), ("no", False), ("C", False), ("yes, per department", False),
    ],
)  # fmt: skip
def test_a_value_of_which_a_word_is_a_part_is_offered_and_chosen_in_short(reply: str, is_chosen: bool) -> None:
    reading = read("how many orders were returned per department")
    understanding = Understanding(question="", words="", intent=Tool.EXECUTE, final_intent=Tool.EXECUTE)
    move: Any = next_move(understanding, Strategy.DIRECT, [TablesFound(reading=reading)])
    choice = ReadingChoice(candidates=move.candidates)
    ctx: Any = SimpleNamespace(dialogue=lambda _: [(choice, reply)])
    chosen = chosen_reading(ctx, "en")

    assert text_of(move.text, "en") == "Nothing here is called: returned. Is this value meant?"
    assert [text_of(each, "en") for each in move.choices] == ["orders.state “R” (“returned to merchant”)"]
    assert (chosen is not None) == is_chosen
    assert [each.plan.filters[0].values for each in choice.candidates] == [("R",)]
    assert [each.plan.group_by[0].column for each in choice.candidates] == ["orders.department"]


def test_a_value_whose_question_is_not_read_either_is_to_be_written() -> None:
    reading = read("how many returned orders does nobody want")

    assert reading.candidates == ()
    assert text_of(reading.question or "", "en").endswith(
        "It is a part of orders.state “R” (“returned to merchant”). Write the whole value in its place, in quotes."
    )


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("number of orders by month\nstatus = paid", ReadingStatus.UNPLACED),
        ("number of orders where status = paid", ReadingStatus.READ),
    ],
)
def test_a_line_that_defines_nothing_is_a_part_of_the_question(words: str, status: ReadingStatus) -> None:
    """The condition was taken for a definition and left out of the answer."""
    reading = read(words)

    assert (reading.text, reading.status) == (words, status)


def test_a_line_that_defines_a_word_is_none() -> None:
    reading = read("GPM by month\nGPM = total amount / number of orders")

    assert (reading.text, reading.status) == ("GPM by month", ReadingStatus.READ)


@pytest.mark.parametrize(
    ("words", "source", "kept"),
    [
        ("total amount of orders of marketing", "marketing", True),
        ("total amount of orders in the marketing database", "marketing", False),
        ("total amount of orders in shop", "shop", False),
    ],
)
def test_a_source_with_the_name_of_a_value_is_a_part_of_the_question(words: str, source: str, kept: bool) -> None:
    reading = read(words, source)

    assert reading.status is ReadingStatus.READ
    assert ("orders.department" in " ".join(text_of(says, "en") for says in reading.candidates[0].says)) is kept
