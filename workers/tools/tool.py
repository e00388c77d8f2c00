"""A tool: a function with typed arguments and a typed result, under a name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel

from contracts.base import Contract, Json
from contracts.pointers import AnyPointer
from contracts.tools import Cost, Effect
from workers.errors import ConfigurationError

if TYPE_CHECKING:
    from workers.blackboard.engine import Database
    from workers.llm.embedder import Embedder
    from workers.settings import Settings
    from workers.sources import Sources

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R", bound=Contract)


class ToolServices(Protocol):
    """The services of a worker process that a tool may use."""

    @property
    def database(self) -> "Database":
        """The blackboard's database, for its knowledge tables."""
        ...

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model. None if the deployment has no such model."""
        ...

    @property
    def settings(self) -> "Settings":
        """The deployment's settings."""
        ...

    @property
    def sources(self) -> "Sources":
        """The one way to run a statement on a user's database."""
        ...


@dataclass(frozen=True, slots=True)
class CallKey:
    """Identifies a call that has an effect. All attempts of a step give the same call the same key, so that a server outside can
    recognise a repetition."""

    step_id: UUID
    number: int

    def __str__(self) -> str:
        return f"{self.step_id}/{self.number}"


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool is given beside its arguments."""

    owner: str
    """Whose data the call may see."""
    services: ToolServices
    job_id: UUID
    step_id: UUID
    key: CallKey | None = None
    """Of a call with an effect."""
    language: str = "en"
    check_stopped: Callable[[], None] = field(default=lambda: None)
    """Raises `StepCancelled`. A slow tool calls it between its parts."""


@dataclass(frozen=True)
class Tool(Generic[A, R]):
    """One tool. `run` raises a `BullpenError` for a business error, or a retryable error (`ConnectionError`, `TimeoutError`, or a
    `BullpenError` that says so) for a transport error."""

    name: str
    description: str
    """For the model that chooses it: what it does, and when to use it."""
    arguments: type[A]
    result: type[R]
    run: Callable[[ToolContext, A], R]
    effect: Effect = Effect.NONE
    cost: Cost = Cost.LOW
    opens: frozenset[str] = frozenset()
    """Kinds of pointers whose key this tool is: `table`. A pointer of another kind that names the tool does not open it."""
    card: str | None = None
    """The argument that names the place of such a pointer. A list of places is checked item by item. None: the tool opens no card,
    and any pointer with its key lets the step call it."""
    place_of: Callable[[AnyPointer], str] = field(default=lambda pointer: pointer.place)
    """The place of the card that a pointer opens, where it is not the pointer's own: a column's pointer opens its table."""
    keyed: bool = False
    """Of a tool that changes something outside: whether it recognises its `key`, so that a call whose outcome is not known can be made
    again. Without it a person is asked to look."""
    schema: Json | None = None
    """JSON schema of the arguments where `arguments` is not a contract of ours (LangChain, MCP)."""

    def __post_init__(self) -> None:
        if self.card is not None and self.schema is None and self.card not in self.arguments.model_fields:
            raise ConfigurationError(f"Tool {self.name!r} has no argument {self.card!r}, which should name the card that it opens.")

    def argument_schema(self) -> Json:
        """JSON schema of the arguments."""
        return self.schema if self.schema is not None else self.arguments.model_json_schema()


AnyTool = Tool[Any, Any]
