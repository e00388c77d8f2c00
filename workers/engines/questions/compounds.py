"""Two names of tables side by side: `policy holders`, `order items`, `claim payments`.

The second says what is meant, and the first which: rows that refer to a row of the first are its own, so that the items of orders are all
items; and the holders of policies are holders, each of them once. Joined, a holder would be counted once for each policy. Of two tables
that do not refer to each other (payments of policies, called claim payments) nobody knows what the words mean.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from contracts.tables import TableDetail
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.synonyms import VERBS
from workers.engines.questions.words import PARTICIPLE, key, split_name

_GAP = 1
"""Characters between the words of a compound: a space or a hyphen."""
_NOUN = re.compile(r"[A-Za-z]+")


def compounded(items: Sequence[Item], tables: Mapping[str, TableDetail]) -> list[Item]:
    """The items with one table in the place of two that are a compound. Of an unknown kind, it is a word without a link."""
    made: list[Item] = []
    for item in items:
        before = made[-1] if made else None
        if before is None or not _is_compound(before, item):
            made.append(item)
        elif not _names(before, tables):
            made.append(item)  # `written publications`
        elif _belong_together(before, item, tables):
            made[-1] = replace(item, begin=before.begin)
        else:
            made[-1] = Item(Kind.UNKNOWN, before.begin, item.stop, f"{before.text} {item.text}")
    return made


def _is_compound(first: Item, second: Item) -> bool:
    """Whether a noun in the singular is right before another."""
    if first.kind is not Kind.TABLE or second.kind is not Kind.TABLE or second.begin - first.stop > _GAP:
        return False
    if second.text.lower() in VERBS and PARTICIPLE.search(second.text.lower()):
        return False  # `Which drug sold the most?`
    return bool(_NOUN.fullmatch(first.text) and _NOUN.fullmatch(second.text.split()[0])) and key(first.text.lower()) == first.text.lower()


def _names(first: Item, tables: Mapping[str, TableDetail]) -> bool:
    """Whether the word is the noun of its table's name, and not a form of its verb."""
    return first.text.lower() in {key(part) for link in first.links[:1] for part in split_name(tables[link.table].name)}


def _belong_together(first: Item, second: Item, tables: Mapping[str, TableDetail]) -> bool:
    """Whether the best tables of both words are one, or refer to each other directly."""
    pairs = [(left.table, right.table) for left in first.links[:1] for right in second.links[:1]]
    return any(left == right or _refer(tables[left], tables[right]) for left, right in pairs)


def _refer(left: TableDetail, right: TableDetail) -> bool:
    """Whether a declared key leads from one to the other."""
    sides = [(left, right), (right, left)]
    return any(foreign.table in (target.full_name, target.name) for source, target in sides for foreign in source.foreign_keys)
