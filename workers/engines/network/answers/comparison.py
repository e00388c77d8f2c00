"""Before and after as a chart of six types (K23)."""

from collections.abc import Callable

import numpy as np

from contracts.charts import MOST_ROWS, Channel, Chart, Mark
from contracts.network import ChartType, Comparison, Level
from contracts.statements import Statement, Value, name, say
from workers.engines.network.answers.root_causes import member_term_of
from workers.engines.network.answers.tables import Rows, Shows, shown_by
from workers.engines.network.radio.network import Floats
from workers.engines.network.thresholds import INDICATORS
from workers.engines.network.twins import LevelTable, Twin

MOST_BARS = 20
"""Rows that bars and lines show; a heat map and points show more."""

BEFORE, AFTER = "before", "after"


def compare(twin: Twin, level: Level, indicators: tuple[str, ...], chart_type: ChartType, *, only_problems: bool) -> Comparison:
    """A chart of the first indicator, and the table of all."""
    own, after = twin.level(level), twin.after(level)
    rows = Rows(twin, level, indicators, Shows.EFFECT)
    draw = _DRAWINGS.get(chart_type)
    chart = None
    if draw is not None:
        most = MOST_ROWS // 2 if chart_type in (ChartType.SCATTER, ChartType.HEATMAP) else MOST_BARS
        chosen = _chosen(rows, own, after, indicators, only_problems and chart_type is not ChartType.HEATMAP)[:most]
        chart = draw(own, after, indicators[0], chosen, level)
    return Comparison(
        digitaltwinsId=twin.card.digitaltwinsId, level=level, indicators=indicators, chart_type=chart_type, chart=chart, table=rows.table()
    )


def _chosen(rows: Rows, own: LevelTable, after: dict[str, Floats], indicators: tuple[str, ...], only_problems: bool) -> list[int]:
    """The rows to draw, in the order of the table: problems, and what became worse; without any, all."""
    known = [row for row in rows.order if not np.isnan(own.indicators[indicators[0]][row]) and not np.isnan(after[indicators[0]][row])]
    if not only_problems:
        return known
    wanted = shown_by(own, indicators)
    for each in indicators:
        indicator = INDICATORS[each]
        loss = (own.indicators[each] - after[each]) * (1 if indicator.is_better_high else -1)
        wanted |= np.nan_to_num(loss) >= indicator.tolerance
    return [row for row in known if wanted[row]] or known


def _titled(indicator: str) -> Statement:
    return say("network.chart.title", indicator=member_term_of(indicator))


def _unit(indicator: str) -> Value:
    unit = INDICATORS[indicator].unit
    return say("network.chart.axis", indicator=member_term_of(indicator), unit=name(unit)) if unit else member_term_of(indicator)


def _named(level: Level) -> Channel:
    return Channel(field="id", title=say("network.chart.cell") if level is Level.CELL else say("network.chart.grid"))


def _series(
    own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level, mark: Mark, *, stacked: bool = False
) -> Chart:  # fmt: skip
    data = [
        {"id": own.ids[row], "value": float(values[row]), "state": state}
        for row in chosen
        for state, values in ((BEFORE, own.indicators[indicator]), (AFTER, after[indicator]))
    ]
    return Chart(
        title=_titled(indicator), mark=mark, x=_named(level), is_stacked=stacked,
        y=Channel(field="value", type="quantitative", title=_unit(indicator)),
        color=Channel(field="state", title=say("network.chart.state")), data=tuple(data),
    )  # fmt: skip


def _grouped(own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level) -> Chart:
    return _series(own, after, indicator, chosen, level, Mark.BAR)


def _stacked(own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level) -> Chart:
    return _series(own, after, indicator, chosen, level, Mark.BAR, stacked=True)


def _lines(own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level) -> Chart:
    return _series(own, after, indicator, chosen, level, Mark.LINE)


def _points(own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level) -> Chart:
    return Chart(
        title=_titled(indicator), mark=Mark.POINT,
        x=Channel(field="before", type="quantitative", title=say("network.chart.before", what=_unit(indicator))),
        y=Channel(field="after", type="quantitative", title=say("network.chart.after", what=_unit(indicator))),
        data=tuple({"before": float(own.indicators[indicator][row]), "after": float(after[indicator][row])} for row in chosen),
    )  # fmt: skip


def _heat(own: LevelTable, after: dict[str, Floats], indicator: str, chosen: list[int], level: Level) -> Chart:
    return _series(own, after, indicator, chosen, level, Mark.HEAT)


_DRAWINGS: dict[ChartType, Callable[[LevelTable, dict[str, Floats], str, list[int], Level], Chart]] = {
    ChartType.GROUPED_BAR: _grouped,
    ChartType.LINE: _lines,
    ChartType.STACKED_BAR: _stacked,
    ChartType.SCATTER: _points,
    ChartType.HEATMAP: _heat,
}
