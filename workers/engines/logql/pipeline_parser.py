"""Selectors and the stages of a pipeline, read."""

from collections.abc import Callable

from contracts.logs import (
    BothTests,
    CompareOp,
    Conversion,
    Decolorize,
    Drop,
    EitherTest,
    Extraction,
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
    Rename,
    Sought,
    Stage,
    TextTest,
    Unit,
    Unpack,
    Unwrap,
)
from contracts.statements import term
from workers.engines.logql.cursor import RESERVED, Cursor
from workers.engines.logql.tokens import Kind

_MATCH = {op.value: op for op in MatchOp}
_FILTER = {op.value: op for op in FilterOp}
_COMPARE = {op.value: op for op in CompareOp} | {"=": CompareOp.EQUAL}
_UNITS = {Kind.NUMBER: Unit.NUMBER, Kind.DURATION: Unit.DURATION, Kind.BYTES: Unit.BYTES}


def parse_selector(cursor: Cursor) -> tuple[Matcher, ...]:
    """`{app="shop", env!="test"}`."""
    cursor.expect("{")
    matchers: list[Matcher] = []
    if cursor.token.text != "}":
        matchers.append(_matcher(cursor))
        while cursor.take_if(","):
            matchers.append(_matcher(cursor))
    cursor.expect("}")
    return tuple(matchers)


def _matcher(cursor: Cursor) -> Matcher:
    label = cursor.expect_label()
    op = cursor.take_if(*_MATCH)
    if op is None:
        raise cursor.unexpected(term("logs.word.comparison"))
    return Matcher(label=label, op=_MATCH[op.text], value=cursor.expect_kind(Kind.TEXT).text)


def parse_stages(cursor: Cursor) -> tuple[Stage, ...]:
    """Everything from the selector's end to what is not a stage."""
    stages: list[Stage] = []
    while cursor.token.kind is Kind.MARK:
        if cursor.token.text in _FILTER:
            stages.append(_line_filter(cursor))
        elif cursor.take_if("|"):
            stages.append(_stage(cursor))
        else:
            break
    return tuple(stages)


def _line_filter(cursor: Cursor) -> LineFilter:
    op = _FILTER[cursor.take().text]
    sought = [_sought(cursor)]
    while cursor.take_if("or"):
        sought.append(_sought(cursor))
    return LineFilter(op=op, sought=tuple(sought))


def _sought(cursor: Cursor) -> Sought:
    if cursor.token.text == "ip" and cursor.token.kind is Kind.NAME:
        return Sought(text=_address(cursor), is_address=True)
    return Sought(text=cursor.expect_kind(Kind.TEXT).text)


def _address(cursor: Cursor) -> str:
    cursor.take()
    cursor.expect("(")
    text = cursor.expect_kind(Kind.TEXT).text
    cursor.expect(")")
    return text


def _stage(cursor: Cursor) -> Stage:
    token = cursor.token
    if token.kind is Kind.NAME and (read := _STAGES.get(token.text)) is not None:
        cursor.take()
        return read(cursor)
    return LabelFilter(test=_either(cursor))


def _json(cursor: Cursor) -> Stage:
    return JsonParser(extractions=_extractions(cursor))


def _logfmt(cursor: Cursor) -> Stage:
    flags: set[str] = set()
    while cursor.token.kind is Kind.FLAG:
        if cursor.token.text not in ("--strict", "--keep-empty"):
            raise cursor.unexpected(term("logs.word.flag"))
        flags.add(cursor.take().text)
    return LogfmtParser(is_strict="--strict" in flags, keeps_empty="--keep-empty" in flags, extractions=_extractions(cursor))


def _extractions(cursor: Cursor) -> tuple[Extraction, ...]:
    found: list[Extraction] = []
    if cursor.token.kind is not Kind.NAME or cursor.token.text in RESERVED:
        return ()
    while True:
        label = cursor.expect_label()
        expression = cursor.expect_kind(Kind.TEXT).text if cursor.take_if("=") else None
        found.append(Extraction(label=label, expression=expression))
        if not cursor.take_if(","):
            return tuple(found)


def _label_format(cursor: Cursor) -> Stage:
    renames: list[Rename] = []
    while True:
        label = cursor.expect_label()
        cursor.expect("=")
        if cursor.token.kind is Kind.TEXT:
            renames.append(Rename(label=label, template=cursor.take().text))
        else:
            renames.append(Rename(label=label, source=cursor.expect_label()))
        if not cursor.take_if(","):
            return LabelFormat(renames=tuple(renames))


def _choices(cursor: Cursor) -> tuple[LabelChoice, ...]:
    found: list[LabelChoice] = []
    while True:
        label = cursor.expect_label()
        op = cursor.take_if(*_MATCH)
        if op is None:
            found.append(LabelChoice(label=label))
        else:
            found.append(LabelChoice(label=label, op=_MATCH[op.text], value=cursor.expect_kind(Kind.TEXT).text))
        if not cursor.take_if(","):
            return tuple(found)


def _unwrap(cursor: Cursor) -> Stage:
    name = cursor.expect_label()
    if name in {"duration", "duration_seconds", "bytes"} and cursor.take_if("("):
        label = cursor.expect_label()
        cursor.expect(")")
        return Unwrap(label=label, conversion=Conversion(name))
    return Unwrap(label=name)


_STAGES: dict[str, Callable[[Cursor], Stage]] = {
    "json": _json,
    "logfmt": _logfmt,
    "regexp": lambda cursor: RegexpParser(pattern=cursor.expect_kind(Kind.TEXT).text),
    "pattern": lambda cursor: PatternParser(pattern=cursor.expect_kind(Kind.TEXT).text),
    "unpack": lambda _: Unpack(),
    "decolorize": lambda _: Decolorize(),
    "line_format": lambda cursor: LineFormat(template=cursor.expect_kind(Kind.TEXT).text),
    "label_format": _label_format,
    "keep": lambda cursor: Keep(labels=_choices(cursor)),
    "drop": lambda cursor: Drop(labels=_choices(cursor)),
    "unwrap": _unwrap,
}


def _either(cursor: Cursor) -> LabelTest:
    left = _both(cursor)
    while cursor.take_if("or"):
        cursor.joined()
        left = EitherTest(left=left, right=_both(cursor))
    return left


def _both(cursor: Cursor) -> LabelTest:
    """Conditions joined by `and`, a comma or nothing."""
    left = _test(cursor)
    while True:
        joined = cursor.take_if("and", ",") is not None
        begins = cursor.token.text == "(" or (cursor.token.kind is Kind.NAME and cursor.token.text not in RESERVED)
        if not joined and not begins:
            return left
        cursor.joined()
        left = BothTests(left=left, right=_test(cursor))


def _test(cursor: Cursor) -> LabelTest:
    if cursor.take_if("("):
        with cursor.deeper():
            inner = _either(cursor)
        cursor.expect(")")
        return inner
    label = cursor.expect_label()
    token = cursor.take_if(*_MATCH, *_COMPARE)
    if token is None:
        raise cursor.unexpected(term("logs.word.comparison"))
    op = token.text
    if op in _MATCH and cursor.token.kind is Kind.TEXT:
        return TextTest(label=label, op=_MATCH[op], value=cursor.take().text)
    if op in ("=", "!=") and cursor.token.text == "ip":
        return TextTest(label=label, op=_MATCH[op], value=_address(cursor), is_address=True)
    if op not in _COMPARE:
        raise cursor.unexpected(term("logs.word.text"))
    sign = -1.0 if cursor.take_if("-") else 1.0
    unit = _UNITS.get(cursor.token.kind)
    if unit is None:
        raise cursor.unexpected(term("logs.word.number") if op not in _MATCH else term("logs.word.value"))
    return NumberTest(label=label, op=_COMPARE[op], value=sign * cursor.take().value, unit=unit)
