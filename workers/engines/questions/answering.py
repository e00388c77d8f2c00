"""A question about data, read without a model: one plan, several readings to choose from, or the words that have no place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.queries import QueryPlan
from contracts.questions import QuestionReading, Reading, Verdict
from contracts.tables import JoinPath, TableDetail
from contracts.times import TimeSettings
from workers.engines.questions.chinese import chinese_tokens, is_chinese
from workers.engines.questions.choosing import Choice, choices
from workers.engines.questions.definitions import comments, metrics_in
from workers.engines.questions.edges import Edges
from workers.engines.questions.frame import Frame, frame_of
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.linking import Linker
from workers.engines.questions.planning import NoPlan, plans
from workers.engines.questions.tokens import own_definitions, plain_spelling, tokens_of
from workers.engines.questions.vocabulary import LookUp, Vocabulary, keys_of
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_check import plan_problems
from workers.engines.times import find_times

_TIE = 0.08
"""Two readings whose scores differ by less are both shown."""
_MOST_READINGS = 3
_MOST_CHOICES = 40


@dataclass
class Reader:
    """Reads questions over a set of tables."""

    tables: Sequence[TableDetail]
    now: datetime
    paths: Sequence[JoinPath] = ()
    settings: TimeSettings = field(default_factory=TimeSettings)
    look_up: LookUp | None = None

    def __post_init__(self) -> None:
        self.vocabulary = Vocabulary(self.tables)
        self.edges = Edges(self.tables, self.paths)
        plain = Linker(self.vocabulary, self.look_up)
        self._metrics = metrics_in(comments(self.tables), plain)

    def items(self, question: str, instructions: str = "") -> list[Item]:
        text, own = own_definitions(plain_spelling(question))
        given = [*filter(None, [instructions]), *own]
        plain = Linker(self.vocabulary, self.look_up, self._metrics)
        metrics = {**self._metrics, **metrics_in(given, plain)} if given else self._metrics
        times = find_times(text, self.now, self.settings)
        tokens = chinese_tokens(text, times) if is_chinese(text) else tokens_of(text, times)
        return Linker(self.vocabulary, self.look_up, metrics).items(tokens)

    def read(self, question: str, instructions: str = "") -> QuestionReading:
        items = self.items(question, instructions)
        unknown = [item for item in items if item.kind == Kind.UNKNOWN]
        frame = frame_of([item for item in items if item.kind != Kind.UNKNOWN], chinese=is_chinese(question))
        if frame.leftover:
            return QuestionReading(verdict=Verdict.UNPLACED, unplaced=tuple(item.text for item in [*unknown, *frame.leftover]), answerable=0.5)
        if re.search(r"(?:not|no|without|remove) (?:return )?(?:any )?duplicates", instructions, re.IGNORECASE):
            frame.is_distinct = True
        found = [(score, plan) for score, plan in self._plans(frame) if self._supports(plan, unknown)]
        if not found:
            return QuestionReading(verdict=Verdict.UNPLACED, unplaced=tuple(item.text for item in unknown), answerable=0.5)
        best = found[0][0]
        near = [plan for score, plan in found if score > best - _TIE][:_MOST_READINGS]
        readings = tuple(Reading(plan=plan, understood=()) for plan in near)
        return QuestionReading(verdict=Verdict.ANSWERED if len(near) == 1 else Verdict.AMBIGUOUS, readings=readings, answerable=0.9)

    def _plans(self, frame: Frame) -> list[tuple[float, QueryPlan]]:
        made: list[tuple[float, QueryPlan]] = []
        for choice in choices(frame, self.edges)[:_MOST_CHOICES]:
            for plan in self._plans_of(frame, choice):
                if plan not in [known for _, known in made] and not plan_problems(plan, self.tables):
                    made.append((choice.score, plan))
        return made

    def _plans_of(self, frame: Frame, choice: Choice) -> list[QueryPlan]:
        try:
            return plans(frame, choice, self.tables, self.edges)
        except NoPlan:
            return []

    def _supports(self, plan: QueryPlan, unknown: Sequence[Item]) -> bool:
        """Whether every word without a link belongs to the description of a column that the plan uses: `credits earned`."""
        if not unknown:
            return True
        table_of = {source.alias: source.table for source in plan.sources}
        known: set[str] = set()
        for name in _columns(plan):
            alias, wanted = split(name)
            table = self.vocabulary.tables[table_of[alias]]
            column = next(column for column in table.columns if column.name == wanted)
            known |= {key(word) for word in (*re.findall(r"[A-Za-z]+", column.description), *split_name(column.name))}
        return all(known & set(keys_of(item.text)) for item in unknown)


def _columns(plan: QueryPlan) -> set[str]:
    measures = [measure for item in plan.selected for measure in (item.value, item.other) if measure is not None]
    measures += [*plan.group_by, *(order.value for order in plan.order_by if order.value is not None)]
    names = {name for measure in measures for name in (measure.column, measure.operand) if name}
    names |= {condition.column for condition in plan.filters} | {period.column for period in plan.periods}
    return names
