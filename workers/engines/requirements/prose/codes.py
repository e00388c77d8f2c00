"""Conditions by the values that columns are known to have: `missed`, `service express`, `of CANADA`, BUILDING 细分市场."""

import re

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from workers.engines.requirements.prose.domains import domain_of, known_form
from workers.engines.requirements.prose.scope import Scope

QUOTES = "'\"“”‘’「」`"
"""Quotation marks around a value."""


def coded(body: str, scope: Scope) -> Expression | None:
    """A value by itself, where only one column of the row has it: `missed`, `not cancelled`, 未取消."""
    word = re.sub(r"^(?:been|is|are|was|were)\s+", "", body, flags=re.IGNORECASE)
    is_not = bool(re.match(r"(?:not|never|neither)\s+", word, re.IGNORECASE)) or word[:1] in "非未"
    word = re.sub(r"^(?:not|never|neither)\s+|^[非未]", "", word, flags=re.IGNORECASE).strip()
    parts = [part for part in re.split(r"\s*,\s*(?:or|nor)\s+|\s*[,，、]\s*|\s+(?:or|nor)\s+|或者?", word) if part]
    parts = [known_form(part.strip().strip(QUOTES).lower(), scope.base.columns) for part in parts]
    found = [
        (column, tuple(known[part.strip().strip(QUOTES).lower()] for part in parts))
        for column in scope.base.columns
        if (known := domain_of(column)) and parts and all(part.strip().strip(QUOTES).lower() in known for part in parts)
    ]
    if len(found) != 1:
        return None
    place = ColumnOf(step=scope.base.name, name=found[0][0].name)
    constants = tuple(Constant(type=ValueType.TEXT, value=value) for value in found[0][1])
    if len(constants) == 1:
        return Call(function=Function.NOT_EQUAL if is_not else Function.EQUAL, arguments=(place, *constants))
    inside = Call(function=Function.IN, arguments=(place, *constants))
    return Call(function=Function.NOT, arguments=(inside,)) if is_not else inside


def coded_above(body: str, scope: Scope) -> Expression | None:
    """A proper name or a code of what the row refers to, where only one column behind its references has it: `of CANADA`."""
    word = re.sub(r"^(?:of|in|from|for)\s+(?:the\s+)?", "", body, flags=re.IGNORECASE).strip().strip(QUOTES)
    if not re.match(r"[A-Z0-9]", word):
        return None
    names = [
        part.strip().strip(QUOTES)
        for part in re.split(r"\s*,\s*(?:or|and)\s+|\s*[,，、]\s*|\s+(?:or|and)\s+|或者?|和|与", word)
        if part.strip()
    ]
    found = [
        (ColumnOf(step=place.alias, name=column.name), tuple(known[name.lower()] for name in names))
        for place in scope.places.values()
        for column in place.table.columns
        if (known := domain_of(column)) and all(name.lower() in known for name in names)
    ]
    if len(found) != 1:
        return None
    constants = tuple(Constant(type=ValueType.TEXT, value=value) for value in found[0][1])
    return Call(function=Function.EQUAL if len(constants) == 1 else Function.IN, arguments=(found[0][0], *constants))


def beside(body: str, scope: Scope) -> Expression | None:
    """A column with one of its values beside it, or some: `service express`, `of segment BUILDING`, `modes MAIL and SHIP`, 类型手术."""
    body = re.sub(r"^(?:of|in|with|from)\s+(?:the\s+)?|^属于\s*", "", body, flags=re.IGNORECASE)
    for place in (found.start() for found in re.finditer(r"\s+", body)) if re.match(r"[\x00-\x7f]+$", body) else range(1, len(body)):
        column = scope.column(body[:place])
        if column is not None and (known := domain_of(scope.detail(column))) and (values := _known_values(body[place:], known)):
            return _one_of(column, values)
    if found := re.fullmatch(
        r"(?P<value>[A-Za-z0-9#-]+(?:\s*(?:或|、|和|与)\s*[A-Za-z0-9#-]+)*)\s*(?P<column>[\u3400-\u9fff]+)", body
    ):  # BUILDING 细分市场
        column = scope.column(found["column"])
        if column is not None and (known := domain_of(scope.detail(column))) and (values := _known_values(found["value"], known)):
            return _one_of(column, values)
    return None


def _known_values(text: str, known: dict[str, str]) -> list[str]:
    """The values of a domain that a text lists; empty where one of them is none."""
    whole = text.strip().strip(QUOTES).lower()
    if whole in known:
        return [known[whole]]
    parts = [
        part.strip().strip(QUOTES).lower() for part in re.split(r"\s*,\s*(?:or|and)\s+|\s*[,，、]\s*|\s+(?:or|and)\s+|或者?|和|与", text)
    ]
    return [known[part] for part in parts] if all(part in known for part in parts) else []


def _one_of(column: ColumnOf, values: list[str]) -> Expression:
    """The column has one of some values."""
    constants = tuple(Constant(type=ValueType.TEXT, value=value) for value in values)
    return Call(function=Function.EQUAL if len(constants) == 1 else Function.IN, arguments=(column, *constants))
