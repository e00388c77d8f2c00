"""`/v1/keys`: keys of the gateway, for keys of scope admin; and `/v1/me`, what the caller's own key allows."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import Field, StrictInt

from contracts.access import EVERYDAY, Scope
from contracts.base import Contract
from contracts.statements import name, say
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here, MayAdminister, MayBeAnybody
from workers.gateway.access.keys import ApiKey, create_key, list_keys, revoke_key
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


class KeyMade(Contract):
    """A new key. Its text is shown this once."""

    id: str
    owner: str
    scopes: tuple[Scope, ...]
    label: str
    per_minute: int | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    key: str


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
def keys(here: Here, _: MayAdminister) -> Response:
    """All keys, the newest first, without their secrets."""
    return answered(list_keys(here.db))


@router.post("/keys", status_code=201)
def make_key(here: Here, _: MayAdminister, body: NewKey) -> KeyMade:
    """Make a key. Its text cannot be read again."""
    if body.owner != body.owner.strip() or not body.owner.isprintable():
        raise InvalidInput.of(say("refused.bad_owner", field=name("owner")))
    key, text = create_key(
        here.db, body.owner, scopes=body.scopes, label=body.label, expires_at=body.expires_at, per_minute=body.per_minute
    )  # fmt: skip
    return KeyMade.model_validate({**key.to_json(), "key": text})


@router.delete("/keys/{key_id}", response_model=ApiKey)
def end_key(here: Here, _: MayAdminister, key_id: KeyId) -> Any:
    """Refuse a key from now on, and log out the browsers that logged in with it."""
    ended = revoke_key(here.db, key_id)
    here.feed.keys.forget(key_id)  # before the notification has come
    return answered(ended)
