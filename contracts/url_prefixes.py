"""Whether a URL lies below a prefix that an operator allows."""

import re
from urllib.parse import SplitResult, unquote

UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")
DECODINGS = 5
"""How many levels of percent-escapes are resolved. The remaining escapes are used as they are."""


def is_below(url: SplitResult, prefix: SplitResult) -> bool:
    """`/data/jobs/x` is below `/data/jobs/`; `/data/jobs-evil` is not, nor is another host or port."""
    same_server = (url.scheme.lower(), url.netloc.lower()) == (prefix.scheme.lower(), prefix.netloc.lower())
    return same_server and url.path.startswith(prefix.path.rstrip("/") + "/")


def climbs(path: str) -> bool:
    """Whether a path leads upwards, with or without percent-escapes."""
    for _ in range(DECODINGS):
        if ".." in path.replace("\\", "/").split("/"):
            return True
        path, before = unquote(path), path
        if path == before:
            return False
    return True
