"""A form from the contract of a request: each field an input of its type and bounds. Kinds of extensions have forms by this alone."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, cast, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from contracts.base import Json, stands_alone
from contracts.fields import bare_type
from contracts.refusals import at
from contracts.statements import say
from contracts.wire import read_json_text
from workers.console.pages import Look
from workers.errors import InvalidInput
from workers.saying import INSTALLED

Shape = Literal["text", "area", "number", "choice", "check", "lines", "json"]

LONG = 300
"""Characters from which a text has several lines."""


PREFIX = "f-"
"""Of the inputs of a contract's fields: a form whose input is called `form` or `action` loses its own property of that name."""


def input_of(name: str) -> str:
    """The name and id of a field's input."""
    return PREFIX + name


@dataclass(frozen=True, slots=True)
class Field:
    """One input."""

    name: str
    label: str
    help: str
    shape: Shape
    required: bool
    options: tuple[str, ...] = ()
    value: str = ""
    low: float | None = None
    high: float | None = None
    most: int | None = None
    """Characters of a text."""
    suggested: tuple[str, ...] = ()
    """The texts that it may hold, where only this installation knows them: the names of its sources."""
    place: str = ""
    """Before its id, where a page has the same input several times."""

    @property
    def input(self) -> str:
        """Its name on a page."""
        return input_of(self.name)

    @property
    def id(self) -> str:
        """Its id on a page."""
        return f"{self.place}{self.input}"


def fields_of(
    form: type[BaseModel], look: Look, *, leave_out: Iterable[str] = (), words: str | None = None, values: Mapping[str, Any] | None = None
) -> list[Field]:
    """The inputs for a contract: its fields with a description, those that must be given, and the one of the user's words. `values`: what
    they hold already.
    """
    skipped, given = {"kind", *leave_out}, values or {}
    return [
        _field(name, field, look, given.get(name))
        for name, field in form.model_fields.items()
        if name not in skipped and (field.description is not None or field.is_required() or name == words) and not stands_alone(field)
    ]


def edit_fields(form: type[BaseModel], look: Look, params: Mapping[str, Any]) -> list[Field]:
    """The inputs for the parameters of a stage, filled with those that count; the arguments of a tool by their own names, one a field."""
    found: list[Field] = []
    for name, field in form.model_fields.items():
        bare, many = bare_type(field.annotation)
        held = params.get(name)
        if isinstance(bare, type) and issubclass(bare, BaseModel) and not many:
            inner: Mapping[str, Any] = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
            found += [replace(part, name=f"{name}.{part.name}") for part in edit_fields(bare, look, inner)]
        else:
            found.append(replace(_field(name, field, look, held), required=False))
    return found


def read_edit_fields(fields: Iterable[Field], filled: Mapping[str, Any]) -> Json:
    """What was changed in the inputs of `edit_fields`, as an edit; what was left as it stood is left out, but for the arguments of a tool,
    which an edit gives all or none of. Raises `InvalidInput`."""
    known = tuple(fields)
    changed = {field.name for field in known if _text_in(field, filled) != field.value.replace("\r\n", "\n").strip()}
    groups = {name.partition(".")[0] for name in changed if "." in name}
    edit: Json = {}
    for name, value in read_fields(known, filled).items():
        group, _, own = name.partition(".")
        if own and group in groups:
            edit.setdefault(group, {})[own] = value
        elif name in changed:
            edit[name] = value
    return edit


def _text_in(field: Field, filled: Mapping[str, Any]) -> str:
    if field.shape == "check":
        return "true" if field.input in filled else ("" if field.value != "false" else "false")
    return str(filled.get(field.input) or "").replace("\r\n", "\n").strip()


def read_fields(fields: Iterable[Field], filled: Mapping[str, Any]) -> Json:
    """What was filled in, as a request has it; empty inputs are left out, so that defaults count. Raises `InvalidInput`."""
    found: Json = {}
    for field in fields:
        text = str(filled.get(field.input) or "").strip()
        if field.shape == "check":
            found[field.name] = field.input in filled
        elif text:
            found[field.name] = _read(field, text)
    return found


def _read(field: Field, text: str) -> Any:
    try:
        match field.shape:
            case "number":
                return read_json_text(text.removeprefix("+"))
            case "lines":
                return [line.strip() for line in text.splitlines() if line.strip()]
            case "json":
                return read_json_text(text)
            case _:
                return text
    except ValueError:
        form = say("refused.part.number") if field.shape == "number" else say("refused.row.no_json_value")
        raise InvalidInput.of(at(field.label, form)) from None


def _field(name: str, field: FieldInfo, look: Look, value: Any) -> Field:
    bare, many = bare_type(field.annotation)
    default = None if field.is_required() else field.get_default(call_default_factory=False)
    held = value if value is not None else default
    shape, options = _shape(bare, many, field)
    text = "\n".join(_plain(item) for item in cast("Iterable[object]", held or ())) if many else _plain(held)
    return Field(
        name=name,
        label=_said(f"console.field.{name}", look) or name.replace("_", " ").capitalize(),
        help=_said(f"console.help.{name}", look) or field.description or "",
        shape=shape,
        required=field.is_required(),
        options=options,
        value=text,
        low=_bound(field, annotated_types.Ge, "ge"),
        high=_bound(field, annotated_types.Le, "le"),
        most=_most(field),
    )


def _shape(bare: Any, many: bool, field: FieldInfo) -> tuple[Shape, tuple[str, ...]]:
    if isinstance(bare, type) and issubclass(bare, Enum) and not many:
        return "choice", tuple(str(member.value) for member in bare)
    if get_origin(bare) is Literal and not many:
        return "choice", tuple(map(str, get_args(bare)))
    if bare is bool:
        return "check", ()
    if bare in (int, float) and not many:
        return "number", ()
    if isinstance(bare, type) and (issubclass(bare, str) or bare is str):
        if many:
            return "lines", ()
        return ("area" if (_most(field) or 0) > LONG else "text"), ()
    return ("lines" if many and bare is str else "json"), ()


def _plain(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _said(code: str, look: Look) -> str | None:
    """A text of the catalogues, if they have it: fields of extensions have none."""
    return look(code) if INSTALLED.own(code, look.language) else None


def _bound(field: FieldInfo, rule: type, name: str) -> float | None:
    return next((getattr(item, name) for item in field.metadata if isinstance(item, rule)), None)


def _most(field: FieldInfo) -> int | None:
    for item in field.metadata:
        if isinstance(item, annotated_types.MaxLen):
            return item.max_length
    return None
