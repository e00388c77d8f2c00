"""Whether two results are the same: multisets of rows, numbers to two decimals, the order of rows and columns free."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

Rows = Sequence[Sequence[object]]


def comparable(value: object) -> str:
    """A cell in a form in which the same value of two engines or types is equal: numbers to two decimals, midnight as its day."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float | Decimal):
        return f"{round(float(value), 2) + 0.0:.2f}"
    if isinstance(value, timedelta):
        return f"{round(value.total_seconds() / 86400, 2):.2f}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def same_rows(ours: Rows, gold: Rows, *, ordered: bool = False) -> bool:
    """Whether two results are the same. `ordered`: the order of rows counts as well."""
    if len(ours) != len(gold):
        return False
    left, right = ([[comparable(cell) for cell in row] for row in rows] for rows in (ours, gold))
    if not left:
        return True
    if len(left[0]) != len(right[0]):
        return False
    if ordered:
        return left == right or [sorted(row) for row in left] == [sorted(row) for row in right]
    if sorted(map(tuple, left)) == sorted(map(tuple, right)) or _bag(left) == _bag(right):
        return True
    columns = [sorted(zip(*rows, strict=True), key=lambda column: sorted(column)) for rows in (left, right)]
    return sorted(zip(*columns[0], strict=True)) == sorted(zip(*columns[1], strict=True))


def _bag(rows: Sequence[Sequence[str]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(row)) for row in rows)
