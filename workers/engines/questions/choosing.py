"""Which link of each part is meant: all combinations are weighed by how well the words fit and by how few tables they need."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from contracts.tables import JoinPath
from workers.engines.questions.edges import Edges
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.parts import ConditionPart, MeasurePart
from workers.engines.questions.words import key, split_name

_MOST_COMBINATIONS = 4_000
_PER_TABLE = 0.3
"""What another table costs: as much as a word that fits by its synonym only."""
_PER_WORD_OF_A_TABLE = 0.1
"""What a word of a table's name in the question speaks for it: more than the difference at which two readings are a tie."""
_SPOKEN_OF = 0.25
"""What a column gains when its table is named in the question."""

_GENERAL = frozenset(["name", "names", "title", "titles", "id", "ids", "名字", "姓名", "名称", "名", "编号"])
"""Words that mean a column of the tables that are spoken of, and of no other."""

OF_EACH = frozenset([
    "type", "types", "kind", "kinds", "status", "state", "category", "categories", "class", "level",
    "类型", "种类", "类别", "状态", "级别", "等级",
])  # fmt: skip
"""Words by which many tables name a column: of the tables that are spoken of, where these have one."""

Chosen = Mapping[int, Link]
"""The link of each item, by the item's place in the text."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A combination of links, and the joins that it needs."""

    links: Chosen
    joins: tuple[JoinPath, ...]
    tables: tuple[str, ...]
    score: float
    bridges: int
    """Tables between the others, of which the question does not speak."""

    @property
    def is_weak(self) -> bool:
        """Whether some words fit only in part."""
        return any(link.is_partial for link in self.links.values())


def place_of(item: Item) -> int:
    """What identifies an item."""
    return item.begin


def choices(frame: Frame, edges: Edges, spoken_words: Collection[str] = ()) -> list[Choice]:
    """All combinations whose tables can be joined, the best first. `spoken_words`: keys of all words of the question, of which those that
    change nothing else still prefer `payments_received` to `payments_made`."""
    items = {place_of(item): item for item in _items(frame)}
    options = [_options(item, frame) for item in items.values()]
    if not all(options):
        return []
    total = 1
    for option in options:
        total *= len(option)
    if total > _MOST_COMBINATIONS:
        options = [option[:3] for option in options]
    absent = {place_of(part.table) for part in frame.absences}
    spoken = {link.table for item in frame.tables for link in item.links}
    same_text = _same_text(items)
    made: list[Choice] = []
    for links in product(*options):
        chosen = dict(zip(items, links, strict=True))
        if any(len({chosen[place] for place in group}) > 1 for group in same_text):
            continue
        needed = sorted({link.table for place, link in chosen.items() if place not in absent})
        quality = sum(link.quality + (_SPOKEN_OF if link.column and link.table in spoken else 0.0) for link in links)
        for joins in edges.trees(needed) if len(needed) > 1 else [()]:
            tables = tuple(dict.fromkeys([*needed, *(name for path in joins for name in (path.left, path.right))]))
            heard = sum(key(word) in spoken_words for name in needed for word in split_name(name))
            score = quality - _PER_TABLE * len(tables) + _PER_WORD_OF_A_TABLE * heard / max(1, len(needed))
            made.append(Choice(chosen, joins, tables, score, len(tables) - len(needed)))
    return sorted(made, key=lambda choice: -choice.score)


def _same_text(items: Mapping[int, Item]) -> list[list[int]]:
    """Places of the same words, which mean the same."""
    by_text: dict[tuple[Kind, str], list[int]] = {}
    for place, item in items.items():
        if item.kind in (Kind.TABLE, Kind.COLUMN):
            by_text.setdefault((item.kind, item.text.lower()), []).append(place)
    return [group for group in by_text.values() if len(group) > 1]


def _options(item: Item, frame: Frame) -> list[Link]:
    """Links of an item; of a value beside a column, those that the two share."""
    for part in _conditions(frame):
        if part.column is None or not any(value is item for value in part.values):
            continue
        places = {(link.table, link.column) for link in part.column.links}
        return [link for link in item.links if (link.table, link.column) in places]
    if item.kind == Kind.COLUMN and item.text.lower() in _GENERAL:
        spoken = {link.table for table in frame.tables for link in table.links}
        own = [link for link in item.links if link.table in spoken]
        return own if spoken else list(item.links)
    if item.kind == Kind.COLUMN and item.text.lower() in OF_EACH:
        spoken = {link.table for table in _things(frame) for link in table.links[:1]}
        return [link for link in item.links if link.table in spoken] or list(item.links)
    return list(item.links)


def _things(frame: Frame) -> Iterator[Item]:
    """The tables that are spoken of, and those whose rows are counted."""
    yield from frame.tables
    yield from (measure.of for measure in _measures(frame) if measure.of is not None and measure.of.kind == Kind.TABLE)


def _conditions(frame: Frame) -> Iterator[ConditionPart]:
    yield from frame.conditions
    for measure in _measures(frame):
        yield from measure.where


def _measures(frame: Frame) -> Iterator[MeasurePart]:
    found = [output for output in frame.outputs if isinstance(output, MeasurePart)]
    found += [order.by for order in frame.orders if isinstance(order.by, MeasurePart)]
    if frame.top is not None and isinstance(frame.top.by, MeasurePart):
        found.append(frame.top.by)
    for measure in found:
        yield measure
        if measure.over is not None:
            yield measure.over


def _items(frame: Frame) -> Iterator[Item]:
    """All items that have links to choose from. A column beside values of the data is chosen with them."""
    yield from frame.tables
    if frame.head is not None:
        yield frame.head
    yield from (output for output in frame.outputs if isinstance(output, Item))
    for measure in _measures(frame):
        yield from filter(None, (measure.of, measure.operand))
    for group in frame.groups:
        yield from (item for item in group.of if item.kind != Kind.UNIT)
    yield from (order.by for order in frame.orders if isinstance(order.by, Item) and order.by.kind != Kind.UNIT)
    if frame.top is not None and isinstance(frame.top.by, Item):
        yield frame.top.by
    yield from (part.table for part in (*frame.absences, *frame.havings))
    yield from (period.near for period in frame.periods if period.near is not None)
    yield from (period.column for period in frame.periods if period.column is not None)
    for part in _conditions(frame):
        linked = [value for value in part.values if value.links]
        if part.column is not None and not linked:
            yield part.column
        yield from linked


def linked(part: ConditionPart, chosen: Chosen) -> Sequence[Link]:
    """The links of a condition: of its values, or else of its column."""
    values = [chosen[place_of(value)] for value in part.values if value.links]
    if values or part.column is None:
        return values
    return [chosen[place_of(part.column)]]
