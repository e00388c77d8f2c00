"""The clauses of a rowset expression: the text between its keywords. A bracketed part counts as one item."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workers.engines.scope.statements import Group, Item, first_token
from workers.engines.scope.tokens import Token, TokenKind

SINGLE = {
    *("SELECT", "FROM", "WHERE", "HAVING", "PRODUCE", "PRESORT", "USING", "READONLY", "REQUIRED", "OPTION", "TO", "ON", "WITH", "INTO"),
    *("EXTRACT", "PROCESS", "REDUCE", "COMBINE", "OUTPUT", "UNION", "INTERSECT", "EXCEPT", "FETCH"),
}
SETS = {"UNION", "INTERSECT", "EXCEPT"}
BEFORE_BY = {"GROUP", "ORDER", "SORTED", "SORT"}
JOIN_WORDS = {"JOIN", "SEMIJOIN", "ANTISEMIJOIN", "APPLY"}
JOIN_MODIFIERS = {
    *("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "SEMI", "ANTI", "ANTISEMI"),
    *("PAIR", "SERIAL", "BROADCAST", "BROADCASTLEFT", "BROADCASTRIGHT", "FULLCROSS", "MERGE", "HASH", "LOOP", "INDEXLOOKUP"),
}
SPREAD_SCHEMES = {"DIRECT", "HASH", "RANGE", "RANDOM", "ROUND", "ROBIN"}
SPREAD_VERBS = {"DISTRIBUTE", "DISTRIBUTED", "PARTITION", "PARTITIONED", "CLUSTER", "CLUSTERED"}


@dataclass(slots=True)
class Clause:
    """A keyword and what follows it."""

    name: str
    """`SELECT`, `GROUP BY`, `JOIN`, `SPREAD` (every word on how rows are partitioned), ...; empty for the part before the first keyword."""
    words: tuple[str, ...]
    """All keywords of it, `LEFT OUTER JOIN` for a join."""
    token: Token | None
    items: list[Item] = field(default_factory=list[Item])
    end: int = 0
    """The place in the text where its last keyword ends."""


class Words:
    """Which names are keywords. They are written in capitals; where a script has no keyword in capitals, case does not count."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        names = {token.text for token in tokens if token.kind is TokenKind.NAME}
        self.ignore_case = not names & {"SELECT", "EXTRACT", "OUTPUT", "PROCESS", "REDUCE", "FROM"}

    def of(self, item: Item | None) -> str:
        """The keyword that an item may be, in capitals; empty for anything else."""
        if not isinstance(item, Token) or item.kind is not TokenKind.NAME:
            return ""
        return item.text.upper() if self.ignore_case or item.text.isupper() else ""


def cut(items: Sequence[Item], words: Words) -> list[Clause]:
    """The clauses in order."""
    clauses = [Clause("", (), None)]
    at = 0
    while at < len(items):
        is_member = at > 0 and _is_operator(items[at - 1], ".")
        name, taken = ("", 0) if is_member else _keyword(items, at, words)
        if taken:
            arguments = tuple(words.of(item) for item in items[at : at + taken])
            clauses.append(Clause(name, arguments, first_token(items[at]), end=items[at + taken - 1].end))
            at += taken
        else:
            clauses[-1].items.append(items[at])
            at += 1
    return clauses


def _keyword(items: Sequence[Item], at: int, words: Words) -> tuple[str, int]:
    """The clause that begins here and how many words its keyword has; no word: none begins."""
    word = words.of(items[at])
    if not word:
        return "", 0
    following = words.of(items[at + 1]) if at + 1 < len(items) else ""
    if word in BEFORE_BY and following == "BY":
        return f"{'SORTED' if word in ('SORT', 'SORTED') else word} BY", 2
    for wanted, allowed, name in ((JOIN_WORDS, JOIN_MODIFIERS, "JOIN"), (SPREAD_VERBS, SPREAD_SCHEMES, "SPREAD")):
        end = at
        while end < len(items) and words.of(items[end]) in allowed:
            end += 1
        if end < len(items) and words.of(items[end]) in wanted:
            return (name, _spread_end(items, end + 1, words) - at) if name == "SPREAD" else (name, end + 1 - at)
    if word in SETS:
        return word, 2 if following in ("ALL", "DISTINCT", "OUTER") else 1
    return (word, 1) if word in SINGLE else ("", 0)


def _spread_end(items: Sequence[Item], at: int, words: Words) -> int:
    """Past `BY` and a scheme that stands behind the verb: `DISTRIBUTED BY ROUND ROBIN`."""
    while at < len(items) and words.of(items[at]) in {"BY", *SPREAD_SCHEMES}:
        at += 1
    return at


def _is_operator(item: Item | None, text: str) -> bool:
    return isinstance(item, Token) and item.kind is TokenKind.OPERATOR and item.text == text


def split_at(items: Sequence[Item], mark: str) -> list[list[Item]]:
    """The parts between an operator; empty parts are left out."""
    parts: list[list[Item]] = [[]]
    for item in items:
        if _is_operator(item, mark):
            parts.append([])
        else:
            parts[-1].append(item)
    return [part for part in parts if part]


def split_words(items: Sequence[Item], marks: set[str], words: Words) -> list[list[Item]]:
    """The parts between keywords or operators of this set."""
    parts: list[list[Item]] = [[]]
    for item in items:
        if words.of(item) in marks or (isinstance(item, Token) and item.kind is TokenKind.OPERATOR and item.text in marks):
            parts.append([])
        else:
            parts[-1].append(item)
    return [part for part in parts if part]


def paths(items: Sequence[Item]) -> list[tuple[str, ...]]:
    """The dotted names in an expression, those in brackets too: `a.Key == b.Key` → ("a", "Key"), ("b", "Key"). What is called
    (`a.Key.Trim()`) loses the method, and a plain function call (`Trim(x)`) does not count as a name."""
    found: list[tuple[str, ...]] = []
    waiting: list[Sequence[Item]] = [items]
    while waiting:
        part = waiting.pop(0)
        at = 0
        while at < len(part):
            item = part[at]
            if isinstance(item, Group):
                waiting.append(item.items)
                at += 1
                continue
            if item.kind is not TokenKind.NAME:
                at += 1
                continue
            names = [item.text]
            while at + 2 < len(part) and _is_operator(part[at + 1], ".") and _is_name(part[at + 2]):
                names.append(first_token(part[at + 2]).text)
                at += 2
            following = part[at + 1] if at + 1 < len(part) else None
            if isinstance(following, Group) and following.token.text == "(":
                names.pop()
            if names:
                found.append(tuple(names))
            at += 1
    return found


def _is_name(item: Item) -> bool:
    return isinstance(item, Token) and item.kind is TokenKind.NAME
