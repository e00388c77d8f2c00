"""One check of `bullpen doctor`: what was found, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

from contracts.base import Json
from contracts.statements import Shown
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.secrets import redact_url


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found. `next_move` is empty where there is nothing to do."""

    name: str
    state: Literal["ok", "warn", "fail"]
    finding: Shown
    next_move: Shown = ""

    def to_json(self) -> Json:
        """For --json: in English."""
        finding, move = (redact_url(text_of(text, DEFAULT_LANGUAGE)) for text in (self.finding, self.next_move))
        return {"name": self.name, "state": self.state, "finding": finding, "next_move": move}
