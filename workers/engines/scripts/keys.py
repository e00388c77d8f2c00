"""Which key of which column is the heavy one, by the tables' statistics."""

from contracts.code import HotKey, TableFacts
from contracts.verdicts import ColumnRef, KeyStatistics

HEAVY_SHARE = 0.01
"""Of a table's rows: a key with less fills no task."""

FAIR_TIMES = 20.0
"""Times its fair share (one divided by the number of distinct keys) from which on a key is heavy too."""

HEAVY_KEYS = 5

SENTINELS = frozenset(
    (
        *("", "-1", "0", "-99", "-999", "-9999", "99", "999", "9999"),
        *("none", "null", "nan", "n/a", "na", "unknown", "default", "other", "undefined"),
        *("1900-01-01", "1970-01-01", "9999-12-31", "00000000-0000-0000-0000-000000000000"),
    )
)
"""Values that stand for a key that is not known. 0 and the like are real keys as often, so a sentinel also stands alone: `is_sentinel`."""

ALONE = 3.0
"""A stand-in outweighs the next key by so much. Two hot keys beside each other are keys."""


def heavy_keys(columns: tuple[ColumnRef, ...], tables: tuple[TableFacts, ...]) -> tuple[tuple[ColumnRef, ...], tuple[KeyStatistics, ...]]:
    """The columns, those with heavy keys first, and these keys, heaviest first. Columns without statistics keep their order."""
    by_name = {table.name: table for table in tables}
    found: list[KeyStatistics] = []
    for column in columns:
        table = by_name.get(column.table)
        spread = table.keys.get(column.column) if table else None
        if table is None or spread is None:
            continue
        fair = 1 / spread.distinct if spread.distinct else 0
        heavy = [key for key in spread.top if key.share >= HEAVY_SHARE and key.share >= FAIR_TIMES * fair][:HEAVY_KEYS]
        found += [
            KeyStatistics(
                column=column,
                value="null" if key.value is None else key.value,
                rows=key.rows,
                share=key.share,
                table_rows=table.rows or 0,
                distinct=spread.distinct,
                is_sentinel=is_sentinel(key, spread.top),
            )
            for key in heavy
        ]
    found.sort(key=lambda key: -key.share)
    first = list(dict.fromkeys(key.column for key in found))
    return (*first, *(column for column in columns if column not in first)), tuple(found)


def is_sentinel(key: HotKey, top: tuple[HotKey, ...]) -> bool:
    """A value that means `not known`, and alone at the top."""
    if key.value is None:
        return True
    others = max((other.rows for other in top if other.value != key.value), default=0)
    return key.value.strip().lower() in SENTINELS and key.rows >= ALONE * max(1, others)
