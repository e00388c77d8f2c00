"""Keys of the gateway: make, list, revoke. A key's text is shown once."""

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Response

from contracts.access import EVERYDAY, Scope
from workers.console.filled import Filled
from workers.console.pages import Administering
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.access.keys import create_key, list_keys, revoke_key

router = APIRouter(prefix="/console/keys", include_in_schema=False, route_class=PageRoute)

MOST_DAYS = 3650


@router.get("")
def keys(here: Here, look: Administering) -> Response:
    """The page."""
    return look.html("keys.html", keys=list_keys(here.db), scopes=list(Scope), everyday=EVERYDAY, now=datetime.now(UTC))


@router.post("")
def make(here: Here, look: Administering, form: Filled) -> Response:
    """A new key, with its text."""
    owner = str(form.get("owner") or "").strip()
    chosen = [Scope(str(scope)) for scope in form.getlist("scope") if str(scope) in set(Scope)]
    days = str(form.get("days") or "").strip()
    if not owner or len(owner) > 200 or not chosen or (days and not (days.isdecimal() and 0 < int(days) <= MOST_DAYS)):
        raise InvalidInput(look("console.keys.incomplete"))
    expires = datetime.now(UTC) + timedelta(days=int(days)) if days else None
    key, text = create_key(here.db, owner, scopes=chosen, label=str(form.get("label") or "")[:200], expires_at=expires)
    return look.html("key_made.html", key=key, text=text)


@router.post("/{key_id}/revoke")
def revoke(here: Here, look: Administering, key_id: str) -> Response:
    """Refuse a key from now on."""
    revoke_key(here.db, key_id)
    here.feed.keys.forget(key_id)  # before the notification has come
    return look.html("keys_list.html", keys=list_keys(here.db), now=datetime.now(UTC))
