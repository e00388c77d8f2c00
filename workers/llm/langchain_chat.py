"""A model behind a server that speaks the OpenAI protocol, called through LangChain. LangChain's loose types end in this module.

LangChain and the OpenAI client are imported with the first call: they take 1.5 s and 80 MB, which a worker without a model saves.
`Chat` validates the answers and retries, so LangChain receives the schema as a dict, returns text, and makes no retries.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from contracts.base import Json
from workers.errors import ConfigurationError, ModelRequestRefused, ModelUnavailable
from workers.llm.backend import Reply, Turn
from workers.llm.dialects import LEAST_ANSWER_TOKENS, MOST_LESSONS, REFUSALS, Dialect, Refusal, Structured, next_move, read_refusal
from workers.llm.langsmith_guard import untraced
from workers.llm.replies import is_transient, read_message, retry_after_s
from workers.llm.schema import AnswerSchema
from workers.llm.server_memory import ServerMemory
from workers.llm.server_models import find_window, list_models
from workers.llm.token_count import estimate_tokens
from workers.llm.tool_steps import FINAL_FUNCTION
from workers.loggers import get_logger
from workers.secrets import redact_url

log = get_logger(__name__)

OPENAI_HOST = "api.openai.com"
NO_KEY = "no-key"
"""Sent as the API key if no key is set. Without it, the client would take a key that is meant for other programs from the environment."""
_BUSY = frozenset({425, 429})
"""HTTP statuses of a server that works, and asks for patience."""
_GAVE_UP = frozenset({504, 524})
_PROXY = "raise the timeout of the proxy in front of that server, or set BULLPEN_MODEL_STREAM=true."
"""The next move after the statuses of a proxy that waited in vain."""
ASK_AGAIN_S = 300.0
"""Seconds after which a server that did not tell a model's window is asked again."""
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
        temperature: float | None = None,
        structured: Structured = "json_schema",
        stream: bool = False,
        may_trace: bool = False,
        memory: ServerMemory | None = None,
    ) -> None:
        """`structured`: `json_schema`, `json_object` or `prompt`, whichever the server supports. `may_trace`: LangSmith may be sent the
        prompts. `memory`: what the fleet learnt of the server before; without it, every process learns by itself."""
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = temperature
        self._stream = stream
        self._may_trace = may_trace
        self._is_openai = urlsplit(base_url).hostname == OPENAI_HOST
        self._begin = Dialect("max_completion_tokens" if self._is_openai else "max_tokens", structured, cache_key=self._is_openai)
        """How a request is made to a server of which nothing is known."""
        self._memory = memory
        self._learnt: Dialect | None = None
        """What was learnt of this server so far. Replaced as a whole. None: the memory has not been asked."""
        self._is_recalled = False
        self._guessed: Dialect | None = None
        """How the last request was made, if that was a guess."""
        """Something of it was learnt by another process, perhaps long ago."""
        self._window: int | None = None
        self._window_at = float("-inf")
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

    @property
    def reasons(self) -> bool:
        """See `Backend`."""
        return self._dialect.reasons

    @property
    def _dialect(self) -> Dialect:
        """How requests are made now."""
        if self._learnt is None:
            recalled = self._begin if self._memory is None else self._memory.recall(self._begin)
            with self._lock:
                if self._learnt is None:
                    self._learnt, self._is_recalled = recalled, recalled != self._begin
        return self._learnt

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
        return self._answered(turns, schema, max_tokens, timeout_s, cache_key, None)

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
        return self._answered(turns, schema, max_tokens, timeout_s, cache_key, on_text)

    def _answered(
        self,
        turns: Sequence[Turn],
        schema: AnswerSchema,
        max_tokens: int,
        timeout_s: float,
        cache_key: str | None,
        on_text: Callable[[str], None] | None,
    ) -> Reply:
        """The first answer to a request that the server takes; what it refuses is left out of the next one."""
        until, most = time.monotonic() + timeout_s, max_tokens
        known, lesson = self._dialect, None  # the words that it was learnt from; it is remembered once the server answered to it
        tried = {(known, most)}
        guess: Dialect | None = None
        refused: tuple[Exception, Refusal] | None = None
        """The refusal that made us guess."""
        while True:
            dialect = guess or known
            try:
                rest_s = max(1.0, until - time.monotonic())
                reply = self._once(dialect, turns, schema, most, rest_s, cache_key, on_text)
            except Exception as error:
                refusal = self._refusal_in(error, min(most, dialect.most_tokens or most))
                if refusal.generated:
                    return Reply(text=refusal.generated)  # it is read like any answer, and sent back with what is wrong
                if guess is None:
                    learnt, most = self._learn(error, dialect, refusal, turns, schema, most, streamed=self._stream or on_text is not None)
                    if learnt == dialect and self._contradicts(refusal, has_tools=bool(schema.functions)):
                        learnt = self._begin
                        self._remember(learnt, refusal.text)
                    if (learnt, most) not in tried and len(tried) <= MOST_LESSONS:
                        tried.add((learnt, most))
                        known, lesson = learnt, refusal.text
                        continue
                is_refused = refusal.status in REFUSALS
                refused = refused if refused is not None and is_refused else (error, refusal)
                guess = dialect.lesser() if is_refused and _may_mean_the_form(refusal, schema) else None
                if guess is None:
                    translated = self._translated(*refused, has_tools=bool(schema.functions))
                    raise translated from None  # the text of the error and of its cause may hold the key or the prompt
                continue
            if lesson is not None:
                self._remember(known, lesson)
            if guess is not None and refused is not None and self._guessed == guess:
                self._remember(guess, refused[1].text)
            self._guessed = guess
            if reply.reasoned and not self._dialect.reasons:
                self._remember(replace(self._dialect, reasons=True), "")
            return reply

    def _contradicts(self, refusal: Refusal, *, has_tools: bool) -> bool:
        """Whether what was remembered may be the reason for a refusal that names nothing which could be left out: the server has changed.
        It is forgotten once; what still holds is learnt again. `has_tools`: so is whether the server takes native calls."""
        if refusal.status not in REFUSALS or refusal.is_context or refusal.is_quota or refusal.is_filtered:
            return False
        if has_tools and self._memory is not None:
            self._memory.forget_native_calls()
        with self._lock:
            was, self._is_recalled = self._is_recalled, False
        return was

    def _remember(self, learnt: Dialect, refusal: str) -> None:
        """Ask by what was learnt from now on. `refusal`: the server's words, if it was a refusal."""
        if learnt != self._dialect:
            self._learnt = learnt
            if self._memory is not None:
                self._memory.keep(self._begin, learnt)
            log.info("model_server_learnt", model=self._model, refusal=refusal, **asdict(learnt))

    def window(self) -> int | None:
        """Tokens of the model's window, by the server; it is asked once, and again after a while where it did not answer. None: it does not
        tell."""
        if self._window is None and not self._is_openai and time.monotonic() > self._window_at + ASK_AGAIN_S:
            self._window_at = time.monotonic()
            self._window = find_window(self._base_url, self._api_key, self._model)
        return self._window

    def _once(
        self,
        dialect: Dialect,
        turns: Sequence[Turn],
        schema: AnswerSchema,
        max_tokens: int,
        timeout_s: float,
        cache_key: str | None,
        on_text: Callable[[str], None] | None,
    ) -> Reply:
        """One request. Raises the client's errors."""
        chat = self._open()
        sent = turns if dialect.system else _without_system(turns)
        messages = [_as_message(turn, reasoning=dialect.reasoning) for turn in sent]
        body = self._body(dialect, schema, max_tokens, cache_key)
        if dialect.reasoning:  # in the place of LangChain's messages, which have no such field
            body["messages"] = messages
        options: Json = {"timeout": timeout_s, "extra_body": body}
        with untraced(self._may_trace):
            if self._stream or dialect.streamed or on_text is not None:
                return read_message(_joined(chat.stream(messages, stream_usage=dialect.stream_usage, **options), on_text))
            return read_message(chat.invoke(messages, **options))

    def _learn(
        self, error: Exception, dialect: Dialect, refusal: Refusal, turns: Sequence[Turn], schema: AnswerSchema, max_tokens: int, *,
        streamed: bool,
    ) -> tuple[Dialect, int]:  # fmt: skip
        """How the request may be made again after these words of the server; unchanged: not at all."""
        from workers.llm.odd_answers import InPieces

        if isinstance(error, InPieces):
            return replace(dialect, streamed=True), max_tokens
        if not refusal.may_teach:
            return dialect, max_tokens
        if refusal.is_context and refusal.window is not None:
            self._window = refusal.window
            prompt_tokens = sum(estimate_tokens(turn.text) for turn in turns)
            room = refusal.window - prompt_tokens - prompt_tokens // 8
            return dialect, min(max_tokens, room) if room >= LEAST_ANSWER_TOKENS else max_tokens
        return dialect.without(refusal, structured=not schema.functions, streamed=streamed) or dialect, max_tokens

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        with self._lock:
            chat, self._opened = self._opened, None
        if chat is not None:
            chat.http_client.close()

    def _body(self, dialect: Dialect, schema: AnswerSchema, max_tokens: int, cache_key: str | None) -> Json:
        """Fields of the request besides the messages; `max_tokens`: of the reasoning and the answer. They bypass LangChain's own fields,
        with which it would parse the answer itself."""
        body: Json = {dialect.limit_field: min(max_tokens, dialect.most_tokens or max_tokens)}
        if self._temperature is not None and dialect.temperature:
            body["temperature"] = self._temperature
        if schema.functions:
            body |= {"tools": list(schema.functions)} | ({"tool_choice": "required"} if dialect.tool_choice else {})
        elif dialect.structured == "json_schema":
            form = {"name": schema.name, "schema": schema.schema, "strict": schema.strict}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif dialect.structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        if cache_key is not None and dialect.cache_key:
            body["prompt_cache_key"] = cache_key
        return body

    def _open(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._make()
            return self._opened

    def _make(self) -> Any:
        try:
            from pydantic import SecretStr

            from workers.llm.bounded_http import bounded_client, unused_async_client
            from workers.llm.odd_answers import LooseChatOpenAI
        except ImportError as error:
            raise ConfigurationError(
                f"A model is configured, but {error.name} is not installed. Install Bullpen again (docs/operate.md)."
            ) from None
        return LooseChatOpenAI(
            model=self._model,
            base_url=self._base_url,
            api_key=SecretStr(self._api_key or NO_KEY),
            max_retries=0,
            stream_usage=self._stream,
            use_responses_api=False,
            http_client=bounded_client(),
            http_async_client=unused_async_client(),
        )

    def _refusal_in(self, error: Exception, sent_tokens: int) -> Refusal:
        """What the server says to a request that allowed so many tokens for the answer, without our key."""
        import openai

        from workers.llm.odd_answers import ErrorInAnswer

        if isinstance(error, openai.APIStatusError):
            refusal = read_refusal(error.body, error.status_code, sent_tokens)
        elif isinstance(error, ErrorInAnswer | openai.APIError):
            refusal = read_refusal(error.body, None, sent_tokens)
        else:
            return Refusal()
        text = redact_url(refusal.text.replace(self._api_key, "***") if self._api_key else refusal.text)
        return replace(refusal, text=text)

    def _translated(self, error: Exception, refusal: Refusal, *, has_tools: bool) -> Exception:
        """Our error for an error of the client. It quotes nothing of the request, and of the answer only its reason. `has_tools`: the
        request offered tools."""
        import openai

        from workers.llm.odd_answers import ErrorInAnswer, NoChoices

        where = f"Model {self._model} at {redact_url(self._base_url)}"
        if isinstance(error, openai.APITimeoutError):
            return ModelUnavailable(
                f"{where} did not answer in time. If the server is slow, raise BULLPEN_MODEL_TIMEOUT_S.", timed_out=True
            )
        if isinstance(error, openai.APIConnectionError):
            return ModelUnavailable(
                f"{where} cannot be reached or closed the connection. Check BULLPEN_MODEL_BASE_URL and that the server runs."
            )
        if refusal.status is not None:
            headers: Any = error.response.headers if isinstance(error, openai.APIStatusError) else {}
            return self._refused(where, refusal, refusal.status, retry_after_s(headers), has_tools)
        if isinstance(error, ErrorInAnswer) or refusal.text:
            return ModelUnavailable(f"{where} answered with an error: {_sentence(refusal.text)} The call is retried.")
        if isinstance(error, NoChoices):
            return ModelUnavailable(
                f"{where} sent an answer that holds nothing (no choices). The call is retried; if the error persists, check that server."
            )
        if isinstance(error, openai.OpenAIError | ValueError | TypeError | LookupError | AttributeError | RecursionError):
            # the body does not follow the protocol: an HTML page of a proxy, a broken stream, an answer without choices
            return ModelUnavailable(f"{where} sent a body that is not an answer of the OpenAI protocol. Check BULLPEN_MODEL_BASE_URL.")
        return error

    def _refused(self, where: str, refusal: Refusal, status: int, wait_s: float | None, has_tools: bool) -> Exception:
        if is_transient(status) and not refusal.is_quota and not refusal.is_context:
            text = f"{where} answered {status}{': ' + _sentence(refusal.text) if refusal.text else '.'} The call is retried; "
            text += "if the error persists, " + (_PROXY if status in _GAVE_UP else "check that server.")
            return ModelUnavailable(text, retry_after_s=wait_s, is_busy=status in _BUSY or wait_s is not None)
        move = next_move(refusal, self._base_url, has_tools=has_tools)
        return ModelRequestRefused(f"{where} refused the request ({status}): {_sentence(refusal.text)} {move}".strip())


def _may_mean_the_form(refusal: Refusal, schema: AnswerSchema) -> bool:
    """Whether a refusal may be about the form of the answer: engines that follow a schema refuse what they cannot follow in words of their
    own ("failed to parse grammar")."""
    known = refusal.is_context or refusal.is_quota or refusal.is_filtered
    return not schema.functions and not known


def _sentence(text: str) -> str:
    """A server's words, so that ours may follow."""
    return text if text.endswith((".", "!", "?", "。")) else f"{text or 'it gives no reason'}."


def _without_system(turns: Sequence[Turn]) -> list[Turn]:
    """The same turns for a model without a system's: what it says begins the first turn of the user."""
    standing = "\n\n".join(turn.text for turn in turns if turn.speaker == "system")
    others = [turn for turn in turns if turn.speaker != "system"]
    first = next((place for place, turn in enumerate(others) if turn.speaker == "user"), None)
    if first is None:
        return [Turn("user", standing), *others]
    return [*others[:first], replace(others[first], text=f"{standing}\n\n{others[first].text}"), *others[first + 1 :]]


def _as_message(turn: Turn, *, reasoning: bool) -> Json:
    """A turn in the form of the OpenAI protocol. `reasoning`: with what the model reasoned."""
    message: Json = {"role": turn.speaker, "content": turn.text}
    if reasoning and turn.speaker == "assistant":
        message["reasoning_content"] = turn.reasoning
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls
        ]
    if turn.answers is not None:
        message["tool_call_id"] = turn.answers
    return message


def _joined(chunks: Iterator[Any], on_text: Callable[[str], None] | None = None) -> Any:
    whole: Any = None
    final = set[int | None]()
    for chunk in chunks:
        whole = chunk if whole is None else whole + chunk
        if on_text is not None and (text := _text_of(chunk, final)):
            on_text(text)
    if whole is None:
        raise ValueError("an empty stream")
    return whole


def _text_of(chunk: Any, final: set[int | None]) -> str:
    """What a piece adds to the answer: its text, or arguments of the function that takes the final value. `final`: the places of calls of
    that function; its name comes with the first piece of a call."""
    if isinstance(chunk.content, str) and chunk.content:
        return chunk.content
    calls: list[Json] = getattr(chunk, "tool_call_chunks", [])
    final.update(call["index"] for call in calls if call["name"] == FINAL_FUNCTION)
    return "".join(call["args"] or "" for call in calls if call["index"] in final)
