"""Phrases for values and conditions, in English and Chinese, as expressions over a scope.

A phrase is taken as a whole: what has no place in it makes it unread.
"""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Iterator

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from contracts.queries import TimeUnit
from workers.engines.requirements.from_query import typed_constant
from workers.engines.requirements.prose.codes import QUOTES, beside, coded, coded_above
from workers.engines.requirements.prose.domains import domain_of
from workers.engines.requirements.prose.durations import duration, has_time_of_day
from workers.engines.requirements.prose.happenings import happened, moment_of
from workers.engines.requirements.prose.net_prices import net_price
from workers.engines.requirements.prose.parts_of_time import named_part, part_of_time
from workers.engines.requirements.prose.scope import Scope
from workers.engines.requirements.prose.sql_phrases import SqlPhrase, is_test, parsed
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, TEMPORAL, as_number
from workers.engines.times import TimeWords

_UNITS = {
    "day": TimeUnit.DAY, "week": TimeUnit.WEEK, "month": TimeUnit.MONTH, "quarter": TimeUnit.QUARTER, "year": TimeUnit.YEAR,
    "天": TimeUnit.DAY, "日": TimeUnit.DAY, "周": TimeUnit.WEEK, "月": TimeUnit.MONTH, "月份": TimeUnit.MONTH, "季度": TimeUnit.QUARTER, "年": TimeUnit.YEAR,
}  # fmt: skip
_OPERATORS: tuple[tuple[str, Function], ...] = (
    (r"\s*\+\s*|\s+plus\s+|加上?", Function.PLUS),
    (r"\s+-\s+|\s*−\s*|\s+minus\s+|\s+less\s+|减去?", Function.MINUS),
    (r"\s*\*\s*|\s*×\s*|\s+times\s+|\s+multiplied by\s+|乘以?", Function.TIMES),
    (r"\s*/\s*|\s*÷\s*|\s+divided by\s+|除以", Function.OVER),
)
"""The weakest first: a phrase is cut at the last of the weakest."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DAYS = (
    r"(?:the )?(?:number of )?days (?:from|between) (?P<a>.+?) (?:to|until|and|till) (?P<b>.+)",
    r"(?:从)?\s*(?P<a>.+?)\s*(?:到|至)\s*(?P<b>.+?)\s*(?:的|之间的)?\s*(?:间隔)?天数",
)
_COMPARE: tuple[tuple[str, Function], ...] = (
    (r"\s*(?:<>|!=|≠)\s*|\s+(?:is|are|was|were) (?:not equal to|different from)\s+|\s+(?:is|are|was|were|has|have|does|do)(?:n't| not)(?: of| in)?\s+|\s+(?:(?:is |are )?other than|not)\s+|\s*(?:不等于|不为|不是)\s*", Function.NOT_EQUAL),
    (r"\s*(?:>=|≥)\s*|\s+(?:is |are |was |were |of )?(?:at least|no less than|not less than|on or after|no earlier than|not before|from)\s+|\s*(?:大于等于|不小于|不低于|不少于|不早于|至少)\s*", Function.GREATER_EQUAL),
    (r"\s*(?:<=|≤)\s*|\s+(?:is |are |was |were |of )?(?:at most|no more than|not more than|on or before|no later than|not after|up to)\s+|\s*(?:小于等于|不大于|不高于|不超过|不多于|不晚于|至多)\s*", Function.LESS_EQUAL),
    (r"\s*>\s*|\s+(?:is |are |was |were |of |by )?(?:greater than|more than|larger than|higher than|above|over|after|later than|exceeds|exceeding)\s+|\s*(?:大于|超过|高于|多于|晚于)\s*", Function.GREATER),
    (r"\s*<\s*|\s+(?:is |are |was |were |of )?(?:less than|smaller than|lower than|fewer than|below|under|before|earlier than)\s+|\s*(?:小于|低于|少于|早于)\s*", Function.LESS),
    (r"\s*(?:=|==)\s*|\s+(?:is|are|was|were|equals?|equal to|of)\s+|\s*(?:等于|为|是)\s*", Function.EQUAL),
)  # fmt: skip
_EMPTY = (
    r"(?P<v>.+?)\s+(?:is|are|was|were) (?:not null|known|filled|set|given|not empty)|(?P<w>.+?)\s*(?:不为空|非空|不是空|有值|已填)",
    r"(?P<v>.+?)\s+(?:is|are|was|were) (?:null|unknown|missing|empty|not set|not known)|(?P<u>\w+) null|(?P<w>.+?)\s*(?:为空|是空|没有值|缺失)",
)
_TEXTS = (
    (
        r"(?P<v>.+?)\s+(?:starts?|begins?|starting|beginning) with\s+(?P<c>.+)|(?P<w>.+?)\s*以\s*(?P<d>.+?)\s*(?:开头|打头)",
        Function.STARTS_WITH,
    ),
    (r"(?P<v>.+?)\s+(?:ends?|ending) (?:with|in)\s+(?P<c>.+)|(?P<w>.+?)\s*以\s*(?P<d>.+?)\s*结尾", Function.ENDS_WITH),
    (r"(?P<v>.+?)\s+(?:contains?|holds?|containing|includes?)\s+(?P<c>.+)|(?P<w>.+?)\s*(?:包含|含有?)\s*(?P<d>.+)", Function.CONTAINS),
)
_BETWEEN = r"(?P<v>.+?)\s+(?:is |are |was |were )?(?:between|from) (?P<a>\S+) (?:and|to) (?P<b>\S+)|(?P<w>.+?)\s*(?:在|介于|为)?\s*(?P<c>[\d.%-]+)\s*(?:到|至|和)\s*(?P<d>[\d.%-]+)\s*(?:之间)?"
_LINKS = r"(?:that|which|who|whose)\s+(?:(?:are|is|were|was|have|has|had)\s+)?(?:been\s+)?"


class Values:
    """Reads phrases over one scope."""

    def __init__(self, scope: Scope, times: TimeWords) -> None:
        self.scope, self.times = scope, times
        self._known: dict[str, Expression | None] = {}
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._tested: dict[str, Expression | None] = {}

    def value(self, text: str) -> Expression | None:
        """A value of a row."""
        body = text.strip().strip(",，")
        if not body or len(body) > 200:
            return None
        if body not in self._known:
            self._known[body] = None
            self._known[body] = self._value(body)
        return self._known[body]

    def _value(self, body: str) -> Expression | None:
        if body[0] in "(（" and _closes(body):
            return self.value(body[1:-1])
        if _NUMBER.fullmatch(body):
            return Constant(type=ValueType.DECIMAL, value=body)
        if (found := self.scope.column(body)) is not None:
            return found
        return (
            net_price(body, self.scope) or self._time(body) or self._days(body) or duration(body, self.scope)
            or self._arithmetic(body) or self._in_sql(body)
        )  # fmt: skip

    def _in_sql(self, body: str) -> Expression | None:
        """`case when ... end`, `a || b`, `coalesce(a, 0)`."""
        tree = parsed(body)
        return SqlPhrase(self.scope.column, self.bound).read(tree) if tree is not None and not is_test(tree) else None

    def _arithmetic(self, body: str) -> Expression | None:
        for pattern, function in _OPERATORS:
            for left, right in cuts(body, pattern):
                first, second = self.value(left), self.value(right)
                if first is not None and second is not None:
                    return Call(function=function, arguments=(first, second))
        return None

    def _time(self, body: str) -> Expression | None:
        """`month of visited_at`, `first day of the month`, `the month`, 就诊月份."""
        if (part := named_part(body)) is not None:
            return part_of_time(part[0], self._moment_of(part[1]), self.scope)
        text = re.sub(r"^(?:the )?(?:first day|start|beginning) of (?:the |its |each )?|^(?:calendar )", "", body.lower())
        text = re.sub(r"(?:的|当)?(?:第一天|首日|1日)(?:日期)?$", "", text).removeprefix("当").removeprefix("每").removeprefix("自然")
        found = re.fullmatch(
            r"(?:the )?(?P<unit>day|date|week|month|quarter|year)s?(?:(?: (?:of|in which|on which))?(?: the| its)? (?P<of>.+))?", text
        )
        if found:
            unit, of = found["unit"].replace("date", "day"), found["of"] or ""
        elif found := re.fullmatch(r"(?P<of>.*?)(?:的|所在的?)?(?P<unit>天|日|日期|周|月份?|季度|年份?)", text):
            unit, of = found["unit"].replace("日期", "日").replace("年份", "年"), found["of"]
        else:
            return None
        of = re.sub(r"(?: was| were| is| are)$| date$", "", of.strip())
        column = self._moment_of(of)
        return Call(function=Function.CUT, arguments=(column,), unit=self.times.unit(_UNITS[unit])) if column is not None else None

    def _moment_of(self, of: str) -> ColumnOf | None:
        """The moment that words behind a unit of time name: a column, what a row is, or what happened to it."""
        if not of:
            return self.scope.moment()
        column = self.scope.column(of)
        if column is not None:
            return column if TEMPORAL.search(self.scope.type_of(column)) else None
        detail = self.scope.schema.entity(of)
        if detail is not None and detail.full_name == self.scope.base.full_name:
            return self.scope.moment()
        if len(places := self.scope.places_named(of)) == 1:
            return self.scope.moment_at(places[0])
        verb = re.sub(r"^(?:it|they|the \w+) (?:was|were) ", "", of)
        return self.scope.moment(verb) if re.fullmatch(r"\w+", verb) else None

    def _days(self, body: str) -> Expression | None:
        for pattern in _DAYS:
            if found := re.fullmatch(pattern, body, re.IGNORECASE):
                first, second = self.value(found["a"]), self.value(found["b"])
                if first is not None and second is not None and self._is_moment(first) and self._is_moment(second):
                    return Call(function=Function.DAYS_BETWEEN, arguments=(second, first))
        return None

    def _is_moment(self, value: Expression) -> bool:
        if isinstance(value, ColumnOf):
            return bool(TEMPORAL.search(self.scope.type_of(value)))
        return isinstance(value, Call) and value.function in (Function.CUT, Function.ADD_TIME)

    def condition(self, text: str) -> Expression | None:
        """A condition on a row."""
        body = re.sub(
            rf"^(?:{_LINKS}|(?:with|where|having|and)\s+(?:an? |the )?)", "", text.strip().strip(",，;；"), flags=re.IGNORECASE
        ).strip()
        body = re.sub(r"(?:的)$", "", body).strip()
        body = re.sub(r"^still (?=\w)|(?<=^)((?:not|never|no longer) .+?) yet$", r"\1", body, flags=re.IGNORECASE)
        if not body or len(body) > 200:
            return None
        if body not in self._tested:
            self._tested[body] = None
            self._tested[body] = self._condition(body)
        return self._tested[body]

    def _condition(self, body: str) -> Expression | None:
        if body[0] in "(（" and _closes(body):
            return self.condition(body[1:-1])
        if (single := self._single(body)) is not None:
            return single
        for pattern, function in (
            (r"\s+or\s+|或者|或", Function.OR),
            (r"\s+and\s+|\s+but\s+|并且|而且|且|[，,]?但(?:是)?|,\s*|，|、", Function.AND),
        ):
            for left, right in cuts(body, pattern):
                if self.cuts_time(body, len(left)) or self._two_periods(left, right):
                    continue
                parts = (self.condition(left), self.condition(right))
                if parts[0] is not None and parts[1] is not None:
                    return Call(function=function, arguments=(parts[0], parts[1]))
        tree = parsed(body)
        return SqlPhrase(self.scope.column, self.bound).read(tree) if tree is not None and is_test(tree) else None

    def cuts_time(self, body: str, place: int) -> bool:
        """Whether a cut at a place would go through words for a time: 2025年2月."""
        if body not in self._spans:
            self._spans[body] = [(time.begin, time.stop) for time in self.times.find(body)]
        return any(begin < place < stop for begin, stop in self._spans[body])

    def _two_periods(self, left: str, right: str) -> bool:
        """`January and February 2024`: two times that may share a year are not read as two conditions."""
        times = [self.times.find(side) for side in (left, right)]
        return all(times) and not all(re.search(r"\d{4}-\d{2}-\d{2}", side) for side in (left, right))

    def _single(self, body: str) -> Expression | None:
        readers: tuple[Callable[[str], Expression | None], ...] = (
            self._emptiness, self._text_match, self._between, self._later_by, self._comparison, self._period, self._coded, self._happened,
            self._several_times,
        )  # fmt: skip
        return next((found for reader in readers if (found := reader(body)) is not None), None)

    def _several_times(self, body: str) -> Expression | None:
        return coded_above(body, self.scope) or happened(body, self)

    def _emptiness(self, body: str) -> Expression | None:
        for pattern, function in zip(_EMPTY, (Function.NOT_NULL, Function.IS_NULL), strict=True):
            if found := re.fullmatch(pattern, body, re.IGNORECASE):
                value = self.value(found["v"] or found["w"] or found.groupdict().get("u") or "")
                if value is not None:
                    return Call(function=function, arguments=(value,))
        return None

    def _text_match(self, body: str) -> Expression | None:
        for pattern, function in _TEXTS:
            if found := re.fullmatch(pattern, body, re.IGNORECASE):
                value = self.scope.column(found["v"] or found["w"])
                constant = (found["c"] or found["d"]).strip().strip(QUOTES)
                if value is not None and constant and not NUMERIC.search(self.scope.type_of(value)):
                    return Call(function=function, arguments=(value, Constant(type=ValueType.TEXT, value=constant)))
        return None

    def _between(self, body: str) -> Expression | None:
        found = re.fullmatch(_BETWEEN, body, re.IGNORECASE)
        if not found:
            return None
        value = self.value(found["v"] or found["w"])
        first, last = (found["a"] or found["c"]), (found["b"] or found["d"])
        if not isinstance(value, ColumnOf) or TEMPORAL.search(self.scope.type_of(value)):
            return None
        bounds = [self._constant(item, value) for item in (first, last)]
        if any(bound is None or bound.type is not ValueType.DECIMAL for bound in bounds):
            return None
        tests = zip((Function.GREATER_EQUAL, Function.LESS_EQUAL), bounds, strict=True)
        return Call(function=Function.AND, arguments=tuple(Call(function=f, arguments=(value, b)) for f, b in tests if b is not None))

    def _later_by(self, body: str) -> Expression | None:
        """`returned_on more than 14 days after taken_on`."""
        found = re.fullmatch(
            r"(?P<a>.+?) (?:is |was |were )?(?P<sign>more than|at least|less than|at most|within) (?P<n>\d+) days (?P<way>after|before|of) (?P<b>.+)",
            body,
            re.IGNORECASE,
        )
        first, second = (self.value(found["a"]), self.value(found["b"])) if found else (None, None)
        if found is None or first is None or second is None or found["way"].lower() == "of":
            return None
        signs = {
            "more than": Function.GREATER,
            "at least": Function.GREATER_EQUAL,
            "less than": Function.LESS,
            "at most": Function.LESS_EQUAL,
            "within": Function.LESS_EQUAL,
        }
        sides = (first, second) if found["way"].lower() == "after" else (second, first)
        has_clock = all(has_time_of_day(side, self.scope) for side in sides)  # 3 days are 72 hours then
        days = Constant(type=ValueType.INTEGER, value=str(int(found["n"]) * (86_400 if has_clock else 1)))
        between = Function.SECONDS_BETWEEN if has_clock else Function.DAYS_BETWEEN
        return Call(function=signs[found["sign"].lower()], arguments=(Call(function=between, arguments=sides), days))

    def _comparison(self, body: str) -> Expression | None:
        for pattern, function in _COMPARE:
            for left, right in cuts(body, pattern):
                value = self.value(left)
                if value is None and function not in (Function.EQUAL, Function.NOT_EQUAL):
                    value = moment_of(left, self.scope)  # `ordered before 1995-03-15`
                if value is None:
                    continue
                if (made := self._compared(value, function, right)) is not None:
                    return made
        return None

    def _compared(self, value: Expression, function: Function, right: str) -> Expression | None:
        """The comparison with what stands behind the sign: constants, or another value."""
        is_equality = function in (Function.EQUAL, Function.NOT_EQUAL)
        right = re.sub(r"^(?:either|one of|any of|in|neither)\s+", "", right.strip(), flags=re.IGNORECASE)
        parts = [
            part.strip()
            for part in re.split(r"\s*,\s*(?:or|nor|and)\s+|\s*[,，、]\s*|\s+(?:or|nor)\s+|或者?", right.strip("()（）"))
            if part.strip()
        ]
        if isinstance(value, ColumnOf) and is_equality and parts:
            constants = [self._constant(part, value) for part in parts]
            made = tuple(item for item in constants if item is not None)
            if len(made) == len(parts):
                if len(made) == 1:
                    return Call(function=function, arguments=(value, *made))
                inside = Call(function=Function.IN, arguments=(value, *made))
                return inside if function is Function.EQUAL else Call(function=Function.NOT, arguments=(inside,))
        if (
            isinstance(value, ColumnOf)
            and not is_equality
            and (bound := self._constant(right, value)) is not None
            and bound.type is not ValueType.TEXT
        ):
            return Call(function=function, arguments=(value, bound))
        other = self.value(right)
        if other is None or (is_equality and not isinstance(other, ColumnOf)):
            numeric = _NUMBER.fullmatch(right)
            return (
                Call(function=function, arguments=(value, Constant(type=ValueType.DECIMAL, value=right)))
                if numeric and not isinstance(value, ColumnOf)
                else None
            )
        return Call(function=function, arguments=(value, other))

    def bound(self, text: str, column: ColumnOf) -> Constant | None:
        """A constant as the column compares it."""
        return self._constant(text, column)

    def _constant(self, text: str, column: ColumnOf) -> Constant | None:
        """A constant as the column compares it. A bare word only where it is one of the values that are known, or its type is a text's
        and the word does not name a column."""
        body, detail = text.strip(), self.scope.detail(column)
        bare = body.strip(QUOTES)
        if not bare:
            return None
        if BOOLEAN.search(detail.type):
            return typed_constant(bare, detail.type) if bare.lower() in ("true", "false", "yes", "no", "t", "f") else None
        if TEMPORAL.search(detail.type):
            return typed_constant(bare, detail.type) if re.fullmatch(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?", bare) else None
        if NUMERIC.search(detail.type):
            number = as_number(bare.removesuffix("%"))
            if number is None:
                return None
            return Constant(type=ValueType.DECIMAL, value=str(float(number) / 100) if bare.endswith("%") else number)
        if body != bare:
            return Constant(type=ValueType.TEXT, value=bare)
        known = domain_of(detail)
        if (value := known.get(bare.lower())) is not None:
            return Constant(type=ValueType.TEXT, value=value)
        if known or self.scope.column(bare) is not None or not re.fullmatch(r"[\w#+.-]+(?: [\w#+.-]+){0,2}", bare):
            return None
        is_name = bare != bare.lower() or any(letter in "_#" or letter.isdigit() for letter in bare) or len(bare.split()) == 1
        return Constant(type=ValueType.TEXT, value=bare) if is_name else None

    def _period(self, body: str) -> Expression | None:
        """`in 2024`, `sent in March 2025`, `since 2024-01-01`, 2025年3月发出."""
        body = re.sub(r"\bon or after (?=\d{4}-\d{2}-\d{2}\b)", "since ", body, flags=re.IGNORECASE)
        times = [time for time in self.times.find(body) if time.range is not None]
        if len(times) != 1:
            return None
        time = times[0]
        rest = f"{body[: time.begin]} {body[time.stop :]}".strip()
        rest = re.sub(
            r"^(?:was|were|are|is|been)\s+|\s*(?:in|on|during|within|of|at|between)$|^(?:in|on|during|within|of|at|dated|since|from)$|^(?:在|于)|(?:在|于)$|期间|内$",
            "",
            rest,
            flags=re.IGNORECASE,
        ).strip()
        rest = re.sub(r"^(?:was|were|are|is)\s+", "", rest)
        column = self.scope.moment() if not rest else self.scope.column(rest)
        if column is None and re.fullmatch(r"\w+", rest):
            column = self.scope.moment(rest) or self.scope.beginning(rest) or self.scope.moment_above(rest)
        if column is None or not TEMPORAL.search(self.scope.type_of(column)) or time.range is None:
            return None
        return self.within(column, time.range.start, time.range.end)

    def within(self, column: ColumnOf, start: object, end: object) -> Expression | None:
        """From a moment on, and before another."""
        tests = [
            Call(function=function, arguments=(column, typed_constant(str(bound), self.scope.type_of(column))))
            for bound, function in ((start, Function.GREATER_EQUAL), (end, Function.LESS))
            if bound is not None
        ]
        if not tests:
            return None
        return tests[0] if len(tests) == 1 else Call(function=Function.AND, arguments=tuple(tests))

    def _coded(self, body: str) -> Expression | None:
        return coded(body, self.scope) or beside(body, self.scope)

    def _happened(self, body: str) -> Expression | None:
        """`delivered`, `not yet delivered`: a moment that is null while it has not happened."""
        if (while_null := self.scope.unfinished(body.removeprefix("尚"))) is not None:  # 未缴 of 缴费时间，未缴为空
            return Call(function=Function.IS_NULL, arguments=(while_null,))
        is_not = bool(re.match(r"(?:not(?: yet)?|never)\s+", body, re.IGNORECASE)) or body.startswith(("未", "尚未"))
        word = re.sub(r"^(?:not(?: yet)?|never|already)\s+|^(?:尚?未|已经?)", "", body, flags=re.IGNORECASE)
        word = re.sub(r"^been\s+", "", word, flags=re.IGNORECASE)
        if not re.fullmatch(r"\w+", word):
            return None
        if (while_null := self.scope.unfinished(word)) is not None:
            return Call(function=Function.NOT_NULL if is_not else Function.IS_NULL, arguments=(while_null,))
        column = self.scope.moment(word)
        if column is None or (
            "null" not in self.scope.detail(column).description.lower()
            and "空" not in self.scope.detail(column).description
            and self.scope.detail(column).nullable is not True
        ):
            return None
        return Call(function=Function.IS_NULL if is_not else Function.NOT_NULL, arguments=(column,))


def _closes(body: str) -> bool:
    """Whether the bracket with which a text begins closes at its end."""
    depth = 0
    for place, letter in enumerate(body):
        depth += (letter in "(（") - (letter in ")）")
        if depth == 0:
            return place == len(body) - 1
    return False


def cuts(body: str, pattern: str) -> Iterator[tuple[str, str]]:
    """The two sides of every place outside of brackets and quotation marks where the pattern is, the last first."""
    for found in reversed(list(re.finditer(pattern, body, re.IGNORECASE))):
        before = body[: found.start()]
        inside = sum((letter in "(（") - (letter in ")）") for letter in before) > 0
        quoted = before.count("'") % 2 == 1 and body[found.end() :].count("'") % 2 == 1
        if not inside and not quoted and before.strip() and body[found.end() :].strip():
            yield before, body[found.end() :]
