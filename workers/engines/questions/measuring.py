"""Counts, aggregates and relations of a plan."""

import re
from typing import cast

from contracts.queries import Aggregate, Condition, Measure, Operator, Selected
from workers.engines.questions.amounts import is_added_up, is_amount
from workers.engines.questions.items import Item, Link
from workers.engines.questions.known_by import key_columns
from workers.engines.questions.parts import MeasurePart
from workers.engines.questions.scope import Doubtful, NoPlan, Scope
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import NUMERIC, split
from workers.engines.sql.plan_check import is_temporal

_MONEY = re.compile(r"amount|amt|price|revenue|total|value|cost|fee|salary|refund|tax|commission", re.IGNORECASE)

_WHO = re.compile(
    r"customer|client|user|account|member|person|people|patient|employee|staff|student|teacher|doctor|author|reader|guest|buyer|seller|dealer|"
    r"supplier|vendor|driver|carrier|merchant|company|organi[sz]ation|cust|subscriber|owner|agent|instructor|player|team|branch|store|shop|hotel",
    re.IGNORECASE,
)
"""Names of tables of those who do things: they are counted once, as often as they did something."""
_LONG, _HIGH, _LARGE = ("length", "duration"), ("elevation", "altitude", "height"), ("area", "size", "population")
_PRICED, _GOOD = ("price", "cost"), ("rating", "score")
_ADJECTIVES: dict[str, tuple[str, ...]] = {
    "longest": _LONG, "shortest": _LONG, "highest": _HIGH, "lowest": _HIGH, "tallest": _HIGH, "largest": _LARGE, "biggest": _LARGE,
    "heaviest": ("weight",), "lightest": ("weight",), "最重": ("weight",), "最轻": ("weight",), "paid": ("salary", "wage", "pay", "income"),
    "fastest": ("speed",), "slowest": ("speed",), "最快": ("speed",), "最慢": ("speed",),
    "smallest": _LARGE, "cheapest": _PRICED, "expensive": _PRICED, "best": _GOOD, "worst": _GOOD, "populous": ("population",),
    "populated": ("population",), "最贵": _PRICED, "最便宜": _PRICED, "最长": _LONG, "最短": _LONG, "最高": _HIGH, "最大": _LARGE,
    "最小": _LARGE, "最好": _GOOD, "最差": _GOOD,
}  # fmt: skip
"""Words of the columns that an adjective may be about; a table needs to have exactly one of them."""


class Measures(Scope):
    """Measures of a plan whose joins are known."""

    repeated: frozenset[str] = frozenset()
    """Aliases of the tables whose rows the joins may repeat."""

    def measured(self, part: MeasurePart) -> Selected:
        """A count, an aggregate, or a relation of two, as a column of the result."""
        value = self.measure(part)
        if part.over is None:
            if part.is_share and not self.frame.groups:
                raise NoPlan
            label = part.label if part.label != "total" else ""
            return Selected(label=label, value=value, share_of_total=part.is_share, in_percent=part.in_percent)
        other = self.measure(part.over)
        tables = {self.link(item).table for item in (part.of, part.over.of) if item is not None}
        if len(tables) > 1 and not self.frame.groups:
            raise NoPlan  # counts of two tables do not come from a join of them
        return Selected(value=value, relation=part.relation, other=other, in_percent=part.in_percent)

    def measure(self, part: MeasurePart) -> Measure:
        """A count or an aggregate."""
        where = tuple(self.condition(condition, None) for condition in part.where)
        equal = [item.column for item in where if item.operator == Operator.EQUAL and not item.alternative]
        if len(equal) > len(set(equal)):
            raise NoPlan
        if part.of is None:
            return Measure(aggregate=part.aggregate, where=where)
        link = self.link(part.of)
        alias = self.alias(link.table)
        if not link.column:
            if part.aggregate == Aggregate.SUM:
                return self._money(link.table).model_copy(update={"where": where})
            if part.aggregate != Aggregate.COUNT:
                raise NoPlan
            if part.is_implied and self._may_be_quantity(part.of):
                raise Doubtful  # `the premium per year`, of payments of premiums: not their number
            return self.counted(link.table, where, distinct=part.is_distinct)
        column = f"{alias}.{link.column}"
        aggregate = part.aggregate
        if part.is_implied and not is_added_up(link.column, self.detail(column).description):
            raise NoPlan
        if aggregate == Aggregate.COUNT_DISTINCT:
            if is_amount(self.detail(column)):
                aggregate = Aggregate.SUM
            elif not part.is_distinct and self.is_numeric(column) and not _is_key(link.column):
                aggregate = _summed(link.column)
            elif not part.is_distinct and (part.label == "total" or is_temporal(self.detail(column))):
                raise NoPlan  # customers who signed up are counted, not the days on which they did
        numeric = aggregate in (Aggregate.SUM, Aggregate.AVERAGE)
        operand = self.column(part.operand) if part.operand is not None else ""
        # a product is counted once for each row of the table that is not repeated: seats of subscriptions times the price of their plan
        finest = split(operand)[0] if operand and alias in self.repeated else alias
        if numeric and (not self.is_numeric(column) or finest in self.repeated or _is_key(link.column)):
            raise NoPlan
        return Measure(column=column, operator=part.operator, operand=operand, aggregate=aggregate, where=where)

    def _may_be_quantity(self, item: Item) -> bool:
        """Whether the words may name a column of numbers too."""
        meant = cast("tuple[Link, ...]", item.payload) if isinstance(item.payload, tuple) else item.links  # all that the words may name
        links = [link for link in meant if link.column]
        columns = [column for link in links for column in self.tables[link.table].columns if column.name == link.column]
        return any(NUMERIC.search(column.type) and not _is_key(column.name) for column in columns)

    def _money(self, table: str) -> Measure:
        """The sum of the only column of the table that is an amount of money."""
        found = [column.name for column in self.tables[table].columns if NUMERIC.search(column.type) and _MONEY.search(column.name)]
        amounts = [name for name in found if re.search(r"amount|amt", name, re.IGNORECASE)]
        found = amounts if len(amounts) == 1 else found
        if len(found) != 1 or self.alias(table) in self.repeated:
            raise NoPlan
        return Measure(column=f"{self.alias(table)}.{found[0]}", aggregate=Aggregate.SUM)

    def counted(self, table: str, where: tuple[Condition, ...], *, distinct: bool) -> Measure:
        """The number of rows of a table: each counted once, even where a join repeats it."""
        alias = self.alias(table)
        if alias not in self.repeated and not distinct:
            return Measure(aggregate=Aggregate.COUNT, where=where)
        if not distinct and not _WHO.search(table) and self._counts_events():
            raise Doubtful  # `How many books were borrowed?`: each book once, or each time that it was
        keys = key_columns(self.tables[table])
        if len(keys) != 1:
            raise NoPlan
        return Measure(column=f"{alias}.{keys[0]}", aggregate=Aggregate.COUNT_DISTINCT, where=where)

    def _counts_events(self) -> bool:
        """Whether the rows are those of a time or of something that happened: the courses that a learner completed."""
        return bool(self.frame.periods or any(part.is_event for part in self.frame.conditions)) and not self.frame.havings

    def attribute(self, table: str, word: str) -> Measure:
        """The column that an adjective is about: the length of the longest river."""
        names = set(_ADJECTIVES.get(word.split()[-1].removesuffix("的"), ()))
        columns = [
            column
            for column in self.tables[table].columns
            if NUMERIC.search(column.type) and names & {key(part) for part in split_name(column.name)}
        ]
        priced = [column for column in columns if "price" in split_name(column.name.lower())]
        if len(priced) == 1:
            columns = priced  # a price is what an expensive thing has, where it also has a cost
        if len(columns) != 1:
            raise NoPlan
        return Measure(column=f"{self.alias(table)}.{columns[0].name}")


def _summed(column: str) -> Aggregate:
    """`How many seats`: the sum of a column of numbers of seats. Raises `Doubtful` for other numbers."""
    last = split_name(column)[-1].lower()
    if key(last) == last and last not in ("quantity", "qty"):
        raise Doubtful
    return Aggregate.SUM


def _is_key(column: str) -> bool:
    return column.lower() in ("id", "key") or column.lower().endswith(("_id", "_key"))
