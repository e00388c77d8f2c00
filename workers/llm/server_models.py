"""Lists the models that a server offers, for `bullpen doctor`. It uses the standard library, so no client is loaded."""

import http.client
import urllib.error
import urllib.request
from typing import Any

from contracts.wire import NotJson, read_json
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.secrets import redact_url

MAX_LIST_BYTES = 1024 * 1024
LONGEST_LOOK_S = 10.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that the API key is not sent to another address."""

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
            listing: Any = read_json(response.read(MAX_LIST_BYTES + 1), max_bytes=MAX_LIST_BYTES)
        return sorted(str(item["id"]) for item in listing["data"])
    except urllib.error.HTTPError as error:
        with error:
            raise ModelRequestRefused(f"{where} answered {error.code} to the request for its models.") from None
    except (NotJson, KeyError, TypeError):
        raise ModelRequestRefused(f"{where} did not send a list of models.") from None
    except (OSError, ValueError, http.client.HTTPException) as error:  # URLError is an OSError; its reason does not contain the key
        reason = getattr(error, "reason", None) or type(error).__name__
        raise ModelUnavailable(f"{where} does not answer: {redact_url(str(reason))[:200]}.") from None
