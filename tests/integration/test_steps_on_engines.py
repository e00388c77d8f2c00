"""Expressions of steps, printed for an engine and computed by it, mean the same everywhere."""

import pytest

from contracts.pipelines.expressions import Call, ColumnOf, Function
from tests.support.sources import Shop
from workers.engines.steps.expressions import Expressions
from workers.sources.sessions.base import Opening

_CASTS = {"sqlite": "'{}'", "mysql": "CAST('{}' AS DATETIME)"}


@pytest.mark.parametrize(
    ("later", "earlier", "days", "seconds"),
    [
        ("2026-03-02 01:00:00", "2026-03-01 23:00:00", 1, 7_200),
        ("2026-03-01 23:59:59", "2026-03-01 00:00:00", 0, 86_399),
        ("2026-03-01 00:00:00", "2026-02-26 18:00:00", 3, 194_400),
        ("2026-03-01 08:00:00", "2026-03-03 09:30:01", -2, -178_201),
    ],
)
def test_days_and_seconds_between_two_moments(shop: Shop, later: str, earlier: str, days: int, seconds: int) -> None:
    """Days are midnights between them, whole on every engine; MySQL's DATEDIFF would count days for seconds."""
    dialect = str(shop.kind)
    of = [Expressions(dialect).of(Call(function=function, arguments=(ColumnOf(step="t", name="a"), ColumnOf(step="t", name="b"))))
          for function in (Function.DAYS_BETWEEN, Function.SECONDS_BETWEEN)]  # fmt: skip
    moment = _CASTS.get(dialect, "CAST('{}' AS TIMESTAMP)")
    printed = ", ".join(item.sql(dialect=dialect) for item in of)
    query = f"SELECT {printed} FROM (SELECT {moment.format(later)} AS a, {moment.format(earlier)} AS b) t"  # noqa: S608 of this test alone

    with shop.engine.open(Opening(timeout_s=60)) as session:
        (row,) = [row for batch in session.run(query, {}).rows for row in batch]

    assert tuple(row) == (days, seconds)
    assert all(isinstance(value, int) for value in row)
