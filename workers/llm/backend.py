"""One call of a model, whoever makes it: what is said to it, what it says back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.reports import Usage
from workers.llm.schema import AnswerSchema


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the talk with a model."""

    speaker: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, unread: the text may be anything at all."""

    text: str = ""
    refusal: str | None = None
    tool_names: tuple[str, ...] = ()
    """Tools it called although it was given none."""
    cut_off: bool = False
    """It stopped for want of room."""
    usage: Usage | None = None
    """None: the server does not say."""


class Backend(Protocol):
    """A model behind a server, or written answers. Safe to share between threads; keeps nothing of a step."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    def complete(self, turns: Sequence[Turn], schema: AnswerSchema, *, max_tokens: int, timeout_s: float, cache_key: str | None) -> Reply:
        """One call, not repeated. Raises `ModelUnavailable` or `ModelRequestRefused`."""
        ...
