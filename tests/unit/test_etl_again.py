"""A job that there is as a specification: it says the same table when it is read again."""

from types import SimpleNamespace
from typing import Any

import pytest

from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import AnalysisResult
from contracts.tables import ColumnDetail, TableDetail
from tests.unit.test_etl_spec import GOOD, TABLES
from workers.kinds.base import WrongSpec
from workers.kinds.etl.roles.analyst import _source  # pyright: ignore[reportPrivateUsage]
from workers.kinds.etl.rules.again import spec_again
from workers.kinds.etl.rules.drafting import drafted
from workers.kinds.etl.rules.specification import analysis_of, read_spec

SOURCE = ("shop", "duckdb")


def read(text: str) -> AnalysisResult:
    return analysis_of(read_spec(text), *SOURCE, TABLES)


def test_what_somebody_wrote_comes_back_as_it_is() -> None:
    assert spec_again({"spec": GOOD}, None, SOURCE, TABLES) == GOOD


def test_what_was_understood_of_a_specification_says_the_same_table() -> None:
    analysis = read(GOOD)

    again = spec_again({"requirement": "turnover\nper city"}, analysis.to_json(), SOURCE, TABLES)

    assert "# > per city" in again
    assert read(again).target == analysis.target
    assert read(again).sql == analysis.sql


def test_a_job_of_which_nothing_was_understood_is_drafted_again() -> None:
    again = spec_again({"requirement": "amount per city of orders"}, None, SOURCE, TABLES)

    with pytest.raises(WrongSpec):
        read(again)
    assert "orders.amount" in again


def test_a_draft_of_chosen_tables_has_all_of_their_columns_and_the_key_as_its_grain() -> None:
    other = TableDetail(name="cities", schema_name="main", columns=(ColumnDetail(name="city", type="VARCHAR"),))

    text = drafted("", (*TABLES, other), lambda _: (), SOURCE, target="copied", chosen=TABLES)

    assert "grain: [order_id]" in text
    assert [line.strip() for line in text.splitlines() if "name:" in line] == [
        "- {name: order_id}", "- {name: city}", "- {name: amount}",
    ]  # fmt: skip
    assert "cities" not in text


@pytest.mark.parametrize(("reply", "source"), [("hr", "hr"), ("2", "hr"), ("1.", "shop"), ("3", None), ("the other", None)])
def test_a_source_is_chosen_by_its_name_or_its_number(reply: str, source: str | None) -> None:
    """The number chose nothing, and the question was asked again."""
    floor: Any = SimpleNamespace(visible={"shop": 1, "hr": 2}, ctx=SimpleNamespace(answers=lambda: [({}, {"text": reply})]))

    assert _source(EtlRequest(requirement="Build a table"), floor) == source
