"""A question in, a contract and its cost out: what every role sees of a model."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from contracts.base import Contract
from contracts.reports import Usage

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True, slots=True)
class Answer(Generic[C]):
    """A validated answer, what it cost (repairs included), and the model that gave it."""

    value: C
    usage: Usage
    model: str


class ChatClient(Protocol):
    """A model, asked on behalf of one step. Safe to share between threads."""

    @property
    def model(self) -> str:
        """The name of the model that is asked first."""
        ...

    @property
    def answered_by(self) -> str | None:
        """The model that gave the last answer, which may be the fallback; None: there was none yet."""
        ...

    @property
    def context_tokens(self) -> int:
        """How many tokens of prompt the model takes; what a prompt cuts its data to."""
        ...

    @property
    def usage(self) -> Usage:
        """What was used so far through this client, failed calls included."""
        ...

    def ask(self, contract: type[C], *, prompt: str, **data: object) -> Answer[C]:
        """Render the prompt `workers/llm/prompts/{prompt}.j2` with `data`, ask, and validate the answer against `contract`.

        A wrong answer goes back to the model with its validation error, at most 3 times. Raises `ModelAnswerUnusable`
        (refused, empty, wrong to the end), `ModelUnavailable` (retryable), `ModelRequestRefused` (key, name or form),
        `BudgetExceeded` before a call that the job may not make any more, and `StepCancelled` when the step is no longer
        wanted.
        """
        ...
