"""JMESPath expressions of procedures: checked when a procedure is read, and evaluated over what is known so far."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from contracts.base import Json

SCOPE = ("message", "words", "subject", "topic", "topic_words", "language", "wanted", "unknown", "named", "chart_type", "params", "results")
"""The names at the top of an expression's scope; the names of `let` come on top of them."""

_CHAINS = frozenset({"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"})
"""Parts of an expression whose first child reads the scope; what follows reads the value of the first."""


class BadExpression(ValueError):
    """An expression that is no JMESPath. The message tells its author why."""


@lru_cache(1_000)
def compiled(expression: str) -> Any:
    """The parsed expression. Raises `BadExpression`."""
    try:
        found: Any = jmespath.compile(expression)
    except JMESPathError as error:
        raise BadExpression(f"is not JMESPath: {' '.join(str(error).split())[:200]}") from None
    except RecursionError:
        raise BadExpression("is nested too deeply") from None
    if _denies_a_head(found.parsed):
        raise BadExpression("is never true: JMESPath reads !a.b as (!a).b. Write !(a.b)")
    return found


def _denies_a_head(node: Mapping[str, Any]) -> bool:
    """Whether a path begins with a negation, as `!params.x` does: true has no parts."""
    children: list[Mapping[str, Any]] = node.get("children", [])
    begins = node["type"] in _CHAINS and node["type"] != "pipe" and bool(children) and children[0]["type"] == "not_expression"
    return begins or any(_denies_a_head(child) for child in children)


def names_in(expression: str) -> set[tuple[str, ...]]:
    """The names at the beginning of each path: `results.cells.rows[0]` gives `("results", "cells")`. Raises `BadExpression`."""
    return set(_heads(compiled(expression).parsed))


def _heads(node: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    children: list[Mapping[str, Any]] = node.get("children", [])
    if node["type"] == "field":
        yield (str(node["value"]),)
    elif node["type"] in _CHAINS:
        first = list(_heads(children[0]))
        second = children[1] if len(children) > 1 else {"type": ""}  # `a.b.c` is one node with three children
        if node["type"] == "subexpression" and second["type"] == "field" and len(first) == 1 and len(first[0]) == 1:
            first = [(first[0][0], str(second["value"]))]
        yield from first
    else:
        for child in children:
            yield from _heads(child)


def search(expression: str, scope: Any) -> Any:
    """The value of an expression. None where it does not apply: a wrong type is not an error of the user's data."""
    try:
        return compiled(expression).search(scope)
    except (JMESPathError, TypeError, ValueError, RecursionError):
        return None


def holds(expression: str | None, scope: Json) -> bool:
    """Whether a condition is true: as JMESPath has it, empty texts, lists and objects are not."""
    if expression is None:
        return True
    value = search(expression, scope)
    return value is not None and value is not False and value not in ("", [], {})
