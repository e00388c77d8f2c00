"""Whether the URL of a server is well-formed. A malformed one is refused and not quoted: its password may be what is malformed."""

import re
from urllib.parse import urlsplit

_HINT = "Write special characters of user name and password in percent form: %23 for #, %25 for %, %2F for /, %3A for :, %40 for @."
_WRONG_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f]")


def check_url(url: str, *, needs_host: bool = True) -> str:
    """The URL unchanged. Raises `ValueError`, which says what is wrong and quotes nothing."""
    if _UNPRINTABLE.search(url):
        raise ValueError(f"the URL holds a space or a control character. {_HINT}")
    if _WRONG_ESCAPE.search(url):
        raise ValueError(f"the URL holds a % that is not followed by two hexadecimal digits. {_HINT}")
    if "#" in url:
        raise ValueError(f"the URL holds a #. {_HINT}")
    try:
        parts = urlsplit(url)
        hosts = parts.netloc.rpartition("@")[2]
        _ = parts.port if "," not in hosts else None  # libpq takes several hosts
    except ValueError:
        raise ValueError(f"the host or port of the URL cannot be read. {_HINT}") from None
    if parts.netloc.count("@") > 1 or "@" in parts.path:
        raise ValueError(f"the URL holds more than one @, or one after its first slash. {_HINT}")
    if needs_host and not parts.hostname:
        raise ValueError(f"the URL names no host. {_HINT}")
    return url
