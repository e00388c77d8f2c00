"""What was read from a question, and what a log gave, as documents for every medium and language."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from itertools import islice

from contracts.charts import MOST_ROWS, MOST_SERIES, Channel, Chart, Mark
from contracts.log_questions import LogReading
from contracts.log_sources import LogPoint, LogResult, LogSeries
from contracts.logs import CheckedLogQL
from contracts.statements import Shown, code, count, name, number, passage, say
from workers.engines.logql import check_logql, print_logql
from workers.engines.logql.walk import range_aggregations
from workers.logs.searching import Window
from workers.saying.document import Align, Block, CodeBlock, Column, Document, Item, Items, Paragraph, Table, Tone

ROWS_SHOWN = 50
"""Series or lines of a table."""


def show_checked(text: str, checked: CheckedLogQL) -> Document:
    """Whether a text is LogQL, and where it is not."""
    blocks: list[Block] = [CodeBlock(text=text)]
    for problem in checked.problems:
        where = say("logs.shown.at", character=count(problem.start + 1, exact=True), what=problem.what)
        blocks.append(Paragraph(text=where if checked.query is None else problem.what, tone=Tone.WARNING))
    title = say("logs.shown.valid") if checked.is_valid else say("logs.shown.not_valid")
    return Document(title=title, blocks=tuple(blocks), tone=Tone.GOOD if checked.is_valid else Tone.BAD)


def show_reading(reading: LogReading) -> Document:
    """The query of a search, the time, what was assumed, and what is missing or not read."""
    blocks: list[Block] = []
    if reading.query is not None:
        blocks.append(CodeBlock(text=print_logql(reading.query)))
    if reading.start is not None and reading.end is not None:
        blocks.append(Paragraph(text=say("logs.shown.time", start=name(zoned(reading.start)), end=name(zoned(reading.end))), tone=Tone.DIM))
    if reading.assumed:
        blocks.append(Items(items=tuple(Item(text=text, tone=Tone.DIM) for text in reading.assumed)))
    blocks += [Paragraph(text=text, tone=Tone.WARNING) for text in reading.missing]
    title = say("logs.shown.read") if reading.query is not None else say("logs.shown.not_read")
    return Document(title=title, blocks=tuple(blocks))


def show_result(result: LogResult) -> Document:
    """The lines, or the numbers as a table and, over time, as a chart."""
    window = Window(result.start, result.end, result.step_s)
    blocks: list[Block] = show_series(result.series, result.query, window) if result.is_metric else []
    blocks += [_lines(result)] if result.lines else []
    if result.cut:
        blocks.append(Paragraph(text=say("logs.shown.cut"), tone=Tone.DIM))
    if result.skipped:
        blocks.append(Paragraph(text=say("logs.shown.skipped", n=count(result.skipped)), tone=Tone.DIM))
    shown = len(result.series) if result.is_metric else len(result.lines)
    if not shown:
        title = say("logs.shown.nothing")
    else:
        title = say("logs.shown.series", n=count(shown)) if result.is_metric else say("logs.shown.lines", n=count(shown))
    return Document(title=title, blocks=tuple(blocks))


def _lines(result: LogResult) -> Block:
    time = say("logs.shown.column.time", zone=name(_zone(result.end)))
    columns = (Column(title=time, wraps=False), Column(title=say("logs.shown.column.labels")), Column(title=say("logs.shown.column.line")))
    rows = tuple((_time(line.at), name(_labels(line.labels)), passage(line.line[:2_000])) for line in islice(result.lines, ROWS_SHOWN))
    return Table(columns=columns, rows=rows)


def show_series(found: Sequence[LogSeries], query: str, window: Window) -> list[Block]:
    """Numbers as a table, and over time as a chart."""
    if not found:
        return []
    if any(len(series.points) > 1 for series in found):
        return [_chart(found, query, window)]
    ordered = sorted(found, key=lambda series: -(_last(series).value or 0.0))
    columns = (Column(title=say("logs.shown.column.labels")), Column(title=say("logs.shown.column.value"), align=Align.RIGHT))
    rows = tuple((name(_labels(series.labels) or "-"), _value(_last(series))) for series in ordered[:ROWS_SHOWN])
    return [Table(columns=columns, rows=rows)]


def _chart(found: Sequence[LogSeries], query: str, window: Window) -> Block:
    """The series with the greatest numbers, over time."""
    ordered = sorted(found, key=lambda series: -max((point.value or 0.0 for point in series.points), default=0.0))
    shown = ordered[:MOST_SERIES]
    most = max(MOST_ROWS // max(len(shown), 1), 1)
    data = [
        {"at": _time_text(at), "value": value, "series": _labels(series.labels) or "-"}
        for series in shown
        for at, value in _points(query, window, series)[-most:]
    ]
    return Chart(
        title=code(query[:300]), mark=Mark.BAR, x=Channel(field="at", title=say("logs.shown.column.until", zone=name(_zone(window.end)))),
        y=Channel(field="value", type="quantitative", title=say("logs.shown.column.value")),
        color=Channel(field="series", title=say("logs.shown.column.labels")) if len(shown) > 1 else None, data=tuple(data),
    )  # fmt: skip


_COUNTS = frozenset({"count_over_time", "rate", "bytes_over_time", "bytes_rate"})


def _points(text: str, window: Window, series: LogSeries) -> list[tuple[datetime, float]]:
    """The numbers of a series. Where nothing was counted a log gives no number: it is shown as 0."""
    known = {point.at: point.value for point in series.points if point.value is not None}
    query = check_logql(text).query
    counts = query is not None and all(part.function in _COUNTS for part in range_aggregations(query))
    if window.step_s and counts:
        steps = int((window.end - window.start).total_seconds() / window.step_s)
        for number in range(1, min(steps, MOST_ROWS) + 1):
            known.setdefault(window.start + timedelta(seconds=number * window.step_s), 0.0)
    return sorted(known.items())


def _last(series: LogSeries) -> LogPoint:
    return series.points[-1]


def _value(point: LogPoint) -> Shown:
    if point.value is None:
        return say("logs.shown.not_a_number")
    return number(point.value, 0 if point.value == int(point.value) else 3)


def _labels(labels: dict[str, str]) -> str:
    return ", ".join(f"{label}={value}" for label, value in sorted(labels.items()))


def _time(at: datetime) -> Shown:
    return name(_time_text(at))


def zoned(at: datetime) -> str:
    """A moment with its offset from UTC: `2026-11-23 10:00:00 UTC+08:00`. A log may be read by people in several time zones."""
    return f"{at:%Y-%m-%d %H:%M:%S} {_zone(at)}"


def _zone(at: datetime) -> str:
    return at.replace(tzinfo=timezone(at.utcoffset() or timedelta())).tzname() or ""


def _time_text(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S")
