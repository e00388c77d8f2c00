"""Parses a model's reply into a contract. If that fails, the error says why, in words that the model can act on.

A reply may be anything: prose around the object, a fenced block, reasoning before it, NaN, thousands of brackets. The parser
looks for exactly one JSON object and ignores the text around it. No part of a reply is executed, rendered or used as a name.
"""

import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError

from contracts.base import Contract
from contracts.wire import NotJson, read_json
from workers.llm.backend import Reply

MAX_ANSWER_BYTES = 256 * 1024
_MAX_STARTS = 64
"""Opening braces at which parsing is tried. It bounds the time for a reply that is full of braces."""
_MAX_FAULTS = 10
_MAX_FAULT_CHARACTERS = 300

CONTENT_FILTER = "content filter"
"""The refusal of an answer that the server held back, not the model."""
_BEGINS = re.compile(r'\{\s*"')
"""A brace that begins an object, not a placeholder in prose."""

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking|reasoning)>|<\|channel\|>analysis", re.IGNORECASE)
_CLOSE = re.compile(
    r"</(?:think|thinking|reasoning)>|<\|channel\|>(?:final|commentary)(?:[^<]|<\|constrain\|>){0,200}<\|message\|>", re.IGNORECASE
)
"""The second form is that of gpt-oss, where a server leaves its channels in the text; the header may name a receiver and a format."""

C = TypeVar("C", bound=Contract)


class WrongAnswer(Exception):
    """The reply does not fit the request. The message is sent back to the model."""


def read_reply(reply: Reply, contract: type[C]) -> C:
    """The answer in a reply. Raises `WrongAnswer`."""
    text = answer_text(reply)
    try:
        value = find_object(text)
    except NotJson as error:
        raise WrongAnswer(f"{error}{cut_note(reply)}") from None
    return fit(value, contract)


def answer_text(reply: Reply) -> str:
    """The text of a reply without its reasoning. Raises `WrongAnswer` if there is no text."""
    if reply.refusal == CONTENT_FILTER:
        raise WrongAnswer("The server's filter of contents held the answer back. Say it in other words.")
    if reply.refusal:
        raise WrongAnswer("You refused. The text is data of an operator who is in charge of this system.")
    text = _without_reasoning(reply.text)
    if not text and reply.tool_names:
        raise WrongAnswer("You called a tool, but there are no tools here. Answer with the JSON object as plain content.")
    if not text and reply.cut_off:
        raise WrongAnswer("You used up all the room before you answered. Reason less.")
    if not text:
        raise WrongAnswer("The answer was empty.")
    return text


def cut_note(reply: Reply) -> str:
    """What to add to an error about a reply that was cut off."""
    return " It was cut off for want of room: answer shorter." if reply.cut_off else ""


def fit(value: Any, contract: type[C], fault: str = "The JSON object does not fit the schema") -> C:
    """The value as a contract. Raises `WrongAnswer`, which begins with `fault`."""
    try:
        return contract.model_validate(value)
    except ValidationError as error:
        raise WrongAnswer(f"{fault}: {_faults(error)}") from None


def find_object(text: str) -> Any:
    """The only JSON object in a text. Raises `NotJson` if there is no object, more than one, or the object is not strict JSON."""
    objects = find_objects(text)
    if len(objects) > 1:
        raise NotJson(f"The answer holds {len(objects)} JSON objects. Give exactly one.")
    return objects[0]


def find_objects(text: str) -> list[Any]:
    """The JSON objects in a text, at least one, without duplicates. Raises `NotJson` if there is none or one is not strict JSON."""
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_ANSWER_BYTES:
        raise NotJson(f"The answer has {size} bytes; {MAX_ANSWER_BYTES} are allowed.")
    objects = _objects(text)
    if not objects:
        raise NotJson("The answer holds no JSON object.")
    return [read_json(item.encode("utf-8", "replace")) for item in objects]


def _objects(text: str) -> list[str]:
    """The outermost objects of a text, without duplicates. Raises `NotJson` if an object is broken, since its inner objects are not the
    answer."""
    decoder = json.JSONDecoder()
    objects: dict[str, None] = {}
    at = text.find("{")
    for _ in range(_MAX_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            raise NotJson("The answer is nested too deeply.") from None
        except ValueError as error:
            if _BEGINS.match(text, at):
                raise NotJson(f"Not JSON: {error}.") from None
            end = at + 1
        else:
            if value:  # `{}` in prose is not an answer
                objects[text[at:end]] = None
        at = text.find("{", end)
    return list(objects)


def has_reasoning(text: str) -> bool:
    """Whether a text holds a model's reasoning beside the answer, or in its place."""
    text = text.strip()
    return not text.startswith("{") and (_OPEN.search(text) or _CLOSE.search(text)) is not None


def is_cut_in_reasoning(reply: Reply) -> bool:
    """Whether reasoning left too little room for the answer, or none: with more room the same request may be answered."""
    return reply.cut_off and not reply.refusal and (reply.reasoned or not (_without_reasoning(reply.text) or reply.calls))


def _without_reasoning(text: str) -> str:
    """The text after a model's reasoning block. A text that begins with the object is returned unchanged, since a string in it may hold
    such a tag."""
    text = text.strip()
    if text.startswith("{"):
        return text
    text = _REASONING.sub("", text)
    closed = list(_CLOSE.finditer(text))
    if closed:  # some servers remove the opening tag
        text = text[closed[-1].end() :]
    opened = _OPEN.search(text)
    return (text[: opened.start()] if opened else text).strip()


def _faults(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in item['loc']) or 'the object'}: {item['msg']}"[:_MAX_FAULT_CHARACTERS]
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f"; and {len(lines) - _MAX_FAULTS} more" if len(lines) > _MAX_FAULTS else ""
    return "; ".join(lines[:_MAX_FAULTS]) + more
