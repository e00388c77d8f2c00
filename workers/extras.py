"""How an extra of this installation is added to it: from the clone or the wheel that it was installed from."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any
from urllib.parse import unquote, urlsplit

PACKAGE = "bullpen-fleet"


def install_command(extra: str) -> str:
    """The command that adds an extra; docs/operate.md lists them."""
    return f"pip install {_origin()}".replace("[]", f"[{extra}]")


@cache
def _origin() -> str:
    """What was installed, as an argument of pip with `[]` in the place of extras. Where it came from is what pip wrote down (PEP 610)."""
    try:
        written: dict[str, Any] = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        written = {}
    place = urlsplit(str(written.get("url", "")))
    if place.scheme != "file":
        return f"'{PACKAGE}[]'"
    is_clone = bool(dict[str, Any](written.get("dir_info") or {}).get("editable"))
    return f"{'-e ' if is_clone else ''}'{unquote(place.path)}[]'"
