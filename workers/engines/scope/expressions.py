"""The content of a clause's expressions: functions that are called, aliases, and C# that the optimiser cannot see into."""

from collections.abc import Sequence

from workers.engines.scope.clauses import Words
from workers.engines.scope.statements import Group, Item, first_token, flat
from workers.engines.scope.tokens import Token, TokenKind


def csharp_in(expression: Sequence[Item]) -> tuple[Token, str] | None:
    """The first C# in it, and its name: a method that is called on a value, a lambda, a new object."""
    items = list(flat(expression))
    for place in range(len(items) - 2):
        name, mark, method = items[place : place + 3]
        called = place + 3 < len(items) and items[place + 3].text == "("
        if name.kind is TokenKind.NAME and mark.text == "." and method.kind is TokenKind.NAME and called:
            return name, f"{name.text}.{method.text}"
        if mark.text == "=>" or (name.kind is TokenKind.NAME and name.text == "new"):
            return name, mark.text if mark.text == "=>" else "new"
    return None


def alias_of(items: Sequence[Item]) -> str:
    """The last name, where it is not the source itself."""
    last = items[-1]
    is_name = isinstance(last, Token) and last.kind is TokenKind.NAME and len(items) > 1
    before = items[-2] if len(items) > 1 else None
    is_member = isinstance(before, Token) and before.text == "."
    return first_token(last).text if is_name and not is_member else ""


def called_in(items: Sequence[Item]) -> list[str]:
    """Functions that are called: `SUM`, `My.Rank`."""
    found: list[str] = []
    for place in range(len(items) - 1):
        item, after = items[place], items[place + 1]
        if isinstance(item, Token) and item.kind is TokenKind.NAME and isinstance(after, Group) and after.token.text == "(":
            found.append(item.text)
    return list(dict.fromkeys(found))


def without_top(items: Sequence[Item], words: Words) -> Sequence[Item]:
    """A SELECT list without DISTINCT and TOP n."""
    at = 0
    while at < len(items) and words.of(items[at]) in ("DISTINCT", "TOP", "ALL"):
        at += 2 if words.of(items[at]) == "TOP" else 1
    return items[at:]
