"""Conversations."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from contracts.base import Json
from workers.cli.reach.doing import HERE, Operator, ThisMachine, do
from workers.cli.reach.jobs import submit
from workers.cli.reach.remote import gateway
from workers.operations.base import Asker, Here

P = ParamSpec("P")
T = TypeVar("T")


def do_as(owner: str | None, made: Callable[Concatenate[Here, Asker, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """As `do`, for what an owner has of their own: the one that is named, else this machine's. Raises `InvalidInput` for an owner other
    than that of the key."""
    if (away := gateway()) is not None:
        away.check_owner(owner)
        return do(made, *args, **kwargs)
    whose = owner or HERE
    return made(ThisMachine(), Operator(whose, only_owner=whose), *args, **kwargs)


def own(owner: str | None) -> str:
    """The owner that is meant where none is named: this machine's, or at a gateway that of the key."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        away.check_owner(owner)
        return away.send(fleet.me()).owner
    return owner or HERE


def begin(session: UUID, owner: str | None, job: Json) -> UUID:
    """The first job of a conversation; its id."""
    value: dict[str, Any] = {"job": job, "owner": owner, "session_id": str(session), "engine": None}
    return submit(value).job_id
