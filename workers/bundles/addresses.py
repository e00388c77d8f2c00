"""Which paths and URLs a request may name: those below what the operator allows, and nothing that only looks so."""

import re
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from contracts.urls import may_hold_secret, without_secret
from workers.errors import InvalidInput

UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
DECODINGS = 5
"""How often an escape may itself be escaped before the rest is taken as it is."""

REFUSED_PATH = (
    "The path {shown!r} is not below a folder that this deployment allows (BULLPEN_BUNDLE_ROOTS), or is not there. "
    "Upload the files instead."
)
REFUSED_URL = "The URL {shown!r} is not below a prefix that this deployment allows (BULLPEN_BUNDLE_URLS). Upload the files instead."
SHOWN_CHARS = 200


def allowed_path(told: str, roots: tuple[Path, ...]) -> Path:
    """The real path behind a name, links followed. Raises `InvalidInput`, in the same words whether it is missing or forbidden, so that
    nobody learns what else lies on the machine."""
    refusal = InvalidInput(REFUSED_PATH.format(shown=told[:SHOWN_CHARS]))
    try:
        path = Path(told)
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise refusal from error
    if not path.is_absolute() or not any(real.is_relative_to(root.resolve()) for root in roots):
        raise refusal
    return real


def allowed_url(told: str, prefixes: tuple[str, ...]) -> str:
    """The URL as it was told, if it lies below a prefix by scheme, host, port and whole folders, and has no user name, query or fragment.
    Raises `InvalidInput`."""
    refusal = InvalidInput(REFUSED_URL.format(shown=without_secret(told)[:SHOWN_CHARS]))
    try:
        url = urlsplit(told)
        fits = any(_is_below(url, urlsplit(prefix)) for prefix in prefixes)
    except ValueError as error:
        raise refusal from error
    if not fits or UNPRINTABLE.search(told) or "::" in told or may_hold_secret(told) or _climbs(url.path):
        raise refusal
    return told


def _is_below(url: SplitResult, prefix: SplitResult) -> bool:
    """`/data/jobs/x` is below `/data/jobs/`; `/data/jobs-evil` is not, nor is another host or port."""
    same_server = (url.scheme.lower(), url.netloc.lower()) == (prefix.scheme.lower(), prefix.netloc.lower())
    return same_server and url.path.startswith(prefix.path.rstrip("/") + "/")


def _climbs(path: str) -> bool:
    """It leads upwards, in plain or under any number of escapes."""
    for _ in range(DECODINGS):
        if ".." in path.replace("\\", "/").split("/"):
            return True
        path, before = unquote(path), path
        if path == before:
            return False
    return True
