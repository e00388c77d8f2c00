"""Keys of the gateway: `bp_<id>_<secret>`. Only a hash of the secret is kept, so a key is shown once.

A secret of 256 random bits needs no slow hash: nobody can guess it, however fast they try (argon2 would cost 200 ms a request).
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from contracts.access import EVERYDAY, Scope
from contracts.statements import name, quote, say
from workers.blackboard.engine import Database, Row
from workers.errors import InvalidInput, NotFound
from workers.reading.values import Value
from workers.secrets import remember

PREFIX = "bp_"

REVOKED: LiteralString = "bullpen_keys"
"""The channel on which Postgres tells of revoked keys, by their ids."""

KEY_COLUMNS: LiteralString = "k.id, k.owner, k.scopes, k.label, k.per_minute, k.created_at, k.expires_at, k.last_used_at, k.revoked_at"
"""What `as_key` reads, in a query that calls the table of keys `k`."""
WORKS: LiteralString = "k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())"
"""The condition that a key is valid, in such a query."""

_MADE: LiteralString = f"""
INSERT INTO api_keys AS k (id, secret_hash, owner, scopes, label, per_minute, expires_at)
VALUES (%(id)s, %(secret_hash)s, %(owner)s, %(scopes)s, %(label)s, %(per_minute)s, %(expires_at)s) RETURNING {KEY_COLUMNS}
"""  # noqa: S608  made of constants

_FOUND: LiteralString = f"""
SELECT {KEY_COLUMNS}, k.secret_hash, k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS unseen
  FROM api_keys k WHERE k.id = %(id)s AND {WORKS}
"""  # noqa: S608  made of constants

_ALL: LiteralString = "SELECT " + KEY_COLUMNS + " FROM api_keys k ORDER BY k.created_at DESC, k.id"  # noqa: S608  made of constants

_SEEN: LiteralString = "UPDATE api_keys SET last_used_at = now() WHERE id = %(id)s"


@dataclass(frozen=True, slots=True)
class ApiKey(Value):
    """A key, without its secret."""

    id: str
    owner: str
    scopes: tuple[Scope, ...]
    label: str
    per_minute: int | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


def create_key(
    db: Database,
    owner: str,
    *,
    scopes: Iterable[Scope] = EVERYDAY,
    label: str = "",
    expires_at: datetime | None = None,
    per_minute: int | None = None,
) -> tuple[ApiKey, str]:
    """A new key, and its text, which nobody can read again. Raises `InvalidInput` for an owner that looks like another."""
    if owner != owner.strip() or not owner.isprintable():
        raise InvalidInput.of(say("refused.bad_owner", field=name("owner")))
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    (row,) = db.statement(
        _MADE,
        {
            "id": key_id, "secret_hash": hash_of(secret), "owner": owner, "scopes": sorted({scope.value for scope in scopes}),
            "label": label, "per_minute": per_minute, "expires_at": expires_at,
        },
    )  # fmt: skip
    remember([secret])
    return as_key(row), f"{PREFIX}{key_id}_{secret}"


def list_keys(db: Database) -> list[ApiKey]:
    """All keys, the newest first, also revoked ones."""
    return [as_key(row) for row in db.statement(_ALL)]


def has_keys(db: Database) -> bool:
    """Whether any key works."""
    return db.row("SELECT 1 FROM api_keys k WHERE " + WORKS + " LIMIT 1") is not None  # noqa: S608  made of constants


def revoke_key(db: Database, key_id: str) -> ApiKey:
    """From now on the key is refused, and so are the browsers that logged in with it. Raises `NotFound`."""
    rows = db.statement(
        f"WITH gone AS (DELETE FROM browser_logins WHERE key_id = %(id)s) "  # noqa: S608  made of constants
        f"UPDATE api_keys k SET revoked_at = coalesce(k.revoked_at, now()) WHERE k.id = %(id)s "
        f"RETURNING {KEY_COLUMNS}, pg_notify(%(channel)s, k.id)",
        {"id": key_id, "channel": REVOKED},
    )
    if not rows:
        raise NotFound.of(say("refused.no_key", key=quote(key_id[:40]), command=name("bullpen keys list")))
    return as_key(rows[0])


def find_key(db: Database, text: str) -> ApiKey | None:
    """The key with this text, unless it is revoked or expired; None: no such key."""
    key_id, _, secret = text.removeprefix(PREFIX).partition("_")
    if not text.startswith(PREFIX) or not secret or len(text) > 200 or not text.isascii():
        return None
    row = db.row(_FOUND, {"id": key_id})
    if row is None or not hmac.compare_digest(row["secret_hash"], hash_of(secret)):
        return None
    if row["unseen"]:
        db.statement(_SEEN, {"id": key_id})
    return as_key(row)


def hash_of(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def as_key(row: Row) -> ApiKey:
    """A row with `KEY_COLUMNS`."""
    return ApiKey(
        row["id"], row["owner"], tuple(Scope(scope) for scope in row["scopes"]), row["label"], row["per_minute"], row["created_at"],
        row["expires_at"], row["last_used_at"], row["revoked_at"],
    )  # fmt: skip
