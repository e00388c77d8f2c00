"""Follow-ups as whole questions, ratios with conditions, ranks with conditions: read over a made-up company."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.queries import QueryPlan
from contracts.questions import Verdict
from workers.engines.questions import Reader
from workers.evaluation.questions.cases import load_tables, value_look_up
from workers.evaluation.questions.companies import write_companies
from workers.kinds.ask.rules.composing import _changed  # pyright: ignore[reportPrivateUsage] the rule itself is tested
from workers.kinds.ask.rules.desk import Desk
from workers.kinds.ask.rules.formulas import formulas_in
from workers.kinds.ask.rules.value_names import ValueNames

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("companies")
    write_companies(made, ("hotels",))
    return made


def desk(folder: Path, *definitions: str) -> Desk:
    tables = load_tables(folder)["hotels"]
    reader = Reader(tables, NOW, look_up=value_look_up(folder / "sqlite" / "hotels.sqlite", tables))
    return Desk(reader, ValueNames(tables), tuple(tables), formulas=tuple(formulas_in(definitions)))


def plan(desk: Desk, text: str) -> QueryPlan:
    reading = desk.read(text)
    assert reading.verdict is Verdict.ANSWERED, (text, reading.unplaced, reading.remarks)
    return reading.readings[0].plan


def followed(desk: Desk, before: str, words: str) -> str:
    """The first way to read the follow-up that takes every word."""
    return next(text for text in _changed(before, words, desk) if desk.read(text).verdict is Verdict.ANSWERED)


@pytest.mark.parametrize(
    ("before", "words", "whole"),
    [
        ("How many bookings were cancelled in March 2026?", "for April", "How many bookings were cancelled for April 2026"),
        ("How many bookings were cancelled in 2026?", "the year before", "How many bookings were cancelled in 2025"),
        ("2026年预订有多少？", "换成2025年的", "2025年预订有多少"),
    ],
)
def test_a_follow_up_puts_its_time_in_the_place_of_the_one_before(folder: Path, before: str, words: str, whole: str) -> None:
    assert followed(desk(folder), before, words) == whole


def test_conditions_of_one_half_of_a_ratio_do_not_choose_the_rows_of_the_other(folder: Path) -> None:
    made = desk(folder, "We define the loss rate as the number of cancelled bookings divided by the number of bookings.")

    read = plan(made, "What is the loss rate per channel?")

    ratio = next(item for item in read.selected if item.other is not None)
    assert [condition.values for condition in ratio.value.where] == [("cancelled",)]
    assert ratio.other is not None
    assert ratio.other.where == ()
    assert read.filters == ()


def test_a_rank_keeps_the_time_of_its_question(folder: Path) -> None:
    ranks = desk(folder).ranks("Who are our best guests in 2025?")

    assert ranks is not None
    assert all(len(reading.plan.periods) == 1 for reading in ranks.readings)


def test_a_rank_of_something_unknown_is_not_offered(folder: Path) -> None:
    assert desk(folder).ranks("Who are our best purple guests?") is None
