"""Logins of browsers: a key, or an address that works once, becomes a cookie. The cookie's value is kept as a hash only."""

import secrets
from dataclasses import dataclass
from typing import LiteralString

from workers.blackboard.engine import Database
from workers.gateway.access.keys import KEY_COLUMNS, WORKS, ApiKey, as_key, hash_of

COOKIE = "bullpen_login"
LASTS_H = 12
CODE_LASTS_MIN = 15

_OPEN: LiteralString = """
INSERT INTO browser_logins (token_hash, key_id, csrf, expires_at)
VALUES (%(hash)s, %(key_id)s, %(csrf)s, now() + make_interval(hours => %(hours)s))
"""

_FOUND: LiteralString = f"""
SELECT l.csrf, {KEY_COLUMNS} FROM browser_logins l JOIN api_keys k ON k.id = l.key_id
 WHERE l.token_hash = %(hash)s AND l.expires_at > now() AND {WORKS}
"""  # noqa: S608  made of constants

_USED: LiteralString = f"""
WITH used AS (DELETE FROM login_codes WHERE code_hash = %(hash)s AND expires_at > now() RETURNING key_id)
SELECT {KEY_COLUMNS} FROM used JOIN api_keys k ON k.id = used.key_id WHERE {WORKS}
"""  # noqa: S608  made of constants


@dataclass(frozen=True, slots=True)
class Login:
    """A browser that is logged in."""

    key: ApiKey
    csrf: str
    """What a changing request of this browser has to bring, so that no other site can send it."""


def open_login(db: Database, key: ApiKey) -> tuple[Login, str]:
    """Log a browser in; the second value is for its cookie."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
    db.statement("DELETE FROM browser_logins WHERE expires_at <= now()")
    db.statement(_OPEN, {"hash": hash_of(token), "key_id": key.id, "csrf": csrf, "hours": LASTS_H})
    return Login(key, csrf), token


def find_login(db: Database, token: str) -> Login | None:
    """The login of this cookie; None: there is none, or no longer."""
    row = db.row(_FOUND, {"hash": hash_of(token)}) if 0 < len(token) <= 200 else None
    return None if row is None else Login(as_key(row), row["csrf"])


def close_login(db: Database, token: str) -> None:
    """Log this browser out."""
    db.statement("DELETE FROM browser_logins WHERE token_hash = %(hash)s", {"hash": hash_of(token)})


def make_code(db: Database, key: ApiKey) -> str:
    """A code that logs one browser in with this key, once, within `CODE_LASTS_MIN` minutes."""
    code = secrets.token_urlsafe(24)
    db.statement("DELETE FROM login_codes WHERE expires_at <= now()")
    db.statement(
        "INSERT INTO login_codes (code_hash, key_id, expires_at) VALUES (%(hash)s, %(key_id)s, now() + make_interval(mins => %(mins)s))",
        {"hash": hash_of(code), "key_id": key.id, "mins": CODE_LASTS_MIN},
    )
    return code


def use_code(db: Database, code: str) -> ApiKey | None:
    """The key of a code, which is used up by this; None: unknown, too old, or used."""
    row = db.row(_USED, {"hash": hash_of(code)})
    return None if row is None else as_key(row)
