"""One check of `bullpen doctor`: what was found, and what to do about it."""

from dataclasses import asdict, dataclass
from typing import Literal

from contracts.base import Json


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found. `next_move` is empty where there is nothing to do."""

    name: str
    state: Literal["ok", "warn", "fail"]
    finding: str
    next_move: str = ""

    def to_json(self) -> Json:
        """For --json."""
        return asdict(self)
