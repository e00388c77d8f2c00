"""Says what is wrong with a query: its grammar by the parser, its meaning here."""

import re
from collections.abc import Iterator

from contracts.logs import (
    Binary,
    CheckedLogQL,
    LabelReplace,
    Literally,
    LogExpression,
    LogQLProblem,
    LogQuery,
    Matcher,
    MatchOp,
    ProblemLevel,
    RangeAggregation,
    VectorAggregation,
)
from contracts.statements import Statement, code, say
from workers.engines.logql.expressions import BadExpression, compiled
from workers.engines.logql.names import (
    COUNTED_VECTOR,
    GROUPED_RANGE,
    PLAIN_RANGE,
    RANGE_FUNCTIONS,
    SET_OPERATORS,
    SORTING_VECTOR,
    UNWRAPPED_RANGE,
    VECTOR_FUNCTIONS,
)
from workers.engines.logql.parser import parse_logql
from workers.engines.logql.pipeline_checker import bad_regex, pipeline_problems
from workers.engines.logql.tokens import LogQLSyntaxError
from workers.engines.logql.walk import log_queries

_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


def check_logql(text: str) -> CheckedLogQL:
    """The query of a text, and everything that is wrong with it."""
    try:
        query = parse_logql(text)
    except LogQLSyntaxError as error:
        return CheckedLogQL(query=None, problems=(LogQLProblem(what=error.what, start=error.start, end=error.end),))
    return CheckedLogQL(query=query, problems=check_query(query, len(text)))


def check_query(query: LogExpression, length: int = 0) -> tuple[LogQLProblem, ...]:
    """What is wrong with the meaning of a query; `length` is that of its text, where it has one."""
    problems = [LogQLProblem(what=what, start=0, end=length) for what in _problems(query)]
    for log in log_queries(query):
        if not log.matchers:
            problems.append(LogQLProblem(what=say("logs.problem.no_matcher"), start=0, end=length))
        elif not any(_narrows(matcher) for matcher in log.matchers):
            what = say("logs.problem.empty_matchers")
            problems.append(LogQLProblem(level=ProblemLevel.REFUSED, what=what, start=0, end=length))
    return tuple(dict.fromkeys(problems))


def _narrows(matcher: Matcher) -> bool:
    """Whether a stream without the label is kept out."""
    if matcher.op is MatchOp.EQUAL:
        return matcher.value != ""
    if matcher.op is MatchOp.NOT_EQUAL:
        return matcher.value == ""
    try:
        fits = compiled(matcher.value).fullmatch("") is not None
    except BadExpression:
        return True
    return fits is (matcher.op is MatchOp.MATCHES_NOT)


def _problems(query: LogExpression) -> Iterator[Statement]:
    match query:
        case LogQuery():
            yield from _log_problems(query, in_range=False)
        case RangeAggregation():
            yield from _range_problems(query)
        case VectorAggregation():
            yield from _vector_problems(query)
        case Binary():
            yield from _binary_problems(query)
        case LabelReplace():
            if not _is_vector(query.of):
                yield say("logs.problem.needs_series", name=code("label_replace"))
            for label in (query.target, query.source):
                if not _LABEL.fullmatch(label):
                    yield say("logs.problem.label_name", name=code(label))
            yield from bad_regex(query.pattern)
            yield from _problems(query.of)
        case _:
            return


def _is_vector(query: LogExpression) -> bool:
    return not isinstance(query, LogQuery) and not is_number(query)


def is_number(query: LogExpression) -> bool:
    """Whether the expression is a plain number, without series."""
    return isinstance(query, Literally) or (isinstance(query, Binary) and is_number(query.left) and is_number(query.right))


def _log_problems(log: LogQuery, *, in_range: bool) -> Iterator[Statement]:
    for matcher in log.matchers:
        if matcher.op in (MatchOp.MATCHES, MatchOp.MATCHES_NOT):
            yield from bad_regex(matcher.value)
    yield from pipeline_problems(log.stages, in_range=in_range)


def _range_problems(query: RangeAggregation) -> Iterator[Statement]:
    name = code(query.function)
    yield from _log_problems(query.log, in_range=True)
    if query.function not in RANGE_FUNCTIONS:
        yield say("logs.problem.function", name=name)
        return
    if query.range_ns <= 0:
        yield say("logs.problem.empty_range")
    if query.function == "quantile_over_time":
        if query.parameter is None:
            yield say("logs.problem.quantile", name=name)
    elif query.parameter is not None:
        yield say("logs.problem.no_parameter", name=name)
    unwrapped = any(stage.kind == "unwrap" for stage in query.log.stages)
    if unwrapped and query.function not in UNWRAPPED_RANGE:
        yield say("logs.problem.not_unwrapped", name=name)
    if not unwrapped and query.function not in PLAIN_RANGE:
        yield say("logs.problem.needs_unwrap", name=name)
    if query.grouping is not None and query.function not in GROUPED_RANGE:
        yield say("logs.problem.range_grouping", name=name)


def _vector_problems(query: VectorAggregation) -> Iterator[Statement]:
    name = code(query.function)
    if query.function not in VECTOR_FUNCTIONS:
        yield say("logs.problem.function", name=name)
    if query.function in COUNTED_VECTOR:
        if query.parameter is None or query.parameter < 1 or query.parameter != int(query.parameter):
            yield say("logs.problem.how_many", name=name)
    elif query.parameter is not None:
        yield say("logs.problem.no_parameter", name=name)
    if query.function in SORTING_VECTOR and query.grouping is not None:
        yield say("logs.problem.sort_grouping", name=name)
    if not _is_vector(query.of):
        yield say("logs.problem.needs_series", name=name)
    yield from _problems(query.of)


def _binary_problems(query: Binary) -> Iterator[Statement]:
    op = code(query.op)
    for side in (query.left, query.right):
        if isinstance(side, LogQuery):
            yield say("logs.problem.lines_in_operator", op=op)
        elif query.op in SET_OPERATORS and is_number(side):
            yield say("logs.problem.number_in_set", op=op)
        yield from _problems(side)
