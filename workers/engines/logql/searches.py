"""A search made of conditions on labels and fields, texts, groups and a time, as a query over what a log has. Names that it does not have
are missing, and never left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.log_questions import FieldForm, LogReading, LogVocabulary
from contracts.logs import (
    CompareOp,
    Grouping,
    JsonParser,
    LabelFilter,
    LabelTest,
    LineFilter,
    LogExpression,
    LogfmtParser,
    LogQuery,
    Matcher,
    MatchOp,
    NumberTest,
    RangeAggregation,
    Stage,
    TextTest,
    Unit,
    VectorAggregation,
)
from contracts.statements import Listing, Name, Statement, code, name, names, say
from workers.engines.logql.tokens import duration_ns, size_bytes
from workers.engines.logql.vocabulary import APPLICATIONS, MOST_APPLICATIONS

_POSITIVE = (MatchOp.EQUAL, MatchOp.MATCHES)
_SHOWN = 12
_NO_ERROR = LabelFilter(test=TextTest(label="__error__", op=MatchOp.EQUAL, value=""))
_UNITS = {"duration": Unit.DURATION, "bytes": Unit.BYTES}
_EXAMPLES = {Unit.NUMBER: "500", Unit.DURATION: "2s", Unit.BYTES: "20MiB"}


@dataclass(slots=True)
class Search:
    """What is searched, as far as it is known."""

    vocabulary: LogVocabulary
    matchers: list[Matcher] = field(default_factory=list[Matcher])
    stages: list[Stage] = field(default_factory=list[Stage])
    """Of the query that this one changes."""
    filters: list[LineFilter] = field(default_factory=list[LineFilter])
    tests: dict[tuple[str, str], LabelTest] = field(default_factory=dict[tuple[str, str], LabelTest])
    """On fields in the lines, by their name and operator."""
    group_by: tuple[str, ...] = ()
    counts: bool = False
    step_ns: int | None = None
    span: tuple[datetime, datetime] | None = None
    metric: LogExpression | None = None
    """LogQL that is run as it is."""
    missing: list[Statement] = field(default_factory=list[Statement])

    @classmethod
    def of(cls, vocabulary: LogVocabulary, query: LogExpression, before: LogReading | None = None) -> "Search":
        """A query to go on from. A metric that no search makes is run as it is, or, of the search before, given up."""
        span = (before.start, before.end) if before is not None and before.start and before.end else None
        length = (span[1] - span[0]).total_seconds() * 1e9 if span else None
        match query:
            case LogQuery() as log:
                return cls(vocabulary, list(log.matchers), list(log.stages), span=span)
            case VectorAggregation(
                function="sum", of=RangeAggregation(function="count_over_time", log=log, range_ns=range_ns), grouping=grouping
            ) if before is not None and range_ns == (before.step_ns or length) and not (grouping and grouping.is_without):
                known = cls(vocabulary, list(log.matchers), list(log.stages), span=span)
                known.group_by, known.counts, known.step_ns = grouping.labels if grouping else (), True, before.step_ns
                return known
            case _:
                return cls(vocabulary, metric=query if before is None else None)

    def compare(self, label: str, op: str, values: Sequence[tuple[str, bool] | None]) -> None:
        """A condition. `values`: each with whether it is searched for although the log is not known to have it; None: any value."""
        known = self.vocabulary.labels.get(label)
        texts: list[str] = []
        for text, is_exact in (value for value in values if value is not None):
            spelled = [value for value in known or () if value.casefold() == text.casefold()]
            is_free = is_exact or known is None or op in ("=~", "!~")
            if not is_free and not spelled:
                self.missing.append(say("logs.missing.value", label=code(label), value=code(text), known=_shown(known or ())))
            texts += [text] if is_free else spelled
        found = MatchOp(op)
        if None in values or (len(texts) > 1 and op in ("=", "!=")):
            found, texts = MatchOp.MATCHES if op in ("=", "=~") else MatchOp.MATCHES_NOT, [re.escape(text) for text in texts]
        texts = [".+"] if None in values else texts
        if known is None:
            key = op if found in _POSITIVE else f"{op}{texts}"  # what is not meant adds up
            self.tests[label, key] = TextTest(label=label, op=found, value="|".join(texts))
            return
        stay = [each for each in self.matchers if each.label != label or found not in _POSITIVE or each.op not in _POSITIVE]
        self.matchers = [*stay, Matcher(label=label, op=found, value="|".join(texts))]

    def measure(self, label: str, op: str, text: str) -> None:
        """A comparison with a number, in the unit that the field has."""
        fields = [each for each in self.vocabulary.fields if each.name == label]
        unit = _UNITS.get(fields[0].unit, Unit.NUMBER) if fields else Unit.NUMBER
        number = {Unit.NUMBER: _number, Unit.DURATION: duration_ns, Unit.BYTES: size_bytes}[unit](text)
        if number is None or (fields and not fields[0].is_number):
            example = code(f"{label}{op}{_EXAMPLES[unit]}")
            self.missing.append(say("logs.missing.number", name=code(label), value=code(text), example=example))
            return
        self.tests[label, op] = NumberTest(label=label, op=CompareOp(op), value=float(number), unit=unit)

    def query(self, range_ns: int) -> LogExpression:
        """The query; what it lacks is in `missing`."""
        if self.metric is not None:
            return self.metric
        wanted = dict.fromkeys([*(label for label, _ in self.tests), *self.group_by])
        parsers = [self._parser(label) for label in wanted if label not in self.vocabulary.labels]
        kept = [stage for stage in self.stages if not self._replaces(stage)]
        new = (*self.filters, *dict.fromkeys(parsers), *(LabelFilter(test=test) for test in self.tests.values()))
        stages = [*kept, *(stage for stage in new if stage not in kept)]
        if parsers:  # a line that no parser can read, or without a number, was not asked for
            stages = [*(stage for stage in stages if stage != _NO_ERROR), _NO_ERROR]
        if not self.missing and not any(matcher.op in _POSITIVE for matcher in self.matchers):
            self.missing.append(self._which())
        log = LogQuery(matchers=tuple(self.matchers), stages=tuple(stages))
        if not self.counts:
            return log
        grouping = Grouping(labels=self.group_by) if self.group_by else None
        inner = RangeAggregation(function="count_over_time", log=log, range_ns=range_ns)
        return VectorAggregation(function="sum", of=inner, grouping=grouping)

    @property
    def example(self) -> str:
        """A condition on the label that says most, as this log has it."""
        label = next((each for each in APPLICATIONS if each in self.vocabulary.labels), next(iter(self.vocabulary.labels), "app"))
        value = next(iter(self.vocabulary.labels.get(label, ())), "payment")
        return f"{label}={value}" if value.isalnum() else f'{label}="{value}"'

    def _replaces(self, stage: Stage) -> bool:
        """Whether a field is compared again that the query before compares."""
        return isinstance(stage, LabelFilter) and any(getattr(stage.test, "label", None) == label for label, _ in self.tests)

    def _parser(self, label: str) -> Stage:
        """The parser that makes a label of a field."""
        fields = [each for each in self.vocabulary.fields if each.name == label]
        asked = {matcher.value for matcher in self.matchers if matcher.label in APPLICATIONS and matcher.op is MatchOp.EQUAL}
        forms = {
            each.form for each in fields if not asked or len(each.applications) in (0, MOST_APPLICATIONS) or asked & set(each.applications)
        }
        if not fields:
            known = list(dict.fromkeys(each.name for each in self.vocabulary.fields))
            labels = list(self.vocabulary.labels)
            self.missing.append(say("logs.missing.name", name=code(label), labels=_shown(labels), fields=_shown(known)))
        elif len(forms) != 1:
            self.missing.append(say("logs.missing.form", name=code(label)))
        return JsonParser() if FieldForm.JSON in forms else LogfmtParser()

    def _which(self) -> Statement:
        label, _, _ = self.example.partition("=")
        if not self.vocabulary.labels.get(label):
            return say("logs.missing.labels")
        return say("logs.missing.label", label=code(label), any=code(f"{label}=*"), known=_shown(self.vocabulary.labels[label]))


def _number(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).removeprefix("-").isdecimal() and len(text) < 20 else None


def _shown(some: Sequence[str]) -> Listing | Name:
    return names(some[:_SHOWN]) if some else name("–")
