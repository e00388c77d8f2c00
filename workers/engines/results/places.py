"""A result whose rows are somewhere, as a map: coloured by its quantities, in squares where they lie on a grid."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from contracts.charts import Channel
from contracts.drawings import MOST_COLOURINGS, MOST_PLACES, Place, Places
from contracts.statements import Shown, count, name, say
from workers.engines.results.coordinates import pair_of
from workers.engines.results.table import Cell, ColumnRole, ResultTable, as_number

_BEARINGS = frozenset({"azimuth", "azimuth_deg", "bearing", "方位角"})
"""What the column of where a thing points is called, in degrees from north."""
FEWEST = 2
FEWEST_OF_A_GRID = 30
"""Places from which their distances tell a grid from a few places that happen to lie on lines."""


def places_of(
    names: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    titles: Mapping[str, Shown] | None = None,
    coloured_by: Collection[str] | None = None,
    row_count: int | None = None,
) -> Places | None:
    """The map. None: the rows are nowhere, or all in one place.

    `titles`: columns as their reader calls them; `coloured_by`: the columns that may colour it, all quantities unless given; `row_count`:
    of the whole result, where `rows` is a part of it."""
    table = ResultTable(tuple(names), tuple(tuple(row) for row in rows))
    where = table.coordinates
    if where is None:
        return None
    located = [(row, pair) for row in table.rows if (pair := pair_of(row, where)) is not None][:MOST_PLACES]
    if len({pair for _, pair in located}) < FEWEST:
        return None
    pointing = next((place for place, known in enumerate(names) if known.casefold() in _BEARINGS), None)
    quantities = [column for column in table.of(ColumnRole.QUANTITY) if column.index != pointing]
    chosen = [column for column in quantities if coloured_by is None or column.name in coloured_by][:MOST_COLOURINGS]
    labels = table.of(ColumnRole.NAME)
    label = labels[0].index if labels else where.east
    fields = {f"v{number}": column for number, column in enumerate(chosen)}
    known = titles or {}
    label_title = known.get(names[label], name(names[label]))
    return Places(
        title=_title(label_title, len(located), row_count or len(rows)),
        label=label_title,
        is_geographic=where.is_geographic,
        side_m=None if where.is_geographic or pointing is not None else _side([pair for _, pair in located]),
        colourings=tuple(
            Channel(field=field, type="quantitative", title=known.get(column.name, name(column.name))) for field, column in fields.items()
        ),
        places=tuple(
            Place(
                name=str(row[label] if row[label] is not None else "–"),
                x=east,
                y=north,
                bearing=None if pointing is None else as_number(row[pointing]),
                values={field: value for field, column in fields.items() if (value := as_number(row[column.index])) is not None},
            )
            for row, (east, north) in located
        ),
    )


def _title(label: Shown, shown: int, of: int) -> Shown:
    what = name(label) if isinstance(label, str) else label
    if shown == of:
        return say("results.map.title", what=what)
    return say("results.map.part", what=what, n=count(shown, exact=True), of=count(of, exact=True))


def _side(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The side of the squares in which the places lie side by side; None: they lie anyhow."""
    if len(pairs) < FEWEST_OF_A_GRID:
        return None
    steps = [_step(sorted({pair[axis] for pair in pairs})) for axis in (0, 1)]
    if None in steps or steps[0] != steps[1]:
        return None
    return steps[0]


def _step(values: Sequence[float]) -> float | None:
    """The distance of which all distances between these numbers are multiples; None: there is none."""
    gaps = [round(after - before, 3) for before, after in pairwise(values)]
    least = min(gaps, default=0.0)
    return least if least > 0 and all(abs(gap / least - round(gap / least)) < 0.02 for gap in gaps) else None
