"""JMESPath expressions of procedures: checked when a procedure is read, and evaluated over what is known so far."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from contracts.base import Json
from contracts.statements import Statement, code, name, passage, say

SCOPE = ("message", "words", "subject", "topic", "topic_words", "language", "wanted", "unknown", "named", "chart_type", "params", "results")
"""The names at the top of an expression's scope; the names of `let` come on top of them."""

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_CHAINS = frozenset({"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "flatten", "pipe"})
"""Parts of an expression whose first child reads the scope; what follows reads the value of the first."""


class BadExpression(ValueError):
    """An expression that is no JMESPath. `why` tells its author what is wrong."""

    def __init__(self, why: Statement) -> None:
        super().__init__(why.code)
        self.why = why


MOST_DEPTH = 60
"""Levels of an expression's tree, which is walked by calls. Chains count too: `a && b && c` has two."""


@lru_cache(1_000)
def compiled(expression: str) -> Any:
    """The parsed expression. Raises `BadExpression`."""
    try:
        found: Any = jmespath.compile(expression)
    except JMESPathError as error:
        raise BadExpression(_why(expression, str(error))) from None
    except RecursionError:
        raise _too_deep(expression) from None
    if _is_deep(found.parsed):
        raise _too_deep(expression)
    if _denies_a_head(found.parsed):
        parts = {"read": code("!a.b"), "as_read": code("(!a).b"), "better": code("!(a.b)")}
        raise BadExpression(say("procedures.never_true", expression=code(expression[:100]), **parts))
    return found


def _too_deep(expression: str) -> BadExpression:
    return BadExpression(say("procedures.deep_expression", expression=code(expression[:100])))


def _is_deep(tree: Mapping[str, Any]) -> bool:
    """Whether a branch has more than `MOST_DEPTH` levels: what follows walks it by calls."""
    level = [tree]
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in node.get("children", ())]
    return bool(level)


def _why(expression: str, error: str) -> Statement:
    """Why an expression cannot be parsed. A number that stands alone is the commonest reason."""
    if _NUMBER.fullmatch(expression.strip()):
        return say("procedures.number", literal=name(f"`{expression.strip()}`"))
    return say("procedures.not_jmespath", expression=code(expression[:100]), error=passage(" ".join(error.split())[:200]))


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


def constant(expression: str) -> tuple[bool, Any]:
    """Whether an expression is a constant, such as `'factory'` or a number between backquotes, and its value."""
    try:
        parsed: Json = compiled(expression).parsed
    except BadExpression:
        return False, None
    return (True, parsed["value"]) if parsed["type"] == "literal" else (False, None)
