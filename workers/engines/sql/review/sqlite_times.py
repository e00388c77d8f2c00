"""SQLite's functions of dates and times, which are texts there, as the sandbox computes them."""

import re
from collections.abc import Sequence

from sqlglot import exp

_UNITS = r"(?P<unit>second|minute|hour|day|month|year)s?"
_FUNCTIONS = frozenset({"DATE", "DATETIME", "TIME", "JULIANDAY", "UNIXEPOCH"})
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
"""SQLite takes the digits that `strftime` gives for a number there."""
_SAME_FORMS = re.compile(r"(?:[^%]|%[dHjmMSwWY%])*")
"""Formats that mean the same to both engines."""


def with_sandbox_times(tree: exp.Expr) -> None:
    """Change a statement of SQLite in place. A modifier that is not understood stays as it is, and the sandbox refuses the statement."""
    for node in reversed(list(tree.find_all(exp.Anonymous, exp.Date, exp.TimeToStr))):
        made = _of_form(node) if isinstance(node, exp.TimeToStr) or node.name.upper() == "STRFTIME" else _of(node)
        if made is not None:
            node.replace(made)


def _of_form(node: exp.Expr) -> exp.Expr | None:
    """`strftime`: seconds as a number, since they are counted with; other forms as texts, and as numbers where they are counted with."""
    if isinstance(node, exp.TimeToStr):
        form, moment, modifiers = node.args["format"], node.this, ()
        moment = moment.this if isinstance(moment, exp.TsOrDsToTimestamp) else moment
    else:
        if len(node.expressions) < 2:
            return None
        form, moment, *modifiers = node.expressions
    if not isinstance(form, exp.Literal) or not isinstance(moment, exp.Expr):
        return None
    value = _moment_of(moment, modifiers)
    if value is None:
        return None
    if form.name == "%s":
        return exp.cast(exp.Anonymous(this="EPOCH", expressions=[value]), "bigint")
    if _SAME_FORMS.fullmatch(form.name) is None:
        return None
    text = exp.Anonymous(this="STRFTIME", expressions=[value, form.copy()])
    return exp.cast(text, "bigint") if isinstance(node.parent, _ARITHMETIC) else text


def _of(node: exp.Expr) -> exp.Expr | None:
    name = "DATE" if isinstance(node, exp.Date) else node.name.upper()
    arguments = [node.this, *node.expressions] if isinstance(node, exp.Date) else node.expressions
    if name not in _FUNCTIONS or not arguments or any(not isinstance(item, exp.Expr) for item in arguments):
        return None
    value = _moment_of(arguments[0], arguments[1:])
    if value is None:
        return None
    match name:
        case "DATE":
            return exp.cast(value, "date")
        case "TIME":
            return exp.cast(exp.cast(value, "time"), "varchar")
        case "JULIANDAY":
            days = exp.Anonymous(this="JULIAN", expressions=[value])
            return exp.paren(exp.Sub(this=days, expression=exp.Literal.number("0.5")), copy=False)  # SQLite's days begin at noon
        case "UNIXEPOCH":
            return exp.cast(exp.Anonymous(this="EPOCH", expressions=[value]), "bigint")
        case _:
            return value


def _moment_of(argument: exp.Expr, modifiers: Sequence[exp.Expr]) -> exp.Expr | None:
    """A moment after its modifiers. None: one is not understood, or it is that of the run."""
    if isinstance(argument, exp.Literal) and argument.name == "now":
        return None
    value: exp.Expr | None = _moment(argument)
    for modifier in modifiers:
        value = _modified(value, modifier) if value is not None else None
    return value


def _moment(value: exp.Expr) -> exp.Expr:
    is_moment = isinstance(value, exp.Cast) and value.to.is_type("timestamp")
    return value.copy() if is_moment else exp.cast(value.copy(), "timestamp")


def _modified(value: exp.Expr, modifier: exp.Expr) -> exp.Expr | None:
    """The moment after one modifier; None: it is not understood."""
    if isinstance(modifier, exp.DPipe):
        return _computed(value, modifier)
    text = modifier.name.lower().strip() if isinstance(modifier, exp.Literal) else ""
    if found := re.fullmatch(r"start of (day|month|year)", text):
        return exp.cast(exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(found[1]), value]), "timestamp")
    if found := re.fullmatch(rf"(?P<sign>[+-]?)\s*(?P<number>\d+)\s+{_UNITS}", text):
        interval = exp.Interval(this=exp.Literal.string(found["number"]), unit=exp.var(found["unit"].upper()))
        return exp.paren((exp.Sub if found["sign"] == "-" else exp.Add)(this=value, expression=interval), copy=False)
    if found := re.fullmatch(r"weekday ([0-6])", text):  # on to that day, if it is not yet
        weekday = exp.Anonymous(this="DAYOFWEEK", expressions=[value.copy()])
        days = exp.Mod(
            this=exp.paren(exp.Sub(this=exp.Literal.number(int(found[1]) + 7), expression=weekday), copy=False),
            expression=exp.Literal.number(7),
        )
        return exp.paren(exp.Add(this=value, expression=exp.Anonymous(this="TO_DAYS", expressions=[exp.cast(days, "int")])), copy=False)
    return None


def _computed(value: exp.Expr, modifier: exp.DPipe) -> exp.Expr | None:
    """`'-' || (n) || ' months'`."""
    pieces = list(modifier.flatten())
    unit = re.fullmatch(rf"\s*{_UNITS}", pieces[-1].name.lower()) if isinstance(pieces[-1], exp.Literal) else None
    sign = pieces[0].name.strip() if isinstance(pieces[0], exp.Literal) and pieces[0].is_string else ""
    numbers = pieces[1:-1] if sign in ("+", "-") else pieces[:-1]
    if unit is None or len(numbers) != 1:
        return None
    length = exp.Anonymous(this=f"TO_{unit['unit'].upper()}S", expressions=[exp.cast(numbers[0].copy(), "int")])
    return exp.paren((exp.Sub if sign == "-" else exp.Add)(this=value, expression=length), copy=False)
