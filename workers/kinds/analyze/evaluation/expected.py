"""What a turn of a skill's own dialogue can expect: the checks by name, with the form of each."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import Field, ValidationError

from contracts.base import Contract, Json, Text
from contracts.procedures import ChartType
from contracts.refusals import in_words
from contracts.statements import LanguageCode, Statement, listing, name, passage, say
from contracts.tools import ToolName
from workers.skills.evals import Dialogue
from workers.tools.registry import tool_names

Words = tuple[Text, ...]


class ExpectedCall(Contract):
    """A call of a tool."""

    tool: ToolName
    args: Json = {}
    """At least these arguments, with these values. `indicators_include`: values that the list `indicators` has."""
    returns: Json = {}
    """At least these parts of the result."""
    error: Literal["business"] | None = None
    """The tool refuses the call."""


class ExpectedForm(Contract):
    """The form for missing parameters."""

    tool_name: ToolName
    missing_params: Words
    known_params_include: Json = {}
    options: Words = ()
    """Values among which the user may choose, at least these."""


class ExpectedSuggestions(Contract):
    """How many suggestions there are."""

    min: int = Field(ge=0)
    max: int = Field(ge=0)
    multi_select: bool = False


class ExpectedTable(Contract):
    """A table."""

    rows_to_client: int = Field(ge=0)
    rows_to_model_max: int = Field(ge=0)


class Expected(Contract):
    """The checks of a turn. What is not named is not checked."""

    calls: tuple[ExpectedCall, ...] | None = None
    """In this order, and no other tool."""
    knowledge_in_any_order: bool = False
    may_call: tuple[ToolName, ...] = ()
    must_not_call: tuple[ToolName, ...] | None = None
    max_calls: dict[ToolName, int] | None = None
    skill: Text | None = None
    skill_any_of: Words | None = None
    skill_unchanged: Literal[True] | None = None
    select_skill_visible: bool | None = None
    params_request: ExpectedForm | None = None
    waits_for_human: Literal[True] | None = None
    must_say_verbatim: Text | None = None
    asks_for_simulation: Literal[True] | None = None
    must_say_any: tuple[Words, ...] | None = None
    must_say_all: Words | None = None
    must_not_say: Words | None = None
    suggestions: ExpectedSuggestions | None = None
    table: ExpectedTable | None = None
    chart: ChartType | None = None
    language: LanguageCode | None = None


def eval_faults(dialogue: Dialogue) -> Iterator[Statement]:
    """What cannot be checked in a dialogue: a check that does not exist would always hold."""
    known = set(tool_names())
    for number, turn in enumerate(dialogue.turns, start=1):
        place = f"turns.{number}.expect"
        try:
            expected = Expected.model_validate(turn.expect)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_input=False, include_context=False)[:3]:
                where = ".".join((place, *map(str, fault["loc"])))
                yield say("analyze.eval.wrong", id=name(dialogue.id), place=name(where[:200]), fault=passage(_in_words(fault)))
            continue
        unknown = sorted(set(_tools(expected)) - known)
        if unknown:
            yield say("analyze.eval.no_tool", id=name(dialogue.id), place=name(place), tools=listing(*map(name, unknown)))


def _in_words(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1:
        near = get_close_matches(str(fault["loc"][0]), Expected.model_fields, 1)
        return f"is not a check; perhaps {near[0]}" if near else f"is not a check; there are: {', '.join(Expected.model_fields)}"
    return in_words(fault)


def _tools(expected: Expected) -> Iterator[str]:
    yield from (call.tool for call in expected.calls or ())
    yield from expected.may_call
    yield from expected.must_not_call or ()
    yield from expected.max_calls or ()
    if expected.params_request is not None:
        yield expected.params_request.tool_name
