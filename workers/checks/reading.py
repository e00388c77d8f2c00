"""What the rows of a check mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from contracts.checks import ROWS_KEPT, AnyCheck, Check, CheckFinding, CheckOutcome
from contracts.statements import Sayable, Statement, Value, code, count, name, number, passage, say, seconds, share, size
from workers.sources.values import plain

SEVERITY = "severity"
MOST_KEPT = 500
"""Characters of a cell of a finding."""
MOST_TEXT = 300
"""Characters of a cell in a sentence."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One check as it ran."""

    check: Check
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[Any, ...]] = field(default=())
    why_not: Sayable = ""
    """Why it did not run to its end."""
    ms: int = 0


def read_safely(looked: Looked) -> CheckFinding:
    """What a check found; that it cannot be read is no end of the look."""
    try:
        return read_rows(looked)
    except (ArithmeticError, TypeError, ValueError) as error:
        reason = passage(f"{type(error).__name__}")
        return read_rows(Looked(looked.check, why_not=say("check.failed", reason=reason), ms=looked.ms))


def read_rows(looked: Looked) -> CheckFinding:
    """What a check found. A worst row without a severity: what it needs to see is hidden from the account."""
    check, rows = looked.check, looked.rows
    found = CheckFinding(
        check=check.name, group=check.group, outcome=CheckOutcome.DENIED, is_cause=check.is_cause, ms=looked.ms,
        says=fine_of(check),
    )  # fmt: skip
    if looked.why_not:
        return found.model_copy(update={"outcome": CheckOutcome.UNDECIDED, "says": looked.why_not})
    if not rows:
        return found
    worst = dict(zip(looked.columns, rows[0], strict=True))
    if worst.pop(SEVERITY, None) is None:
        return found.model_copy(update={"outcome": CheckOutcome.UNDECIDED, "says": say("check.hidden")})
    values = {column: value_of(column, cell) for column, cell in worst.items()}
    places = [at for at, column in enumerate(looked.columns) if column != SEVERITY]
    stem = f"check.{check.kind.value}.{check.name}"
    return found.model_copy(
        update={
            "outcome": CheckOutcome.CONFIRMED,
            "severity": min(1.0, max(0.0, float(rows[0][looked.columns.index(SEVERITY)]))),
            "says": say(f"{stem}.found", **values),
            "advice": say(f"{stem}.advice", **values) if check.is_cause else "",
            "columns": tuple(looked.columns[at] for at in places),
            "rows": tuple(tuple(kept_cell(row[at]) for at in places) for row in rows[:ROWS_KEPT]),
            "sql": check.sql,
            "count": len(rows),
        }
    )


def kept_cell(cell: Any) -> Any:
    """A cell as JSON; a long text is cut."""
    kept = plain(cell)
    return f"{kept[: MOST_KEPT - 1]}…" if isinstance(kept, str) and len(kept) > MOST_KEPT else kept


def fine_of(check: Check) -> Statement:
    """What a check says of a server that has no such fault."""
    return say(f"check.{check.kind.value}.{check.name}.fine")


def value_of(column: str, cell: Any) -> Value:
    """A cell as a value of a sentence, by the ending of its column: `_s` seconds, `_bytes` bytes, `_share` a part of one, `_sql` code."""
    if isinstance(cell, timedelta):
        return seconds(cell.total_seconds())
    if isinstance(cell, bool) or cell is None:
        return name("-" if cell is None else str(cell).lower())
    if isinstance(cell, int | float | Decimal):
        if column.endswith("_s"):
            return seconds(float(cell))
        if column.endswith("_bytes"):
            return size(float(cell))
        if column.endswith("_share"):
            return share(float(cell))
        if column.endswith("pid"):
            return name(cell)
        return count(int(cell)) if int(cell) == cell else number(float(cell))
    text = " ".join(str(cell).split())[:MOST_TEXT]
    if column.endswith("_sql"):
        return code(text)
    return passage(text) if " " in text else name(text)


def with_reasons(findings: Iterable[CheckFinding], checks: Iterable[AnyCheck]) -> tuple[CheckFinding, ...]:
    """The findings, the confirmed first and the worst of them before; a consequence names what it follows from."""
    found = list(findings)
    confirmed = {item.check for item in found if item.outcome is CheckOutcome.CONFIRMED}
    reasons: dict[str, list[str]] = {}
    for check in checks:
        if check.name in confirmed:
            for other in check.explains:
                reasons.setdefault(other, []).append(check.name)
    explained = [
        item.model_copy(update={"because_of": tuple(reasons.get(item.check, ()))}) if item.check in confirmed else item for item in found
    ]
    order = list(CheckOutcome)
    return tuple(sorted(explained, key=lambda item: (order.index(item.outcome), bool(item.because_of), -item.severity, item.check)))
