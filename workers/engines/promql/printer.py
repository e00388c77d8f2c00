"""A PromQL expression as text. Every value is written as a quoted text, so that it can be nothing else."""

from collections.abc import Sequence

from contracts.logs import Matcher
from workers.engines.promql.expressions import Binary, Call, Enclosed, Expression, Group, Negated, Number, Quoted, Selector, Shift, Subquery

_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms"))


def print_promql(expression: Expression) -> str:
    """The text. `parse_promql` reads the same expression from it."""
    match expression:
        case Number():
            return expression.text
        case Quoted():
            return _text(expression.text)
        case Selector():
            matchers = print_matchers(expression.matchers) if expression.matchers else ""
            over = f"[{_duration(expression.range_ms)}]" if expression.range_ms else ""
            return f"{expression.metric}{matchers}{over}{_shift(expression.shift)}"
        case Subquery():
            step = _duration(expression.step_ms) if expression.step_ms else ""
            return f"{print_promql(expression.of)}[{_duration(expression.range_ms)}:{step}]{_shift(expression.shift)}"
        case Call():
            group = f" {_group(expression.group)} " if expression.group else ""
            return f"{expression.name}{group}({', '.join(print_promql(argument) for argument in expression.arguments)})"
        case Binary():
            words = [expression.op, "bool" if expression.is_bool else "", _group(expression.on), _group(expression.many)]
            return f"{print_promql(expression.left)} {' '.join(filter(None, words))} {print_promql(expression.right)}"
        case Negated():
            return f"-{print_promql(expression.of)}"
        case Enclosed():
            return f"({print_promql(expression.of)}){_shift(expression.shift)}"


def print_matchers(matchers: Sequence[Matcher]) -> str:
    """In curly brackets."""
    return "{" + ", ".join(f"{each.label}{each.op}{_text(each.value)}" for each in matchers) + "}"


def _text(text: str) -> str:
    return '"' + "".join(_ESCAPED.get(character, character) for character in text) + '"'


def _group(group: Group | None) -> str:
    return "" if group is None else f"{group.word} ({', '.join(group.labels)})"


def _shift(shift: Shift) -> str:
    at = f" @ {shift.at}" if shift.at else ""
    sign = "-" if shift.offset_ms < 0 else ""
    return at + (f" offset {sign}{_duration(abs(shift.offset_ms))}" if shift.offset_ms else "")


def _duration(milliseconds: int) -> str:
    made, left = "", milliseconds
    for size, unit in _UNITS:
        number, left = divmod(left, size)
        made += f"{number}{unit}" if number else ""
    return made or "0s"
