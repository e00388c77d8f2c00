"""Secrets in URLs. A message must not contain them, since everybody who can read the job could read them."""

import re

_CREDENTIALS = re.compile(r"://[^/?#\s]*@")
_QUERY = re.compile(r"(://[^?#]*)[?#].*", re.DOTALL)


def may_hold_secret(url: str) -> bool:
    """Whether the URL has a user name or password, or a query or fragment, which may hold signatures and tokens."""
    return _CREDENTIALS.search(url) is not None or _QUERY.search(url) is not None


def without_secret(url: str) -> str:
    """The URL with these parts replaced by `***`."""
    return _QUERY.sub(r"\1?***", _CREDENTIALS.sub("://***@", url))
