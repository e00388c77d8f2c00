"""What a turn of a skill's own dialogue can expect: the checks by name, with the form of each."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field, ValidationError

from contracts.base import Contract, Json, Text
from contracts.procedures import ChartType
from contracts.refusals import at, in_words, names_at, place_of, without_echoes
from contracts.statements import LanguageCode, Statement, count, listing, name, say
from contracts.tools import ToolName
from workers.engines.language import Lang
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


def eval_faults(dialogue: Dialogue) -> Iterator[tuple[int, Statement]]:
    """What cannot be checked in a dialogue: a check that does not exist would always hold, and one that contradicts another never would.
    The number of the turn, from 1, and why."""
    known = set(tool_names())
    for number, turn in enumerate(dialogue.turns, start=1):
        place = f"turns.{number}.expect"
        try:
            expected = Expected.model_validate(turn.expect)
        except ValidationError as error:
            for fault in without_echoes(error.errors(include_url=False, include_input=False), Expected)[:3]:
                where = ".".join((place, place_of(fault["loc"])))
                message = at(where, in_words(fault, names_at(Expected, fault["loc"][:-1])))
                yield number, say("analyze.eval.wrong", id=name(dialogue.id), fault=message)
            continue
        unknown = sorted(set(_tools(expected)) - known)
        if unknown:
            yield number, say("analyze.eval.no_tool", id=name(dialogue.id), place=name(place), tools=listing(*map(name, unknown)))
        for check, why in _impossible(expected):
            yield number, say("analyze.eval.wrong", id=name(dialogue.id), fault=at(f"{place}.{check}", why))


def _impossible(expected: Expected) -> Iterator[tuple[str, Statement]]:
    """Checks of one turn that cannot hold together: the name of one, and why."""
    wanted = Counter(call.tool for call in expected.calls or ())
    for tool, most in (expected.max_calls or {}).items():
        if wanted[tool] > most:
            calls = {"tool": name(tool), "n": count(wanted[tool], exact=True), "most": count(most, exact=True)}
            yield "max_calls", say("analyze.eval.too_few_calls", **calls)
    for tool in expected.must_not_call or ():
        if wanted[tool] or tool in expected.may_call:
            yield "must_not_call", say("analyze.eval.called_and_not", tool=name(tool))
    shown = expected.suggestions
    if shown is not None and shown.min > shown.max:
        yield "suggestions", say("analyze.eval.min_above_max", min=count(shown.min, exact=True), max=count(shown.max, exact=True))
    if expected.language is not None and expected.language not in get_args(Lang):
        yield "language", say("analyze.eval.no_language", language=name(expected.language), there=listing(*map(name, get_args(Lang))))


def _tools(expected: Expected) -> Iterator[str]:
    yield from (call.tool for call in expected.calls or ())
    yield from expected.may_call
    yield from expected.must_not_call or ()
    yield from expected.max_calls or ()
    if expected.params_request is not None:
        yield expected.params_request.tool_name
