"""The chosen links of a frame, as the names and details of a plan."""

from collections.abc import Sequence

from contracts.queries import Condition, DatePart, Measure, Operator
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.choosing import Choice, linked, place_of
from workers.engines.questions.edges import Edges
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.known_by import key_columns, shown_columns
from workers.engines.questions.parts import ConditionPart
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_check import is_numeric

_SURE = 0.95
"""Quality of a link whose words are the name of the column."""


class NoPlan(Exception):
    """The parts do not make a query, in this reading."""


class Doubtful(NoPlan):
    """The parts make a query, but it may not be what is meant; a less likely reading of the words must not take its place."""


class Scope:
    """Looks up what the items of a frame were chosen to be."""

    def __init__(self, frame: Frame, choice: Choice, tables: Sequence[TableDetail], edges: Edges) -> None:
        self.frame, self.choice, self.edges = frame, choice, edges
        self.tables = {table.full_name: table for table in tables}
        self.all_tables = tables

    def link(self, item: Item) -> Link:
        """The link that was chosen for an item."""
        return self.choice.links[place_of(item)]

    def column(self, item: Item) -> str:
        """The column of an item, as plans write it. Raises `NoPlan` for a table."""
        link = self.link(item)
        if not link.column:
            raise NoPlan
        return f"{self.alias(link.table)}.{link.column}"

    def alias(self, table: str) -> str:
        """The name by which a plan refers to a table."""
        return self.tables[table].name

    def is_numeric(self, column: str) -> bool:
        """Whether a column holds numbers."""
        alias, wanted = split(column)
        return any(is_numeric(known) for known in self.by_alias(alias).columns if known.name == wanted)

    def detail(self, column: str) -> ColumnDetail:
        """What is known of a column of the plan."""
        alias, wanted = split(column)
        return next(known for known in self.by_alias(alias).columns if known.name == wanted)

    def by_alias(self, alias: str) -> TableDetail:
        """The table of an alias."""
        return next(self.tables[name] for name in self.choice.tables if self.tables[name].name == alias)

    def condition(self, part: ConditionPart, time: str | None) -> Condition:
        """A condition of the plan; `time` is the column that says when."""
        if part.is_weekend is not None:
            if time is None:
                raise NoPlan
            days = ("6", "7") if part.is_weekend else ("1", "2", "3", "4", "5")
            return Condition(column=time, operator=Operator.IN, values=days, part=DatePart.WEEKDAY)
        links = linked(part, self.choice.links)
        column = self._condition_column(part, links)
        values = tuple(self.link(value).value or str(value.payload) if value.links else str(value.payload) for value in part.values)
        is_text = any(value.kind == Kind.VALUE for value in part.values)
        raw = is_text and any(not value.links for value in part.values)
        numeric = self.is_numeric(column)
        if part.values and not is_text and not numeric:
            raise NoPlan
        if part.aggregate is not None and not numeric:
            raise NoPlan
        is_sure = not part.is_event and min((link.quality for link in links), default=0.0) >= _SURE
        if part.operator == Operator.IS_NULL and self.detail(column).nulls == 0 and not is_sure:
            raise NoPlan  # all rows have it: something else is not there
        return Condition(
            column=column, operator=part.operator, values=values, aggregate=part.aggregate, alternative=part.alternative,
            ignores_case=raw and part.operator in (Operator.EQUAL, Operator.NOT_EQUAL, Operator.IN, Operator.NOT_IN),
        )  # fmt: skip

    def _condition_column(self, part: ConditionPart, links: Sequence[Link]) -> str:
        places = {(link.table, link.column) for link in links}
        if len(places) != 1:
            raise NoPlan
        table, column = places.pop()
        if not column:
            shown = shown_columns(self.tables[table])
            if len(shown) != 1:
                raise NoPlan
            column = shown[0]
        return f"{self.alias(table)}.{column}"

    def of_entity(self, table: str) -> tuple[list[Measure], list[Measure]]:
        """A row of a table: grouped by its key, shown by its name."""
        detail, alias = self.tables[table], self.alias(table)
        keys = [Measure(column=f"{alias}.{name}") for name in key_columns(detail)]
        shown = [Measure(column=f"{alias}.{name}") for name in shown_columns(detail)]
        if not keys and not shown:
            raise NoPlan
        return list(dict.fromkeys([*keys, *shown])), shown or keys
