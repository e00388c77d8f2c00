"""The figures of a comparison as a chart, in each of its types."""

from contracts.charts import MOST_ROWS, Channel, Chart, Mark
from contracts.procedure_results import Changed, Drawn
from contracts.procedures import ChartType, Vocabulary, in_language
from contracts.statements import Sayable, name, names, passage, say, term
from workers.engines.procedures.tables import AFTER
from workers.engines.procedures.words import column_named
from workers.kinds.analyze.rules.findings import Wording, say_cut, say_repeated, say_unjudged
from workers.saying import text_of

MOST_DRAWN = 24
"""Rows that a chart of names shows: more labels cannot be read."""

MARKS = {
    ChartType.GROUPED_BAR: Mark.BAR,
    ChartType.STACKED_BAR: Mark.BAR,
    ChartType.LINE: Mark.LINE,
    ChartType.SCATTER: Mark.POINT,
    ChartType.HEATMAP: Mark.HEAT,
}


def type_of(chart: Chart) -> ChartType | None:
    """In which of our types a chart is drawn. None: in another one, of a tool's own."""
    drawn = (kind for kind, mark in MARKS.items() if mark is chart.mark)
    return next((kind for kind in drawn if (kind is ChartType.STACKED_BAR) == chart.is_stacked), None)


def as_chart(drawn: Drawn, vocabulary: Vocabulary, language: str) -> Chart | None:
    """The chart; None for a table, or when there is nothing to draw."""
    mark = MARKS.get(drawn.type)
    if mark is None or not drawn.rows:
        return None
    column = column_named(vocabulary, drawn.column)
    label = (in_language(column.label, language) if column else "") or drawn.column
    title = passage(in_language(drawn.title, language) or label)
    words = Wording(vocabulary, language)
    before, after = (text_of(word, language) for word in (words.before(drawn.labels), words.after(drawn.labels)))
    if mark is Mark.POINT:
        data: tuple[dict[str, float | str], ...] = tuple({"before": row.before, "after": row.after} for row in drawn.rows[:MOST_ROWS])
        x = Channel(field="before", type="quantitative", title=passage(f"{label}, {before}"))
        y = Channel(field="after", type="quantitative", title=passage(f"{label}, {after}"))
        return Chart(title=title, mark=mark, x=x, y=y, data=data, left_out=len(drawn.rows) - len(data))
    rows, key = drawn.rows[:MOST_DRAWN], column_named(vocabulary, drawn.key)
    return Chart(
        title=title,
        mark=mark,
        is_stacked=drawn.type is ChartType.STACKED_BAR,
        x=Channel(field="key", title=name((in_language(key.label, language) if key else "") or drawn.key)),
        y=Channel(field="value", type="quantitative", title=passage(label)),
        color=Channel(field="state", title=term("analyze.state")) if drawn.has_after else None,
        left_out=len(drawn.rows) - len(rows),
        data=tuple(item for row in rows for item in _states(row, before, after, has_after=drawn.has_after)),
    )


def undrawn(drawn: Drawn, vocabulary: Vocabulary, language: str) -> tuple[Sayable, ...]:
    """What is not drawn: rows that are not at hand, have no number or one name with others, and a column that the message names and is
    not in the data, with those that are."""
    words = Wording(vocabulary, language)
    rows = (*say_cut(drawn.cut, words.level("")), *say_unjudged(drawn.unjudged, words), *say_repeated(drawn.repeated))
    if not drawn.missing:
        return rows
    known = [words.column(column) for column in drawn.columns if not column.endswith(AFTER)]
    return (say("analyze.chart.no_column", column=name(words.column(drawn.missing)), known=names(known)), *rows)


def _states(row: Changed, before: str, after: str, *, has_after: bool) -> list[dict[str, float | str]]:
    found: list[dict[str, float | str]] = [{"key": row.key, "state": before, "value": row.before}]
    if has_after:
        found.append({"key": row.key, "state": after, "value": row.after})
    return found
