"""Where a log is: its address and its credentials, from the environment or the secrets file."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from contracts.log_sources import LogSource
from contracts.statements import Name, say
from workers.errors import InvalidInput, SourceUnavailable
from workers.named_secrets import secret


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
    url = secret(variable(log.name))
    if not url:
        raise SourceUnavailable.of(say("logs.refused.no_url", variable=Name(text=variable(log.name)), log=Name(text=log.name)))
    return url


def loki_address(log: LogSource) -> LokiAddress:
    """The server of a log. Raises `SourceUnavailable` or `InvalidInput`."""
    url = _url(log)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput.of(say("logs.refused.address", variable=Name(text=variable(log.name))))
    token = secret(variable(log.name, "TOKEN")) or None
    tenant = secret(variable(log.name, "TENANT")) or None
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
    return log.sample or bool(secret(variable(log.name)))
