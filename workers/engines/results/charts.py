"""How a result is drawn: the chart that fits its columns, unless the user wants another one."""

from collections.abc import Sequence

from contracts.charts import MOST_ROWS, MOST_SERIES, Channel, Chart, Mark, Measure
from contracts.statements import Statement, name, say
from workers.engines.results.findings import shown_time
from workers.engines.results.table import Cell, ColumnRole, ResultColumn, ResultTable, as_number, series_of

MOST_BARS = 30
"""Bars that can be read; of more, the highest are drawn."""


def chart_of(names: Sequence[str], rows: Sequence[Sequence[Cell]], *, mark: str | None = None, order: str | None = None) -> Chart | None:
    """A chart of a result: a line over time, bars over names, points of two quantities. None when there is nothing to draw.

    `mark` (`bar`, `line`, `point`) and `order` (`best_first`, `worst_first`) are the user's wish; it is followed where the data allows it.
    """
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows))
    quantities, labels, times = table.of(ColumnRole.QUANTITY), table.of(ColumnRole.NAME), table.of(ColumnRole.TIME)
    if len(rows) < 2 or not quantities:
        return None
    if mark == "point" and len(quantities) >= 2:
        return _points(table, quantities[0], quantities[1])
    if times and mark != "bar" and (lines := _lines(table, times[0], labels, quantities[0])) is not None:
        return lines
    if labels or times:
        return _bars(table, [*labels, *times], quantities[0], order)
    return _points(table, quantities[0], quantities[1]) if len(quantities) >= 2 else None


def _lines(table: ResultTable, time: ResultColumn, labels: Sequence[ResultColumn], quantity: ResultColumn) -> Chart | None:
    """A quantity over time; a line each for up to `MOST_SERIES` names."""
    if len(labels) > 1:
        return None
    groups = dict.fromkeys(str(row[labels[0].index]) for row in table.rows) if labels else {"": None}
    if len(groups) > MOST_SERIES:
        return None
    data: list[dict[str, float | str]] = []
    for group in groups:
        rows = tuple(row for row in table.rows if not labels or str(row[labels[0].index]) == group)
        series = series_of(ResultTable(table.names, rows), time, quantity)
        if series is None:
            return None
        data.extend(
            {"x": shown_time(moment, series.grain), "y": value} | ({"series": group} if labels else {})
            for moment, value in zip(series.times, series.values, strict=True)
        )
    if len(data) > MOST_ROWS:
        return None
    if labels:
        data.sort(key=lambda row: str(row["x"]))
    return Chart(
        title=_title(quantity, time),
        mark=Mark.LINE,
        x=Channel(field="x", title=name(time.name)),
        y=Channel(field="y", type="quantitative", title=name(quantity.name), measure=Measure.NUMBER),
        color=Channel(field="series", title=name(labels[0].name)) if labels else None,
        data=tuple(data),
    )


def _bars(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn, order: str | None) -> Chart | None:
    pairs: list[tuple[str, float]] = []
    for row in table.rows:
        value = as_number(row[quantity.index])
        if value is not None:
            pairs.append((" ".join(str(row[label.index]) for label in labels if row[label.index] is not None) or "null", value))
    if len({label for label, _ in pairs}) < len(pairs) or len(pairs) < 2:
        return None
    if order is not None or len(pairs) > MOST_BARS:
        pairs.sort(key=lambda pair: pair[1] if order == "worst_first" else -pair[1])
    return Chart(
        title=_title(quantity, *labels),
        mark=Mark.BAR,
        x=Channel(field="x", title=name(", ".join(label.name for label in labels))),
        y=Channel(field="y", type="quantitative", title=name(quantity.name)),
        data=tuple({"x": label, "y": value} for label, value in pairs[:MOST_BARS]),
    )


def _points(table: ResultTable, across: ResultColumn, up: ResultColumn) -> Chart | None:
    pairs = [(x, y) for x, y in zip(table.numbers(across), table.numbers(up), strict=True) if x is not None and y is not None]
    if len(pairs) < 2:
        return None
    return Chart(
        title=_title(up, across),
        mark=Mark.POINT,
        x=Channel(field="x", type="quantitative", title=name(across.name)),
        y=Channel(field="y", type="quantitative", title=name(up.name)),
        data=tuple({"x": x, "y": y} for x, y in pairs[:MOST_ROWS]),
    )


def _title(quantity: ResultColumn, *by: ResultColumn) -> Statement:
    return say("results.chart.title", quantity=name(quantity.name), by=name(", ".join(column.name for column in by)))
