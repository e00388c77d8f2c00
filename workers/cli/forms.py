"""Options of a command that come from a contract: each field with a description is an option, of the field's type and bounds.

A kind of job thereby brings its options of `submit`, `feedback` and `eval`, and the command line knows none of them by name.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, cast

import annotated_types
import typer
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from contracts.fields import bare_type
from contracts.refusals import in_words
from contracts.statements import Value, passage, say
from contracts.statements import name as identifier
from workers.errors import InvalidInput


def options_of(form: type[BaseModel], *, leave_out: Iterable[str] = (), panel: str | None = None) -> dict[str, inspect.Parameter]:
    """Field → the parameter of a typer command for it. A field that is not given stays None, so that its default counts. `panel`: the
    heading in the help under which the options are listed."""
    skipped = set(leave_out)
    fields = ((name, field) for name, field in form.model_fields.items() if field.description is not None and name not in skipped)
    return {name: _parameter(name, field, panel) for name, field in fields}


def with_options(
    run: Callable[..., None], options: Mapping[str, inspect.Parameter], help_text: str, fixed: Mapping[str, Any] | None = None
) -> Callable[..., None]:
    """A typer command: the parameters of `run`, then these options. What is given of the options reaches `run` as `values`. `fixed`:
    arguments of `run` that are no parameters of the command."""
    bound = dict(fixed or {})
    own = [item for name, item in inspect.signature(run, eval_str=True).parameters.items() if name != "values" and name not in bound]
    names = {item.name for item in own}
    added = {name: item for name, item in options.items() if name not in names}

    def command(**given: Any) -> None:
        values = {name: given.pop(name) for name in added}
        run(**bound, **given, values={name: value for name, value in values.items() if value not in (None, False, [])})

    parameters = [*own, *added.values()]
    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess] what typer reads
    command.__annotations__ = {item.name: item.annotation for item in parameters}
    command.__doc__ = help_text
    return command


def read_form(form: type[BaseModel], values: Mapping[str, Any], how: Value | None = None) -> Any:
    """The validated form. Raises `InvalidInput` naming the option that is wrong, and then `how` it is used."""
    try:
        return form.model_validate(dict(values))
    except ValidationError as error:
        fault, how = error.errors(include_url=False)[0], passage("") if how is None else how
        if not fault["loc"]:
            reason = fault["msg"].removeprefix("Value error, ")
            raise InvalidInput.of(say("refused.cli.form", reason=passage(reason[:1].upper() + reason[1:]), how=how)) from None
        option = identifier(f"--{str(fault['loc'][0]).replace('_', '-')}")
        raise InvalidInput.of(say("refused.cli.option", option=option, fault=in_words(fault), how=how)) from None


def _parameter(name: str, field: FieldInfo, panel: str | None) -> inspect.Parameter:
    bare, repeated = bare_type(field.annotation)
    bounds = {
        key: value
        for rule in field.metadata
        for kind, key, attribute in ((annotated_types.Ge, "min", "ge"), (annotated_types.Le, "max", "le"))
        if isinstance(rule, kind) and (value := getattr(rule, attribute)) is not None and bare in (int, float)
    }
    extra = cast("dict[str, Any]", field.json_schema_extra or {})
    flag = f"--{name.replace('_', '-')}"
    option = typer.Option(flag, help=_help(field), metavar=extra.get("metavar"), show_default=False, rich_help_panel=panel, **bounds)
    if field.is_required():
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[bare, option])
    kind = list[bare] | None if repeated else bool if bare is bool else bare | None
    default = False if bare is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _help(field: FieldInfo) -> str:
    default: Any = field.default
    if field.is_required() or default is None or default is False or default in ("", ()) or "Default:" in (field.description or ""):
        return field.description or ""
    return f"{field.description} Default: {getattr(default, 'value', default)}."
