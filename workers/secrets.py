"""The secrets that this process knows. They are removed from every text that leaves it, also from pieces that an error quotes.

A library that meets a malformed URL quotes a part of it, which no pattern recognises as a password. The values themselves are therefore
remembered where they are read.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

HIDDEN = "***"
SHORTEST = 6
"""Characters of a secret, or of a part of one, that is looked for. A shorter one would hide ordinary words; it is hidden by its place in a
URL alone."""
COMMON = frozenset({"secret", "secrets", "bullpen", "guest", "postgres", "password", "redis", "valkey", "rabbitmq", "default", "localhost"})
"""Passwords that are no secret. Hiding these words everywhere would make messages unreadable."""

_SPECIAL = re.compile(r"[#%@:/?&\s]+")
_URL_PASSWORD = re.compile(r"(?<=://)([^:/@\s]*):(\S+)(?=@)")
"""Greedy on purpose: a password may contain any character, and hiding too much does no harm."""
_SECRET_PARAMETER = re.compile(
    r"(?i)\b((?:ssl)?password|(?:api_?|access_?)?key|(?:[a-z]+[_-])?token|sig|signature|x-[a-z]+-(?:signature|credential|security-token)|secret)"
    r"=[^&\s'\"]+"
)
_HOOK_PATH = re.compile(r"(?i)(https?://[^/\s]*(?:hook|webhook)[^/\s]*)/[^\s'\",]+")
"""Of hosts that are called after webhooks, the path is the secret: hooks.slack.com/services/T.../B.../XXX."""
_known: set[str] = set()


def remember(values: Iterable[str | None]) -> None:
    """These are secrets from now on."""
    for value in values:
        if value:
            forms = (value, unquote(value), *_SPECIAL.split(value), *_SPECIAL.split(unquote(value)))
            _known.update(form for form in forms if len(form) >= SHORTEST and form.lower() not in COMMON)


def remember_url(url: str | None) -> None:
    """The password of this URL is a secret, also if the URL is malformed."""
    if not url or "://" not in url:
        return
    rest = url.partition("://")[2]
    if "@" in rest:
        login = rest.rpartition("@")[0]
        remember([login.partition(":")[2] if ":" in login else login])
    try:
        remember([urlsplit(url).password])
    except ValueError:
        return


def hide_known(text: str) -> str:
    """The text without the secrets that this process knows, and without the beginning of one at its end."""
    for secret in sorted(_known, key=len, reverse=True):
        if secret[:SHORTEST] in text:
            text = _without_beginning(text.replace(secret, HIDDEN), secret)
    return text


def _without_beginning(text: str, secret: str) -> str:
    for length in range(min(len(secret) - 1, len(text)), SHORTEST - 1, -1):
        if text.endswith(secret[:length]):
            return text[:-length] + HIDDEN
    return text


def forget() -> None:
    """For tests."""
    _known.clear()


def redact_url(text: str) -> str:
    """The text with the secrets that this process knows, and all passwords in URLs, including those given as parameters, replaced by `***`.
    Cut a text after this, not before: half a secret is still a secret."""
    text = hide_known(text)
    if "://" in text:
        text = _HOOK_PATH.sub(r"\1/***", _URL_PASSWORD.sub(r"\1:***", text))
    return _SECRET_PARAMETER.sub(r"\1=***", text) if "=" in text else text


_LONGEST_WORD = 2_000
"""Characters of a word that is looked at for a password in a URL. The time of the pattern grows with the square of a word's length."""


def hide_in_text(text: str) -> str:
    """A text of any length without the secrets that this process knows and without passwords in URLs, in time that grows with its
    length. Parameters as `key=5` stay: in a statement they are no secret."""
    text = hide_known(text)
    if "://" not in text:
        return text
    return "".join(
        _URL_PASSWORD.sub(r"\1:***", word) if "://" in word and "@" in word and len(word) <= _LONGEST_WORD else word
        for word in _WORDS.findall(text)
    )


_WORDS = re.compile(r"\s+|\S+")
