"""Cases in words: `gold if spent > 1500, silver if spent > 500, otherwise basic`, spent > 1500 为 gold，否则为 basic."""

import re
from collections.abc import Callable

from contracts.pipelines.expressions import Call, Constant, Expression, Function, ValueType

_VALUE = r"'[^']*'|\"[^\"]*\"|“[^”]*”|[\w-]+"
_BRANCH = re.compile(
    rf"(?P<value>{_VALUE}) (?:if|when|where|for) (?P<test>.+)"
    rf"|(?:若|如果|当)?\s*(?P<test_zh>.+?)\s*(?:时|则)?(?:为|是|记为|算|标为)\s*(?P<value_zh>{_VALUE})",
    re.IGNORECASE,
)
_REST = re.compile(
    rf"(?:or |and )?(?:otherwise|else|in all other cases)(?: it is)?,? (?P<value>{_VALUE})|(?P<value2>{_VALUE}) (?:otherwise|else)"
    rf"|(?:否则|其他|其余)(?:为|是|记为|算|都?是)?\s*(?P<value_zh>{_VALUE})",
    re.IGNORECASE,
)


def cases_of(text: str, test_of: Callable[[str], Expression | None], is_column: Callable[[str], bool]) -> Expression | None:
    """The value of each case and of all others; None: the text does not say it for all rows. A word that is also a column is not taken for
    a value."""
    parts = [part for part in re.split(r"\s*[,，;；]\s*(?:and\s+|or\s+)?", text.strip(" .。")) if part]
    rest = _REST.fullmatch(parts[-1]) if len(parts) > 1 else None
    if rest is None:
        return None
    made: list[Expression] = []
    for part in parts[:-1]:
        found = _BRANCH.fullmatch(part)
        test = test_of(found["test"] or found["test_zh"]) if found else None
        value = _constant(found["value"] or found["value_zh"], is_column) if found else None
        if test is None or value is None:
            return None
        made += [test, value]
    other = _constant(rest["value"] or rest["value2"] or rest["value_zh"], is_column)
    values = [*made[1::2], *([other] if other is not None else [])]
    if other is None or len({value.type for value in values if isinstance(value, Constant)}) != 1:
        return None
    return Call(function=Function.CASE, arguments=(*made, other))


def _constant(text: str, is_column: Callable[[str], bool]) -> Constant | None:
    bare = text.strip("'\"“”")
    if bare != text:
        return Constant(type=ValueType.TEXT, value=bare)
    if re.fullmatch(r"-?\d+(?:\.\d+)?", bare):
        return Constant(type=ValueType.DECIMAL, value=bare)
    if bare.lower() in ("true", "false"):
        return Constant(type=ValueType.BOOLEAN, value=bare.lower())
    return None if is_column(bare) or bare.lower() in ("null", "none", "it") else Constant(type=ValueType.TEXT, value=bare)
