"""How a result is drawn: the chart that fits its columns, unless the user wants another one."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from contracts.charts import MOST_ROWS, MOST_SERIES, Channel, Chart, Mark, Measure
from contracts.statements import Name, Shown, Statement, Term, name, say, term
from workers.engines.results.findings import shown_time
from workers.engines.results.periods import NO_EXTENT, Extent, partial_times
from workers.engines.results.table import Cell, ColumnRole, ResultColumn, ResultTable, as_number, as_time, series_grain, series_of

MOST_BARS = 30
"""Bars that can be read; of more, the highest are drawn, and of times the latest."""


MOST_COLOURS = 5
"""Bars side by side for a name."""


MOST_CHARTS = 3
"""Quantities of a result that are drawn, each in a chart of its own: two scales in one chart mislead."""


def charts_of(
    names: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    mark: str | None = None,
    order: str | None = None,
    is_ordered: bool = True,
    extent: Extent = NO_EXTENT,
    groups: frozenset[str] = frozenset(),
) -> tuple[Chart, ...]:
    """The chart of a result, and one for each further quantity over the same times or names."""
    first = chart_of(names, rows, mark=mark, order=order, is_ordered=is_ordered, extent=extent, groups=groups)
    if first is None:
        return ()
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows), groups)
    quantities = table.of(ColumnRole.QUANTITY)
    if first.mark is Mark.POINT or len(quantities) < 2:
        return (first,)
    made = [first]
    for quantity in quantities[1:MOST_CHARTS]:
        kept = [column.index for column in table.columns if column.role is not ColumnRole.QUANTITY or column is quantity]
        own = [[row[index] for index in kept] for row in rows]
        further = chart_of(
            [names[index] for index in kept], own, mark=mark, order=order, is_ordered=is_ordered, extent=extent, groups=groups
        )
        made += [further] if further is not None else []
    return tuple(made)


def chart_of(
    names: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    mark: str | None = None,
    order: str | None = None,
    is_ordered: bool = True,
    extent: Extent = NO_EXTENT,
    groups: frozenset[str] = frozenset(),
) -> Chart | None:
    """A chart of a result's first quantity: a line over time, bars over names, points of two quantities. None: there is nothing to draw.
    `extent`: from when until when there are data, so that periods at the ends can be marked as incomplete.

    `mark` (`bar`, `line`, `point`, `heat`) and `order` (`best_first`, `worst_first`) are the user's wish; it is followed where the data
    allows it.
    `groups`: columns of numbers by which the rows are grouped, such as codes; they name what is drawn.
    `is_ordered`: the order of the rows is meant; otherwise it is the engine's chance, and the highest bars come first.
    """
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows), groups)
    quantities, labels, times = table.of(ColumnRole.QUANTITY), table.of(ColumnRole.NAME), table.of(ColumnRole.TIME)
    if len(rows) < 2 or not quantities or (mark is None and _is_flat(table, quantities[0])):
        return None
    if mark == "heat" and len(labels) + len(times) == 2 and (shaded := _shaded(table, [*labels, *times], quantities[0])) is not None:
        return shaded
    if mark == "point" and len(quantities) >= 2:
        return _points(table, quantities[0], quantities[1])
    if times and mark != "bar" and (lines := _lines(table, times[0], labels, quantities[0], extent)) is not None:
        return lines
    if (
        len(labels) == 2
        and not times
        and order is None
        and not is_ordered
        and (grouped := _grouped(table, labels, quantities[0])) is not None
    ):
        return grouped
    if labels or times:
        return _bars(table, [*labels, *times], quantities[0], order or (None if is_ordered or times else "best_first"), extent)
    return _points(table, quantities[0], quantities[1]) if len(quantities) >= 2 else None


def _is_flat(table: ResultTable, quantity: ResultColumn) -> bool:
    """All values are the same: a sentence says it better than a picture."""
    return len({value for value in table.numbers(quantity) if value is not None}) < 2


def _lines(table: ResultTable, time: ResultColumn, labels: Sequence[ResultColumn], quantity: ResultColumn, extent: Extent) -> Chart | None:
    """A quantity over time; a line each for up to `MOST_SERIES` names."""
    if len(labels) > 1:
        return None
    groups = dict.fromkeys(str(row[labels[0].index]) for row in table.rows) if labels else {"": None}
    if len(groups) > MOST_SERIES:
        return None
    data: list[dict[str, float | str]] = []
    partial: dict[str, None] = {}
    times: dict[str, datetime] = {}
    incomplete = partial_times(table, extent)
    grain = series_grain(sorted({moment for value in table.values(time.index) if (moment := as_time(value, time.name)) is not None}))
    for group in groups:
        rows = tuple(row for row in table.rows if not labels or str(row[labels[0].index]) == group)
        series = series_of(ResultTable(table.names, rows, table.groups), time, quantity)
        if series is None:
            return None
        data.extend(
            {"x": shown_time(moment, grain), "y": value} | ({"series": group} if labels else {})
            for moment, value in zip(series.times, series.values, strict=True)
        )
        times |= {shown_time(moment, grain): moment for moment in series.times}
        partial |= {shown_time(moment, grain): None for moment in series.times if moment in incomplete}
    if len(data) > MOST_ROWS:
        return None
    if labels:
        data.sort(key=lambda row: str(row["x"]))
    return Chart(
        title=_title(quantity, time),
        mark=Mark.LINE,
        x=Channel(field="x", title=name(time.name)),
        y=Channel(field="y", type="quantitative", title=_named(quantity), measure=_measure(table, quantity)),
        color=Channel(field="series", title=name(labels[0].name)) if labels else None,
        data=tuple(data),
        partial=tuple(partial)[:2],
        moments=_moments(data, times) if len(times) == len({row["x"] for row in data}) else (),
    )


def _moments(data: Sequence[dict[str, float | str]], times: Mapping[str, datetime]) -> tuple[datetime, ...]:
    return tuple(times[str(row["x"])] for row in data)


def _bars(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn, order: str | None, extent: Extent) -> Chart | None:
    labels = [label for label in labels if len(labels) == 1 or len(set(table.values(label.index))) > 1] or labels[:1]
    written = {label.index: _written(table, label) for label in labels}
    incomplete = partial_times(table, extent)
    partial: dict[str, None] = {}
    pairs: list[tuple[str, float]] = []
    for row in table.rows:
        value = as_number(row[quantity.index])
        if value is not None:
            parts = [written[label.index].get(row[label.index], str(row[label.index])) for label in labels if row[label.index] is not None]
            pairs.append((" ".join(parts) or "null", value))
            if any(label.role is ColumnRole.TIME and as_time(row[label.index], label.name) in incomplete for label in labels):
                partial[pairs[-1][0]] = None
    if len({label for label, _ in pairs}) < len(pairs) or len(pairs) < 2:
        return None
    left_out = max(0, len(pairs) - MOST_BARS)
    if order is None and left_out and len(labels) == 1 and labels[0].role is ColumnRole.TIME:
        pairs.sort(key=lambda pair: pair[0])  # times are written so that their texts have their order
        pairs = pairs[-MOST_BARS:]
    elif order is not None or left_out:
        pairs.sort(key=lambda pair: pair[1] if order == "worst_first" else -pair[1])
    shown = pairs[:MOST_BARS]
    return Chart(
        title=_title(quantity, *labels),
        mark=Mark.BAR,
        x=Channel(field="x", title=name(", ".join(label.name for label in labels))),
        y=Channel(field="y", type="quantitative", title=_named(quantity), measure=_measure(table, quantity)),
        data=tuple({"x": label, "y": value} for label, value in shown),
        partial=tuple(label for label, _ in shown if label in partial)[:2],
        left_out=left_out,
    )


def _written(table: ResultTable, label: ResultColumn) -> dict[Cell, str]:
    """Times as their grain writes them: `2025-03` for the first of March."""
    if label.role is not ColumnRole.TIME:
        return {}
    times = {value: moment for value in table.values(label.index) if (moment := as_time(value, label.name)) is not None}
    grain = series_grain(sorted(set(times.values())))
    return {value: shown_time(moment, grain) for value, moment in times.items()}


def _measure(table: ResultTable, quantity: ResultColumn) -> Measure:
    """Parts of a whole are shown in percent."""
    return Measure.SHARE if table.is_share(quantity) else Measure.NUMBER


def _grouped(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn) -> Chart | None:
    """Bars of two names: side by side, in a colour each, those of the column with fewer names. The highest groups come first."""
    inner, outer = sorted(labels, key=lambda label: len({row[label.index] for row in table.rows}))
    data: list[dict[str, float | str]] = []
    for row in table.rows:
        value = as_number(row[quantity.index])
        if value is None or row[inner.index] is None or row[outer.index] is None:
            return None
        data.append({"x": str(row[outer.index]), "series": str(row[inner.index]), "y": value})
    series = sorted({str(row["series"]) for row in data})
    places = {(row["x"], row["series"]) for row in data}
    if not 2 <= len(series) <= MOST_COLOURS or len(places) < len(data) or len(data) > MOST_BARS:
        return None
    total: dict[str, float] = {}
    for row in data:
        total[str(row["x"])] = total.get(str(row["x"]), 0.0) + float(row["y"])
    data.sort(key=lambda row: (-total[str(row["x"])], str(row["x"]), series.index(str(row["series"]))))
    return Chart(
        title=_title(quantity, outer, inner),
        mark=Mark.BAR,
        x=Channel(field="x", title=name(outer.name)),
        y=Channel(field="y", type="quantitative", title=_named(quantity)),
        color=Channel(field="series", title=name(inner.name)),
        data=tuple(data),
    )


def _shaded(table: ResultTable, labels: Sequence[ResultColumn], quantity: ResultColumn) -> Chart | None:
    """A field for each pair of names, whose shade shows the quantity; the column with fewer names goes down the side."""
    inner, outer = sorted(labels, key=lambda label: (label.role is ColumnRole.TIME, len({row[label.index] for row in table.rows})))
    written = {label.index: _written(table, label) for label in labels}
    data: list[dict[str, float | str]] = []
    for row in table.rows:
        value = as_number(row[quantity.index])
        if value is None or row[inner.index] is None or row[outer.index] is None:
            continue
        x, series = (written[label.index].get(row[label.index], str(row[label.index])) for label in (outer, inner))
        data.append({"x": x, "series": series, "y": value})
    places = {(row["x"], row["series"]) for row in data}
    if len({row["series"] for row in data}) > MOST_SERIES or not 2 <= len(data) <= MOST_ROWS or len(places) < len(data):
        return None
    return Chart(
        title=_title(quantity, outer, inner),
        mark=Mark.HEAT,
        x=Channel(field="x", title=name(outer.name)),
        y=Channel(field="y", type="quantitative", title=_named(quantity), measure=_measure(table, quantity)),
        color=Channel(field="series", title=name(inner.name)),
        data=tuple(sorted(data, key=lambda row: (str(row["x"]), str(row["series"])))),
    )


def with_titles(chart: Chart, titles: Mapping[str, str]) -> Chart:
    """The chart with other names for the columns that it shows."""
    if not titles:
        return chart

    def named(title: Shown) -> Shown:
        if isinstance(title, Name):
            return name(", ".join(titles.get(part, part) for part in title.text.split(", ")))
        if isinstance(title, Statement):
            return title.model_copy(update={"values": {key: named(value) for key, value in title.values.items()}})
        return title

    def channel(of: Channel) -> Channel:
        return of.model_copy(update={"title": named(of.title)})

    color = None if chart.color is None else channel(chart.color)
    return chart.model_copy(update={"title": named(chart.title), "x": channel(chart.x), "y": channel(chart.y), "color": color})


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
        left_out=max(0, len(pairs) - MOST_ROWS),
    )


def _named(quantity: ResultColumn) -> Name | Term:
    """A count that our own SQL makes is called `n`, which is no title."""
    return term("results.chart.count") if quantity.name == "n" else name(quantity.name)


def _title(quantity: ResultColumn, *by: ResultColumn) -> Statement:
    return say("results.chart.title", quantity=_named(quantity), by=name(", ".join(column.name for column in by)))
