"""A query as text. Every text of a user is written as a quoted value, so that it can be nothing else."""

from decimal import Decimal

from contracts.logs import (
    Binary,
    BinaryMatching,
    BothTests,
    Conversion,
    Decolorize,
    Drop,
    EitherTest,
    Extraction,
    Grouping,
    JsonParser,
    Keep,
    LabelChoice,
    LabelFilter,
    LabelFormat,
    LabelReplace,
    LabelTest,
    LineFilter,
    LineFormat,
    Literally,
    LogExpression,
    LogfmtParser,
    LogQuery,
    NumberTest,
    PatternParser,
    RangeAggregation,
    RegexpParser,
    Rename,
    Stage,
    TextTest,
    Unit,
    Unpack,
    Unwrap,
    VectorAggregation,
    VectorOf,
)
from workers.engines.logql.names import PRECEDENCE, RIGHT_TO_LEFT
from workers.engines.logql.tokens import DURATION_NS, SIZE_BYTES

_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TIME_UNITS = ("h", "m", "s", "ms", "us", "ns")
_SIZE_UNITS = ("TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "KB")


def print_logql(query: LogExpression) -> str:
    """The text of a query. `parse_logql` reads the same query from it."""
    match query:
        case LogQuery():
            return _log(query)
        case RangeAggregation():
            return _range(query)
        case VectorAggregation():
            return _vector(query)
        case Binary():
            return _binary(query)
        case Literally():
            return _number(query.value)
        case VectorOf():
            return f"vector({_number(query.value)})"
        case LabelReplace():
            texts = ", ".join(quoted(text) for text in (query.target, query.replacement, query.source, query.pattern))
            return f"label_replace({print_logql(query.of)}, {texts})"


def quoted(text: str) -> str:
    """A text as LogQL writes it: between backquotes where that saves doubling backslashes."""
    if "\\" in text and "`" not in text and all(character >= " " for character in text):
        return f"`{text}`"
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    return character if character >= " " and character != "\x7f" else f"\\u{ord(character):04x}"


def duration_text(nanoseconds: int) -> str:
    """`90m`, `24h`, `7d`, or several units: `1h30s`. Days are written from two of them on."""
    if nanoseconds == 0:
        return "0s"
    if nanoseconds < 0:
        return f"-{duration_text(-nanoseconds)}"
    day = DURATION_NS["d"]
    if nanoseconds % day == 0 and nanoseconds >= 2 * day:
        return f"{nanoseconds // day}d"
    for unit in _TIME_UNITS[:3]:
        if nanoseconds % DURATION_NS[unit] == 0 and nanoseconds // DURATION_NS[unit] < 1_000:
            return f"{nanoseconds // DURATION_NS[unit]}{unit}"
    parts: list[str] = []
    for unit in _TIME_UNITS:
        number, nanoseconds = divmod(nanoseconds, DURATION_NS[unit])
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _size(value: float) -> str:
    if value == int(value):
        for unit in _SIZE_UNITS:
            number, rest = divmod(int(value), SIZE_BYTES[unit.lower()])
            if number and not rest:
                return f"{number}{unit}"
    return f"{Decimal(value):f}B"


def _log(query: LogQuery) -> str:
    matchers = ", ".join(f"{matcher.label}{matcher.op.value}{quoted(matcher.value)}" for matcher in query.matchers)
    return " ".join([f"{{{matchers}}}", *(_stage(stage) for stage in query.stages)])


def _stage(stage: Stage) -> str:
    match stage:
        case LineFilter():
            sought = (f"ip({quoted(part.text)})" if part.is_address else quoted(part.text) for part in stage.sought)
            return f"{stage.op.value} {' or '.join(sought)}"
        case LabelFilter():
            return f"| {_test(stage.test)}"
        case Keep() | Drop():
            return f"| {stage.kind} {', '.join(_choice(choice) for choice in stage.labels)}"
        case Unwrap():
            label = stage.label if stage.conversion is Conversion.NUMBER else f"{stage.conversion.value}({stage.label})"
            return f"| unwrap {label}"
        case LineFormat():
            return f"| line_format {quoted(stage.template)}"
        case LabelFormat():
            return f"| label_format {', '.join(_rename(rename) for rename in stage.renames)}"
        case _:
            return _parser(stage)


def _parser(stage: JsonParser | LogfmtParser | RegexpParser | PatternParser | Unpack | Decolorize) -> str:
    match stage:
        case JsonParser():
            return " ".join(["| json", *_extractions(stage.extractions)])
        case LogfmtParser():
            flags = [flag for flag, is_set in (("--strict", stage.is_strict), ("--keep-empty", stage.keeps_empty)) if is_set]
            return " ".join(["| logfmt", *flags, *_extractions(stage.extractions)])
        case RegexpParser() | PatternParser():
            return f"| {stage.kind} {quoted(stage.pattern)}"
        case Unpack() | Decolorize():
            return f"| {stage.kind}"


def _extractions(extractions: tuple[Extraction, ...]) -> list[str]:
    if not extractions:
        return []
    parts = (part.label if part.expression is None else f"{part.label}={quoted(part.expression)}" for part in extractions)
    return [", ".join(parts)]


def _rename(rename: Rename) -> str:
    return f"{rename.label}={rename.source if rename.source is not None else quoted(rename.template or '')}"


def _choice(choice: LabelChoice) -> str:
    return choice.label if choice.op is None else f"{choice.label}{choice.op.value}{quoted(choice.value or '')}"


def _test(test: LabelTest) -> str:
    match test:
        case TextTest():
            value = f"ip({quoted(test.value)})" if test.is_address else quoted(test.value)
            return f"{test.label}{test.op.value}{value}"
        case NumberTest():
            return f"{test.label} {test.op.value} {_measured(test)}"
        case BothTests():
            left = f"({_test(test.left)})" if isinstance(test.left, EitherTest) else _test(test.left)
            right = _test(test.right) if isinstance(test.right, TextTest | NumberTest) else f"({_test(test.right)})"
            return f"{left} and {right}"
        case EitherTest():
            right = f"({_test(test.right)})" if isinstance(test.right, EitherTest) else _test(test.right)
            return f"{_test(test.left)} or {right}"


def _measured(test: NumberTest) -> str:
    sign, value = ("-", -test.value) if test.value < 0 else ("", test.value)
    match test.unit:
        case Unit.NUMBER:
            return sign + _number(value)
        case Unit.DURATION:
            return sign + (duration_text(int(value)) if value == int(value) else f"{Decimal(value):f}ns")
        case Unit.BYTES:
            return sign + _size(value)


def _grouping(grouping: Grouping | None) -> str:
    if grouping is None:
        return ""
    return f" {'without' if grouping.is_without else 'by'} ({', '.join(grouping.labels)})"


def _range(query: RangeAggregation) -> str:
    parameter = "" if query.parameter is None else f"{_number(query.parameter)}, "
    offset = f" offset {duration_text(query.offset_ns)}" if query.offset_ns else ""
    return f"{query.function}({parameter}{_log(query.log)} [{duration_text(query.range_ns)}]{offset}){_grouping(query.grouping)}"


def _vector(query: VectorAggregation) -> str:
    parameter = "" if query.parameter is None else f"{_number(query.parameter)}, "
    grouping = _grouping(query.grouping)
    return f"{query.function}{grouping}{' ' if grouping else ''}({parameter}{print_logql(query.of)})"


def _binary(query: Binary) -> str:
    binding = PRECEDENCE[query.op]
    from_right = query.op in RIGHT_TO_LEFT
    left = _side(query.left, binding + 1 if from_right else binding)
    right = _side(query.right, binding if from_right else binding + 1)
    return " ".join(part for part in (left, query.op, "bool" if query.is_bool else "", _matching(query.matching), right) if part)


def _side(query: LogExpression, weakest: int) -> str:
    text = print_logql(query)
    return f"({text})" if isinstance(query, Binary) and PRECEDENCE[query.op] < weakest else text


def _matching(matching: BinaryMatching | None) -> str:
    if matching is None:
        return ""
    text = f"{'ignoring' if matching.is_ignoring else 'on'} ({', '.join(matching.labels)})"
    return text if matching.group is None else f"{text} group_{matching.group} ({', '.join(matching.include)})"
