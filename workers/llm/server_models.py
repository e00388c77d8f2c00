"""What a server tells of its models: their names, for `bullpen doctor`, and their windows. No client is loaded for it."""

import http.client
import json
import urllib.error
import urllib.request
from typing import Any, cast

from contracts.base import Json
from contracts.wire import NotJson, read_json
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.secrets import redact_url

MAX_LIST_BYTES = 1024 * 1024
LONGEST_LOOK_S = 10.0
LOOK_FOR_WINDOW_S = 2.0
"""Seconds for each question after a window, which a server need not answer."""
LOAD_S = 60.0
"""Seconds in which a model of Ollama should be loaded."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that the API key is not sent to another address."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Refuse."""


def list_models(base_url: str, api_key: str | None, *, timeout_s: float) -> list[str]:
    """The names in `GET /models`. Raises `ModelUnavailable` or `ModelRequestRefused`."""
    where = redact_url(base_url)
    try:
        listing = _ask(f"{base_url}/models", api_key, min(timeout_s, LONGEST_LOOK_S))
        return sorted(str(item["id"]) for item in listing["data"])
    except urllib.error.HTTPError as error:
        with error:
            raise ModelRequestRefused(f"{where} answered {error.code} to the request for its models.") from None
    except (NotJson, KeyError, TypeError):
        raise ModelRequestRefused(f"{where} did not send a list of models.") from None
    except (OSError, ValueError, http.client.HTTPException) as error:  # URLError is an OSError; its reason does not contain the key
        reason = getattr(error, "reason", None) or type(error).__name__
        raise ModelUnavailable(f"{where} does not answer: {redact_url(str(reason))[:200]}.") from None


def find_window(base_url: str, api_key: str | None, model: str) -> int | None:
    """Tokens of a model's window as its server serves it: vLLM and others tell it in their list of models, llama.cpp at `/props`, Ollama of
    a model that it has loaded. None: the server does not tell, or does not answer."""
    root = base_url.removesuffix("/v1")
    listed = _answer(f"{base_url}/models", api_key)
    if listed is None:
        return None
    items: Any = listed.get("data")
    entries = cast("list[Any]", items) if isinstance(items, list) else []
    named = [cast("Json", item) for item in entries if isinstance(item, dict)]
    nothing: Json = {}
    entry = next((item for item in named if item.get("id") == model), nothing)
    for field in _LISTED:
        if (window := _size(entry.get(field))) is not None:
            return window
    props = _answer(f"{root}/props", api_key) or {}
    settings: Any = props.get("default_generation_settings")
    if isinstance(settings, dict) and (window := _size(settings.get("n_ctx"))) is not None:  # pyright: ignore[reportUnknownMemberType] JSON has no static type
        return window
    if "version" not in (_answer(f"{root}/api/version", api_key) or {}):
        return None
    return (
        _loaded_window(root, api_key, model)
        or _named_window(root, api_key, model)
        or (_loaded_window(root, api_key, model) if _load(root, api_key, model) else None)
    )


def _named_window(root: str, api_key: str | None, model: str) -> int | None:
    """Of Ollama, by the parameters of the model."""
    shown = _answer(f"{root}/api/show", api_key, {"model": model}) or {}
    for line in str(shown.get("parameters") or "").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx":
            return _size(value.strip())
    return None


def _loaded_window(root: str, api_key: str | None, model: str) -> int | None:
    """Of a model that Ollama has loaded, which is when it decides: by the model, its own settings or the graphics card. It cuts longer
    prompts without a word."""
    names = {model, f"{model}:latest"}
    items: Any = (_answer(f"{root}/api/ps", api_key) or {}).get("models")
    for item in cast("list[Any]", items) if isinstance(items, list) else []:
        if isinstance(item, dict) and names & {cast("Json", item).get("model"), cast("Json", item).get("name")}:
            return _size(cast("Json", item).get("context_length"))
    return None


def _load(root: str, api_key: str | None, model: str) -> bool:
    """A request without a prompt loads a model of Ollama, as the first prompt would."""
    return _answer(f"{root}/api/generate", api_key, {"model": model, "stream": False}, LOAD_S) is not None


_LISTED = ("max_model_len", "context_length", "context_window")
"""Fields of a list of models that hold a window."""


def _size(value: Any) -> int | None:
    try:
        size = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return size if _LEAST_WINDOW <= size <= _LARGEST_WINDOW else None


_LEAST_WINDOW, _LARGEST_WINDOW = 256, 100_000_000


def _answer(url: str, api_key: str | None, body: Json | None = None, timeout_s: float = LOOK_FOR_WINDOW_S) -> Json | None:
    """A JSON object, or None for any other answer, and for none."""
    try:
        found = _ask(url, api_key, timeout_s, body)
    except urllib.error.HTTPError as error:
        error.close()
        return None
    except (NotJson, OSError, ValueError, http.client.HTTPException):
        return None
    return found if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _ask(url: str, api_key: str | None, timeout_s: float, body: Json | None = None) -> Any:
    """What the server answers. Raises `NotJson` and urllib's errors."""
    headers = {"Accept": "application/json", "User-Agent": "bullpen"}
    content = None
    if body is not None:
        headers["Content-Type"], content = "application/json", json.dumps(body).encode()
    request = urllib.request.Request(url, data=content, headers=headers)  # noqa: S310  http(s) by the settings
    if api_key:
        request.add_unredirected_header("Authorization", f"Bearer {api_key}")
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=timeout_s) as response:
        return read_json(response.read(MAX_LIST_BYTES + 1), max_bytes=MAX_LIST_BYTES)
