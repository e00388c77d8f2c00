"""Operations on the gateway's keys; see `workers.operations`. They are here, beside the keys, which no other package knows."""

from collections.abc import Sequence
from datetime import datetime

from contracts.access import EVERYDAY, Scope
from contracts.base import Contract
from workers.gateway.access import keys as library
from workers.gateway.access.keys import ApiKey
from workers.operations.base import Asker, Here, operation


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


@operation("fleet.keys")
def keys(here: Here, asker: Asker) -> list[ApiKey]:
    """All keys, the newest first, without their secrets."""
    return library.list_keys(here.db)


@operation("fleet.create_key")
def create_key(
    here: Here, asker: Asker, owner: str, *, scopes: Sequence[Scope] | None = None, label: str = "", expires_at: datetime | None = None,
    per_minute: int | None = None,
) -> KeyMade:  # fmt: skip
    """Make a key. Its text cannot be read again. Raises `InvalidInput` for an owner that looks like another."""
    made, text = library.create_key(
        here.db, owner, scopes=scopes or EVERYDAY, label=label, expires_at=expires_at, per_minute=per_minute
    )  # fmt: skip
    return KeyMade.model_validate({**made.to_json(), "key": text})


@operation("fleet.revoke_key")
def revoke_key(here: Here, asker: Asker, key_id: str) -> ApiKey:
    """Refuse a key from now on, and log out the browsers that logged in with it. Raises `NotFound`."""
    return library.revoke_key(here.db, key_id)
