"""A log of tool calls without a database."""

from types import SimpleNamespace
from typing import Any

from contracts.tools import CallOutcome


class UnloggedCalls:
    """Keeps what a `CallLog` would write."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def granted(self, granted: Any) -> None: ...

    def refused(self, tool: str, message: str) -> None: ...

    def begin(self, tool: str, effect: Any, fingerprint: str) -> Any:
        return SimpleNamespace(number=len(self.rows) + 1, result=None, is_unknown=False)

    def taken(self, number: int) -> None: ...

    def end(self, number: int, outcome: CallOutcome, **more: Any) -> None:
        self.rows.append(("end", outcome.value))

    def record(self, tool: str, effect: Any, fingerprint: str, outcome: CallOutcome, message: str, duration_ms: int) -> int:
        self.rows.append((tool, outcome.value))
        return len(self.rows)
