"""Parts of a time, as the builder of plans writes them, give the same numbers in every engine."""

import pytest
from sqlglot import exp

from contracts.queries import DatePart
from contracts.sources import SourceLimits
from tests.support.sources import Shop
from workers.engines.sql.build_time import part_of
from workers.sources.limits import run_within
from workers.sources.sessions.base import Opening


@pytest.mark.parametrize(
    ("day", "part", "number"),
    [
        ("2026-11-23", DatePart.WEEKDAY, 1),
        ("2026-11-29", DatePart.WEEKDAY, 7),
        ("2026-11-29", DatePart.MONTH, 11),
        ("2026-11-29", DatePart.QUARTER, 4),
    ],
)
def test_a_part_of_a_day_is_the_same_number_in_every_engine(shop: Shop, day: str, part: DatePart, number: int) -> None:
    text = exp.Literal.string(day)
    moment = text if shop.kind == "sqlite" else exp.Cast(this=text, to=exp.DataType.build("date"))
    statement = exp.select(part_of(moment, part, str(shop.kind))).sql(str(shop.kind))

    with shop.engine.open(Opening(timeout_s=60)) as session:
        rows = run_within(session, statement, {}, SourceLimits(timeout_s=60)).rows

    assert [int(str(cell)) for row in rows for cell in row] == [number]
