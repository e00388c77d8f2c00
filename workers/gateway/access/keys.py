"""Keys of the gateway: `bp_<id>_<secret>`. Only a hash of the secret is kept, so a key is shown once.

A secret of 256 random bits needs no slow hash: nobody can guess it, however fast they try (STACK: argon2 costs 200 ms a request).
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from contracts.access import EVERYDAY, Scope
from workers.blackboard.engine import Database, Row
from workers.errors import NotFound
from workers.reading.values import Value
from workers.secrets import remember

PREFIX = "bp_"

_COLUMNS: LiteralString = "id, owner, scopes, label, per_minute, created_at, expires_at, last_used_at, revoked_at"

_MADE: LiteralString = f"""
INSERT INTO api_keys (id, secret_hash, owner, scopes, label, per_minute, expires_at)
VALUES (%(id)s, %(secret_hash)s, %(owner)s, %(scopes)s, %(label)s, %(per_minute)s, %(expires_at)s) RETURNING {_COLUMNS}
"""  # noqa: S608  made of constants

_FOUND: LiteralString = f"""
SELECT {_COLUMNS}, secret_hash, expires_at <= now() AS expired, last_used_at IS NULL OR last_used_at < now() - interval '1 minute' AS unseen
  FROM api_keys WHERE id = %(id)s
"""  # noqa: S608  made of constants

_ALL: LiteralString = "SELECT " + _COLUMNS + " FROM api_keys ORDER BY created_at DESC, id"  # noqa: S608  made of constants

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
    """A new key, and its text, which nobody can read again."""
    key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    (row,) = db.statement(
        _MADE,
        {
            "id": key_id, "secret_hash": hash_of(secret), "owner": owner, "scopes": sorted({scope.value for scope in scopes}),
            "label": label, "per_minute": per_minute, "expires_at": expires_at,
        },
    )  # fmt: skip
    remember([secret])
    return _as_key(row), f"{PREFIX}{key_id}_{secret}"


def list_keys(db: Database) -> list[ApiKey]:
    """All keys, the newest first, also revoked ones."""
    return [_as_key(row) for row in db.statement(_ALL)]


def has_keys(db: Database) -> bool:
    """Whether any key works."""
    usable = "SELECT 1 FROM api_keys WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) LIMIT 1"
    return db.row(usable) is not None


def revoke_key(db: Database, key_id: str) -> ApiKey:
    """From now on the key is refused, and so are the browsers that logged in with it. Raises `NotFound`."""
    rows = db.statement(
        f"WITH gone AS (DELETE FROM browser_logins WHERE key_id = %(id)s) "  # noqa: S608  made of constants
        f"UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = %(id)s RETURNING {_COLUMNS}",
        {"id": key_id},
    )
    if not rows:
        raise NotFound(f"No key {key_id[:40]!r}. List them: bullpen keys list")
    return _as_key(rows[0])


def find_key(db: Database, text: str) -> ApiKey | None:
    """The key with this text, unless it is revoked or expired; None: no such key."""
    key_id, _, secret = text.removeprefix(PREFIX).partition("_")
    if not text.startswith(PREFIX) or not secret or len(text) > 200 or not text.isascii():
        return None
    row = db.row(_FOUND, {"id": key_id})
    if row is None or not hmac.compare_digest(row["secret_hash"], hash_of(secret)):
        return None
    if row["revoked_at"] is not None or row["expired"]:
        return None
    if row["unseen"]:
        db.statement(_SEEN, {"id": key_id})
    return _as_key(row)


def hash_of(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def _as_key(row: Row) -> ApiKey:
    return ApiKey(
        row["id"], row["owner"], tuple(Scope(scope) for scope in row["scopes"]), row["label"], row["per_minute"], row["created_at"],
        row["expires_at"], row["last_used_at"], row["revoked_at"],
    )  # fmt: skip
