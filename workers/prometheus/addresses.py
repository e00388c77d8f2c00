"""Where a metrics server is: its address and its credentials, from the environment or the secrets file."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from contracts.metric_sources import MetricsSource
from contracts.statements import Name, say
from workers.errors import InvalidInput, SourceUnavailable
from workers.named_secrets import secret


def variable(name: str, what: str = "URL") -> str:
    """The name of the secret that holds a server's URL, TOKEN or TENANT."""
    return f"BULLPEN_METRICS_{name.upper()}_{what}"


@dataclass(frozen=True, slots=True)
class MetricsAddress:
    """A server and what it is to be shown. Never print it."""

    url: str = field(repr=False)
    token: str | None = field(repr=False)
    tenant: str | None


def metrics_address(metrics: MetricsSource) -> MetricsAddress:
    """The server. Raises `SourceUnavailable` or `InvalidInput`."""
    url = secret(variable(metrics.name))
    if not url:
        missing = say("metrics.refused.no_url", variable=Name(text=variable(metrics.name)), metrics=Name(text=metrics.name))
        raise SourceUnavailable.of(missing)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput.of(say("metrics.refused.address", variable=Name(text=variable(metrics.name))))
    token = secret(variable(metrics.name, "TOKEN")) or None
    tenant = secret(variable(metrics.name, "TENANT")) or None
    return MetricsAddress(url.rstrip("/"), token, tenant)


def is_reachable_here(metrics: MetricsSource) -> bool:
    """Whether this process has the address."""
    return bool(secret(variable(metrics.name)))
