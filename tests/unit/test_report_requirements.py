"""Requirements written as reports: what is read gives the rows that are meant, and what is not read is not guessed."""

import pytest

from tests.support.report_cases import CASES, MARKET, MARKET_ROWS
from tests.support.requirement_rows import assert_gives
from tests.unit.test_prose_requirements import NOW
from workers.engines.requirements import described_keys, read_requirement

TABLES = described_keys(MARKET)


@pytest.mark.parametrize(("name", "text", "gold"), CASES, ids=[case[0] for case in CASES])
def test_a_report_gives_the_rows_that_are_meant_or_is_left_open(name: str, text: str, gold: str) -> None:
    """E18: a clear requirement is read; one that is not clear is left to a question."""
    reading = read_requirement(text, TABLES, (), NOW)

    if not gold:
        assert reading.target is None or reading.ambiguities, reading.steps
        return
    assert_gives(reading, TABLES, MARKET_ROWS, gold)


def test_a_discounted_price_says_how_it_is_worked_out() -> None:
    """What the words do not say is among the decisions of the package."""
    reading = read_requirement({case[0]: case[1] for case in CASES}["per-en"], TABLES, (), NOW)

    notes = [assumption for assumption in reading.assumptions if assumption.code == "requirements.assume.net_price"]

    assert len(notes) == 1
