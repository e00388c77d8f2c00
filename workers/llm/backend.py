"""One call of a model: the turns that are sent, and the reply."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from contracts.reports import Usage
from workers.llm.schema import AnswerSchema


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A call in the server's own form."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation with a model."""

    speaker: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[NativeCall, ...] = ()
    """Calls that the assistant made."""
    answers: str | None = None
    """Of a tool's message: the id of the call that it answers."""
    reasoning: str = ""
    """What the assistant reasoned before its calls. Some servers want it back."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer before it is parsed. The text may be anything."""

    text: str = ""
    refusal: str | None = None
    tool_names: tuple[str, ...] = ()
    """Tools that the model called in the server's own form."""
    cut_off: bool = False
    """Whether the answer ended because it reached `max_tokens`."""
    usage: Usage | None = None
    """None if the server does not report usage."""
    calls: tuple[NativeCall, ...] = ()
    """The calls of `tool_names` with their arguments."""
    reasoned: bool = False
    """Whether the model is known to have reasoned before the answer, or in its place."""
    reasoning: str = ""
    """What it reasoned before its calls, where the server gives it in a field of its own."""


class Backend(Protocol):
    """A model behind a server, or a script of answers. Safe to share between threads; keeps no state of a step."""

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    @property
    def server(self) -> str:
        """The address of its server, without secrets: with the model's name it is the key of a circuit breaker."""
        ...

    @property
    def reasons(self) -> bool:
        """Whether the model was seen to reason before it answers, so that an answer needs room for that too."""
        ...

    def is_there(self) -> bool:
        """Whether the server answers a small request within a few seconds. True where this cannot be asked."""
        ...

    def complete(self, turns: Sequence[Turn], schema: AnswerSchema, *, max_tokens: int, timeout_s: float, cache_key: str | None) -> Reply:
        """Make one call, without retries. `max_tokens`: of the reasoning and the answer. Raises `ModelUnavailable` or
        `ModelRequestRefused`."""
        ...


@runtime_checkable
class StreamingBackend(Protocol):
    """A backend that can also say an answer while it is written."""

    def stream(
        self,
        turns: Sequence[Turn],
        schema: AnswerSchema,
        *,
        max_tokens: int,
        timeout_s: float,
        cache_key: str | None,
        on_text: Callable[[str], None],
    ) -> Reply:
        """As `complete`; `on_text` hears each piece of the answer's text."""
        ...
