"""Checks the paths and URLs that a request names: they must lie below a folder or prefix that the operator allows."""

from pathlib import Path
from urllib.parse import urlsplit

from contracts.statements import quote, say
from contracts.url_prefixes import UNPRINTABLE, climbs, is_below
from contracts.urls import may_hold_secret, without_secret
from workers.errors import InvalidInput

SHOWN_CHARS = 200


def allowed_path(name: str, roots: tuple[Path, ...]) -> Path:
    """The real path behind a name, with links resolved. Raises `InvalidInput` with the same text for a missing and for a forbidden path, so
    that the text does not reveal which files exist."""
    refusal = InvalidInput.of(say("bundles.refused.path", path=quote(name[:SHOWN_CHARS])))
    try:
        path = Path(name)
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise refusal from error
    if not path.is_absolute() or not any(real.is_relative_to(root.resolve()) for root in roots):
        raise refusal
    return real


def allowed_url(name: str, prefixes: tuple[str, ...]) -> str:
    """The URL unchanged, if it has the scheme, host and port of a prefix, lies below the prefix's folder, and has no user name, query or
    fragment. Raises `InvalidInput`."""
    refusal = InvalidInput.of(say("bundles.refused.url", url=quote(without_secret(name)[:SHOWN_CHARS])))
    try:
        url = urlsplit(name)
        fits = any(is_below(url, urlsplit(prefix)) for prefix in prefixes)
    except ValueError as error:
        raise refusal from error
    if not fits or UNPRINTABLE.search(name) or "::" in name or may_hold_secret(name) or climbs(url.path):
        raise refusal
    return name
