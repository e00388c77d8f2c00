"""A question about data, read without a model: one plan, several readings to choose from, or the words that have no place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.questions import ConfirmedExample, QuestionReading, Reading, Verdict
from contracts.statements import Statement
from contracts.tables import JoinPath, TableDetail
from contracts.times import TimeSettings
from workers.engines.questions.choosing import Choice, choices
from workers.engines.questions.edges import Edges
from workers.engines.questions.frame import Frame, frame_of
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.linking import Linker
from workers.engines.questions.planning import NoPlan, plans
from workers.engines.questions.tokens import tokens_of
from workers.engines.questions.vocabulary import LookUp, Vocabulary
from workers.engines.sql.plan_check import plan_problems
from workers.engines.times import find_times

_TIE = 0.08
"""Two readings whose scores differ by less are both shown."""
_MOST_READINGS = 3


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

    def items(self, question: str) -> list[Item]:
        times = find_times(question, self.now, self.settings)
        return Linker(self.vocabulary, self.look_up).items(tokens_of(question, times))

    def read(self, question: str, instructions: str = "") -> QuestionReading:
        items = self.items(question)
        unknown = [item for item in items if item.kind == Kind.UNKNOWN]
        if unknown:
            return QuestionReading(verdict=Verdict.UNPLACED, unplaced=tuple(item.text for item in unknown), answerable=0.5)
        frame = frame_of(items)
        if frame.leftover:
            return QuestionReading(verdict=Verdict.UNPLACED, unplaced=tuple(item.text for item in frame.leftover), answerable=0.5)
        found = self._plans(frame)
        if not found:
            return QuestionReading(verdict=Verdict.UNPLACED, answerable=0.5)
        best = found[0][0]
        near = [plan for score, plan in found if score > best - _TIE][:_MOST_READINGS]
        readings = tuple(Reading(plan=plan, understood=()) for plan in near)
        return QuestionReading(verdict=Verdict.ANSWERED if len(near) == 1 else Verdict.AMBIGUOUS, readings=readings, answerable=0.9)

    def _plans(self, frame: Frame):
        made = []
        for choice in choices(frame, self.edges)[:40]:
            try:
                found = plans(frame, choice, self.tables, self.edges)
            except NoPlan:
                continue
            for plan in found:
                if plan not in [known for _, known in made] and not plan_problems(plan, self.tables):
                    made.append((choice.score, plan))
        return made
