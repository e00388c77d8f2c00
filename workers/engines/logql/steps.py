"""A pipeline as a list of functions over entries."""

import re
from collections.abc import Callable, Iterable, Mapping
from operator import eq, ge, gt, le, lt, ne

from contracts.logs import (
    BothTests,
    CompareOp,
    Conversion,
    Decolorize,
    Drop,
    EitherTest,
    FilterOp,
    JsonParser,
    Keep,
    LabelChoice,
    LabelFilter,
    LabelFormat,
    LabelTest,
    LineFilter,
    LineFormat,
    LogfmtParser,
    Matcher,
    MatchOp,
    NumberTest,
    PatternParser,
    RegexpParser,
    Sought,
    Stage,
    TextTest,
    Unit,
    Unpack,
    Unwrap,
)
from workers.engines.logql.entries import ERROR, Item
from workers.engines.logql.expressions import compiled, read_addresses, read_pattern
from workers.engines.logql.parsing_stages import Step, json_step, logfmt_step, pattern_step, regexp_step, unpack_step
from workers.engines.logql.templates import Template
from workers.engines.logql.tokens import duration_ns, size_bytes

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PLAIN = re.compile(r"\(\?i\)([a-zA-Z0-9 _]+)")
"""A word in upper or lower case, as an expression."""

_COMPARE: dict[CompareOp, Callable[[float, float], bool]] = {
    CompareOp.EQUAL: eq, CompareOp.NOT_EQUAL: ne, CompareOp.GREATER: gt, CompareOp.GREATER_EQUAL: ge, CompareOp.LESS: lt,
    CompareOp.LESS_EQUAL: le,
}  # fmt: skip


def text_test(op: MatchOp, value: str) -> Callable[[str], bool]:
    """Whether a label's text fits."""
    match op:
        case MatchOp.EQUAL:
            return lambda text: text == value
        case MatchOp.NOT_EQUAL:
            return lambda text: text != value
        case MatchOp.MATCHES:
            expression = compiled(value)
            return lambda text: expression.fullmatch(text) is not None
        case MatchOp.MATCHES_NOT:
            expression = compiled(value)
            return lambda text: expression.fullmatch(text) is None


def selects(matchers: Iterable[Matcher]) -> Callable[[Mapping[str, str]], bool]:
    """Whether the labels of a stream fit a selector."""
    tests = [(matcher.label, text_test(matcher.op, matcher.value)) for matcher in matchers]
    return lambda labels: all(test(labels.get(label, "")) for label, test in tests)


def steps_of(stages: Iterable[Stage]) -> list[Step]:
    """The functions of a pipeline, in order. Raises `BadExpression` or `UnknownTemplate`."""
    return [_step(stage) for stage in stages]


def _step(stage: Stage) -> Step:
    match stage:
        case LineFilter():
            return _line_filter(stage)
        case JsonParser():
            return json_step(stage)
        case LogfmtParser():
            return logfmt_step(stage)
        case RegexpParser():
            return regexp_step(stage)
        case PatternParser():
            return pattern_step(stage)
        case Unpack():
            return unpack_step
        case Decolorize():
            return _decolorize
        case LineFormat():
            return _line_format(stage)
        case LabelFormat():
            return _label_format(stage)
        case LabelFilter():
            return _label_test(stage.test)
        case Keep() | Drop():
            return _keep_or_drop(stage)
        case Unwrap():
            return _unwrap(stage)


def _line_filter(stage: LineFilter) -> Step:
    tests = [line_test(stage.op, sought) for sought in stage.sought]
    negated = stage.op in (FilterOp.CONTAINS_NOT, FilterOp.MATCHES_NOT, FilterOp.LIKE_NOT)
    if len(tests) == 1:
        (test,) = tests
        return (lambda item: not test(item.line)) if negated else (lambda item: test(item.line))
    return lambda item: any(test(item.line) for test in tests) is not negated


def line_test(op: FilterOp, sought: Sought) -> Callable[[str], bool]:
    """Whether a line has the text; the operator's `not` is left to the caller."""
    if sought.is_address:
        return read_addresses(sought.text).in_line
    match op:
        case FilterOp.CONTAINS | FilterOp.CONTAINS_NOT:
            text = sought.text
            return lambda line: text in line
        case FilterOp.MATCHES | FilterOp.MATCHES_NOT:
            if plain := _PLAIN.fullmatch(sought.text):  # several times as fast as the expression
                word = plain[1].lower()
                return lambda line: word in line.lower()
            expression = compiled(sought.text)
            return lambda line: expression.search(line) is not None
        case FilterOp.LIKE | FilterOp.LIKE_NOT:
            return read_pattern(sought.text).fits


def _decolorize(item: Item) -> bool:
    item.line = _COLOUR.sub("", item.line)
    return True


def _line_format(stage: LineFormat) -> Step:
    template = Template(stage.template)

    def step(item: Item) -> bool:
        try:
            item.line = template.write(item.labels, item.line)
        except ValueError:
            item.fail("TemplateFormatErr")
        return True

    return step


def _label_format(stage: LabelFormat) -> Step:
    renames = [(rename.label, rename.source, Template(rename.template or "")) for rename in stage.renames]

    def step(item: Item) -> bool:
        for label, source, template in renames:
            if source is None:
                try:
                    item.write(label, template.write(item.labels, item.line))
                except ValueError:
                    item.fail("TemplateFormatErr")
            elif source in item.labels:
                item.write(label, item.labels[source])
                if source != label:
                    item.remove(source)
        return True

    return step


def _keep_or_drop(stage: Keep | Drop) -> Step:
    choices = [(choice.label, _chosen(choice)) for choice in stage.labels]
    keeps = isinstance(stage, Keep)

    def step(item: Item) -> bool:
        chosen = {label for label, test in choices if label in item.labels and test(item.labels[label])}
        for label in (set(item.labels) - chosen - {ERROR}) if keeps else chosen:
            item.remove(label)
        return True

    return step


def _chosen(choice: LabelChoice) -> Callable[[str], bool]:
    return (lambda _: True) if choice.op is None else text_test(choice.op, choice.value or "")


def _label_test(test: LabelTest) -> Step:
    match test:
        case BothTests():
            left, right = _label_test(test.left), _label_test(test.right)
            return lambda item: left(item) and right(item)
        case EitherTest():
            left, right = _label_test(test.left), _label_test(test.right)
            return lambda item: left(item) or right(item)
        case TextTest():
            return _text_step(test)
        case NumberTest():
            return _number_step(test)


def _text_step(test: TextTest) -> Step:
    label = test.label
    if test.is_address:
        addresses, wanted = read_addresses(test.value), test.op is MatchOp.EQUAL
        return lambda item: addresses.has(item.labels.get(label, "")) is wanted
    fits = text_test(test.op, test.value)
    return lambda item: fits(item.labels.get(label, ""))


def _number_step(test: NumberTest) -> Step:
    label, compare, value, read = test.label, _COMPARE[test.op], test.value, _READERS[test.unit]

    def step(item: Item) -> bool:
        text = item.labels.get(label)
        if text is None:
            return False
        number = read(text)
        if number is None:
            item.fail("LabelFilterErr")
            return True
        return compare(number, value)

    return step


def _plain(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _duration(text: str) -> float | None:
    if text in ("0", "0s"):
        return 0.0
    negative = text.startswith("-")
    found = duration_ns(text.lstrip("+-"))
    return None if found is None else float(-found if negative else found)


def _bytes(text: str) -> float | None:
    text = text.replace(" ", "")
    found = size_bytes(text)
    return found if found is not None else _plain(text)


_READERS: dict[Unit, Callable[[str], float | None]] = {Unit.NUMBER: _plain, Unit.DURATION: _duration, Unit.BYTES: _bytes}


def _in_seconds(text: str) -> float | None:
    found = _duration(text)
    return None if found is None else found / 1e9


_CONVERSIONS: dict[Conversion, Callable[[str], float | None]] = {
    Conversion.NUMBER: _plain,
    Conversion.DURATION: _in_seconds,
    Conversion.DURATION_SECONDS: _in_seconds,
    Conversion.BYTES: _bytes,
}


def _unwrap(stage: Unwrap) -> Step:
    label, read = stage.label, _CONVERSIONS[stage.conversion]

    def step(item: Item) -> bool:
        text = item.labels.get(label)
        if text is None:
            return ERROR in item.labels  # a line that a parser could not read is counted
        number = read(text)
        if number is None or number != number:
            item.fail("SampleExtractionErr")
            return True
        item.value = number
        item.remove(label)
        return True

    return step
