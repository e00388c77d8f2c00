"""The form for missing parameters, and what the user answered to it."""

import re
from collections.abc import Mapping
from typing import Any

from contracts.analyze.steps import Option, ParamsRequest
from contracts.base import Json
from contracts.procedures import AskStep, in_language
from contracts.wire import NotJson, read_json_text
from workers.engines.procedures.expressions import search
from workers.engines.procedures.held import ordinal_in
from workers.engines.procedures.words import folded, says
from workers.kinds.analyze.rules.replies import Reply, means

MOST_OPTIONS = 20
_LAST = re.compile(r"^(?:the )?last(?: one)?$|^最后(?:一个)?$")
LEAST_PART = 2
"""Characters of a part of a label that names it where no other option has them."""
MOST_VALUE = 2_000


def form_of(step: AskStep, scope: Json, params: Mapping[str, Any]) -> ParamsRequest:
    """Known and missing parameters of a call, with the values to choose from where there are some."""
    known = {name: value for name, expression in step.known.items() if (value := search(expression, scope)) is not None}
    missing = [field for field in step.missing if field.name not in params]
    options = {field.name: _options(search(field.options, scope)) for field in missing if field.options is not None}
    return ParamsRequest(
        step=step.id,
        tool_name=step.tool,
        known_params=known,
        missing_params=tuple(field.name for field in missing),
        options={name: found for name, found in options.items() if found},
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


def labels_of(step: AskStep, form: ParamsRequest, language: str) -> list[str]:
    """The missing parameters in words."""
    labels = {field.name: in_language(field.label, language) for field in step.missing}
    return [labels.get(name) or name for name in form.missing_params]


def is_cancelled(reply: str) -> bool:
    """Whether the user gave the form back."""
    read = _as_object(reply)
    return read.get("cancel") is True if read is not None else means(Reply.CANCEL, reply)


def filled(form: ParamsRequest, reply: str) -> Json | None:
    """The parameters in a reply: JSON, `name=value` lines, or for a single parameter its value, number or label. None: not all are there,
    or a value is not one of the options."""
    given = _as_object(reply)
    if given is not None and isinstance(given.get("params"), dict):
        given = given["params"]
    if given is None:
        given = _lines(form, reply)
    found: Json = {}
    for name in form.missing_params:
        value = given.get(name)
        options = form.options.get(name, ())
        if isinstance(value, str):
            value = _option(value, options) if options else value.strip()[:MOST_VALUE]
        elif options:
            value = None
        if value in (None, "", [], {}):
            return None
        found[name] = value
    return found


def _as_object(reply: str) -> Json | None:
    try:
        read: Any = read_json_text(reply)
    except NotJson:
        return None
    return read if isinstance(read, dict) else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _lines(form: ParamsRequest, reply: str) -> Json:
    found: Json = {}
    for line in reply.replace("；", "\n").replace(";", "\n").splitlines():
        name, mark, value = line.replace("：", "=").replace(":", "=").partition("=")
        if mark and name.strip() in form.missing_params:
            found[name.strip()] = _typed(value.strip())
    if not found and len(form.missing_params) == 1:
        found[form.missing_params[0]] = reply.strip()
    return found


def _typed(text: str) -> Any:
    """An array is written as JSON (K16)."""
    try:
        return read_json_text(text) if text.startswith(("[", "{")) else text
    except NotJson:
        return text


def _option(text: str, options: tuple[Option, ...]) -> str | None:
    """By its number, its value or its label; a sentence may name exactly one of them."""
    plain = folded(text).strip().strip(".。)）(（ ")
    number = int(plain) if plain.isdecimal() else len(options) if _LAST.search(plain) else ordinal_in(text)
    if number is not None and 1 <= number <= len(options):
        return options[number - 1].value
    for option in options:
        if plain in (folded(option.value), folded(option.label)):
            return option.value
    named = [option.value for option in options if says(text, _words_of(option))]
    parts = [option.value for option in options if len(plain) >= LEAST_PART and plain in folded(f"{option.value} / {option.label}")]
    return next((found[0] for found in (named, parts) if len(found) == 1), None)


def _words_of(option: Option) -> list[str]:
    """Its value, its label, and the names in a label such as `滨河新区 / Riverside New Area`."""
    parts = (option.value, option.label, *option.label.split("/"))
    return [part.strip() for part in parts if part.strip()]
