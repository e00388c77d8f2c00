"""What one server takes of the OpenAI protocol. It is learnt from the server's refusals, which name the field that they mean: a request is
made again without what was refused, and no later one has it. `server_memory.py` remembers it for the fleet.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from contracts.base import Json
from workers.llm.replies import REASON_CHARACTERS
from workers.secrets import redact_url

Structured = Literal["json_schema", "json_object", "prompt"]

MOST_LESSONS = 6
"""Times that one call is made again because the server refused a field. There are no more fields to give up."""
REFUSALS = frozenset({400, 422})
"""HTTP statuses of a server that refuses the form of a request."""
_FAULT = 500
"""Some servers fail with it where they should refuse: a template that takes no system's turn. Its other words are not about the request."""

_LESS: Mapping[str, Structured] = {"json_schema": "json_object", "json_object": "prompt"}
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
_FILTERS = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed", "datainspectionfailed"})
"""What vendors call it, in lower case, when their filter of contents refuses a prompt."""
_BUSY = frozenset({429, 503})
_CONTEXT_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_STREAMED, _ROLES, _WORDS = frozenset({"stream", "streaming", "streamed"}), frozenset({"role", "roles"}), re.compile(r"[a-z]+")
_OF_A_SCHEMA = frozenset({"schema", "function", "property", "properties", "tool"})
"""What has roles of its own: a field of an answer may have this name."""
_OF_A_TURN = frozenset({"system", "alternate", "unsupported", "supported", "unknown", "invalid"})
"""What is said of the role of a turn that a template does not take."""
_TOO_LARGE = 413
_CONTEXT = ("context length", "context window", "context size", "maximum context")
_WINDOW = re.compile(
    r"(?:maximum context length is|context (?:size|window)(?: is| of)?|`max_new_tokens` must be <=|`inputs` must have less than)"
    r" \(?(\d{3,8})\b"
)
_NUMBERS = re.compile(r"(?<![\w.-])(\d{2,9})(?![\w-])")
"""Whole numbers that are no part of a model's name or version."""
_MARKUP = re.compile(r"<[a-zA-Z!?]")
"""How a page begins. Some servers begin their words with a status: `<400> ...`."""
_PAYMENT_REQUIRED = 402
_LEAST_WINDOW = 512
"""Tokens below which a counted number is no window: a line, a place in the text, a number of requests."""
LEAST_ANSWER_TOKENS = 64
"""Room for an answer below which a request is not made again with a smaller one."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error in a server's own words."""

    text: str = ""
    param: str = ""
    """The field that it names."""
    codes: frozenset[str] = frozenset()
    """What it calls the error, by code and by type."""
    status: int | None = None
    """The HTTP status, or what is given for one in a body that came with another."""
    window: int | None = None
    """Tokens of the model's window."""
    numbers: tuple[int, ...] = ()
    """In its text, such as a limit that was passed."""
    sent_tokens: int = 0
    """What the request allowed for the answer."""
    generated: str | None = None
    """What the model wrote, where the server itself found that it does not follow the schema."""

    @property
    def is_quota(self) -> bool:
        """Whether the account may use no more: waiting a moment changes nothing."""
        return bool(self.codes & _QUOTA) or self.status == _PAYMENT_REQUIRED

    @property
    def is_context(self) -> bool:
        """Whether prompt and answer do not fit into the window. Some servers say so with status 500."""
        is_said = self.status not in _BUSY and (self.window is not None or any(sign in self.text.lower() for sign in _CONTEXT))
        return bool(self.codes & _CONTEXT_CODES) or is_said

    @property
    def counted_window(self) -> int | None:
        """The window in a refusal that counts tokens: the smaller one of two numbers, of which the other is what the
        prompt has; or, where the limit of the answer is named, the one that it and the prompt are more than together. None: it counts
        nothing of the kind."""
        if self.status not in REFUSALS | {_TOO_LARGE} or "token" not in self.text.lower():
            return None
        numbers, sent = set(self.numbers), self.sent_tokens
        if not (self.names("max_tokens") or self.names("max_completion_tokens")):
            return min(numbers) if len(numbers) == 2 and min(numbers) >= _LEAST_WINDOW else None
        above = sorted(number for number in numbers if number > sent)
        return next((window for window in above if any(window > prompt >= window - sent for prompt in numbers - {sent})), None)

    @property
    def may_teach(self) -> bool:
        """Whether its words may be about the request."""
        return self.status in REFUSALS or self.status == _FAULT or self.is_context

    @property
    def is_of_system(self) -> bool:
        """Whether it is about a turn of the system, which the model's template does not take."""
        words = frozenset(_WORDS.findall(self.text.lower()))
        if words.isdisjoint(_ROLES) or not words.isdisjoint(_OF_A_SCHEMA) or self.names("response_format"):
            return False
        if self.status == _FAULT:
            return "system" in words
        return not words.isdisjoint(_OF_A_TURN) or words >= {"user", "assistant"}

    @property
    def is_filtered(self) -> bool:
        """Whether the vendor's filter of contents refused the prompt."""
        return any(code.lower() in _FILTERS for code in self.codes)

    def names(self, field: str) -> bool:
        """Whether this field of a request is named."""
        return self.param == field or re.search(rf"(?<![\w]){re.escape(field)}(?![\w])", self.text) is not None


def read_refusal(body: object, status: int | None = None, sent_tokens: int = 0) -> Refusal:
    """The error in a body: `{"error": {...}}`, what is inside it, or another form that servers use, alone or the first of a list. A page of
    HTML says nothing. `sent_tokens`: what the request allowed for the answer."""
    found = _first(body)
    if isinstance(found, dict) and (inner := cast("Json", found).get("error") or cast("Json", found).get("errors")):
        found = _first(inner)
    fields = cast("Json", found) if isinstance(found, dict) else {}
    words: Any = found if isinstance(found, str) else fields.get("message") or fields.get("detail") or fields.get("msg") or ""
    if passed_on := _passed_on(fields):
        words = f"{words} ({passed_on})"
    window: Any = fields.get("n_ctx")
    generated: Any = fields.get("failed_generation")
    if window is None and (found_window := _WINDOW.search(str(words))):
        window = int(found_window[1])
    refusal = Refusal(
        text=_plain(words),
        param=str(fields.get("param") or ""),
        codes=frozenset(str(name) for name in (fields.get("code"), fields.get("type")) if name is not None),
        status=status or _as_status(fields.get("code")) or _as_status(fields.get("status")),
        window=window if isinstance(window, int) and window > 0 else None,
        numbers=tuple(int(number) for number in _NUMBERS.findall(str(words)[:REASON_CHARACTERS])),
        generated=generated if isinstance(generated, str) else None,
        sent_tokens=sent_tokens,
    )
    return refusal if refusal.window is not None else replace(refusal, window=refusal.counted_window)


def _passed_on(fields: Json) -> str:
    """What a router says that the server behind it answered, in its own words; empty: nothing."""
    about: Any = fields.get("metadata")
    raw: Any = cast("Json", about).get("raw") if isinstance(about, dict) else None
    try:
        return read_refusal(json.loads(raw)).text if isinstance(raw, str) else ""
    except (ValueError, RecursionError):
        return _plain(raw)


def _first(found: object) -> object:
    return cast("list[object]", found)[0] if isinstance(found, list) and found else cast("object", found)


def _plain(words: object) -> str:
    text = " ".join(str(words).split())
    return "" if _MARKUP.match(text) else text[:REASON_CHARACTERS]


def _as_status(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and 400 <= int(text[:4]) < 600 else None


_LEFT_OUT = {"tool_choice": "tool_choice", "stream_usage": "stream_options", "cache_key": "prompt_cache_key"}
"""Field of a dialect → the field of a request that is left out where it is false."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What goes into requests to one model of one server."""

    limit_field: str = "max_tokens"
    """That limits an answer."""
    structured: Structured = "json_schema"
    temperature: bool = True
    system: bool = True
    """False: the system's turn becomes the beginning of the user's."""
    tool_choice: bool = True
    """A call is required. False: the field is left out, and the server's default holds, which is that the model may call."""
    reasoning: bool = False
    """What the model reasoned before its calls is sent back with them."""
    stream_usage: bool = True
    cache_key: bool = True
    most_tokens: int | None = None
    """Largest value of that field which the server takes, if it named one."""
    reasons: bool = False
    """The model was seen to reason before it answers."""
    streamed: bool = False
    """The server gives this model's answers in pieces only."""

    def without(self, refusal: Refusal, *, structured: bool, streamed: bool = False) -> "Dialect | None":
        """What the server may take in its place after it refused this with these words. None: nothing is known that helps.
        `structured`: the request had a `response_format`. `streamed`: the answer was asked for in pieces."""
        if refusal.is_context or refusal.is_filtered:
            return None
        if refusal.status == _FAULT:
            return replace(self, system=False) if self.system and refusal.is_of_system else None
        if not streamed and not self.streamed and not _STREAMED.isdisjoint(_WORDS.findall(refusal.text.lower())):
            return replace(self, streamed=True)
        if self.limit_field == "max_tokens" and refusal.names("max_completion_tokens"):
            return replace(self, limit_field="max_completion_tokens")
        if refusal.names(self.limit_field) and (most := _largest_below(refusal.sent_tokens, refusal.numbers)) is not None:
            return replace(self, most_tokens=most)
        if self.temperature and refusal.names("temperature"):
            return replace(self, temperature=False)
        if self.limit_field == "max_completion_tokens" and refusal.names("max_completion_tokens"):
            return replace(self, limit_field="max_tokens")
        if self.system and refusal.is_of_system:
            return replace(self, system=False)
        if not self.reasoning and refusal.names("reasoning_content"):
            return replace(self, reasoning=True)
        for field, parameter in _LEFT_OUT.items():
            if getattr(self, field) and refusal.names(parameter):
                return replace(self, **{field: False})
        is_form = any(
            refusal.names(field) or refusal.param.startswith(field) for field in ("response_format", "json_schema", "json_object")
        )
        return self.lesser() if structured and is_form else None

    def lesser(self) -> "Dialect | None":
        """The same with a form of answers that more servers take. None: there is none."""
        return replace(self, structured=_LESS[self.structured]) if self.structured in _LESS else None


def _largest_below(sent: int, numbers: Iterable[int]) -> int | None:
    """The limit that a refusal names: its largest number below the one that was sent."""
    return max((number for number in numbers if LEAST_ANSWER_TOKENS <= number < sent), default=None)


def lacks_path(base_url: str) -> bool:
    """Whether an address of a model's server names a host and no path. Most servers speak the protocol below `/v1`."""
    return not urlsplit(base_url).path.strip("/")


def next_move(refusal: Refusal, base_url: str = "https://host/v1", *, has_tools: bool = False) -> str:
    """What the operator may do about a refusal, by the field that the server names. `base_url`: of the server. `has_tools`: the request
    offered tools, and so it had no other form of an answer."""
    if refusal.is_quota:
        return "The quota of this account is used up: see the plan of its key (BULLPEN_MODEL_API_KEY)."
    if refusal.is_filtered:
        return (
            "The vendor's filter refused the prompt: mend the filter of this deployment, or name another model in BULLPEN_MODEL_FALLBACK."
        )
    if refusal.is_context:
        window = f" ({refusal.window})" if refusal.window else ""
        return f"Set BULLPEN_MODEL_CONTEXT_TOKENS to the window of the model{window}, or less."
    if refusal.status in (401, 403):
        return "Check BULLPEN_MODEL_API_KEY."
    if refusal.status == 404 and lacks_path(base_url):
        return f"Most servers answer below /v1: set BULLPEN_MODEL_BASE_URL={redact_url(base_url)}/v1."
    if refusal.status == 404:
        return "Check BULLPEN_MODEL and BULLPEN_MODEL_BASE_URL; `bullpen doctor` lists the server's models."
    if refusal.names("temperature"):
        return "Set BULLPEN_MODEL_TEMPERATURE=none."
    if refusal.names("max_tokens") or refusal.names("max_completion_tokens"):
        return "Set BULLPEN_MODEL_OUTPUT_TOKENS to what the server allows."
    if refusal.names("response_format") or refusal.names("json_schema"):
        return "Set BULLPEN_MODEL_STRUCTURED to json_object or prompt."
    if refusal.names("tools") or refusal.names("tool_choice") or (has_tools and refusal.status in REFUSALS):
        return "Set BULLPEN_MODEL_TOOLS=structured."
    if refusal.status in REFUSALS:
        return "If that names no field, check BULLPEN_MODEL, and try BULLPEN_MODEL_STRUCTURED=prompt."
    return ""
