"""Reading a question with all that the conversation and the data add to its words.

The reader of questions takes a text and a schema. Around it: formulas that the user defined, other names of values, bounds and orders that
are said behind a question, and ranks without a measure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.queries import QueryPlan
from contracts.questions import ConfirmedExample, QuestionReading, Reading, Verdict
from contracts.statements import Name, Statement, say
from contracts.tables import JoinPath, TableDetail
from workers.engines.questions import Reader
from workers.engines.questions.comments import names_in
from workers.engines.questions.edges import Edges
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.spelling import root
from workers.engines.questions.understood import understood
from workers.engines.questions.words import split_name
from workers.engines.sql.plan_check import plan_problems
from workers.engines.sql.plan_shape import is_unique
from workers.kinds.ask.rules.formulas import Formula, combined, named_in, with_own_conditions
from workers.kinds.ask.rules.plan_edits import Edit, edited, edits_in, with_measure
from workers.kinds.ask.rules.rank_shown import with_figure
from workers.kinds.ask.rules.vague import ranked_table, rankings
from workers.kinds.ask.rules.value_names import ValueNames

MOST_RANKS = 4
"""Measures by which a rank may be read, that are offered."""

_ORDER = (Verdict.ANSWERED, Verdict.AMBIGUOUS, Verdict.UNPLACED)

_PLAINER = (
    (re.compile(r"[（(][\u3400-\u9fff]{0,6}(?:名|名称|姓名|名字)[）)]"), ""),
    (re.compile(r"有多少(?:名|位|个|家|种|辆|间|台|条|笔|只|张)(?=不同|[\u3400-\u9fff]{2})"), "有多少"),
    (re.compile(r"哪一?(?:个|家|位|名|种|辆|间|部|本|张|台|座|条|款|只|所|支|项|场|份|幅|栋|套|笔|门)"), "哪个"),
    (re.compile(r"(?:上|参加|选|选修|买|购买|下|用|看|读|学|住|去|来)过(?=$|[，。？?的])"), ""),
    (re.compile(r"销售总额|总销售金额|销售金额总[计和]"), "总销售额"),
)
"""Chinese turns that add nothing to the words of a schema: by what a row is shown, counters, "have ever"."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Reads over the tables of a source."""

    reader: Reader
    names: ValueNames
    tables: tuple[TableDetail, ...]
    paths: tuple[JoinPath, ...] = ()
    given: str = ""
    """Definitions that are no formulas."""
    formulas: tuple[Formula, ...] = ()
    examples: tuple[ConfirmedExample, ...] = ()

    def items(self, text: str) -> list[Item]:
        """The parts of a text."""
        return self.reader.items(text, self.given)

    def spelled(self, text: str) -> str:
        """The text with its values as the data have them."""
        text = _SHORT.sub(self._in_full, text)
        return self.names.spelled(text, self.items(text))

    def _in_full(self, match: re.Match[str]) -> str:
        """`各站` of stations that are called 充电站: the last character of the only name that ends so; 所在区 is 区 itself."""
        comments = [text for table in self.tables for text in (table.description, *(column.description for column in table.columns))]
        names = list(dict.fromkeys(name for comment in comments for name in names_in(comment) if name.endswith(match["noun"])))
        own = [name for name in names if name in (f"所在{match['noun']}", f"所属{match['noun']}")] or names
        return f"{match['each']}{own[0]}" if len(own) == 1 else match[0]

    def read(self, text: str, edits: Sequence[Edit] = ()) -> QuestionReading:
        """The reading of a text, in its own words or in those of the data, with changes of its plan."""
        found = self._with_formula(text) or self._best(text)
        if found.verdict is not Verdict.ANSWERED and not edits:
            rest, own = edits_in(text)
            if rest and own:
                changed = self.read(rest, own)
                found = changed if changed.verdict is Verdict.ANSWERED else found
        if found.verdict is not Verdict.ANSWERED:
            return found
        first = found.readings[0]
        plan = edited(with_measure(first.plan, text), edits)
        plan = plan if plan is None else with_figure(plan)
        if plan is None:
            return _unplaced(found)
        of_plan = understood(first.plan)  # the reader says more than its plan does: which day is the last of the last seven
        reading = Reading(
            plan=plan, understood=(*understood(plan), *(statement for statement in first.understood if statement not in of_plan))
        )
        return found.model_copy(update={"readings": (reading,)})

    def ranks(self, text: str) -> QuestionReading | None:
        """The readings of a rank without a measure, to choose from; None where the text is no such rank."""
        items = self.items(text)
        table = ranked_table(text, items)
        if table is None:
            return None
        edges = Edges(self.tables, self.paths)
        pairs = ((left.full_name, right.full_name) for place, left in enumerate(self.tables) for right in self.tables[place + 1 :])
        paths = [path for pair in pairs if (path := edges.between(*pair)) is not None]
        plans = [plan for plan in rankings(table, self.tables, paths, text, items) if not plan_problems(plan, self.tables)]
        if not plans:
            return None
        readings = tuple(_reading(plan) for plan in plans[:MOST_RANKS])
        return QuestionReading(verdict=Verdict.AMBIGUOUS, readings=readings, remarks=(say("ask.question.rank"),), answerable=1.0)

    def _best(self, text: str) -> QuestionReading:
        """The best reading of a text as it is, without its hints, and with its values as the data have them."""
        first = self._read(text)
        if first.verdict is Verdict.ANSWERED:
            return first
        plain = text
        for pattern, replacement in _PLAINER:
            plain = pattern.sub(replacement, plain)
        spelled = self.spelled(plain)
        others = [self._read(other) for other in dict.fromkeys([plain, spelled, self._summed(spelled), self._paid(plain)]) if other != text]
        return min([first, *others], key=lambda reading: _ORDER.index(reading.verdict))

    def _read(self, text: str) -> QuestionReading:
        return _without_audit_times(self.reader.read(text, self.given, examples=self.examples))

    def _summed(self, text: str) -> str:
        """`the drivers with the most energy`: with the most energy in total, where single rows have it too."""
        items = self.items(text)
        for place, item in enumerate(items):
            if item.kind is not Kind.MOST or not _QUANTITY.match(item.text):
                continue
            if place and items[place - 1].kind is Kind.COLUMN and not item.text.isascii():
                return f"{text[: items[place - 1].stop]}总和{text[items[place - 1].stop :]}"
            if place + 1 < len(items) and items[place + 1].kind is Kind.COLUMN and item.text.isascii():
                return f"{text[: item.stop]} total {text[items[place + 1].begin :]}"
        return text

    def _paid(self, text: str) -> str:
        """`How much did members pay in 2025`: the total of the payments, a table that is named like the verb."""
        match = _HOW_MUCH.search(text)
        if match is None:
            return text
        verb = match["verb"].lower()
        linked = {link.table for item in self.items(verb) if item.kind is Kind.TABLE for link in item.links}
        names = {table.full_name: split_name(table.name)[-1] for table in self.tables}
        named = [name for table, name in names.items() if table in linked or name.lower().startswith(verb) or root(name) == root(verb)]
        if len(named) != 1:
            return text
        who = (match["who"] or "").strip()
        of = f" of {who}" if any(item.kind is Kind.VALUE for item in self.items(who)) else ""
        return f"{text[: match.start()]}total {named[0]}{of}{text[match.end() :]}"

    def _with_formula(self, text: str) -> QuestionReading | None:
        named = named_in(text, self.formulas)
        if named is None:
            return None
        formula, words = named
        first, second = self._best(words), self.reader.read(formula.second, self.given)
        if first.verdict is not Verdict.ANSWERED or second.verdict is not Verdict.ANSWERED:
            return first if first.verdict is not Verdict.ANSWERED else second
        edges = Edges(self.tables, self.paths)
        plan = self._of_amount(first.readings[0].plan, formula)
        plan = plan and combined(plan, second.readings[0].plan, formula, edges.between, self._adds_at_most_one_row)
        if plan is None or any(not _is_about(problem, plan) for problem in plan_problems(plan, self.tables)):
            return _unplaced(first)
        return first.model_copy(update={"readings": (_reading(plan),)})

    def _of_amount(self, plan: QueryPlan, formula: Formula) -> QueryPlan | None:
        """The plan of a formula's first amount, whose conditions and second column are the amount's own."""
        alone = self._best(formula.first)
        if alone.verdict is not Verdict.ANSWERED:
            return None
        plus = self._column_beside(plan, formula.plus) if formula.plus else ""
        return None if plus is None else with_own_conditions(plan, alone.readings[0].plan, plus)

    def _column_beside(self, plan: QueryPlan, words: str) -> str | None:
        """The column of the measure's table that the words name."""
        measured = next((item.value.column for item in plan.selected if item.value.aggregate is not None and item.value.column), "")
        alias = measured.partition(".")[0]
        table = next((source.table for source in plan.sources if source.alias == alias), None)
        links = [link for item in self.items(words) if item.kind is Kind.COLUMN for link in item.links if link.table == table]
        return f"{alias}.{links[0].column}" if links else None

    def _adds_at_most_one_row(self, path: JoinPath) -> bool:
        right = next((table for table in self.tables if table.full_name == path.right), None)
        return right is not None and is_unique(right, set(path.right_columns))


_SHORT = re.compile(r"(?P<each>各个?|每个?)(?P<noun>[\u3400-\u9fff])(?=分别|各自|的|有|[，,？?]|$)")

_HOW_MUCH = re.compile(
    r"\b(?:how much|what) (?:(?:did|do|does|have|has|had)\b(?P<who>.{0,40}?)|was|were|is|has been|have been) (?P<verb>[a-z]{3,12})\b"
    r"(?=\W*(?:$|(?:in|on|for|by|with|since|during|last|this|per|each|every|from|between|over|to|altogether|overall)\b))"
    r"(?:\s+(?:in total|altogether|overall))?",
    re.IGNORECASE,
)

_QUANTITY = re.compile(r"most$|least$|fewest$|最多|最少", re.IGNORECASE)
"""Superlatives of how much there is, rather than of how high something is."""

_AUDIT = re.compile(r"\.(?:updated?|modified|inserted|loaded)(?:_?(?:ts|at|on|date|time|timestamp))?$", re.IGNORECASE)
"""Columns that say when a row was written."""


def _without_audit_times(found: QuestionReading) -> QuestionReading:
    """When something happened is rarely when its row was written: such a reading counts only where there is no other."""
    if found.verdict is not Verdict.AMBIGUOUS:
        return found
    kept = tuple(reading for reading in found.readings if not any(_AUDIT.search(period.column) for period in reading.plan.periods))
    if not kept or len(kept) == len(found.readings):
        return found
    return found.model_copy(update={"readings": kept, **({"verdict": Verdict.ANSWERED, "remarks": ()} if len(kept) == 1 else {})})


def _reading(plan: QueryPlan) -> Reading:
    return Reading(plan=plan, understood=understood(plan))


def _is_about(problem: Statement, plan: QueryPlan) -> bool:
    """Whether the second amount of a formula counts once for each row of the first: the cost of a car that was sold twice counts twice.
    The user's formula puts the two together, so that this is meant; the answer names both columns."""
    others = {item.other.column for item in plan.selected if item.other is not None}
    column = problem.values.get("column")
    return problem.code == "queries.problem.repeated_rows" and isinstance(column, Name) and column.text in others


def _unplaced(found: QuestionReading) -> QuestionReading:
    return found.model_copy(update={"verdict": Verdict.UNPLACED, "readings": (), "remarks": (say("ask.question.no_plan"),)})
