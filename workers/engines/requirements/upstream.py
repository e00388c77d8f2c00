"""Which tables a target is probably made from, by words alone: its name, its requirement and its columns.

Three signals, each between 0 and 1. Names: the share of the candidate's name that the target's words account for. Columns: which of the
target's columns the candidate has. Texts: what the descriptions have in common. Words that most tables of the source share count little.
Warehouses are built in layers (`stg_`, `int_`, then the rest), so a table of the layer below is more probable than one above.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.tables import TableDetail

NAME, COLUMNS, WORDS, LAYER = 1.0, 0.8, 0.5, 0.35
"""Weights of the signals, chosen by hand on half of the projects of the evaluation."""

UNKNOWN = 0.7
"""Of a table whose columns nobody has described, the columns are taken to fit this much as well as the name does."""

DIGITS = 6
"""Of a score. Scores that differ by less are equal, so that the order does not depend on the order in which they were added up."""

_WORD = re.compile(r"[A-Za-z]+|\d+|[\u3400-\u9fff]")
_STOP = frozenset([
    *("a", "an", "and", "are", "as", "at", "be", "by", "each", "for", "from", "in", "is", "it", "its", "of", "on", "one", "or", "record"),
    *("represents", "row", "table", "that", "the", "this", "to", "unique", "was", "which", "with", "model", "data", "all"),
    *("tmp", "base", "stg", "int", "src", "raw", "fct", "dim"),
])  # fmt: skip
_LAYERS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (1, re.compile(r"(^|_)(tmp|base)$|^base_|^raw_|^src_")),
    (2, re.compile(r"^stg_|^staging_")),
    (3, re.compile(r"^int_|^prep_|^intermediate_")),
)


def words_of(text: str) -> list[str]:
    """The words of a text or a name in their simplest form."""
    return [_stem(word) for word in map(str.lower, _WORD.findall(text)) if word not in _STOP]


@lru_cache(4_096)
def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class _Candidate:
    table: TableDetail
    name: frozenset[str]
    columns: frozenset[str]
    words: frozenset[str]
    layer: int


def rank_upstream(target: str, requirement: str, columns: Sequence[str], tables: Sequence[TableDetail]) -> list[tuple[TableDetail, float]]:
    """The tables, the most probable first. `target` and `columns` may be empty."""
    candidates = [_candidate(table) for table in tables if table.name.lower() != target.lower()]
    if not candidates:
        return []
    in_names, in_columns = _rarity(item.name for item in candidates), _rarity(item.columns for item in candidates)
    in_words = _rarity(item.words for item in candidates)
    own_name, own_words = frozenset(words_of(target)), frozenset(words_of(requirement))
    own_columns = frozenset(column.lower() for column in columns)
    own_parts = frozenset(word for column in own_columns for word in words_of(column))
    layer = layer_of(target)
    scored: list[tuple[TableDetail, float]] = []
    for item in candidates:
        name_ = _share(item.name, own_name | own_words, in_names) * 0.5 + 0.3 * _share(own_name, item.name, in_names)
        name_ += 0.2 * _share(item.name, own_parts, in_names)
        columns_ = _share(own_columns, item.columns, in_columns) if item.columns else UNKNOWN * name_
        texts = _share(own_words | own_name, item.words, in_words)
        scored.append((item.table, NAME * name_ + COLUMNS * columns_ + WORDS * texts + LAYER * _step(layer, item.layer)))
    return sorted(scored, key=lambda found: (-round(found[1], DIGITS), found[0].full_name))


def layer_of(name: str) -> int:
    """1 for raw tables under staging, 2 for staging, 3 for intermediate ones, 4 for the rest."""
    return next((layer for layer, pattern in _LAYERS if pattern.search(name.lower())), 4)


def _step(target: int, candidate: int) -> float:
    """How probable a table of this layer is under the target's."""
    if target <= 2:
        return {True: 1.0, False: 0.0}[candidate in (1, 4)] if candidate != target else 0.2
    if candidate > target:
        return -1.0
    return 1.0 if candidate in (2, 3) else 0.3 if candidate == target else 0.0


def _candidate(table: TableDetail) -> _Candidate:
    name, columns = frozenset(words_of(table.name)), [column.name.lower() for column in table.columns]
    words = frozenset(words_of(f"{table.name} {table.description} {' '.join(columns)}"))
    return _Candidate(table, name, frozenset(columns), words, layer_of(table.name))


def _rarity(sets: Iterable[frozenset[str]]) -> dict[str, float]:
    """How much a word says: little when most tables have it."""
    made = list(sets)
    counts = Counter(word for found in made for word in found)
    return {word: math.log((len(made) + 1) / (count + 0.5)) for word, count in counts.items()}


def _share(of: frozenset[str], within: frozenset[str], rarity: dict[str, float]) -> float:
    """The share of `of` that `within` has, by how much each word says. A word that no table has says nothing."""
    whole = sum(rarity.get(word, 0.0) for word in of)
    return sum(rarity.get(word, 0.0) for word in of & within) / whole if whole > 0 else 0.0
