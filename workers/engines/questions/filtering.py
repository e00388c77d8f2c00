"""Which rows a plan keeps: the conditions and times of a question, and rows of other tables that must be there or not."""

from contracts.queries import Condition, Operator, Period, Related
from workers.engines.questions.event_times import event_times
from workers.engines.questions.parts import AbsencePart, ConditionPart, MeasurePart
from workers.engines.questions.scope import Doubtful, NoPlan, Scope
from workers.engines.questions.synonyms import VERBS
from workers.engines.questions.timing import years
from workers.engines.questions.words import PARTICIPLE
from workers.engines.sql.plan_check import is_temporal


class Filters(Scope):
    """The conditions of a plan."""

    def filters(self, time: str | None) -> tuple[list[Condition], list[Period]]:
        """The conditions and periods of the rows. `time`: the column of the time that the question speaks of."""
        if any(part.is_event and part.operator == Operator.IS_NULL and not self._is_spoken_of(part) for part in self.frame.conditions):
            raise NoPlan  # `customers who never paid`: those without a payment, not those with a payment that has no time
        if any(part.is_never and not self._is_of_head(part) for part in self.frame.conditions):
            raise Doubtful  # `buyers who never returned anything`: one other order of theirs does not show that
        made = [self.condition(part, time) for part in self.frame.conditions if not self._always_happened(part)]
        single = [item.column for item in made if item.operator == Operator.EQUAL and not item.alternative]
        if len(single) > len(set(single)):
            raise NoPlan
        periods: list[Period] = []
        for part in self.frame.periods:
            column = self.column(part.column) if part.column is not None else time
            if column is None or part.range is None:
                raise NoPlan
            if is_temporal(self.detail(column)):
                periods.append(Period(column=column, start=part.range.start, end=part.range.end))
            else:
                made += years(column, part)
        if len({period.column for period in periods}) < len(periods):
            raise NoPlan  # `in 2025 and 2026`: no row is in both
        return made, periods

    def _is_of_head(self, part: ConditionPart) -> bool:
        """Whether a condition is one of the rows that the question is about: `orders that were never returned`."""
        counted = (output.of for output in self.frame.outputs if isinstance(output, MeasurePart) and output.of is not None)
        head = next((item for item in (self.frame.head, *counted) if item is not None), None)
        own = {self.link(value).table for value in part.values if value.links}
        return head is not None and not self.link(head).column and own == {self.link(head).table}

    def _is_spoken_of(self, part: ConditionPart) -> bool:
        """Whether the question names the table of a condition's column, or is about that table alone."""
        if part.column is None or len(self.choice.tables) == 1:
            return True
        named = [*self.frame.tables, *(item for item in (self.frame.head,) if item is not None)]
        return self.link(part.column).table in {self.link(item).table for item in named}

    def _always_happened(self, part: ConditionPart) -> bool:
        """Whether all rows have the time of an event: then it is no condition. Raises `Doubtful` where the word may be a state instead:
        `open` of what was opened."""
        if not part.is_event or part.operator != Operator.NOT_NULL or part.column is None:
            return False
        if self.detail(self.column(part.column)).nulls != 0:
            return False
        word = part.column.text.lower().split()[0]
        if word.isascii() and not (PARTICIPLE.search(word) or word in VERBS):
            raise Doubtful
        return True

    def related(self) -> tuple[Related, ...]:
        """The rows of other tables that must be there, or must not."""
        made: list[Related] = []
        for part in self.frame.absences:
            table = self.link(part.table).table
            if not part.exists and table in self.choice.tables:
                raise Doubtful  # it would join the rows that must not be there
            counted = [output.of for output in self.frame.outputs if isinstance(output, MeasurePart) and output.of is not None]
            heads = [*self.frame.tables, *(item for item in counted if not self.link(item).column)]
            if not heads:
                raise NoPlan
            head = heads[0]
            path = self.edges.between(self.link(head).table, table)
            if path is None:
                raise NoPlan
            made.append(
                Related(
                    table=table,
                    source=self.alias(path.left),
                    source_columns=path.left_columns,
                    columns=path.right_columns,
                    exists=part.exists,
                    conditions=self._within(part),
                )
            )
        return tuple(made)

    def _within(self, part: AbsencePart) -> tuple[Condition, ...]:
        """The time of the rows that must not be there."""
        if part.range is None:
            return ()
        table = self.tables[self.link(part.table).table]
        times = event_times(table)
        if len(times) != 1:
            raise Doubtful
        column = f"{table.name}.{times[0]}"
        bounds = ((Operator.GREATER_EQUAL, part.range.start), (Operator.LESS, part.range.end))
        return tuple(Condition(column=column, operator=operator, values=(str(bound),)) for operator, bound in bounds if bound is not None)
