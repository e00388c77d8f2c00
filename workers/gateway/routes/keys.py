"""`/v1/keys`: keys of the gateway, for keys of scope admin; and `/v1/me`, what the caller's own key allows."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import Field, StrictInt

from contracts.access import EVERYDAY, Scope
from contracts.base import Contract
from workers.gateway.access import key_operations as operations
from workers.gateway.access.caller import Here, MayAdminister, MayBeAnybody
from workers.gateway.access.keys import ApiKey
from workers.gateway.bodies import Body, Moment, StrictRoute, answered

router = APIRouter(prefix="/v1", tags=["keys"], route_class=StrictRoute)

KeyId = Annotated[str, Path(min_length=1, max_length=80, description="The part between bp_ and the next _.")]


class NewKey(Body):
    """A key to be made."""

    owner: str = Field(min_length=1, max_length=200, examples=["shop"])
    scopes: tuple[Scope, ...] = Field(default=EVERYDAY, min_length=1)
    label: str = Field(default="", max_length=200)
    expires_at: Moment | None = None
    per_minute: StrictInt | None = Field(default=None, ge=1, le=1_000_000)
    """Most requests a minute. Null: no limit."""


class Me(Contract):
    """Who calls."""

    owner: str
    key: str
    scopes: tuple[Scope, ...]


@router.get("/me")
def me(caller: MayBeAnybody) -> Me:
    """Whose key this is, and what it allows."""
    return Me(owner=caller.owner, key=caller.key.id, scopes=caller.key.scopes)


@router.get("/keys", response_model=list[ApiKey])
def keys(here: Here, caller: MayAdminister) -> Response:
    """All keys, the newest first, without their secrets."""
    return answered(operations.keys(here, caller))


@router.post("/keys", status_code=201)
def make_key(here: Here, caller: MayAdminister, body: NewKey) -> operations.KeyMade:
    """Make a key. Its text cannot be read again."""
    return operations.create_key(
        here, caller, body.owner, scopes=body.scopes, label=body.label, expires_at=body.expires_at, per_minute=body.per_minute
    )  # fmt: skip


@router.delete("/keys/{key_id}", response_model=ApiKey)
def end_key(here: Here, caller: MayAdminister, key_id: KeyId) -> Any:
    """Refuse a key from now on, and log out the browsers that logged in with it."""
    ended = operations.revoke_key(here, caller, key_id)
    here.feed.keys.forget(key_id)  # before the notification has come
    return answered(ended)
