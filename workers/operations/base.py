"""Who asks for an operation, on which servers it works, and how it is declared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from contracts.statements import name as identifier
from contracts.statements import say
from workers.blackboard.engine import Database
from workers.errors import NotFound
from workers.reading.jobs import Job, read_job
from workers.settings import Settings

if TYPE_CHECKING:
    from workers.app.services import ProcessServices  # loads Celery, which most operations do without
    from workers.llm import Embedder

Made = TypeVar("Made", bound=Callable[..., Any])

Tell = Callable[[str, int, int | None], None]
"""Hears how far long work is: what is being done, how many are done, and of how many; None: that is not known."""


def no_listener(what: str, done: int, total: int | None) -> None:
    """Where nobody looks at how far long work is."""


class Here(Protocol):
    """The servers that an operation works on. What an operation does not use is not loaded."""

    @property
    def db(self) -> Database:
        """The blackboard's database."""
        ...

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        ...

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model; None: the deployment has none."""
        ...

    @property
    def services(self) -> "ProcessServices":
        """The process's services, with the kinds of jobs registered."""
        ...

    def go_on(self, job_id: UUID) -> None:
        """After a change of a job: let the boss look at it."""
        ...


class Asker(Protocol):
    """Who asks."""

    @property
    def owner(self) -> str:
        """Whose jobs they make."""
        ...

    @property
    def name(self) -> str:
        """What is written down as who did it."""
        ...

    @property
    def only_owner(self) -> str | None:
        """The owner whose things they see; None: everybody's."""
        ...

    @property
    def language(self) -> str | None:
        """The language of texts about a job; None: that of the job."""
        ...


def as_owner(asker: Asker, wanted: str | None) -> str:
    """As whom something is looked at: an operator may name anybody."""
    return asker.only_owner or wanted or asker.owner


def require_own(asker: Asker, job: Job) -> Job:
    """The job, if the asker may see it; another owner's is not there. Raises `NotFound`."""
    if asker.only_owner not in (None, job.owner):
        raise NotFound.of(say("refused.no_job_of_yours", job=identifier(job.id)))
    return job


def own_job(here: Here, asker: Asker, job_id: UUID) -> Job:
    """A job that the asker may see. Raises `NotFound`."""
    return require_own(asker, read_job(here.db, job_id))


@dataclass(frozen=True, slots=True)
class AtAGateway:
    """How the command line sends an operation to a gateway."""

    call: str
    """The function of `bullpen_client.calls` that makes the request, as MODULE.FUNCTION. It takes the operation's own arguments."""
    as_stored: bool
    """Ask for statements as they are stored: the command says them itself."""
    in_background: bool
    """The gateway answers at once, and goes on with the work; its result is waited for, and `tell` hears how far it is."""


_AT_A_GATEWAY: dict[Callable[..., Any], AtAGateway] = {}


def operation(call: str, *, as_stored: bool = False, in_background: bool = False) -> Callable[[Made], Made]:
    """Declare how a function is sent to a gateway; see `AtAGateway`. The function stays as it is."""

    def declared(made: Made) -> Made:
        _AT_A_GATEWAY[made] = AtAGateway(call, as_stored, in_background)
        return made

    return declared


def at_a_gateway(made: Callable[..., Any]) -> AtAGateway:
    """How a declared operation is sent to a gateway."""
    return _AT_A_GATEWAY[made]


def declared_operations() -> dict[Callable[..., Any], AtAGateway]:
    """All operations of the modules that are loaded."""
    return dict(_AT_A_GATEWAY)
