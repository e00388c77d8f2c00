"""Joins: the sides by their aliases, the keys that a condition compares, the kind that the words tell."""

from collections.abc import Sequence

from contracts.scope import JoinKind
from workers.engines.scope.clauses import Words, paths, split_words
from workers.engines.scope.record import NO_COLUMNS, Flow
from workers.engines.scope.statements import Group, Item

COMPARISONS = {"==", "="}


class Source:
    """One side of a join: a rowset and the name it goes by."""

    def __init__(self, flow: Flow, alias: str) -> None:
        self.flow = flow
        self.alias = alias


def join_keys(condition: Sequence[Item], seen: Sequence[Source], other: Source, words: Words) -> tuple[list[str], list[str]]:
    """The columns that both sides are compared by, one of each side at the same place."""
    left: list[str] = []
    right: list[str] = []
    aliases = {source.alias for source in seen}
    for part in split_words(condition, {"AND", "&&"}, words):
        if len(part) == 1 and isinstance(part[0], Group):
            inner = join_keys(part[0].items, seen, other, words)
            left, right = [*left, *inner[0]], [*right, *inner[1]]
            continue
        sides = split_words(part, COMPARISONS, words)
        compared = [[path for path in paths(side) if path[0].upper() not in NO_COLUMNS] for side in sides]
        if len(compared) != 2 or not compared[0] or not compared[1]:
            continue
        first, second = compared[0][0], compared[1][0]
        if other.alias in first[:-1] or (aliases - {other.alias}) & set(second[:-1]):
            first, second = second, first
        left.append(first[-1])
        right.append(second[-1])
    return left, right


def join_kind(words: Sequence[str]) -> JoinKind:
    """What a join keeps."""
    hinted = set(words)
    if "CROSS" in hinted:
        return JoinKind.CROSS
    if hinted & {"ANTISEMIJOIN", "ANTISEMI", "ANTI"}:
        return JoinKind.ANTI_SEMI
    if hinted & {"SEMIJOIN", "SEMI"}:
        return JoinKind.SEMI
    if "FULL" in hinted:
        return JoinKind.FULL_OUTER
    if "RIGHT" in hinted:
        return JoinKind.RIGHT_OUTER
    return JoinKind.LEFT_OUTER if hinted & {"LEFT", "OUTER"} else JoinKind.INNER
