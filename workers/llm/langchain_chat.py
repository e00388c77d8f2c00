"""A model behind a server that speaks the OpenAI protocol, called through LangChain. LangChain's loose types end in this module.

LangChain and the OpenAI client are imported with the first call: they take 1.5 s and 80 MB, which a worker without a model saves.
`Chat` validates the answers and retries, so LangChain receives the schema as a dict, returns text, and makes no retries.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from contracts.base import Json
from workers.errors import ConfigurationError, ModelRequestRefused, ModelUnavailable
from workers.llm.backend import Reply, Turn
from workers.llm.langsmith_guard import untraced
from workers.llm.replies import REASON_CHARACTERS, is_transient, read_message, retry_after_s
from workers.llm.schema import AnswerSchema
from workers.llm.server_models import list_models
from workers.secrets import redact_url

if TYPE_CHECKING:
    pass

OPENAI_HOST = "api.openai.com"
NO_KEY = "no-key"
"""Sent as the API key if no key is set. Without it, the client would take a key that is meant for other programs from the environment."""
_BUSY = frozenset({425, 429})
"""HTTP statuses of a server that works, and asks for patience."""
LOOK_S = 5.0
"""Seconds that a server has to list its models when it let a call time out: one that hangs does not answer this either."""


class LangChainBackend:
    """One model by name. The first call imports LangChain and connects."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        temperature: float | None = 0.0,
        structured: str = "json_schema",
        stream: bool = False,
        may_trace: bool = False,
    ) -> None:
        """`structured`: `json_schema`, `json_object` or `prompt`, whichever the server supports. `may_trace`: LangSmith may be sent the
        prompts."""
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = temperature
        self._structured = structured
        self._stream = stream
        self._may_trace = may_trace
        self._is_openai = urlsplit(base_url).hostname == OPENAI_HOST
        self._lock = threading.Lock()
        self._opened: Any = None

    @property
    def model(self) -> str:
        """See `Backend`."""
        return self._model

    @property
    def server(self) -> str:
        """See `Backend`."""
        return redact_url(self._base_url)

    def is_there(self) -> bool:
        """See `Backend`: any answer to a request for the list of models counts, a refusal too."""
        try:
            list_models(self._base_url, self._api_key, timeout_s=LOOK_S)
        except ModelUnavailable:
            return False
        except ModelRequestRefused:
            return True
        return True

    def complete(self, turns: Sequence[Turn], schema: AnswerSchema, *, max_tokens: int, timeout_s: float, cache_key: str | None) -> Reply:
        """See `Backend`."""
        return self._called(turns, schema, max_tokens, timeout_s, cache_key, None)

    def stream(
        self,
        turns: Sequence[Turn],
        schema: AnswerSchema,
        *,
        max_tokens: int,
        timeout_s: float,
        cache_key: str | None,
        on_text: Callable[[str], None],
    ) -> Reply:
        """See `StreamingBackend`."""
        return self._called(turns, schema, max_tokens, timeout_s, cache_key, on_text)

    def _called(
        self,
        turns: Sequence[Turn],
        schema: AnswerSchema,
        max_tokens: int,
        timeout_s: float,
        cache_key: str | None,
        on_text: Callable[[str], None] | None,
    ) -> Reply:
        chat = self._open()
        messages = [_as_message(turn) for turn in turns]
        options: Json = {"timeout": timeout_s, "extra_body": self._body(schema, max_tokens, cache_key)}
        try:
            with untraced(self._may_trace):
                if self._stream or on_text is not None:
                    return read_message(_joined(chat.stream(messages, stream_usage=True, **options), on_text))
                return read_message(chat.invoke(messages, **options))
        except Exception as error:
            raise self._translated(error) from None  # the text of the error and of its cause may hold the key or the prompt

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        with self._lock:
            chat, self._opened = self._opened, None
        if chat is not None:
            chat.http_client.close()

    def _body(self, schema: AnswerSchema, max_tokens: int, cache_key: str | None) -> Json:
        """Fields of the request besides the messages. They bypass LangChain's own fields, with which it would parse the answer itself."""
        body: Json = {"max_completion_tokens" if self._is_openai else "max_tokens": max_tokens}
        if schema.functions:
            body |= {"tools": list(schema.functions), "tool_choice": "required"}
        elif self._structured == "json_schema":
            form = {"name": schema.name, "schema": schema.schema, "strict": schema.strict}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self._structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        if cache_key is not None and self._is_openai:
            body["prompt_cache_key"] = cache_key
        return body

    def _open(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._make()
            return self._opened

    def _make(self) -> Any:
        try:
            from langchain_openai import ChatOpenAI
            from pydantic import SecretStr

            from workers.llm.bounded_http import bounded_client, unused_async_client
        except ImportError as error:
            raise ConfigurationError(
                f"A model is configured, but {error.name} is not installed. Run `pip install bullpen-fleet` again."
            ) from None
        return ChatOpenAI(
            model=self._model,
            base_url=self._base_url,
            api_key=SecretStr(self._api_key or NO_KEY),
            temperature=self._temperature,
            max_retries=0,
            stream_usage=self._stream,
            use_responses_api=False,
            http_client=bounded_client(),
            http_async_client=unused_async_client(),
        )

    def _translated(self, error: Exception) -> Exception:
        """Our error for an error of the client. It quotes nothing of the request, and of the answer only the reason of a 4xx."""
        import openai

        where = f"Model {self._model} at {redact_url(self._base_url)}"
        if isinstance(error, openai.APITimeoutError):
            return ModelUnavailable(
                f"{where} did not answer in time. If the server is slow, raise BULLPEN_MODEL_TIMEOUT_S.", timed_out=True
            )
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            if is_transient(status):
                text = f"{where} answered {status}. The call is retried; if the error persists, check that server."
                wait_s = retry_after_s(error.response.headers)
                return ModelUnavailable(text, retry_after_s=wait_s, is_busy=status in _BUSY or wait_s is not None)
            return ModelRequestRefused(f"{where} refused the request ({status}): {self._reason(error)} {_next_move(status)}")
        if isinstance(error, openai.APIConnectionError):
            return ModelUnavailable(
                f"{where} cannot be reached or closed the connection. Check BULLPEN_MODEL_BASE_URL and that the server runs."
            )
        if isinstance(error, openai.OpenAIError | ValueError | TypeError | LookupError | AttributeError | RecursionError):
            # the body does not follow the protocol: an HTML page of a proxy, a broken stream, an answer without choices
            return ModelUnavailable(f"{where} sent a body that is not an answer of the OpenAI protocol. Check BULLPEN_MODEL_BASE_URL.")
        return error

    def _reason(self, error: Any) -> str:
        text = " ".join(str(error.message).split())[:REASON_CHARACTERS]
        return redact_url(text.replace(self._api_key, "***") if self._api_key else text)


def _as_message(turn: Turn) -> Json:
    """A turn in the form of the OpenAI protocol."""
    message: Json = {"role": turn.speaker, "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls
        ]
    if turn.answers is not None:
        message["tool_call_id"] = turn.answers
    return message


def _joined(chunks: Iterator[Any], on_text: Callable[[str], None] | None = None) -> Any:
    whole: Any = None
    for chunk in chunks:
        whole = chunk if whole is None else whole + chunk
        if on_text is not None and isinstance(chunk.content, str) and chunk.content:
            on_text(chunk.content)
    if whole is None:
        raise ValueError("an empty stream")
    return whole


def _next_move(status: int) -> str:
    if status in (401, 403):
        return "Check BULLPEN_MODEL_API_KEY."
    if status == 404:
        return "Check BULLPEN_MODEL and BULLPEN_MODEL_BASE_URL; `bullpen doctor` lists the server's models."
    return "If it does not take response_format, set BULLPEN_MODEL_STRUCTURED to json_object or prompt."
