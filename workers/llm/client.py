"""The interface through which a role uses a model: a question gives a validated contract and its cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from contracts.base import Contract, Json
from contracts.reports import Usage
from contracts.tools import ToolAnswer, ToolOffer

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True, slots=True)
class Answer(Generic[C]):
    """A validated answer, its cost (repairs included), and the model that gave it."""

    value: C
    usage: Usage
    model: str


@dataclass(frozen=True, slots=True)
class Worked(Answer[C]):
    """An answer that a model came to with tools, and its calls in order."""

    calls: tuple[ToolAnswer, ...] = ()


class Tools(Protocol):
    """The tools of a step. The same set is offered and checked; see `workers/tools`."""

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools that may be called now."""
        ...

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Call a tool. A refusal is an answer. Raises a transport error that outlasted its tries, and `StepCancelled`."""
        ...


class ChatClient(Protocol):
    """A model that one step may ask. Safe to share between threads."""

    @property
    def model(self) -> str:
        """The name of the model that is asked first."""
        ...

    @property
    def answered_by(self) -> str | None:
        """The model that gave the last answer, which may be the fallback. None before the first answer."""
        ...

    @property
    def fell_back(self) -> str | None:
        """Why the fallback model was last used. None if it was not."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens of a prompt that the model takes. Prompts cut their data to this size."""
        ...

    @property
    def usage(self) -> Usage:
        """Usage through this client so far, failed calls included."""
        ...

    def ask(
        self, contract: type[C], *, prompt: str, prompt_cuts: Sequence[Json] = (), say_field: str | None = None, **data: object
    ) -> Answer[C]:
        """Render the prompt `workers/llm/prompts/{prompt}.j2` with `data`, ask, and validate the answer against `contract`.
        `prompt_cuts`: what of the prompt had no room (`cut_rows` of `workers/llm/brief.py`), for those who look at the call later.
        `say_field`: the field of the answer whose words those who watch the job read while they are written: the last prose of an answer.

        An invalid answer is sent back to the model with its validation error, at most 3 times. Raises `ModelAnswerUnusable`
        (refused, empty, or still invalid), `ModelUnavailable` (retryable), `ModelRequestRefused` (key, name or form),
        `BudgetExceeded` before a call that the job's budget does not cover, and `StepCancelled` if the step was cancelled.
        """
        ...

    def work(
        self,
        contract: type[C],
        *,
        tools: Tools,
        prompt: str,
        must_call: bool = False,
        prompt_cuts: Sequence[Json] = (),
        say_field: str | None = None,
        **data: object,
    ) -> Worked[C]:
        """As `ask`, with tools: the model calls tools until it gives the final value, at most 10 calls. See `workers/llm/work.py`.

        `must_call`: the value is taken only after a call was answered. A weak model otherwise invents what it should look up.

        Raises what `ask` raises, `ToolLoopEnded` when the model comes to no answer, `ToolFailed` with the message of a business error,
        and a tool's transport error (retryable).
        """
        ...
