"""Where a log is: its address and its credentials, from the environment of this process."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from contracts.log_sources import LogSource
from contracts.statements import Name, say
from workers.errors import InvalidInput, SourceUnavailable


def variable(name: str, what: str = "URL") -> str:
    """The environment variable that holds a log's URL, TOKEN or TENANT."""
    return f"BULLPEN_LOG_{name.upper()}_{what}"


@dataclass(frozen=True, slots=True)
class LokiAddress:
    """A server and what it is to be shown. Never print it."""

    url: str = field(repr=False)
    token: str | None = field(repr=False)
    tenant: str | None


def _url(log: LogSource) -> str:
    url = os.environ.get(variable(log.name), "").strip()
    if not url:
        raise SourceUnavailable.of(say("logs.refused.no_url", variable=Name(text=variable(log.name)), log=Name(text=log.name)))
    return url


def loki_address(log: LogSource) -> LokiAddress:
    """The server of a log. Raises `SourceUnavailable` or `InvalidInput`."""
    url = _url(log)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput.of(say("logs.refused.address", variable=Name(text=variable(log.name))))
    token = os.environ.get(variable(log.name, "TOKEN"), "").strip() or None
    tenant = os.environ.get(variable(log.name, "TENANT"), "").strip() or None
    return LokiAddress(url.rstrip("/"), token, tenant)


def sample_folder(data_dir: Path) -> Path:
    """The folder of the sample log."""
    return data_dir / "logs" / "shop"


def folder(log: LogSource, data_dir: Path) -> Path:
    """The folder of a log. Raises `SourceUnavailable` or `InvalidInput`."""
    if log.sample:
        found = sample_folder(data_dir)
    else:
        url = _url(log)
        if not url.startswith(("file:///", "/")):
            raise InvalidInput.of(say("logs.refused.path", variable=Name(text=variable(log.name))))
        found = Path(unquote(urlsplit(url).path)) if url.startswith("file:") else Path(url)
    if not found.is_dir():
        raise SourceUnavailable.of(say("logs.refused.no_folder", variable=Name(text=variable(log.name))))
    return found


def is_reachable_here(log: LogSource) -> bool:
    """Whether this process has the address."""
    return log.sample or bool(os.environ.get(variable(log.name), "").strip())
