"""Which column says when: the one that the question names, or the only time of the rows that it measures."""

from dataclasses import replace

from contracts.queries import Condition, DatePart, Measure, Operator, TimeUnit
from contracts.tables import JoinPath
from workers.engines.questions.event_times import event_times, own_times
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.parts import MeasurePart, PeriodPart
from workers.engines.questions.scope import NoPlan, Scope
from workers.engines.questions.words import split_name
from workers.engines.sql.build_values import NUMERIC
from workers.engines.sql.plan_shape import is_unique


class Times(Scope):
    """Finds the column of times."""

    @property
    def needs_time(self) -> bool:
        """Whether a column that says when has to be found."""
        frame = self.frame
        units = any(item.kind == Kind.UNIT for group in frame.groups for item in group.of)
        latest = frame.top is not None and frame.top.is_latest
        weekend = any(part.is_weekend is not None for part in frame.conditions)
        return units or latest or weekend or any(period.column is None for period in frame.periods)

    def time_columns(self) -> list[str]:
        """Columns that may say when: of the table that the question measures, or else of the others, or of a table it belongs to."""
        named = [item for part in (*self.frame.periods,) if (item := part.column) is not None]
        if named:
            return [self.column(named[0])]
        events = [part.column for part in self.frame.conditions if part.is_event and part.operator == Operator.NOT_NULL and part.column]
        if len(events) == 1:
            return [self.column(events[0])]  # `subscriptions cancelled each month`
        measured = self._measured_tables()
        near = next((self.link(part.near).table for part in self.frame.periods if part.near is not None), None)
        if near is not None and near not in measured and (times := own_times(self.tables[near])):
            own = (
                [] if self._is_verb() else [f"{self.alias(name)}.{column}" for name in measured for column in own_times(self.tables[name])]
            )
            return [*(f"{self.alias(near)}.{column}" for column in times), *own]
        around = [
            path.right if path.left in measured else path.left for path in self.choice.joins if {path.left, path.right} & set(measured)
        ]
        if events := self._times_of_events(measured):
            return events
        spoken = [self.link(item).table for item in self.frame.tables if self.link(item).table not in measured]
        owners = [name for name in self._owners_on_the_way(measured) if name not in spoken]
        for names in (measured, owners, spoken, around, self.choice.tables):
            found = [f"{self.alias(name)}.{column}" for name in names for column in event_times(self.tables[name])]
            if found:
                return found
        return self._times_of_owners()

    def _owners_on_the_way(self, measured: list[str]) -> list[str]:
        """The tables of the plan to which the measured rows belong: the order of an order's line."""
        sides = [
            side
            for path in self.choice.joins
            for side in ((path.left, path.right, path.right_columns), (path.right, path.left, path.left_columns))
        ]
        return [other for own, other, columns in sides if own in measured and is_unique(self.tables[other], columns)]

    def _times_of_events(self, measured: list[str]) -> list[str]:
        """The times of customers and of their orders, where customers are counted and orders are spoken of: either may be meant."""
        spoken = [self.link(item).table for item in self.frame.tables if self.link(item).table not in measured]
        found: list[str] = []
        for name in measured:
            for other in spoken:
                path = self.edges.between(name, other)
                if path is not None and not is_unique(self.tables[other], path.right_columns):
                    found += [f"{self.alias(table)}.{column}" for table in (other, name) for column in own_times(self.tables[table])]
        return list(dict.fromkeys(found))

    def _is_verb(self) -> bool:
        return any(part.near is not None and part.near.text.lower().endswith("ed") for part in self.frame.periods)

    def _times_of_owners(self) -> list[str]:
        """Times of the tables to which the rows belong, such as the order of an order's line."""
        found: list[tuple[JoinPath, str]] = []
        for name in self._measured_tables() or self.choice.tables:
            for other in self.tables.values():
                path = self.edges.between(name, other.full_name)
                if path is not None and other.full_name not in self.choice.tables and is_unique(other, path.right_columns):
                    found += [(path, column) for column in own_times(other)]
        if len(found) != 1:
            years = [
                f"{self.alias(name)}.{column.name}"
                for name in self.choice.tables for column in self.tables[name].columns
                if NUMERIC.search(column.type) and self._is_year(column.name)
            ]  # fmt: skip
            return years if len(years) == 1 and not found else []
        path, column = found[0]
        choice = self.choice
        self.choice = replace(choice, joins=(*choice.joins, path), tables=(*choice.tables, path.right))
        return [f"{self.alias(path.right)}.{column}"]

    def _is_year(self, column: str) -> bool:
        """Whether a column holds the years that are meant: the oldest vessel has the first `built_year`."""
        is_latest = self.frame.top is not None and self.frame.top.is_latest
        return (split_name(column)[-1] if is_latest else column).lower() == "year"

    def _measured_tables(self) -> list[str]:
        frame = self.frame
        wanted = [output for output in frame.outputs if isinstance(output, MeasurePart)]
        if frame.top is not None and isinstance(frame.top.by, MeasurePart):
            wanted.append(frame.top.by)
        items = [part.of for part in wanted if part.of is not None]
        if frame.top is not None and frame.top.is_latest and isinstance(frame.top.by, Item):
            items = [frame.top.by]
        if not items and frame.tables:
            items = [frame.tables[0]]
        return list(dict.fromkeys(self.link(item).table for item in items))


def cut(time: str, item: Item) -> Measure:
    """A time cut to a unit of the calendar, or a part of it: the month, the day of the week."""
    if isinstance(item.payload, DatePart):
        return Measure(column=time, part=item.payload)
    if not isinstance(item.payload, TimeUnit):
        raise NoPlan
    return Measure(column=time, unit=item.payload)


def years(column: str, part: PeriodPart) -> list[Condition]:
    """Whole years as conditions on a column of years."""
    if part.range is None:
        raise NoPlan
    made: list[Condition] = []
    for bound, operator in ((part.range.start, Operator.GREATER_EQUAL), (part.range.end, Operator.LESS)):
        if bound is None:
            continue
        if (bound.month, bound.day) != (1, 1):
            raise NoPlan
        made.append(Condition(column=column, operator=operator, values=(str(bound.year),)))
    return made
