"""What the reader of questions is given of a message: every word that is not known to say something else."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.ask.results import Reading, ReadingStatus
from contracts.ask.steps import Understanding
from contracts.ask.tools import Tool
from contracts.tables import ColumnDetail, TableDetail
from contracts.times import TimeSettings
from workers.kinds.ask.rules.following import definitions_in
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
