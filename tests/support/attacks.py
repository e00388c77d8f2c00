"""Texts that make a pattern backtrack, made from the pattern's own structure: what a repeat accepts, many times, then a character that
fails. Whole readers are attacked with the texts of all patterns that stand behind them, see tests/unit/test_attacked_readers.py."""

import re
import sys
from collections.abc import Iterable, Iterator
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

_LETTERS = " a1一,，和按。.:：;；-_'\"`(（)|\n的x嗯=每在是/、?？!*#\t"
_REPEATED = 20
"""A repeat of fewer times is not worth an attack."""
_LONGEST_PUMP = 40


_FLAGS_AT = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4}
"""Functions of `re`, and the place of the flags among their arguments."""


class Attack(NamedTuple):
    before: str
    pump: str
    after: str

    def text(self, size: int) -> str:
        return self.before + self.pump * max(1, size // len(self.pump)) + self.after


PLAIN = tuple(
    Attack("", pump, end)
    for pump in (
        *" a1一,(\"\n.-_，嗯=", "a ", "a,", "a and ", "一和", "a\n", "1,", "a_", "按a", "a(", "1 是 ", "no ", "不", "/**/",
    )
    for end in ("(a ,x",)
)  # fmt: skip
"""Runs that no pattern had to suggest."""


class Recorder:
    """Notes each pattern that is compiled or used, with the module that does it. It replaces the functions of `re`, and calls them."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], set[str]] = {}

    def install(self) -> None:
        for name, place in {
            "compile": 1,
            "search": 2,
            "match": 2,
            "fullmatch": 2,
            "sub": 4,
            "split": 3,
            "findall": 2,
            "finditer": 2,
        }.items():
            setattr(re, name, self._noting(getattr(re, name), place))

    def _noting(self, original: Any, place: int) -> Any:
        def noted(pattern: Any, *rest: Any, **named: Any) -> Any:
            if isinstance(pattern, str):
                flags = named.get("flags", rest[place - 1] if len(rest) >= place else 0)
                self.found.setdefault((pattern, int(flags)), set()).add(sys._getframe(1).f_globals.get("__name__", ""))  # pyright: ignore[reportPrivateUsage]
            return original(pattern, *rest, **named)

        return noted

    def under(self, *packages: str) -> list[tuple[str, int]]:
        """The patterns of these packages and modules."""
        return [key for key, modules in self.found.items() if any(module.startswith(packages) for module in modules)]


def attacks_of(patterns: Iterable[tuple[str, int]], most: int) -> list[Attack]:
    """At most `most` attacks on these patterns beside `PLAIN`, the same ones each time."""
    rng = Random(7)
    found = dict.fromkeys(attack for pattern, flags in patterns for attack in _Tree(pattern, flags, rng).attacks())
    chosen = list(found)
    rng.shuffle(chosen)
    return [*PLAIN, *chosen[:most]]


def _parser() -> tuple[ModuleType, ModuleType]:
    from re import _constants, _parser  # pyright: ignore[reportAttributeAccessIssue] private: nothing else gives the structure of a pattern

    return _parser, _constants


_PARSER, _OF = _parser()
_REPEATS = (_OF.MAX_REPEAT, _OF.MIN_REPEAT, _OF.POSSESSIVE_REPEAT)


class _Tree:
    """A pattern in its parts."""

    def __init__(self, pattern: str, flags: int, rng: Random) -> None:
        self._nodes = list(_PARSER.parse(pattern, flags))
        self._rng = rng

    def attacks(self) -> Iterator[Attack]:
        for before, body, behind in self._repeats(self._nodes, []):
            pumps = dict.fromkeys(self._words(body) for _ in range(8))
            start = self._words(before)
            for pump in list(pumps)[:4]:
                yield from self._made(start, pump, self._rng.choice("!~\n钱x)"))
                yield from self._made("", pump, "\x00")
                yield from self._made("", start + pump, "\x00")
                yield from self._made(start, pump + self._words(behind[:2]), "\x00")
        yield from self._made("", self._words(self._nodes) + self._rng.choice(["", " "]), "\x00")

    @staticmethod
    def _made(before: str, pump: str, after: str) -> Iterator[Attack]:
        if 0 < len(pump) <= _LONGEST_PUMP:
            yield Attack(before, pump, after)

    def _repeats(self, nodes: list[Any], before: list[Any]) -> Iterator[tuple[list[Any], Any, list[Any]]]:
        """Each repeat that may be long: what comes before it, its body, what follows."""
        for place, (kind, value) in enumerate(nodes):
            ahead = [*before, *nodes[:place]]
            if kind in _REPEATS and value[1] >= _REPEATED:
                yield ahead, value[2], nodes[place + 1 :]
            for inside in _inside(kind, value):
                yield from self._repeats(list(inside), ahead)

    def _words(self, nodes: Any) -> str:
        """A text that the parts may match."""
        return "".join(self._word(kind, value) for kind, value in nodes)

    def _word(self, kind: Any, value: Any) -> str:
        if kind is _OF.LITERAL:
            return chr(value)
        if kind is _OF.ANY:
            return self._rng.choice(" a1一,")
        if kind is _OF.NOT_LITERAL:
            return self._rng.choice([letter for letter in _LETTERS[:12] if ord(letter) != value])
        if kind is _OF.IN:
            return self._rng.choice(_accepted(value)[:10])
        if kind in _REPEATS:
            times = min(value[0], 8) or int(self._rng.random() < 0.4)
            return "".join(self._words(value[2]) for _ in range(times))
        if kind is _OF.BRANCH:
            return self._words(self._rng.choice(value[1]))
        return "".join(self._words(inside) for inside in _inside(kind, value)) if kind in (_OF.SUBPATTERN, _OF.ATOMIC_GROUP) else ""


def _inside(kind: Any, value: Any) -> list[Any]:
    """The parts of a part."""
    if kind in _REPEATS:
        return [value[2]]
    if kind is _OF.SUBPATTERN:
        return [value[3]]
    if kind is _OF.BRANCH:
        return list(value[1])
    return [value] if kind is _OF.ATOMIC_GROUP else [value[1]] if kind in (_OF.ASSERT, _OF.ASSERT_NOT) else []


def _accepted(items: Any) -> list[str]:
    """Characters that a class accepts, the usual ones first."""
    is_negated = items[0][0] is _OF.NEGATE
    named = [chr(value if kind is _OF.LITERAL else value[0]) for kind, value in items if kind in (_OF.LITERAL, _OF.RANGE)]
    letters = [letter for letter in dict.fromkeys([*_LETTERS, *named]) if any(_holds(item, letter) for item in items) != is_negated]
    return letters or ["~"]


def _holds(item: tuple[Any, Any], letter: str) -> bool:
    kind, value = item
    if kind is _OF.LITERAL:
        return ord(letter) == value
    if kind is _OF.RANGE:
        return value[0] <= ord(letter) <= value[1]
    is_word = letter.isalnum() or letter == "_"
    tests = {
        _OF.CATEGORY_SPACE: letter.isspace(),
        _OF.CATEGORY_NOT_SPACE: not letter.isspace(),
        _OF.CATEGORY_WORD: is_word,
        _OF.CATEGORY_NOT_WORD: not is_word,
        _OF.CATEGORY_DIGIT: letter.isdigit(),
        _OF.CATEGORY_NOT_DIGIT: not letter.isdigit(),
    }
    return kind is _OF.CATEGORY and tests[value]
