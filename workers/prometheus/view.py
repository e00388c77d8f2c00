"""How the result of a query is shown: a table of numbers, or a chart over time."""

from contracts.charts import MOST_ROWS, Channel, Chart, Mark
from contracts.log_sources import LogPoint, LogSeries
from contracts.metric_sources import MetricsResult
from contracts.statements import Shown, code, count, name, number, say
from workers.saying.document import Align, Block, Column, Document, Paragraph, Table, Tone

ROWS_SHOWN = 50
MOST_SERIES = 6
"""Series of a chart."""


def show_metrics(result: MetricsResult) -> Document:
    """The numbers at the end as a table, or over time as a chart."""
    title = say("logs.shown.series", n=count(len(result.series))) if result.series else say("logs.shown.nothing")
    blocks = list[Block]()
    if result.series:
        blocks.append(_table(result) if result.start is None else curves(result.query, result.series))
    if result.cut:
        blocks.append(Paragraph(text=say("metrics.shown.cut"), tone=Tone.DIM))
    return Document(title=title, blocks=tuple(blocks))


def _table(result: MetricsResult) -> Block:
    ordered = sorted(result.series, key=lambda series: -(series.points[-1].value or 0.0))
    columns = (Column(title=say("logs.shown.column.labels")), Column(title=say("logs.shown.column.value"), align=Align.RIGHT))
    rows = tuple((name(labels_of(series.labels) or "-"), _value(series.points[-1])) for series in ordered[:ROWS_SHOWN] if series.points)
    return Table(columns=columns, rows=rows)


def curves(title: str, series: tuple[LogSeries, ...]) -> Block:
    """The series with the greatest numbers over time."""
    ordered = sorted(series, key=lambda each: -max((point.value or 0.0 for point in each.points), default=0.0))[:MOST_SERIES]
    most = max(MOST_ROWS // max(len(ordered), 1), 1)
    points = [(each, point) for each in ordered for point in each.points[-most:] if point.value is not None]
    return Chart(
        title=code(title[:300]), mark=Mark.LINE, x=Channel(field="at", title=say("logs.shown.column.time", zone=name("UTC"))),
        y=Channel(field="value", type="quantitative", title=say("logs.shown.column.value")),
        color=Channel(field="series", title=say("logs.shown.column.labels")) if len(ordered) > 1 else None,
        moments=tuple(point.at for _, point in points),
        data=tuple(
            {"at": f"{point.at:%Y-%m-%d %H:%M:%S}", "value": point.value or 0.0, "series": labels_of(each.labels) or "-"}
            for each, point in points
        ),
    )  # fmt: skip


def labels_of(labels: dict[str, str]) -> str:
    """`host=db1, job=node`, without the metric's own name."""
    return ", ".join(f"{label}={value}" for label, value in sorted(labels.items()) if label != "__name__")


def _value(point: LogPoint) -> Shown:
    if point.value is None:
        return say("logs.shown.not_a_number")
    return number(point.value, 0 if point.value == int(point.value) else 3)
