"""What a contract refuses, in plain words: for people who write a file by hand and know nothing of types."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel

from contracts.statements import Statement, count, listing, name, number, passage, say

_PLAIN = {
    "missing": say("refused.part.missing"),
    "string_too_short": say("refused.part.empty"),
    "string_type": say("refused.part.text"),
    "list_type": say("refused.part.list"),
    "tuple_type": say("refused.part.list"),
    "set_type": say("refused.part.list"),
    "frozen_set_type": say("refused.part.list"),
    "dict_type": say("refused.part.mapping"),
    "mapping_type": say("refused.part.mapping"),
    "model_type": say("refused.part.mapping"),
    "model_attributes_type": say("refused.part.mapping"),
    "bool_type": say("refused.part.true_or_false"),
    "bool_parsing": say("refused.part.true_or_false"),
    "int_type": say("refused.part.whole_number"),
    "int_parsing": say("refused.part.whole_number"),
    "int_from_float": say("refused.part.whole_number"),
    "float_type": say("refused.part.number"),
    "float_parsing": say("refused.part.number"),
}

_OF_A_VALUE = re.compile(r"^[A-Z][a-z]+ should")
"""`Input should be ...`, `Tuple should have ...`: the types are the program's."""
_OF_THE_PROGRAM = re.compile(
    r"(?:function-|dict\[|list\[|tuple\[|constrained-|nullable|json-or-python|\[key\]$)|(?:str|int|float|bool|none)$"
)
"""Parts of a place that name a type of the program instead of a part of the file."""


def in_words(fault: Mapping[str, Any], there: Collection[str] = ()) -> Statement:
    """What is wrong at one place, as the end of a sentence that begins with the place. `fault`: an item of `ValidationError.errors()`;
    `there`: the names that the place has, for a name that it does not have."""
    kind: str = fault["type"]
    context: dict[str, Any] = fault.get("ctx") or {}
    if kind == "too_long" and isinstance(fault.get("input"), str):  # a text that was cleaned before it was measured
        kind = "string_too_long"
    if kind == "extra_forbidden":
        return unknown(str(fault["loc"][-1]), there)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in ("literal_error", "enum"):
        return say("refused.part.one_of", options=passage(str(context.get("expected", ""))))
    if kind == "string_pattern_mismatch":
        return say("refused.part.pattern", pattern=name(str(context.get("pattern", ""))))
    return _bounded(kind, context) or passage_of(fault)


def _bounded(kind: str, context: Mapping[str, Any]) -> Statement | None:
    """A bound that a value is outside of."""
    match kind:
        case "too_short":
            return say("refused.part.few", n=count(int(context["min_length"]), exact=True))
        case "too_long":
            return say("refused.part.many", n=count(int(context["max_length"]), exact=True))
        case "string_too_long":
            return say("refused.part.long", n=count(int(context["max_length"]), exact=True))
        case "greater_than_equal":
            return say("refused.part.at_least", n=number(float(context["ge"])))
        case "less_than_equal":
            return say("refused.part.at_most", n=number(float(context["le"])))
        case _:
            return None


def passage_of(fault: Mapping[str, Any]) -> Statement:
    """A refusal that has no words of ours."""
    message = _OF_A_VALUE.sub("must", str(fault["msg"]).removeprefix("Value error, ")).partition(" after validation")[0]
    return say("refused.part.other", fault=passage(message[:1].lower() + message[1:]))


def unknown(given: str, there: Collection[str]) -> Statement:
    """That a name is not known at its place: the one that was perhaps meant, or else all that there are."""
    if meant := near(given, there):
        return say("refused.part.perhaps", near=name(meant))
    return say("refused.part.unknown", there=listing(*map(name, there))) if there else say("refused.part.strange")


def without_echoes(faults: Sequence[Any], contract: Any) -> list[Any]:
    """The faults but for a part that is missing because it is there under a misspelt name: one fault, not two."""
    meant = {
        (*fault["loc"][:-1], near(str(fault["loc"][-1]), names_at(contract, fault["loc"][:-1])))
        for fault in faults
        if fault["type"] == "extra_forbidden"
    }
    return [fault for fault in faults if fault["type"] != "missing" or tuple(fault["loc"]) not in meant]


def near(given: str, there: Iterable[str], likeness: float = 0.6) -> str:
    """The name that was perhaps meant; empty if none is at least this similar, from 0 to 1."""
    return next(iter(get_close_matches(given.lower(), list(there), 1, likeness)), "")


def at(place: str, fault: Statement) -> Statement:
    """A fault with the place where it is."""
    return say("refused.part.at", place=name(place[:200]), fault=fault)


def place_of(parts: Sequence[str | int]) -> str:
    """A place for people: items are counted from 1, and what names a type of the program is left out."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in of_the_file(parts))


def of_the_file(parts: Sequence[str | int]) -> tuple[str | int, ...]:
    """The parts of a place that are in the file."""
    return tuple(part for place, part in enumerate(parts) if isinstance(part, int) or place == 0 or not _OF_THE_PROGRAM.match(part))


def names_at(contract: Any, place: Sequence[str | int]) -> tuple[str, ...]:
    """The names of the contract at a place in a value, such as those of the item that `("steps", 0, "call")` leads to."""
    found = _contracts(contract)
    for part in place:
        inner = [
            model for holder in found if part in holder.model_fields for model in _contracts(holder.model_fields[str(part)].annotation)
        ]
        tagged = [model for model in found if "kind" in model.model_fields and model.model_fields["kind"].default == part]
        found = (tagged if len(found) > 1 else ()) or inner or found
    return tuple(dict.fromkeys(name for model in found for name, field in model.model_fields.items() if not _is_tag(name, field.default)))


def _is_tag(name: str, default: object) -> bool:
    """Whether a field only tells contracts apart: it is the program's, and not in a file."""
    return name == "kind" and isinstance(default, str)


def _contracts(annotation: Any) -> list[type[BaseModel]]:
    """The contracts that a type names, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _contracts(part)]


_NO_SPACE = re.compile(r"^\s*-[A-Za-z_][\w-]*:(?:\s|$)")


def yaml_hint(text: str, line: int, problem: str) -> Statement | None:
    """What an author probably did where YAML gave up with a problem: on `line`, from 1, or one of the two before it."""
    lines = text.split("\n")
    nearby = [lines[place] for place in range(line - 1, max(line - 4, -1), -1) if place < len(lines)]
    if any(map(_NO_SPACE.match, nearby)):
        return say("refused.yaml.dash")
    if nearby and "\t" in nearby[0][: len(nearby[0]) - len(nearby[0].lstrip())]:
        return say("refused.yaml.tab")
    return say("refused.yaml.colon") if "mapping values" in problem or problem.endswith("got ':'") else None
