"""The grammar of questions: rules as data (`grammar.txt`), read by a chart over all that each word may be.

A text is read only if the rules consume all of it. The chart keeps a few of the cheapest ways for each rule at each place, and gives up a
text for which it has to try more than any question needs: what repeats itself a hundred times is not read, and so asked about.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from contracts.times import TimeRange
from workers.engines.questions.units import Quantity

SKIPPED = "SKIP"
_MOST_WAYS = 6
"""Ways in which a rule may read the same words that are kept, the cheapest first."""
_MOST_TRIED = 5_000
"""Symbols that a chart tries. Questions take some 500, the longest of the sets at hand 1,500."""
_SKIP, _WORD, _PARTIAL = 0.2, 1.0, 0.3
"""Costs: of a word that says nothing, of one that does, and of a name that is meant by a part of it only."""


@dataclass(frozen=True, slots=True)
class Link:
    """Something in the schema that words may stand for."""

    table: str
    """Its full name."""
    column: str = ""
    """Empty: the table itself."""
    value: str = ""
    """Of a value: as the data have it."""
    is_partial: bool = False
    """The words are only a part of its name."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What some characters of the text may be."""

    kind: str
    """A name of `lexicon.yaml`, or TABLE, COLUMN, VALUE, FLAG, METRIC, FIGURE, TIME."""
    begin: int
    stop: int
    text: str
    links: tuple[Link, ...] = ()
    meant: "TimeRange | Quantity | None" = None
    """Of TIME (None: of which time has to be asked) and FIGURE."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a rule read."""

    rule: str
    parts: tuple["Node | Edge", ...]
    cost: float = field(compare=False, default=0.0)

    def all(self, *names: str) -> list["Node"]:
        """The nodes of these rules right below, in order."""
        return [part for part in self.parts if isinstance(part, Node) and part.rule in names]

    def first(self, *names: str) -> "Node | None":
        """The first of them."""
        return next(iter(self.all(*names)), None)

    def edge(self, *kinds: str) -> Edge | None:
        """The first word right below that is of one of these kinds."""
        return next(iter(self.edges(*kinds)), None)

    def edges(self, *kinds: str) -> list[Edge]:
        """The words right below of these kinds, in order."""
        return [part for part in self.parts if isinstance(part, Edge) and part.kind in kinds]


@cache
def rules() -> Mapping[str, Sequence[Sequence[str]]]:
    """Rule → its alternatives, each a list of symbols with `?` or `*` behind them."""
    lines = Path(__file__).with_name("grammar.txt").read_text("utf-8").splitlines()
    named = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {name: [way.split() for way in ways.split("|")] for name, _, ways in named}


@cache
def _openers(rule: str) -> frozenset[str]:
    """The kinds of words that something may begin with which a rule reads."""
    ways = [(way, place) for way in rules()[rule] for place in range(len(way)) if all(before[-1] in "?*" for before in way[:place])]
    firsts = {way[place].rstrip("?*") for way, place in ways}
    return frozenset[str]().union(*({first} if first.isupper() else _openers(first) for first in firsts))


class Chart:
    """All readings of a text."""

    def __init__(self, length: int, edges: Iterable[Edge], blanks: Iterable[int]) -> None:
        """`blanks`: places of characters between words."""
        self._length, self._blank = length, frozenset(blanks)
        self._edges: dict[tuple[str, int], list[Edge]] = defaultdict(list)
        for edge in dict.fromkeys(edges):
            self._edges[edge.kind, edge.begin].append(edge)
        self._kinds: dict[int, set[str]] = defaultdict(set)
        for kind, begin in self._edges:
            self._kinds[begin].add(kind)
        self._memo: dict[tuple[str, int], list[tuple[int, Node]]] = {}
        self._tried = 0
        self.furthest = 0
        """Behind the last word that some rule could use."""

    def parse(self, start: str) -> list[Node]:
        """The ways in which the rule reads the whole text, the cheapest first."""
        found = [node for stop, node in self._rule(start, 0) if any(place == self._length for place, _ in self._starts(stop))]
        return sorted(found, key=lambda node: node.cost) if self._tried <= _MOST_TRIED else []

    def _starts(self, at: int) -> list[tuple[int, float]]:
        """Where the next word may begin: behind blanks, and behind words that say nothing."""
        found: list[tuple[int, float]] = []
        waiting = [(at, 0.0)]
        while waiting:
            place, cost = waiting.pop()
            while place in self._blank:
                place += 1
            found.append((place, cost))
            waiting += [(edge.stop, cost + _SKIP) for edge in self._edges.get((SKIPPED, place), ())]
        return found

    def _rule(self, name: str, at: int) -> list[tuple[int, Node]]:
        if (known := self._memo.get((name, at))) is not None:
            return known
        self._memo[name, at] = []
        if all(_openers(name).isdisjoint(self._kinds.get(place, ())) for place, _ in self._starts(at)):
            return []
        ways: dict[int, list[Node]] = defaultdict(list)
        for symbols in rules()[name]:
            for stop, cost, parts in self._sequence(symbols, at):
                ways[stop].append(Node(name, parts, cost))
        found = [(stop, node) for stop, nodes in ways.items() for node in _cheapest(nodes)]
        self._memo[name, at] = found
        return found

    def _sequence(self, symbols: Sequence[str], at: int) -> list[tuple[int, float, tuple[Node | Edge, ...]]]:
        states: list[tuple[int, float, tuple[Node | Edge, ...]]] = [(at, 0.0, ())]
        for symbol in symbols:
            name = symbol.rstrip("?*")
            kept = list(states) if name != symbol else []
            fresh = states
            while fresh:
                fresh = _pruned(
                    [
                        (stop, cost + more, (*parts, part))
                        for place, cost, parts in fresh
                        for stop, more, part in self._symbol(name, place)
                        if stop > place
                    ]
                )
                kept += fresh
                if not symbol.endswith("*"):
                    break
            states = _pruned(kept)
            if not states:
                return []
        return [state for state in states if state[2]]

    def _symbol(self, name: str, at: int) -> list[tuple[int, float, Node | Edge]]:
        self._tried += 1
        if self._tried > _MOST_TRIED:
            return []
        if not name.isupper():
            return [(stop, node.cost, node) for stop, node in self._rule(name, at)]
        found: list[tuple[int, float, Node | Edge]] = []
        for place, cost in self._starts(at):
            for edge in self._edges.get((name, place), ()):
                self.furthest = max(self.furthest, edge.stop)
                partial = _PARTIAL if edge.links and all(link.is_partial for link in edge.links) else 0.0
                found.append((edge.stop, cost + _WORD + partial, edge))
        return found


def _cheapest(nodes: Sequence[Node]) -> list[Node]:
    """Each way once: the same parts are the same objects, which the chart made."""
    different = {tuple(map(id, node.parts)): node for node in sorted(nodes, key=lambda node: -node.cost)}
    return sorted(different.values(), key=lambda node: node.cost)[:_MOST_WAYS]


def _pruned(states: Sequence[tuple[int, float, tuple[Node | Edge, ...]]]) -> list[tuple[int, float, tuple[Node | Edge, ...]]]:
    """A few of the cheapest at each place."""
    kept: dict[int, list[tuple[int, float, tuple[Node | Edge, ...]]]] = defaultdict(list)
    for state in sorted(states, key=lambda state: state[1]):
        if len(kept[state[0]]) < _MOST_WAYS:
            kept[state[0]].append(state)
    return [state for some in kept.values() for state in some]
