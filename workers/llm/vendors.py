"""Models of vendors with protocols of their own, named `vendor:model`, through LangChain's `init_chat_model`. Each is an extra.

Requests and errors go by the same rules as those of `langchain_chat.py`: the schema is part of the prompt, `Chat` validates and retries.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from contracts.base import Json
from workers.errors import ConfigurationError, ModelRequestRefused, ModelUnavailable
from workers.extras import install_command
from workers.llm.backend import Reply, Turn
from workers.llm.replies import REASON_CHARACTERS, is_transient, read_message, retry_after_s
from workers.llm.schema import AnswerSchema
from workers.secrets import redact_url


@dataclass(frozen=True, slots=True)
class Vendor:
    """One vendor."""

    name: str
    """The prefix of its models, which is LangChain's name of the vendor."""
    package: str
    extra: str
    max_tokens: str
    """The name of the parameter that limits an answer."""

    @property
    def is_installed(self) -> bool:
        """Whether its LangChain package is here."""
        return find_spec(self.package.replace("-", "_")) is not None


VENDORS = {
    vendor.name: vendor
    for vendor in (
        Vendor("anthropic", "langchain-anthropic", "anthropic", "max_tokens"),
        Vendor("google_genai", "langchain-google-genai", "gemini", "max_output_tokens"),
    )
}
"""By the prefix of a model's name. Other prefixes belong to the name itself: `qwen3:32b` is a model of Ollama."""


def vendor_of(model: str) -> Vendor | None:
    """The vendor of a model; None for a model of a server that speaks the OpenAI protocol."""
    prefix, sign, _ = model.partition(":")
    return VENDORS.get(prefix) if sign else None


class VendorBackend:
    """One model of a vendor. The first call imports the vendor's client."""

    def __init__(self, model: str, vendor: Vendor, *, base_url: str | None, api_key: str | None, temperature: float | None) -> None:
        """`model` with its prefix. `base_url`: for a proxy in the place of the vendor's own address."""
        self._model = model
        self._vendor = vendor
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = temperature
        self._reasons = False
        self._lock = threading.Lock()
        self._opened: Any = None

    @property
    def model(self) -> str:
        """See `Backend`."""
        return self._model

    @property
    def server(self) -> str:
        """See `Backend`."""
        return redact_url(self._base_url) if self._base_url else self._vendor.name

    @property
    def reasons(self) -> bool:
        """See `Backend`."""
        return self._reasons

    def is_there(self) -> bool:
        """See `Backend`: a vendor is not asked, and counts as there."""
        return True

    def window(self) -> int | None:
        """Vendors are not asked."""
        return None

    def complete(self, turns: Sequence[Turn], schema: AnswerSchema, *, max_tokens: int, timeout_s: float, cache_key: str | None) -> Reply:
        """See `Backend`."""
        del schema, cache_key  # the prompt describes the form; vendors cache by the prefix of the prompt
        chat = self._open()
        messages = [{"role": turn.speaker, "content": turn.text} for turn in turns]
        options: Json = {"timeout": timeout_s, self._vendor.max_tokens: max_tokens}
        try:
            reply = read_message(chat.invoke(messages, **options))
        except Exception as error:
            raise self._translated(error) from None  # the text of the error and of its cause may hold the key or the prompt
        self._reasons = self._reasons or reply.reasoned
        return reply

    def close(self) -> None:
        """Forget the client; a later call makes a new one."""
        with self._lock:
            self._opened = None

    def _open(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._make()
            return self._opened

    def _make(self) -> Any:
        if not self._vendor.is_installed:
            install = install_command(self._vendor.extra)
            raise ConfigurationError(f"The model {self._model} needs the package {self._vendor.package}. Run `{install}`.")
        if not self._api_key:
            raise ConfigurationError(f"The model {self._model} has no key. Set BULLPEN_MODEL_KEYS={self._model}=KEY.")
        from langchain.chat_models import init_chat_model

        more: Json = {"base_url": self._base_url} if self._base_url else {}
        if self._temperature is not None:
            more["temperature"] = self._temperature
        made: Any = init_chat_model
        return made(self._model, api_key=self._api_key, max_retries=0, **more)

    def _translated(self, error: Exception) -> Exception:
        """Our error for an error of a vendor's client: by the HTTP status that it or a cause of it carries, else by its name."""
        where = f"Model {self._model}"
        causes = list(_causes(error))
        status = next((code for cause in causes if (code := _status(cause)) is not None), None)
        if status is None:
            if any("timeout" in type(cause).__name__.lower() for cause in causes):
                text = f"{where} did not answer in time. If it is slow, raise BULLPEN_MODEL_TIMEOUT_S."
                return ModelUnavailable(text, timed_out=True)
            return ModelUnavailable(f"{where} cannot be reached, or sent what is no answer ({type(error).__name__}).")
        if is_transient(status):
            waits = (retry_after_s(getattr(getattr(cause, "response", None), "headers", None) or {}) for cause in causes)
            wait_s = next((wait for wait in waits if wait is not None), None)
            text = f"{where}: the vendor answered {status}. The call is retried; if the error persists, check the vendor's status page."
            return ModelUnavailable(text, retry_after_s=wait_s, is_busy=status in (425, 429) or wait_s is not None)
        move = "Check its key in BULLPEN_MODEL_KEYS." if status in (401, 403) else "Check its name in BULLPEN_MODEL."
        return ModelRequestRefused(f"{where}: the vendor refused the request ({status}): {self._reason(error)} {move}")

    def _reason(self, error: Exception) -> str:
        text = " ".join(str(error).split())
        return redact_url(text.replace(self._api_key, "***") if self._api_key else text)[:REASON_CHARACTERS]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None
