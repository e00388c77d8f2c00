"""Secrets in URLs: what a message must not carry, since whoever reads the job would read them too."""

import re

_CREDENTIALS = re.compile(r"://[^/?#\s]*@")
_QUERY = re.compile(r"(://[^?#]*)[?#].*", re.DOTALL)


def may_hold_secret(url: str) -> bool:
    """It has a user name or password, or a query or fragment, which is where signatures and tokens stand."""
    return _CREDENTIALS.search(url) is not None or _QUERY.search(url) is not None


def without_secret(url: str) -> str:
    """The same without those parts."""
    return _QUERY.sub(r"\1?***", _CREDENTIALS.sub("://***@", url))
