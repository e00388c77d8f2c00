"""An operation, done here or at a gateway."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from workers.blackboard.engine import Database
from workers.cli.context import database, services, settings, user_name
from workers.cli.reach.remote import gateway
from workers.operations.base import Asker, Here
from workers.settings import Settings

if TYPE_CHECKING:
    from workers.app.services import ProcessServices
    from workers.llm import Embedder

P = ParamSpec("P")
T = TypeVar("T")

HERE = "default"
"""The owner of a machine's own commands."""


class ThisMachine:
    """The servers that this machine's own commands work on: those of the settings, or of `bullpen up`."""

    @property
    def db(self) -> Database:
        """The blackboard's database."""
        return database()

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        return settings()

    @property
    def embedder(self) -> "Embedder | None":
        """The embedding model; None: the deployment has none."""
        from workers.llm import load_embedder

        return load_embedder(settings())

    @property
    def services(self) -> "ProcessServices":
        """The services of this command."""
        return services()

    def go_on(self, job_id: UUID) -> None:
        """Let the boss look at a job."""
        from workers.cli.going_on import set_going

        set_going(job_id)


@dataclass(frozen=True, slots=True)
class Operator:
    """Who works at this machine, where everything may be seen."""

    owner: str = HERE
    only_owner: str | None = None

    @property
    def name(self) -> str:
        """The account."""
        return user_name()

    @property
    def language(self) -> str | None:
        """What `--language` or BULLPEN_LANGUAGE says."""
        from workers.cli.languages import language_asked

        return language_asked()


def do(made: Callable[Concatenate[Here, Asker, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a declared operation: on the servers of this machine, or where `BULLPEN_URL` is set at that gateway. Raises what it raises."""
    if (away := gateway()) is None:
        return made(ThisMachine(), Operator(), *args, **kwargs)
    return away.do(made, args, kwargs)
