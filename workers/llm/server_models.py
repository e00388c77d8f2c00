"""Which models a server offers: for `bullpen doctor`, over the standard library, so that looking loads no client."""

import http.client
import urllib.error
import urllib.request
from typing import Any

from contracts.wire import NotJson, read_json
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.telemetry import redact_url

MAX_LIST_BYTES = 1024 * 1024
LONGEST_LOOK_S = 10.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is not carried to another address."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Refuse."""


def list_models(base_url: str, api_key: str | None, *, timeout_s: float) -> list[str]:
    """The names in `GET /models`. Raises `ModelUnavailable` or `ModelRequestRefused`."""
    where = redact_url(base_url)
    request = urllib.request.Request(f"{base_url}/models", headers={"Accept": "application/json", "User-Agent": "bullpen"})  # noqa: S310  http(s) by the settings
    if api_key:
        request.add_unredirected_header("Authorization", f"Bearer {api_key}")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=min(timeout_s, LONGEST_LOOK_S)) as response:
            told: Any = read_json(response.read(MAX_LIST_BYTES + 1), max_bytes=MAX_LIST_BYTES)
        return sorted(str(item["id"]) for item in told["data"])
    except urllib.error.HTTPError as error:
        with error:
            raise ModelRequestRefused(f"{where} answered {error.code} when asked for its models.") from None
    except (NotJson, KeyError, TypeError):
        raise ModelRequestRefused(f"{where} sent no list of models.") from None
    except (OSError, ValueError, http.client.HTTPException) as error:  # URLError is an OSError; a reason holds no key
        reason = getattr(error, "reason", None) or type(error).__name__
        raise ModelUnavailable(f"{where} does not answer: {redact_url(str(reason))[:200]}.") from None
