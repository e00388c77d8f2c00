"""Addresses that log a browser in once. Who may use the database may make them, as they may make keys."""

from datetime import UTC, datetime

from contracts.access import Scope
from workers.blackboard.engine import Database
from workers.gateway.access.keys import ApiKey, create_key, list_keys
from workers.gateway.access.logins import make_code

LABEL = "console"
"""Of the keys that these logins belong to. Nobody knows their text: they only carry logins."""


def login_address(db: Database, gateway_url: str, owner: str = "default", *, scopes: tuple[Scope, ...] = (Scope.ADMIN,)) -> str:
    """An address that works once, within 15 minutes."""
    return f"{gateway_url.rstrip('/')}/console/enter?code={make_code(db, _key(db, owner, scopes))}"


def _key(db: Database, owner: str, scopes: tuple[Scope, ...]) -> ApiKey:
    """The key of such logins, made on first use. Revoking it logs out every browser that came this way."""
    wanted, now = frozenset(scopes), datetime.now(UTC)
    for key in list_keys(db):
        works = key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
        if works and key.label == LABEL and key.owner == owner and frozenset(key.scopes) == wanted:
            return key
    return create_key(db, owner, scopes=scopes, label=LABEL)[0]
