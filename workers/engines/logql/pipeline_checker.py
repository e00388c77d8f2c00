"""What is wrong with the meaning of a pipeline."""

import re
from collections import Counter
from collections.abc import Iterator

from contracts.logs import (
    BothTests,
    Drop,
    EitherTest,
    FilterOp,
    JsonParser,
    Keep,
    LabelFilter,
    LabelFormat,
    LabelTest,
    LineFilter,
    LineFormat,
    MatchOp,
    PatternParser,
    RegexpParser,
    Stage,
    TextTest,
    Unwrap,
)
from contracts.statements import Statement, code, quote, say
from workers.engines.logql.expressions import BadExpression, compiled, read_addresses, read_pattern

_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_JSON_PATH = re.compile(r'(?:[^.\[\]"]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])(?:\.[^.\[\]"]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*')
_BY_REGEX = (MatchOp.MATCHES, MatchOp.MATCHES_NOT)


def pipeline_problems(stages: tuple[Stage, ...], *, in_range: bool) -> Iterator[Statement]:
    """`in_range`: inside a range aggregation, where `unwrap` has a meaning."""
    unwrapped = False
    for stage in stages:
        if isinstance(stage, Unwrap):
            if not in_range:
                yield say("logs.problem.unwrap_outside")
            elif unwrapped:
                yield say("logs.problem.unwrap_twice")
            unwrapped = True
        elif unwrapped and not isinstance(stage, LabelFilter):
            yield say("logs.problem.behind_unwrap")
        yield from _stage_problems(stage)


def _stage_problems(stage: Stage) -> Iterator[Statement]:
    match stage:
        case LineFilter():
            yield from _line_filter_problems(stage)
        case RegexpParser():
            yield from _regexp_problems(stage.pattern)
        case PatternParser():
            yield from _pattern_problems(stage.pattern)
        case LineFormat():
            yield from _template_problems(stage.template)
        case JsonParser():
            for part in stage.extractions:
                if part.expression is not None and not _JSON_PATH.fullmatch(part.expression):
                    yield say("logs.problem.json_path", path=code(part.expression[:200]))
        case LabelFormat():
            yield from _rename_problems(stage)
        case LabelFilter():
            yield from _test_problems(stage.test)
        case Keep() | Drop():
            for choice in stage.labels:
                if choice.op in _BY_REGEX:
                    yield from bad_regex(choice.value or "")
        case _:
            return


def _rename_problems(stage: LabelFormat) -> Iterator[Statement]:
    for label, times in Counter(rename.label for rename in stage.renames).items():
        if times > 1:
            yield say("logs.problem.label_twice", name=code(label))
    for rename in stage.renames:
        if rename.label in ("__error__", "__error_details__"):
            yield say("logs.problem.error_label", name=code(rename.label))
        yield from _template_problems(rename.template or "")


def bad_regex(pattern: str) -> Iterator[Statement]:
    """The problem of a regular expression."""
    try:
        compiled(pattern)
    except BadExpression as error:
        yield say("logs.problem.regex", pattern=code(pattern[:200]), reason=quote(str(error)[:200]))


def _line_filter_problems(stage: LineFilter) -> Iterator[Statement]:
    for sought in stage.sought:
        if sought.is_address:
            if stage.op not in (FilterOp.CONTAINS, FilterOp.CONTAINS_NOT):
                yield say("logs.problem.address_operator", op=code(stage.op.value))
            yield from _address_problems(sought.text)
        elif stage.op in (FilterOp.MATCHES, FilterOp.MATCHES_NOT):
            yield from bad_regex(sought.text)
        elif stage.op in (FilterOp.LIKE, FilterOp.LIKE_NOT):
            try:
                if read_pattern(sought.text).names:
                    yield say("logs.problem.pattern_names", pattern=code(sought.text[:200]))
            except BadExpression:
                yield say("logs.problem.pattern_touching", pattern=code(sought.text[:200]))


def _address_problems(text: str) -> Iterator[Statement]:
    try:
        read_addresses(text)
    except BadExpression:
        yield say("logs.problem.address", text=code(text[:200]))


def _regexp_problems(pattern: str) -> Iterator[Statement]:
    try:
        names = compiled(pattern).groupindex
    except BadExpression as error:
        yield say("logs.problem.regex", pattern=code(pattern[:200]), reason=quote(str(error)[:200]))
        return
    if not names:
        yield say("logs.problem.regex_names", pattern=code(pattern[:200]))
    for name in names:
        if not _LABEL.fullmatch(name):
            yield say("logs.problem.label_name", name=code(name))


def _pattern_problems(text: str) -> Iterator[Statement]:
    try:
        names = read_pattern(text).names
    except BadExpression:
        yield say("logs.problem.pattern_touching", pattern=code(text[:200]))
        return
    if not names:
        yield say("logs.problem.pattern_captures", pattern=code(text[:200]))
    for name, times in Counter(names).items():
        if times > 1:
            yield say("logs.problem.label_twice", name=code(name))


def _template_problems(template: str) -> Iterator[Statement]:
    if len(re.findall(r"\{\{", template)) != len(re.findall(r"\}\}", template)):
        yield say("logs.problem.template", template=code(template[:200]))


def _test_problems(test: LabelTest) -> Iterator[Statement]:
    match test:
        case BothTests() | EitherTest():
            yield from _test_problems(test.left)
            yield from _test_problems(test.right)
        case TextTest():
            if test.is_address:
                yield from _address_problems(test.value)
            elif test.op in _BY_REGEX:
                yield from bad_regex(test.value)
        case _:
            return
