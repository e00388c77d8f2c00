"""Tools: what a step may call, a call, and the answer to it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.base import Contract, Json, Text

ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*([.-][a-z0-9_]+)*$", max_length=64)]
"""A registered name: `get_table_detail`. The tools of a server have its name before a dot: `loki.query`."""


class Effect(StrEnum):
    """What a call touches outside the process and the blackboard."""

    NONE = "none"
    """Nothing: a computation, or a look at the blackboard."""
    READ = "read"
    """It reads from a system outside."""
    WRITE = "write"
    """It changes something outside."""


class Cost(StrEnum):
    """How much a call costs, roughly. It is shown to the model that chooses a tool; budgets count tokens and time, not classes."""

    LOW = "low"
    """Milliseconds."""
    MEDIUM = "medium"
    """About a second, or a query on a user's database."""
    HIGH = "high"
    """Many seconds, or money."""


class ToolOffer(Contract):
    """A tool as it is shown to a model."""

    name: ToolName
    description: Text
    effect: Effect
    cost: Cost
    arguments: Json
    """JSON schema of the arguments."""
    places: tuple[Text, ...] = ()
    """The cards that the tool may open, as its argument `card` wants them."""
    card: str | None = None
    """The argument that names the card. None: the tool opens no card."""


class ToolCall(Contract):
    """One call."""

    tool: Text
    arguments: Json = {}


class CallOutcome(StrEnum):
    """How a call ended."""

    STARTED = "started"
    """The process ended before the call did, or the call still runs."""
    ANSWERED = "answered"
    REFUSED = "refused"
    """The step may not call this tool, or may not open this card."""
    INVALID = "invalid"
    """The arguments do not fit the tool."""
    FAILED = "failed"
    """A business error: calling again would fail again."""
    UNAVAILABLE = "unavailable"
    """A transport error that lasted over all tries."""


class ToolAnswer(Contract):
    """What the caller gets. A refusal is an answer."""

    number: int = Field(ge=0)
    """Number of the call in its step, from 1. 0: the call was not recorded."""
    tool: Text
    outcome: CallOutcome
    result: Json | None = None
    """The tool's result when the outcome is `answered`."""
    message: Text = ""
    """The reason when it is not."""
    repeated: bool = False
    """An earlier attempt of the step made this call, and this is the result it got."""


class ActiveSkill(Contract):
    """The skill that a step follows."""

    name: Text
    allowed_tools: tuple[ToolName, ...] | None = None
    """The tools that the skill names. None: it names none, so it does not narrow the choice. Empty: no tool at all."""


class Granted(Contract):
    """A tool that a step may call, and the cards that it may open."""

    tool: ToolName
    places: tuple[Text, ...] | None = None
    """None: the tool opens no card."""
