"""Measures that somebody has defined: in the instructions of a question, or in the comments of tables and columns.

`ASP = average sale price` and `revenue is the sum of quantity * unit_price over completed orders` each give a name to a measure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Arithmetic, Relation
from contracts.tables import TableDetail
from workers.engines.questions.chinese import chinese_tokens, is_chinese
from workers.engines.questions.defining import definitions_in
from workers.engines.questions.grammar import letters, reduce
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.linking import Linker
from workers.engines.questions.parts import ConditionPart, MeasurePart
from workers.engines.questions.products import Product, product_of
from workers.engines.questions.runs import conditions_in
from workers.engines.questions.tokens import tokens_of

Metrics = Mapping[tuple[str, ...], MeasurePart]
"""Words of a name in lower case → the measure."""

_ACRONYM = re.compile(r"[A-Z]{3,6}[0-9]?|[A-Z]{2,5}R|[A-Z]&[A-Z]|C[AL][CV]|NPS|ROI|YoY|MoM|QoQ")
_CHINESE_RATE = re.compile(r"[\u3400-\u9fff]{1,6}(?:率|客单价)|客单价|同比|环比")
_MEASURES = frozenset(
    [
        "churn",
        "retention",
        "margin",
        "profitability",
        "turnover",
        "conversion",
        "engagement",
        "stickiness",
        "productivity",
        "utilization",
        "efficiency",
    ]
)
_REVENUES = ("revenue", "revenue amount", "sale revenue", "sales revenue", "turnover", "sales amount", "sale amount")
_FAR = 100_000
"""Items of definitions are placed behind all items of a question, each definition in a range of its own."""
_NEXT_PART = 10_000
_CALL = re.compile(r"\b(sum|avg|count|min|max)\s*\(\s*(?:distinct\s+)?([\w.*]+)\s*\)", re.IGNORECASE)
_WORDS = {"sum": "sum of", "avg": "average", "count": "number of", "min": "minimum", "max": "maximum"}
_TAIL = re.compile(r"(?:^|\s+)(?:over|where|for all|across|from|in)\s+(?:the |all )?(?P<rest>.+)$", re.IGNORECASE)
_MINUS = re.compile(r"\s+[-−]\s+|\s+minus\s+", re.IGNORECASE)
_CHANGE = re.compile(r"^\(\s*(?P<first>[^()]+?)\s*[-−]\s*(?P<second>[^()]+?)\s*\)\s*/\s*(?P<third>[^()]+?)$")


def metrics_in(texts: Sequence[str], linker: Linker) -> dict[tuple[str, ...], MeasurePart]:
    """The measures that the texts define and that the schema has the columns for."""
    made: dict[tuple[str, ...], MeasurePart] = {}
    for number, (name, gloss, what) in enumerate(definitions_in(texts), start=1):
        reader = _Reader(linker, _FAR * number)
        measure = reader.measure(what) or (reader.measure(gloss) if gloss else None)
        if measure is not None:
            made[tuple(name.lower().split())] = measure
            if gloss:
                made.setdefault(tuple(gloss.lower().split()), measure)
    return made


def is_measure_word(word: str) -> bool:
    """Whether a word without a link is likely the name of a measure that somebody has to define: `GMV`, `churn`, 毛利率."""
    return bool(_ACRONYM.fullmatch(word)) or word.lower() in _MEASURES or bool(_CHINESE_RATE.fullmatch(word))


def known_measures(revenue: Link | None) -> dict[tuple[str, ...], MeasurePart]:
    """Measures that need no definition: revenue as the sum of the only column that can be meant."""
    if revenue is None:
        return {}
    measure = MeasurePart(Aggregate.SUM, Item(Kind.COLUMN, _FAR // 2, _FAR // 2, revenue.column, (revenue,)))
    return {tuple(name.split()): measure for name in _REVENUES}


def comments(tables: Sequence[TableDetail]) -> list[str]:
    """Descriptions that may hold definitions."""
    return [text for table in tables for text in (table.description, *(column.description for column in table.columns)) if text]


def _of_tables(measure: MeasurePart, items: Sequence[Item]) -> MeasurePart:
    """The measure of a column of the tables that are named: the amount of invoices, where payments have one too."""
    names = {link.table for item in items if item.kind == Kind.TABLE for link in item.links}
    if measure.of is None or not names:
        return measure
    own = tuple(link for link in measure.of.links if link.table in names)
    return replace(measure, of=replace(measure.of, links=own)) if own else measure


class _Reader:
    def __init__(self, linker: Linker, offset: int) -> None:
        self._linker, self._offset = linker, offset

    def measure(self, text: str) -> MeasurePart | None:
        """What the text computes; None where it is not understood."""
        text, times = re.subn(r"\s*[*×]\s*100(?:\.0)?\s*%?$", "", text.strip())
        if match := _CHANGE.match(text):
            first, second, third = (self._simple(match[name], place) for place, name in enumerate(("first", "second", "third")))
            if first is None or second is None or match["second"].strip().lower() != match["third"].strip().lower() or third is None:
                return None
            return replace(first, over=second, relation=Relation.CHANGE, in_percent=bool(times))
        if text.count(" / ") == 1 and "(" not in _CALL.sub("", text):
            first, second = (self._simple(part, place) for place, part in enumerate(text.split(" / ")))
            if first is None or second is None:
                return None
            return replace(first, over=second, relation=Relation.RATIO, in_percent=bool(times))
        if not times and len(parts := _MINUS.split(text)) == 2 and all(_CALL.search(part) for part in parts):
            first, second = (self._simple(part, place) for place, part in enumerate(parts))
            if first is not None and second is not None:
                return replace(first, over=second, relation=Relation.DIFFERENCE)
        return self._simple(text) if not times else None

    def _simple(self, text: str, place: int = 0) -> MeasurePart | None:
        """A measure without arithmetic between aggregates. `place`: which part of the definition it is, since the items of parts at the
        same position must not be taken for each other."""
        if place:
            return _Reader(self._linker, self._offset + _NEXT_PART * place)._simple(text)
        if (product := product_of(text.strip())) is not None:
            return self._product(product)
        plain = _CALL.sub(lambda call: f"{_WORDS[call[1].lower()]} {call[2].rpartition('.')[2]}", text)
        items = self._items(plain)
        made = reduce(items, chinese=is_chinese(plain))
        shape = letters(made)
        if shape[:1] == "m" and set(shape[1:]) <= {"c", "T"} and isinstance(made[0].payload, MeasurePart):
            measure = _of_tables(made[0].payload, made)
            return replace(measure, where=(*measure.where, *conditions_in(made)))
        if tail := _TAIL.search(plain):
            return self._with_tail(plain[: tail.start()], tail["rest"])
        return None

    def _with_tail(self, head: str, tail: str) -> MeasurePart | None:
        measure = self._simple(head)
        conditions = self._conditions(tail)
        return replace(measure, where=conditions) if measure is not None and conditions is not None else None

    def _product(self, product: Product) -> MeasurePart | None:
        left, right = self._items(product.left), self._items(product.right, shift=500)
        if letters(left) != "C" or letters(right) != "C":
            return None
        aggregate = Aggregate.SUM if product.is_sum else Aggregate.AVERAGE
        rest = _TAIL.search(product.rest)
        conditions = self._conditions(rest["rest"]) if rest else ()
        if conditions is None or (product.rest.strip(" .)") and not rest):
            return None
        return MeasurePart(aggregate, left[0], operator=Arithmetic.TIMES, operand=right[0], where=conditions)

    def _conditions(self, text: str) -> tuple[ConditionPart, ...] | None:
        """Conditions such as `completed orders`; the tables that they name need no condition."""
        made = reduce(self._items(text, shift=1_000))
        if not set(letters(made)) <= {"c", "T"}:
            return None
        return conditions_in(made)

    def _items(self, text: str, shift: int = 0) -> list[Item]:
        offset = self._offset + shift
        plain = text.replace("*", " ")
        found = self._linker.items(chinese_tokens(plain, ()) if is_chinese(plain) else tokens_of(plain, ()))
        return [replace(item, begin=item.begin + offset, stop=item.stop + offset) for item in found if item.kind != Kind.STOP]
