"""The query of a reading."""

from collections.abc import Sequence

from contracts.log_questions import LogField, LogReading
from contracts.logs import (
    Binary,
    Grouping,
    JsonParser,
    LabelFilter,
    Literally,
    LogExpression,
    LogfmtParser,
    LogQuery,
    MatchOp,
    RangeAggregation,
    RegexpParser,
    Stage,
    TextTest,
    Unwrap,
    VectorAggregation,
)
from workers.engines.logql.asking.fragments import is_json
from workers.engines.logql.asking.grouping import Group


def parsers_for(groups: Sequence[Group], number: Group | None, status: LogField | None) -> tuple[Stage, ...]:
    """The parsers that make the labels that are needed."""
    wanted = [*groups, *([number] if number is not None else [])]
    fields = [*([status] if status is not None else []), *(group.field for group in wanted if group.field is not None)]
    stages: list[Stage] = []
    if any(is_json(field) for field in fields):
        stages.append(JsonParser())
    if any(not is_json(field) for field in fields):
        stages.append(LogfmtParser())
    stages += [RegexpParser(pattern=group.guessed) for group in wanted if group.guessed is not None]
    return tuple(dict.fromkeys(stages))


def build(reading: LogReading, group_by: Sequence[str]) -> LogExpression:
    """The query; the reading has all that it needs."""
    stages: list[Stage] = [*reading.filters, *reading.parsers, *(LabelFilter(test=test) for test in reading.tests)]
    guessed = any(isinstance(stage, RegexpParser) for stage in reading.parsers)
    if guessed and reading.is_metric:
        stages += [LabelFilter(test=TextTest(label=label, op=MatchOp.NOT_EQUAL, value="")) for label in group_by]
    if not reading.is_metric or reading.function is None or reading.range_ns is None:
        return LogQuery(matchers=reading.matchers, stages=tuple(stages))
    unwraps = reading.unwrap is not None and reading.function not in ("count_over_time", "bytes_over_time")
    if unwraps and reading.unwrap is not None:
        stages += [
            Unwrap(label=reading.unwrap, conversion=reading.unwrap_as),
            LabelFilter(test=TextTest(label="__error__", op=MatchOp.EQUAL, value="")),
        ]
    log = LogQuery(matchers=reading.matchers, stages=tuple(stages))
    grouping = Grouping(labels=tuple(group_by)) if group_by else None
    inner = RangeAggregation(function=reading.function, parameter=reading.quantile, log=log, range_ns=reading.range_ns)
    if reading.function in ("avg_over_time", "max_over_time", "min_over_time", "quantile_over_time"):
        found: LogExpression = inner.model_copy(update={"grouping": grouping or Grouping()})
    else:
        found = VectorAggregation(function="sum", of=inner, grouping=grouping)
    return _of_groups(found, reading)


def _of_groups(query: LogExpression, reading: LogReading) -> LogExpression:
    if not reading.group_by:
        return query
    if reading.above is not None:
        query = Binary(op=">", left=query, right=Literally(value=reading.above))
    if reading.counts_groups:
        return VectorAggregation(function="count", of=query)
    if reading.top is not None:
        return VectorAggregation(function="bottomk" if reading.is_bottom else "topk", parameter=float(reading.top), of=query)
    return query
