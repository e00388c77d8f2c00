"""What the columns of a result are called in a picture: by the comments of their columns, where the reader's language has them."""

from collections.abc import Sequence

from contracts.ask.results import Cell
from contracts.queries import Aggregate, DatePart, Measure, QueryPlan
from contracts.statements import Term, name, say, term
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.comments import names_in
from workers.kinds.ask.rules.weekdays import weekday_word
from workers.saying import text_of

_UNITS: dict[str, Term] = {
    "year": term("ask.title.year"), "quarter": term("ask.title.quarter"), "month": term("ask.title.month"), "week": term("ask.title.week"),
    "day": term("ask.title.day"), "weekday": term("ask.title.weekday"), "hour": term("ask.title.hour"),
}  # fmt: skip
_AGGREGATES: dict[Aggregate, Term] = {
    Aggregate.SUM: term("ask.title.sum"), Aggregate.AVERAGE: term("ask.title.average"),
    Aggregate.MINIMUM: term("ask.title.minimum"), Aggregate.MAXIMUM: term("ask.title.maximum"),
}  # fmt: skip


def titles_of(plan: QueryPlan | None, columns: Sequence[str], tables: Sequence[TableDetail], language: str) -> dict[str, str]:
    """Column of the result → its title, for those that a Chinese comment names and for units of time, where the reader's language is
    Chinese. Others keep their names."""
    if plan is None or len(columns) != len(plan.selected) or not language.startswith("zh"):
        return {}
    aliases = {source.alias: source.table for source in plan.sources}
    details = {(table.full_name, column.name): column for table in tables for column in table.columns}
    made: dict[str, str] = {}
    for column, item in zip(columns, plan.selected, strict=True):
        alias, _, own = item.value.column.rpartition(".")
        title = _title(item.value, details.get((aliases.get(alias, ""), own)), language)
        if title and item.relation is None and not item.share_of_total:
            made[column] = title
    return made


def weekdays_of(plan: QueryPlan | None, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of the result that hold days of the week: 1 is Monday."""
    if plan is None or len(columns) != len(plan.selected):
        return ()
    shown = zip(columns, plan.selected, strict=True)
    return tuple(column for column, item in shown if item.value.part is DatePart.WEEKDAY and item.value.aggregate is None)


def named_days(columns: Sequence[str], rows: Sequence[tuple[Cell, ...]], weekdays: Sequence[str], language: str) -> list[tuple[Cell, ...]]:
    """The rows with days of the week by name, as a picture shows them."""
    places = {place for place, column in enumerate(columns) if column in weekdays}

    def shown(place: int, cell: Cell) -> Cell:
        word = weekday_word(cell) if place in places else None
        return cell if word is None else text_of(word, language)

    return [tuple(shown(place, cell) for place, cell in enumerate(row)) for row in rows]


def _title(value: Measure, detail: ColumnDetail | None, language: str) -> str:
    cut = value.unit or value.part
    if cut is not None and value.aggregate is None:
        word = _UNITS.get(cut.value.partition("_")[0])
        return "" if word is None else text_of(word, language)
    named = names_in(detail.description) if detail is not None and value.operator is None and cut is None else []
    if not named or value.aggregate is None:
        return named[0] if named else ""
    how = _AGGREGATES.get(value.aggregate)
    return "" if how is None else text_of(say("ask.title.aggregate", of=name(named[0]), how=how), language)
