"""The form for missing parameters, and what the user answered to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contracts.analyze.steps import Option, ParamsRequest
from contracts.base import Json
from contracts.procedures import AskStep, CallStep, Named, Procedure, in_language
from contracts.statements import Statement, Value, name, quote, say
from contracts.wire import NotJson, read_json_text
from workers.engines.procedures.expressions import names_in, search
from workers.engines.procedures.held import ordinal_in
from workers.engines.procedures.values import read_date, read_number
from workers.engines.procedures.words import folded, says, spans
from workers.kinds.analyze.rules.replies import Reply, means

MOST_OPTIONS = 20
_LAST = re.compile(r"^(?:the )?last(?: one)?$|^最后(?:一个)?$")
LEAST_PART = 2
"""Characters of a part of a label that names it where no other option has them."""
MOST_VALUE = 2_000
_NOTHING = name("-")


def form_of(step: AskStep, scope: Json, params: Mapping[str, Any], language: str = "en") -> ParamsRequest:
    """Known and missing parameters of a call, with the values to choose from where there are some."""
    known = {param: value for param, expression in step.known.items() if (value := search(expression, scope)) is not None}
    missing = [field for field in step.missing if field.name not in params]
    options = {field.name: _options(search(field.options, scope)) for field in missing if field.options is not None}
    return ParamsRequest(
        step=step.id,
        tool_name=step.tool,
        known_params=known,
        missing_params=tuple(field.name for field in missing),
        options={name: found for name, found in options.items() if found},
        labels={field.name: label for field in missing if (label := in_language(field.label, language))},
        types={field.name: field.type for field in missing if field.type != "text"},
    )


def _options(value: object) -> tuple[Option, ...]:
    if not isinstance(value, list):
        return ()
    items: list[Any] = value  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    return tuple(map(_option_of, items[:MOST_OPTIONS]))


def _option_of(item: Any) -> Option:
    """A text, or an object with `value` and `label`."""
    if not isinstance(item, dict):
        return Option(value=str(item))
    read: Json = item  # pyright: ignore[reportUnknownVariableType] as above
    return Option(value=str(read.get("value", "")), label=str(read.get("label") or ""))


def labels_of(form: ParamsRequest) -> list[str]:
    """The missing parameters in words."""
    return [form.labels.get(param) or param for param in form.missing_params]


def is_cancelled(reply: str) -> bool:
    """Whether the user gave the form back."""
    read = _as_object(reply)
    return read.get("cancel") is True if read is not None else means(Reply.CANCEL, reply)


@dataclass(frozen=True, slots=True)
class Filling:
    """What a reply has of a form."""

    params: Json
    faults: tuple[Statement, ...] = ()
    """Why the others are not filled in."""


def filled(form: ParamsRequest, reply: str) -> Json | None:
    """The parameters in a reply. None: not all are there, or a value is not one of the options."""
    filling = read_reply(form, reply)
    return None if filling.faults else filling.params


def read_reply(form: ParamsRequest, reply: str) -> Filling:
    """The parameters in a reply: JSON, `name=value` or `label value`, on a line or on several, the values alone in the order of the form,
    or for a single parameter its value, number or label."""
    given = _as_object(reply)
    if given is not None and isinstance(given.get("params"), dict):
        given = given["params"]
    if given is None:
        given = _assigned(form, reply)
    named = given or _in_order(form, reply)
    found: Json = {}
    faults: list[Statement] = []
    for param in form.missing_params:
        read = _value_of(form, param, named.get(param), by_place=not given)
        if isinstance(read, Statement):
            faults.append(read)
        else:
            found[param] = read
    return Filling(found, tuple(faults))


def in_message(form: ParamsRequest, message: str, procedure: Procedure) -> Json:
    """The parameters that a question has already: an option that it names as the only one, its only date, and a number or a date behind
    the name of its parameter. Where a tool has read the message, it has found what it could: its choices stay open."""
    calls = [expression for step in procedure.steps if isinstance(step, CallStep) for expression in step.arguments.values()]
    if any(head[0] in _OF_THE_MESSAGE for expression in (*calls, *procedure.let.values()) for head in names_in(expression)):
        form = form.model_copy(update={"missing_params": tuple(param for param in form.missing_params if param not in form.options)})
    found: Json = {}
    assigned = _assigned(form, message)
    dated = [param for param in form.missing_params if form.types.get(param) == "date"]
    for param in form.missing_params:
        kind, options = form.types.get(param), form.options.get(param, ())
        tokens = [*str(assigned.get(param, "")).split()[:1], *(message.split() if kind == "date" and dated == [param] else ())]
        values = {read: None for token in tokens if kind and not isinstance(read := typed_value(kind, token.strip(_AROUND)), Statement)}
        named = [option.value for option in options if says(message, [word for word in _words_of(option) if _names_alone(word)])]
        if len(values) == 1 or len(named) == 1:
            found[param] = next(iter(values), None) if kind and not options else next(iter(named), None)
    return {param: value for param, value in found.items() if value is not None}


def given_alone(form: ParamsRequest, message: str) -> Json:
    """The parameters in a message that has nothing else: `limit=5`. Empty: it has none, has more, or one of them has a fault."""
    words = folded(message).strip()
    begins = any(begin == 0 for begin, _, _ in spans(words, _fields(form)))
    given = _assigned(form, message) if begins else {}
    read = {param: _value_of(form, param, value) for param, value in given.items()}
    is_plain = "=" in message or all(form.types.get(param) and len(str(value).split()) == 1 for param, value in given.items())
    return read if is_plain and not any(isinstance(value, Statement) for value in read.values()) else {}


_OF_THE_MESSAGE = frozenset({"message", "subject", "words"})
"""Names in expressions."""
_MARK = "="
_AROUND = " \t=:：,，;；。.?？!！、()（）"
"""What separates a value from its name and from what follows."""


def _names_alone(word: str) -> bool:
    """A number says nothing alone: "the worst 3" does not mean the option 3."""
    return len(word) >= LEAST_PART and not word.isdecimal()


def _fields(form: ParamsRequest) -> list[Named]:
    """The parameters by their names and labels."""
    return [Named(name=param, label={"und": label} if (label := form.labels.get(param)) else {}) for param in form.missing_params]


def _assigned(form: ParamsRequest, text: str) -> Json:
    """Parameter → the text behind its name or label, up to the next one or the end of the line. Where one of them has a mark, as in
    `limit=5`, a name without one is part of a value; so it is where the form has a single parameter."""
    found: Json = {}
    fields, needs_mark = _fields(form), len(form.missing_params) == 1 or _MARK in folded(text).replace(":", _MARK)
    for line in text.splitlines():
        plain = folded(line)
        own = line if len(plain) == len(line) else plain
        named = [span for span in spans(line, fields) if not needs_mark or own[span[1] :].lstrip()[:1] in ("=", ":", "：")]
        for place, (_, end, param) in enumerate(named):
            until = named[place + 1][0] if place + 1 < len(named) else len(own)
            value = own[end:until].strip(_AROUND)
            if value:
                found.setdefault(param, _typed(value))
    return found


def _in_order(form: ParamsRequest, reply: str) -> Json:
    """The values alone: the reply is that of the only parameter, or has as many values with types as there are parameters."""
    if len(form.missing_params) == 1:
        return {form.missing_params[0]: reply.strip()}
    values = reply.split()
    if len(values) != len(form.missing_params) or not all(
        form.types.get(param) or form.options.get(param) for param in form.missing_params
    ):
        return {}
    return {param: value.strip(_AROUND) for param, value in zip(form.missing_params, values, strict=True)}


def _value_of(form: ParamsRequest, param: str, value: Any, *, by_place: bool = False) -> Any:
    """The value as the procedure takes it, or what is wrong with it. `by_place`: it may be the place of an option."""
    called, options = name(form.labels.get(param) or param), form.options.get(param, ())
    if value in (None, "", [], {}):
        return say("analyze.form.no_value", param=called)
    if options:
        chosen = _option(value, options, by_place=by_place)
        return say("analyze.form.no_choice", value=quote(str(value)[:60]), param=called) if chosen is None else chosen
    kind = form.types.get(param, "text")
    if kind != "text":
        return typed_value(kind, value, called)
    return value.strip()[:MOST_VALUE] if isinstance(value, str) else value


def typed_value(kind: str, value: Any, called: Value = _NOTHING) -> int | float | str | Statement:
    """A number or a date, or why a value is neither."""
    if kind == "date":
        day = read_date(value) if isinstance(value, str) else None
        return say("analyze.form.no_date", value=quote(str(value)[:60]), param=called) if day is None else day
    number = read_number(value)
    if number is None:
        return say("analyze.form.no_number", value=quote(str(value)[:60]), param=called)
    return int(number) if number.is_integer() else number


def _as_object(reply: str) -> Json | None:
    try:
        read: Any = read_json_text(reply)
    except NotJson:
        return None
    return read if isinstance(read, dict) else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _typed(text: str) -> Any:
    """An array is written as JSON (K16)."""
    try:
        return read_json_text(text) if text.startswith(("[", "{")) else text
    except NotJson:
        return text


def _option(value: Any, options: tuple[Option, ...], *, by_place: bool) -> str | None:
    """By its value or its label; else, where the reply names nothing, by its place. A sentence may name exactly one of them."""
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    plain = folded(text).strip().strip(".。)）(（ ")
    exact = [option.value for option in options if plain and plain in (folded(option.value), folded(option.label))]
    figure = read_number(value)
    exact = exact or [option.value for option in options if figure is not None and read_number(option.value) == figure]
    if exact or not plain:
        return next(iter(exact), None)
    number = int(plain) if plain.isdecimal() else len(options) if _LAST.search(plain) else ordinal_in(text)
    if by_place and number is not None and 1 <= number <= len(options):
        return options[number - 1].value
    named = [option.value for option in options if says(text, _words_of(option))]
    parts = [option.value for option in options if len(plain) >= LEAST_PART and plain in folded(f"{option.value} / {option.label}")]
    return next((found[0] for found in (named, parts) if len(found) == 1), None)


def _words_of(option: Option) -> list[str]:
    """Its value, its label, and the names in a label such as `滨河新区 / Riverside New Area`."""
    parts = (option.value, option.label, *option.label.split("/"))
    return [part.strip() for part in parts if part.strip()]
