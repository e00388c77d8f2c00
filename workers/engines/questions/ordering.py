"""What the rows of a plan are ordered by, and how many are kept: superlatives, `top 5`, `ordered by`."""

from contracts.queries import Measure, Ordering, Selected
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.known_by import shown_columns
from workers.engines.questions.measuring import Measures
from workers.engines.questions.parts import MeasurePart
from workers.engines.questions.scope import Doubtful, NoPlan
from workers.engines.questions.timing import cut
from workers.engines.sql.plan_check import is_numeric, is_temporal


class Orderings(Measures):
    """The order of a plan."""

    def ordering(self, selected: list[Selected], time: str | None, aggregated: bool) -> tuple[list[Ordering], int | None]:
        """What the rows are ordered by, and how many of them are kept; None: all."""
        frame = self.frame
        made: list[Ordering] = []
        limit: int | None = None
        if (top := frame.top) is not None:
            limit = top.limit or 1
            if top.is_latest:
                if time is None or aggregated:
                    raise NoPlan
                made.append(Ordering(value=Measure(column=time), descending=top.descending))
            elif top.word and isinstance(top.by, Item):
                made.append(Ordering(value=self.attribute(self.link(top.by).table, top.word), descending=top.descending))
            else:
                made.append(self._ordered(top.by, top.descending, selected, aggregated))
                if isinstance(top.by, Item) and not self._is_ranked(top.by):
                    raise NoPlan
                if isinstance(top.by, Item) and not aggregated and self._is_of_parts(top.by):
                    raise Doubtful
        for order in frame.orders:
            ordering = self._ordered(order.by, order.descending, selected, aggregated, time)
            if frame.top is None or (ordering.position, ordering.value) != (made[0].position, made[0].value):
                made.append(ordering)
        return made, limit

    def _is_of_parts(self, by: Item) -> bool:
        """Whether things are ranked by a column of their parts: hotels by the amount of a booking."""
        head = self.frame.tables[0] if self.frame.tables else self.frame.head
        if head is None:
            return False
        mine, its = self.link(head), self.link(by)
        if mine.table != its.table:
            return self.alias(mine.table) in self.repeated
        # `Which channel has the highest amount`: the amount of an order, or of all orders of the channel
        return (
            bool(mine.column)
            and is_added_up(its.column, self.detail(self.column(by)).description)
            and mine.column not in shown_columns(self.tables[mine.table])
        )

    def _is_ranked(self, by: Item) -> bool:
        """Whether the column has an order that a superlative may speak of."""
        link = self.link(by)
        if not link.column:
            return False
        detail = self.detail(self.column(by))
        return is_numeric(detail) or is_temporal(detail)

    def _ordered(
        self, by: Item | MeasurePart | None, descending: bool, selected: list[Selected], aggregated: bool, time: str | None = None
    ) -> Ordering:
        if by is None:
            numbers = [index for index, item in enumerate(selected, start=1) if item.value.aggregate is not None or item.relation]
            if not numbers and not aggregated:
                numbers = [index for index, item in enumerate(selected, start=1) if self.is_numeric(item.value.column)]
            if len(numbers) != 1:
                raise NoPlan
            return Ordering(position=numbers[0], descending=descending)
        if isinstance(by, MeasurePart):
            wanted = self.measured(by)
        elif by.kind == Kind.UNIT:
            wanted = Selected(value=cut(time or "", by))
        elif self.link(by).column:
            wanted = Selected(value=Measure(column=self.column(by)))
        else:
            shown = self.of_entity(self.link(by).table)[1]
            wanted = Selected(value=shown[0])
        for index, item in enumerate(selected, start=1):
            if (item.value, item.relation, item.other) == (wanted.value, wanted.relation, wanted.other):
                return Ordering(position=index, descending=descending)
        if wanted.relation is not None:
            raise NoPlan
        if aggregated and wanted.value.aggregate is None:
            return self._ordered_by_aggregate(wanted.value, selected, descending)
        return Ordering(value=wanted.value, descending=descending)

    def _ordered_by_aggregate(self, value: Measure, selected: list[Selected], descending: bool) -> Ordering:
        """`by rating` where a single aggregate of the rating is shown."""
        found = [index for index, item in enumerate(selected, start=1) if item.value.column == value.column and item.value.aggregate]
        if len(found) != 1:
            raise NoPlan
        return Ordering(position=found[0], descending=descending)
