"""Calls of a model as the journal keeps them: the request by its parts, the reply as JSON, and an error that an attempt went on from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.base import Json
from contracts.reports import Usage
from workers.blackboard.journal import Message, Part, Request
from workers.errors import BudgetExceeded, BullpenError, ModelRequestRefused, ModelUnavailable
from workers.llm.backend import NativeCall, Reply, Turn
from workers.llm.schema import AnswerSchema
from workers.llm.token_count import estimate_tokens

_OPENS, _CLOSES = "<<<DATA ", "<<<END DATA "
_MARK_CHARACTERS = 16


def as_request(name: str, model: str, turns: Sequence[Turn], schema: AnswerSchema, settings: Json, left_out: Sequence[Json]) -> Request:
    """What is asked. How long the answer may be and how long it may take is not part of it: both depend on what is left."""
    form = {"form": schema.name, "schema": schema.schema, "functions": list(schema.functions), **settings}
    return Request(name, tuple(_as_message(turn) for turn in turns), model, form, tuple(left_out))


def as_turns(turns: Sequence[Turn], request: Request) -> list[Turn]:
    """The turns with the texts of a request that was edited by hand."""
    return [replace(turn, text=message.text) for turn, message in zip(turns, request.messages, strict=True)]


def _as_message(turn: Turn) -> Message:
    calls = tuple({"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.calls)
    return Message(turn.speaker, tuple(split(turn.text)), calls, turn.answers)


def split(text: str) -> list[Part]:
    """The parts of a prompt: its data blocks by their labels, and the instructions between them. No block holds another's marker."""
    parts: list[Part] = []
    at = 0
    while (begin := text.find(_OPENS, at)) >= 0:
        label_at = begin + len(_OPENS) + _MARK_CHARACTERS + 1
        mark = text[begin + len(_OPENS) : label_at - 1]
        end = text.find(_CLOSES + mark, label_at)
        if len(mark) < _MARK_CHARACTERS or end < 0:
            break
        end += len(_CLOSES) + len(mark)
        _add(parts, "instructions", text[at:begin])
        _add(parts, text[label_at : max(text.find("\n", label_at), label_at)] or "data", text[begin:end])
        at = end
    _add(parts, "instructions", text[at:])
    return parts


def _add(parts: list[Part], name: str, text: str) -> None:
    if text:
        parts.append(Part(name, text, estimate_tokens(text)))


def reply_json(reply: Reply) -> Json:
    """A reply as it is kept."""
    kept: Json = {"text": reply.text, "refusal": reply.refusal, "tool_names": list(reply.tool_names), "cut_off": reply.cut_off}
    kept |= {"reasoned": reply.reasoned, "reasoning": reply.reasoning}
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in reply.calls]
    usage = None if reply.usage is None else reply.usage.to_json()
    return {name: value for name, value in {**kept, "calls": calls, "usage": usage}.items() if value}


def read_reply_json(kept: Json) -> Reply:
    """The reply that was kept."""
    usage: Any = kept.get("usage")
    return Reply(
        text=kept.get("text", ""),
        refusal=kept.get("refusal"),
        tool_names=tuple(kept.get("tool_names", ())),
        cut_off=kept.get("cut_off", False),
        reasoned=kept.get("reasoned", False),
        reasoning=kept.get("reasoning", ""),
        usage=None if usage is None else Usage.model_validate(usage),
        calls=tuple(NativeCall(**call) for call in kept.get("calls", ())),
    )


def kept_error(name: str, message: str) -> BullpenError:
    """The error that an earlier attempt got, and went on from: with another model, or without one."""
    known: dict[str, type[BullpenError]] = {kind.__name__: kind for kind in (ModelRequestRefused, BudgetExceeded)}
    return known.get(name, ModelUnavailable)(message)
