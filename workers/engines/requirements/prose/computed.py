"""Columns that are computed from other columns of the target: running totals, the period before, shares, ratios."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence

from contracts.pipelines.analysis import FrameUnit, WindowColumn
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, Sorting, ValueType
from contracts.queries import TimeUnit
from contracts.tables import TableDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.requirements.prose.column_lists import number_of
from workers.engines.requirements.prose.draft import RESULT, Draft, Later, Measure, Previous, Rows, Share, Window
from workers.engines.requirements.prose.measures import Phrases, count_if, over
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.values import cuts

_UNITS = {"day": TimeUnit.DAY, "week": TimeUnit.WEEK, "month": TimeUnit.MONTH, "quarter": TimeUnit.QUARTER, "year": TimeUnit.YEAR,
          "天": TimeUnit.DAY, "日": TimeUnit.DAY, "周": TimeUnit.WEEK, "月": TimeUnit.MONTH, "季度": TimeUnit.QUARTER, "季": TimeUnit.QUARTER, "年": TimeUnit.YEAR}  # fmt: skip
_RUNNING = (
    r"(?:the )?(?:running|cumulative|cumulated) (?:total|sum) (?:of )?(?P<of>.+?)(?:,? (?:from|since) the (?:first|start|beginning)\b.*|,? (?:by|over) (?:the )?(?:day|week|month|time|date)s?|,? (?:per|within|for each) (?P<by>\w+))*|(?P<of2>.+?),? (?:cumulated|accumulated|summed up)(?: (?:over time|so far))?",
    r"(?P<of>.+?)\s*(?:从(?:第一天|最早|首日|首月|第一个月|年初)(?:起|开始))?的?(?:累计|累积)(?:值|总和|总额|和|合计)?|(?:截至当[天日月])?(?:的)?(?:累计|累积)(?:的)?\s*(?P<of2>.+)",
)
_RUNNING_ALONE = re.compile(r"(?:the )?(?:running|cumulative|cumulated) (?:total|sum)|累计|累积", re.IGNORECASE)
"""Of the only measure before it."""
_PREVIOUS = (
    r"(?:the )?(?P<of>.+?) (?:of|in|on|for) the (?:(?:previous|preceding|prior|last) (?P<unit>day|week|month|quarter|year)|(?P<unit2>day|week|month|quarter|year) before)|(?:the )?(?:previous|preceding|prior|last) (?P<unit3>day|week|month|quarter|year)'s (?P<of2>.+)",
    r"(?:上一?个?|前一?个?)(?P<unit>天|日|周|月|季度|年)的?\s*(?P<of>.+)|昨天的?\s*(?P<of2>.+)",
)
_CHANGE = (
    r"(?:the )?(?P<kind>change|difference|increase|growth)(?: rate)?(?: of| in)? (?P<of>\w+?)?,? ?(?:from|against|over|compared (?:with|to)|versus|vs\.?|to) the (?:(?:previous|preceding|prior|last) (?P<unit>day|week|month|quarter|year)|(?P<unit2>day|week|month|quarter|year) before)(?P<percent>,? in percent|,? as a percentage)?",
    r"(?P<of>\w+)?\s*(?:较|比|相比)\s*(?:上一?个?|前一?个?)(?P<unit>天|日|周|月|季度|年)的?(?P<kind>变化|差额|增长率|增长|增减)(?P<percent>[（(]?(?:百分比|百分数|%)[)）]?)?",
)
_MOVING = (
    r"(?:the )?(?:mean|average|moving average|rolling average) (?:of )?(?P<of>\w[\w ]*?) (?:of|on|over) (?:that|the|this|each) day and the (?P<n>\w+) (?:calendar )?days before(?: it)?(?:,? .*\b(?:period|range|window)\b.*)?|(?:the )?(?P<n2>\w+)[ -]day (?:moving|rolling) (?:average|mean) of (?P<of2>\w+)",
    r"(?:当天|当日)(?:与|和|及)(?:之?前)(?P<n>\w)个?(?:自然)?(?:天|日)(?:[（(][^)）]*[)）])?的?(?:平均|日均)\s*(?P<of>.+)|(?:最?近|过去)\s*(?P<n2>\d+)\s*(?:天|日)(?:移动)?平均\s*(?P<of2>.+)",
)
_SHARE_OF_ALL = re.compile(
    r"(?:(?:its|their|the) )?(?P<kind>share|percentage|percent|proportion|part) of (?:(?P<of>\w+) (?:in|of) )?(?:all|the total|the whole|total|the sum of all)(?: (?P<noun>.+?))?(?P<percent>,? in percent|,? as a percentage)?"
    r"|(?P<zh>其)?占.{0,10}?(?:全部|总|所有|合计)(?P<noun_zh>.*?)的?(?P<kind_zh>百分比|比例|比重|份额|占比)",
    re.IGNORECASE,
)
_PART_OF = (
    r"(?:the )?(?P<kind>share|percentage|percent|proportion|fraction) of (?P<all>.+?) (?P<rel>that (?:are|were|is|was|have been)|with|where|which (?:are|were)) (?P<cond>.+?)(?P<percent>,? in percent)?",
    r"(?P<part>.+?)\s*占\s*(?P<all>.+?)\s*的\s*(?P<kind>百分比|比例|比重|占比)",
)
_NULL_IF = r"null (?:if|when|where|for|while) (?:there (?:is|are|was|were) |it has |they have |\w+ (?:has|have|with) )?(?:none|no |not |nothing|without |never |(?:the )?\w+ (?:is|are|=|has|have) (?:0|zero|null|no |not |empty|missing|unknown|none)|(?:the )?(?:first|last)\b)[^;,，；]*"
_NULL_IF_ZH = r"(?:没有|无|未|首|第一|最后)[^;,，；]{0,12}?(?:时|则|的)?(?:为|记为?|是)?空"
NULLS = re.compile(
    rf"\s*[,，;；]?\s*(?:(?:or )?{_NULL_IF}|{_NULL_IF_ZH}|[（(](?:[^)）]*[;；,，]\s*)?(?:(?:or )?{_NULL_IF}|{_NULL_IF_ZH}|(?:or |may be |可为?|可以为|允许为?|否则为?)?(?:空|null))[)）])$",
    re.IGNORECASE,
)
"""Says that a column is null where there is nothing to work it out from, which it is anyway. `null if fewer than 3` is a rule of its own."""
_OPERATORS = (
    (r"\s*\+\s*|\s+plus\s+|加上?", Function.PLUS), (r"\s+-\s+|\s*−\s*|\s+minus\s+|减去?", Function.MINUS),
    (r"\s*\*\s*|\s*×\s*|\s+times\s+|乘以?", Function.TIMES), (r"\s*/\s*|\s*÷\s*|\s+divided by\s+|\s+per\s+|除以", Function.OVER),
)  # fmt: skip
_SIGNED = re.compile(
    r"(?:the )?(?P<value>\w+) (?P<test>\w+) minus (?:the )?(?P<value2>\w+) (?P<test2>\w+) (?:in|of) (?P<rows>.+?)(?:,? 0 if none)?"
    r"|(?P<rows_zh>.+?)(?:中|里)的?(?P<test_zh>\w{2})(?P<value_zh>\w+)减去?(?P<test2_zh>\w{2})(?P<value2_zh>\w+?)(?:[，,]没有则?为 ?0)?",
    re.IGNORECASE,
)


_OWN_TIME = re.compile(
    r"(?:上一?个?|前一个?|去|昨|[本当该同])(?:月|年|周|季度?|日|天)"
    r"|\b(?:last|previous|prior|preceding|this|current|that|same) (?:day|week|month|quarter|year)\b|\b(?:yesterday|today)\b",
    re.IGNORECASE,
)
"""A time that is said by another: by now, or by that of the row."""


class ComputedColumns:
    """Reads what is computed from columns that are known."""

    def __init__(self, draft: Draft, phrases: Phrases, definitions: dict[str, str]) -> None:
        self.draft, self.phrases, self._definitions = draft, phrases, definitions

    @property
    def _base(self) -> TableDetail | None:
        return self.draft.base.base if self.draft.base is not None and self.draft.is_grouped else None

    def _later(self, label: str, text: str) -> bool:
        made = next(
            (
                found
                for read in (self._running, self._previous, self._change, self._moving, self._share, self._part_of)
                if (found := read(text)) is not None
            ),
            None,
        )
        if made is None:
            return False
        self.draft.later[label] = made
        return True

    def _hidden(self, later: Later | Measure) -> ColumnOf:
        """A column that is computed, and not part of the target."""
        label = f"part_{len(self.draft.known) + 1}"
        if isinstance(later, Measure):
            self.draft.measures[label] = later
        else:
            self.draft.later[label] = later
        return ColumnOf(step=RESULT, name=label)

    def _hidden_so_far(self) -> tuple[dict[str, Expression], dict[str, Measure], dict[str, Later]]:
        """What is defined before words are tried that may not be read to their end."""
        return dict(self.draft.keys), dict(self.draft.measures), dict(self.draft.later)

    def _forget_since(self, before: tuple[dict[str, Expression], dict[str, Measure], dict[str, Later]]) -> None:
        """Take back what was defined since then."""
        self.draft.keys, self.draft.measures, self.draft.later = before

    def _ref(self, text: str) -> ColumnOf | None:
        """A column of the target that has a definition already."""
        wanted = plain(LEXICON.get(text.strip(), text))
        found = [item for item in self.draft.known if item in self.draft.order and plain(item) == wanted]
        return ColumnOf(step=RESULT, name=found[0]) if found else None

    def _result(self, text: str, *, counts: bool = False) -> Expression | None:
        """A value of a row of the target."""
        body = NULLS.sub("", text.strip().strip(",，"))
        if body[:1] in "(（" and body[-1:] in ")）":
            body = body[1:-1].strip()
        if re.fullmatch(r"-?\d+(?:\.\d+)?", body):
            return Constant(type=ValueType.DECIMAL, value=body)
        if (found := self._ref(body)) is not None:
            return found
        draft = self.draft
        if self._is_of_own_time(body):
            return None
        if draft.is_grouped or draft.entity is not None:
            measure = self.phrases.measure(body, draft.entity, self._base)
            if measure is None and counts and (rows := self.phrases.rows(body, draft.entity, self._base)) is not None:
                is_other = draft.entity is None or rows.table.full_name != draft.entity.full_name
                measure = count_if(rows) if is_other and (self._base is None or rows.table == self._base) else None
            if measure is not None:
                return self._hidden(measure)
        if (own := self._of_row(body)) is not None:
            return own
        if (both := self._signed(body)) is not None:
            return both
        for pattern, function in _OPERATORS:
            for left, right in cuts(body, pattern):
                if function in (Function.PLUS, Function.MINUS) and _has_own_rows(left, right):
                    continue
                before = self._hidden_so_far()
                first, second = self._result(left, counts=function is Function.OVER), self._result(right, counts=function is Function.OVER)
                if first is not None and second is not None:
                    return Call(function=function, arguments=(first, second))
                self._forget_since(before)
        return None

    def _is_of_own_time(self, text: str) -> bool:
        """Whether words such as 上个月 or `this month` may mean the row's own time, since the rows are grouped by one: they are not read as a
        time before now."""
        return self.draft.is_grouped and bool(self.draft.units) and _OWN_TIME.search(text) is not None

    def _of_row(self, text: str) -> ColumnOf | None:
        """A column of the row itself, or behind it, where the target has one row for each, or of a thing by whose key the rows are grouped:
        it is computed with, and not shown."""
        draft = self.draft
        if draft.is_grouped:
            known = self._of_grouped(text)
            return self._hidden_key(known) if known is not None else None
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.is_grouped else None)
        value = self.phrases.values(table).value(text) if table is not None else None
        return self._hidden_key(value) if isinstance(value, ColumnOf) else None

    def _of_grouped(self, text: str) -> ColumnOf | None:
        """A column of a table by whose key the rows are grouped: each group has one value of it."""
        draft = self.draft
        value = self.phrases.values(draft.base.base).value(text) if draft.base is not None else None
        if draft.base is None or not isinstance(value, ColumnOf):
            return None
        place = draft.base.places[value.step]
        keys = [key for key in draft.keys.values() if isinstance(key, ColumnOf)]
        own = {key.name for key in keys if key.step == value.step}
        parent = value.step.rpartition(">")[0]
        above = {key.name for key in keys if key.step == parent}
        is_known = bool(place.table.primary_key) and (
            set(place.table.primary_key) <= own or bool(place.path and set(place.path[-1].columns) <= above)
        )
        return value if is_known else None

    def _hidden_key(self, value: Expression) -> ColumnOf:
        label = next((label for label, known in self.draft.keys.items() if known == value), f"part_{len(self.draft.known) + 1}")
        self.draft.keys[label] = value
        return ColumnOf(step=RESULT, name=label)

    def _signed(self, body: str) -> Expression | None:
        """`pieces received minus pieces issued in finished movements`: what follows the second part holds for both."""
        found = _SIGNED.fullmatch(body)
        if not found:
            return None
        parts = {key.removesuffix("_zh"): value for key, value in found.groupdict().items() if value}
        rows = self.phrases.rows(parts["rows"], self.draft.entity, self._base)
        if rows is None:
            return None
        reader = self.phrases.values(rows.table)
        values = [reader.value(parts[key]) for key in ("value", "value2")]
        tests = [reader.condition(parts[key]) for key in ("test", "test2")]
        measures: list[Expression] = []
        for value, test in zip(values, tests, strict=True):
            if not isinstance(value, ColumnOf) or test is None or value != values[0]:
                return None
            kept = Rows(rows.table, (*rows.where, test), rows.related)
            measures.append(self._hidden(Measure(kept, Function.SUM, value, True)))
        return Call(function=Function.MINUS, arguments=tuple(measures))

    def _time(self) -> tuple[str, tuple[str, ...]] | None:
        """The column of the target that is a time, and the other keys."""
        times = [item for item in self.draft.keys if item in self.draft.units]
        return (times[0], tuple(item for item in self.draft.keys if item != times[0])) if len(times) == 1 else None

    def _matched(self, text: str, patterns: Sequence[str]) -> Iterator[dict[str, str]]:
        for pattern in patterns:
            if found := re.fullmatch(pattern, text.strip(), re.IGNORECASE):
                yield {key.rstrip("23"): value for key, value in found.groupdict().items() if value}

    def _running(self, text: str) -> Later | None:
        named = [item for item in self.draft.order if item in self.draft.measures]
        if _RUNNING_ALONE.fullmatch(text.strip()) and len(named) == 1:
            text = f"running total of {named[0]}"
        for found in self._matched(text, _RUNNING):
            of, time = self._result(found.get("of", "")), self._time()
            if of is None or time is None or (found.get("by") and found["by"].lower() not in time[1]):
                continue
            total = Call(function=Function.SUM, arguments=(of,))
            return Window(WindowColumn(name="value", value=total, partition_by=_refs(time[1]), order_by=_by(time[0]), frame=FrameUnit.ROWS))
        return None

    def _previous(self, text: str) -> Later | None:
        for found in self._matched(text, _PREVIOUS):
            of = self._ref(found.get("of", ""))
            unit = _UNITS.get(found.get("unit", "天").lower())
            if of is not None and self._is_unit(unit):
                return Previous(of.name)
        return None

    def _is_unit(self, unit: TimeUnit | None) -> bool:
        time = self._time()
        return time is not None and unit is not None and self.draft.units[time[0]] is self.phrases.times.unit(unit)

    def _change(self, text: str) -> Later | None:
        for found in self._matched(text, _CHANGE):
            of = self._ref(found.get("of", "")) if found.get("of") else self._last_measure()
            if of is None or not self._is_unit(_UNITS.get(found.get("unit", "").lower())):
                continue
            before = self._hidden(Previous(of.name))
            change = Call(function=Function.MINUS, arguments=(of, before))
            if found["kind"].lower() in ("change", "difference", "increase", "变化", "差额", "增减") and not found.get("percent"):
                return change
            if found["kind"] in ("增长",) and not found.get("percent"):
                return None
            ratio = over(change, before)
            return _percent(ratio) if found.get("percent") else ratio
        return None

    def _last_measure(self) -> ColumnOf | None:
        named = [item for item in self.draft.order if item in self.draft.measures]
        return ColumnOf(step=RESULT, name=named[-1]) if named else None

    def _moving(self, text: str) -> Later | None:
        if self.draft.spine is None:
            return None
        for found in self._matched(text, _MOVING):
            of, days = self._ref(found.get("of", "")), number_of(found.get("n", ""))
            if of is None or days is None:
                continue
            before = days - 1 if re.search(r"day (?:moving|rolling)|移动", text) else days
            mean = Call(function=Function.AVERAGE, arguments=(of,))
            column = WindowColumn(
                name="value",
                value=mean,
                partition_by=_refs(self.draft.spine.of),
                order_by=_by(self.draft.spine.day),
                frame=FrameUnit.ROWS,
                preceding=before,
            )
            return Window(column)
        return None

    def _share(self, text: str) -> Later | None:
        found = _SHARE_OF_ALL.fullmatch(text.strip())
        if not found:
            return None
        of = self._ref(found["of"]) if found["of"] else self._last_measure()
        noun = (found["noun"] or found["noun_zh"] or "").strip()
        if of is None or not self._is_same(of.name, noun):
            return None
        kind = (found["kind"] or found["kind_zh"]).lower()
        share = Share(of.name)
        if found["percent"] or kind in ("percentage", "percent", "百分比"):
            return _percent(self._hidden(share))
        return share

    def _is_same(self, label: str, noun: str) -> bool:
        """Whether `all parcels of that month` are the rows that the measure counts."""
        body = re.sub(r"\s*(?:of|in|on) (?:that|the same) (?:period|day|week|month|quarter|year)$|^该(?:月|年|日)(?:的)?", "", noun).strip()
        if not body or plain(body) == plain(label):
            return True
        measure = self.draft.measures.get(label)
        if measure is None:
            return False
        rows = self.phrases.rows(body, self.draft.entity, None)
        return rows is not None and rows.table == measure.rows.table and (not rows.where or rows.where == measure.rows.where)

    def _part_of(self, text: str) -> Later | None:
        draft = self.draft
        for found in self._matched(text, _PART_OF):
            everything = self.phrases.rows(found["all"], draft.entity, self._base)
            if everything is None:
                continue
            if "cond" in found:
                part = self.phrases.rows(f"{found['all']} {found['rel']} {found['cond']}", draft.entity, self._base)
            else:
                part = self.phrases.rows(found["part"], draft.entity, self._base)
            if part is None or part.table != everything.table or part == everything:
                continue
            ratio = over(self._hidden(count_if(part)), self._hidden(count_if(everything)))
            return _percent(ratio) if found.get("percent") or found["kind"].lower() in ("percentage", "percent", "百分比") else ratio
        return None


def _has_own_rows(left: str, right: str) -> bool:
    """`a minus b of some rows`: whether those rows are also meant by `a` is not known."""
    tail = re.search(r"\s(?:in|of|for|from|with|where)\s", right)
    return tail is not None and re.search(r"\s(?:in|of|for|from|with|where)\s", left) is None


def _percent(value: Expression) -> Expression:
    return Call(function=Function.TIMES, arguments=(Constant(type=ValueType.INTEGER, value="100"), value))


def _refs(labels: Sequence[str]) -> tuple[Expression, ...]:
    return tuple(ColumnOf(step=RESULT, name=label) for label in labels)


def _by(label: str) -> tuple[Sorting, ...]:
    return (Sorting(value=ColumnOf(step=RESULT, name=label)),)
