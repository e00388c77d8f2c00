"""What a message of LangChain holds, as a `Reply`; and what the errors of its clients have in common."""

import json
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from contracts.base import Json
from contracts.reports import Usage
from workers.llm.backend import NativeCall, Reply
from workers.llm.reading import CONTENT_FILTER, has_reasoning

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

REASONING = "bullpen_reasoning"
"""Where `odd_answers.py` puts a message's reasoning, among its `additional_kwargs`."""
REASON_CHARACTERS = 300
"""Length to which a server's error text is cut in our messages: one or two sentences."""
_TRANSIENT = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 after which a retry may succeed."""
_CUT_OFF = frozenset({"length", "max_tokens"})
"""What servers call the end of an answer that reached its limit, in lower case."""


def is_transient(status: int) -> bool:
    """Whether a retry may succeed after this HTTP status."""
    return status in _TRANSIENT or status >= 500


def _calls(message: Any) -> tuple[NativeCall, ...]:
    """The calls of a message in their order, those with broken arguments included."""
    raw: list[Any] = message.additional_kwargs.get("tool_calls") or []
    if raw:
        return tuple(_call(call.get("id"), call["function"].get("name"), call["function"].get("arguments")) for call in raw)
    found = [_call(call.get("id"), call.get("name"), json.dumps(call.get("args"))) for call in message.tool_calls]
    return (*found, *(_call(call.get("id"), call.get("name"), call.get("args")) for call in message.invalid_tool_calls))


def _call(identity: Any, name: Any, arguments: Any) -> NativeCall:
    return NativeCall(str(identity or "call")[:200], str(name or ""), arguments if isinstance(arguments, str) else json.dumps(arguments))


def read_message(message: "AIMessage") -> Reply:
    """The reply in a message."""
    untyped: Any = message
    about: Json = untyped.response_metadata or {}
    refusal = untyped.additional_kwargs.get("refusal")
    if about.get("finish_reason") == "content_filter" and not refusal:
        refusal = CONTENT_FILTER
    calls = _calls(untyped)
    cut_off = str(about.get("finish_reason") or about.get("stop_reason")).lower() in _CUT_OFF
    text = _text(untyped.content)
    reasoning = str(untyped.additional_kwargs.get(REASONING) or "")
    reasoned = bool(reasoning) or has_reasoning(text) or _reasoning_tokens(untyped.usage_metadata) > 0
    if not text.strip() and not calls and not refusal and not cut_off:  # a server that takes the whole answer for reasoning
        text = reasoning
    return Reply(
        text=text,
        refusal=str(refusal)[:REASON_CHARACTERS] if refusal else None,
        tool_names=tuple(call.name for call in calls),
        calls=calls,
        cut_off=cut_off,
        reasoned=reasoned,
        reasoning=reasoning if calls else "",
        usage=reported_usage(untyped.usage_metadata),
    )


def _text(content: Any) -> str:
    """Plain text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in content or ())


def reported_usage(counts: Any) -> Usage | None:
    """What a server says that a call used. None if it says nothing that can be counted."""
    if not counts:
        return None
    into, out = (_count(counts.get(name)) for name in ("input_tokens", "output_tokens"))
    return Usage(input_tokens=into, output_tokens=out) if into or out else None


def _reasoning_tokens(counts: Any) -> int:
    """What a server says that the model used before the answer."""
    details: Any = counts.get("output_token_details") if counts else None
    return _count(details.get("reasoning")) if details else 0


def _count(reported: Any) -> int:
    """A server may report anything; a value that is not a number is not counted, and `Usage` bounds the rest."""
    if isinstance(reported, bool) or not isinstance(reported, int | float) or not math.isfinite(reported):
        return 0
    return int(reported)


def retry_after_s(headers: Any) -> float | None:
    """Seconds that a `retry-after` header asks to wait: as a number, or as a date by the server's own clock. None for anything else."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers.get("retry-after-ms")) / 1000
        else:
            seconds = _seconds(str(headers.get("retry-after", "")), headers.get("date"))
    except (ValueError, TypeError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _seconds(after: str, sent: str | None) -> float:
    """Raises `ValueError` or `TypeError` for what is neither a number nor a date."""
    if "," not in after:
        return float(after)
    until, now = _date(after), datetime.now(UTC) if sent is None else _date(sent)
    return max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime:
    read = parsedate_to_datetime(text)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
