"""One step of a model's work with tools: a call or the final value, as a JSON schema, and the reading of what the model sends.

The form works on every server, also on one without native tool calls, and on small models: `{"step": {"tool": NAME, "arguments": {..}}}`
or `{"step": {"final": {..}}}`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from contracts.base import Contract, Json, canonical_json
from contracts.tools import ToolCall, ToolOffer
from contracts.wire import NotJson, read_json
from workers.llm.backend import NativeCall, Reply
from workers.llm.prompts import RULES, fenced
from workers.llm.reading import WrongAnswer, answer_text, cut_note, find_objects, fit
from workers.llm.schema import AnswerSchema, sendable_schema

_DESCRIPTION_CHARACTERS = 800
_LOOK_FIRST = "Look it up first: call a tool, and give the final value from its result."
FINAL_FUNCTION = "final_answer"
"""The function that takes the final value where tools are called in the server's own form. No tool may have this name."""

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True, slots=True)
class Final(Generic[C]):
    """The model gave the final value."""

    value: C


@dataclass(frozen=True, slots=True)
class Calls:
    """The model called tools, one or several."""

    calls: tuple[ToolCall, ...]
    native: tuple[NativeCall, ...]
    """The same calls in the server's own form: as it sent them, or written so where the model called in its text."""
    reasoning: str = ""
    """What the model reasoned before them."""


def step_schema(contract: type[Contract], offers: Sequence[ToolOffer], *, may_finish: bool = True) -> AnswerSchema:
    """The form of a step. Without offers only the final value remains; unless it may finish, only the calls."""
    definitions: Json = {}
    forms = [
        _object(tool={"type": "string", "enum": [offer.name]}, arguments=_lifted(offer.arguments, f"{offer.name}.", definitions))
        for offer in offers
    ]
    if may_finish or not forms:
        forms.append(_object(final=_lifted(contract.model_json_schema(), "final.", definitions)))
    whole = _object(step={"anyOf": forms} if len(forms) > 1 else forms[0])
    if definitions:
        whole["$defs"] = definitions
    return sendable_schema(f"{contract.__name__}_step", whole)


def native_schema(contract: type[Contract], offers: Sequence[ToolOffer], *, may_finish: bool = True) -> AnswerSchema:
    """The same choice as functions in the server's own form: one for each tool, and one that takes the final value."""
    functions = [_function(function_name(offer.name), offer.description, offer.arguments) for offer in offers]
    if may_finish or not functions:
        functions.append(_function(FINAL_FUNCTION, "Takes the final value and ends the work.", contract.model_json_schema()))
    return AnswerSchema(contract.__name__, {}, strict=False, functions=tuple(functions))


def _function(name: str, description: str, schema: Json) -> Json:
    sent = sendable_schema(name, schema)
    about = {"name": name, "description": " ".join(description.split())[:_DESCRIPTION_CHARACTERS], "parameters": sent.schema}
    return {"type": "function", "function": {**about, **({"strict": True} if sent.strict else {})}}


def function_name(tool: str) -> str:
    """A tool's name as servers allow it: without dots."""
    return tool.replace(".", "__")


def _object(**properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _lifted(schema: Json, prefix: str, definitions: Json) -> Json:
    """The schema with its definitions moved to the root under names of their own."""
    own: Json = schema.get("$defs", {})
    for name, definition in own.items():
        definitions[prefix + name] = _renamed(definition, prefix)
    return {key: _renamed(value, prefix) for key, value in schema.items() if key not in ("$defs", "$schema")}


def _renamed(node: Any, prefix: str) -> Any:
    if isinstance(node, list):
        return [_renamed(item, prefix) for item in node]  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    if not isinstance(node, dict):
        return node
    known: Json = node  # pyright: ignore[reportUnknownVariableType] a schema is JSON
    root = "#/$defs/"
    return {
        key: root + prefix + value.removeprefix(root) if key == "$ref" and isinstance(value, str) else _renamed(value, prefix)
        for key, value in known.items()
    }


NATIVE_TEXT = (
    RULES + "You work with the functions that this request offers. Call one when you lack something; its result comes back to you as a "
    f"data block. Call {FINAL_FUNCTION} with the final value as soon as you have what it needs. Never call a function twice with the "
    "same arguments."
)
"""The system prompt where tools are called in the server's own form."""


AS_ONE_OBJECT = "Answer with one JSON object."
"""The same of a prompt that is asked without tools."""


def how_to_answer(*, native: bool) -> str:
    """The last line of a prompt whose model works with tools (`{{ how_to_answer }}` in its template): the form that this loop reads."""
    if native:
        return f"Call the functions whose results you need. When you lack nothing, call {FINAL_FUNCTION} with the final value."
    return "Answer with one step, as one JSON object: a tool call, or the final value."


def tools_text(offers: Sequence[ToolOffer]) -> str:
    """The part of the system prompt that describes the tools. Descriptions may come from other systems, so they are fenced."""
    if not offers:
        return 'No tool can be called any more. Answer with {"step": {"final": ...}}.'
    lines = [
        f"- {offer.name} (effect: {offer.effect}, cost: {offer.cost}): {' '.join(offer.description.split())[:_DESCRIPTION_CHARACTERS]}"
        for offer in offers
    ]
    return (
        "You work in steps. A step is either one tool call or the final value. The result of a call comes back to you as a data block. "
        "Call a tool when you lack something; give the final value as soon as you have what it needs. Never call a tool twice with the "
        "same arguments.\n"
        'A call: {"step": {"tool": NAME, "arguments": {...}}}\n'
        'The end: {"step": {"final": {...}}}\n' + fenced("\n".join(lines), "tools")
    )


def said_in(reply: Reply) -> str:
    """The part of a reply that may hold the final value's words: its text, or the arguments of the function that takes the final value."""
    return reply.text or "".join(call.arguments for call in reply.calls if call.name == FINAL_FUNCTION)


def read_step(
    reply: Reply, contract: type[C], offers: Sequence[ToolOffer] = (), *, may_call: bool, may_finish: bool = True, turns: int = 0
) -> Final[C] | Calls:
    """The step in a reply, in either form. Several calls in one message are all read. `turns`: how many messages were before it. Raises
    `WrongAnswer`."""
    if reply.calls and not reply.refusal:
        read = _read_native(reply.calls, contract, offers, may_call=may_call, may_finish=may_finish)
        return replace(read, reasoning=reply.reasoning) if isinstance(read, Calls) else read
    text = answer_text(reply)
    try:
        objects = find_objects(text)
    except NotJson as error:
        raise WrongAnswer(f"{error}{cut_note(reply)}") from None
    names = {function_name(offer.name): offer.name for offer in offers}
    steps = [_unwrapped(item) for item in objects]
    calls = [call for step in steps if (call := _call(step, names)) is not None]
    if calls and may_call:
        return Calls(tuple(calls), tuple(_as_native(call, f"{turns}_{place}") for place, call in enumerate(calls)), reply.reasoning)
    if calls:
        raise WrongAnswer('No tool can be called any more. Answer with {"step": {"final": ...}} from what you have.')
    if not may_finish:
        raise WrongAnswer(_LOOK_FIRST)
    if len(steps) > 1:
        raise WrongAnswer(f"The answer holds {len(steps)} JSON objects. Give exactly one.")
    return Final(fit(steps[0].get("final", steps[0]), contract))


def _read_native(
    made: Sequence[NativeCall], contract: type[C], offers: Sequence[ToolOffer], *, may_call: bool, may_finish: bool
) -> Final[C] | Calls:
    """Calls of tools come before a final value in the same message, since it was written without their results."""
    names = {function_name(offer.name): offer.name for offer in offers}
    tools = _with_own_ids(call for call in made if call.name != FINAL_FUNCTION)
    if tools and may_call:
        read = tuple(ToolCall(tool=names.get(call.name, call.name), arguments=_arguments(call)) for call in tools)
        return Calls(read, tools)
    if tools:
        raise WrongAnswer(f"No tool can be called any more. Call {FINAL_FUNCTION} with what you have.")
    if not may_finish:
        raise WrongAnswer(_LOOK_FIRST)
    if len(made) > 1:
        raise WrongAnswer(f"You called {FINAL_FUNCTION} {len(made)} times. Call it once.")
    return Final(fit(_arguments(made[0]), contract, f"The arguments of {FINAL_FUNCTION} do not fit"))


def _with_own_ids(made: Iterable[NativeCall]) -> tuple[NativeCall, ...]:
    """Some servers give all calls of a message one id, or none; each answer needs a call of its own."""
    seen: set[str] = set()
    calls: list[NativeCall] = []
    for place, call in enumerate(made):
        own = call if call.id not in seen else replace(call, id=f"{call.id}_{place}")
        seen.add(own.id)
        calls.append(own)
    return tuple(calls)


def _arguments(call: NativeCall) -> Json:
    try:
        value = read_json(call.arguments.encode("utf-8", "replace"))
    except NotJson as error:
        raise WrongAnswer(f"The arguments of {call.name[:64]} are not JSON: {error}") from None
    if not isinstance(value, dict):
        raise WrongAnswer(f"The arguments of {call.name[:64]} are not a JSON object.")
    return value  # pyright: ignore[reportUnknownVariableType] JSON from outside


def _unwrapped(value: Any) -> Json:
    """The step in an object. A model may leave out the wrapper."""
    if not isinstance(value, dict):
        raise WrongAnswer("The answer is not a JSON object.")
    known: Json = value  # pyright: ignore[reportUnknownVariableType] JSON from outside
    inner = known.get("step", known) if len(known) == 1 else known
    if not isinstance(inner, dict):
        raise WrongAnswer('`step` must be an object: {"tool": NAME, "arguments": {...}} or {"final": {...}}.')
    return inner  # pyright: ignore[reportUnknownVariableType] as above


def _as_native(call: ToolCall, place: str) -> NativeCall:
    """A call that the model wrote as text, in the server's own form. `place`: of no other call of the conversation."""
    return NativeCall(f"said_{place}", function_name(call.tool), canonical_json(call.arguments))


def _call(step: Json, names: Mapping[str, str]) -> ToolCall | None:
    """The call in a step, also as servers write it that leave a native call in the text: `{"name", "arguments"}`, the arguments as JSON in
    a text, or `{"type": "function", "function": {"name", "parameters"}}`. None if it is no call. `names`: tools by their functions."""
    if isinstance(step.get("function"), dict) and set(step) <= {"id", "type", "function"}:
        step = step["function"]
    if set(step) == {"name", "parameters"} and isinstance(step["name"], str) and step["name"] in names:
        step = {"name": step["name"], "arguments": step["parameters"]}
    if "final" in step or "arguments" not in step or set(step) - {"tool", "name", "arguments"}:
        return None
    name, arguments = step.get("tool", step.get("name")), step["arguments"]
    if isinstance(name, str) and isinstance(arguments, str):
        arguments = _arguments(NativeCall("", name, arguments))
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolCall(tool=names.get(name, name), arguments=arguments)  # pyright: ignore[reportUnknownArgumentType] JSON from outside
