"""A last row that is the sum of those above it, as people write it under a table: a query that adds up would count everything twice."""

from math import isfinite
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted

if TYPE_CHECKING:  # only the children load it
    import duckdb

_FEWEST_ROWS = 2
"""Rows above a total: the sum of a single one is that row again."""
_SURE_ROWS = 4
"""Rows above it at which one column of sums is no chance; of fewer rows, two columns have to be sums, or a word of ours says it."""
_WORDS = frozenset({"total", "totals", "sum", "grand total", "gesamt", "summe", "合计", "总计", "小计", "total général", "suma"})
"""The words beside a total where no other text is missing: without such a gap only they tell it from a row."""
_FEWEST_GAPS = 2
"""Texts that are missing beside the one of a total: a single one may be missing in any row."""
_NEAR = 1e-9
"""Relative difference of sums that are equal but for rounding."""


def leave_total_out(connection: "duckdb.DuckDBPyConnection", table: str) -> bool:
    """Whether the last row was a total, and is left out: each number in it is the sum of its column, and its texts are missing, or
    the only one says so, by its word or since no row above has a gap beside it."""
    whole = quoted(table)
    columns = connection.execute("SELECT column_name, numeric_precision FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall()
    numbers = [name for name, precision in columns if precision is not None]
    others = [name for name, precision in columns if precision is None]
    if not numbers or not others:
        return False
    last = connection.execute(f"SELECT max(rowid), count(*) - 1 FROM {whole}").fetchall()[0]  # noqa: S608 quoted identifiers
    if last[0] is None or last[1] < _FEWEST_ROWS:
        return False
    texts = connection.execute(f"SELECT {', '.join(map(quoted, others))} FROM {whole} WHERE rowid = ?", [last[0]]).fetchall()[0]  # noqa: S608
    held = [str(text).strip().casefold().rstrip(":：") for text in texts if text is not None]
    if held and (len(held) > 1 or not (held[0] in _WORDS or _is_alone(connection, whole, others, last[0], texts))):
        return False
    sums = 0
    for name in numbers:
        number = f"CAST({quoted(name)} AS DOUBLE)"
        value, above, added = connection.execute(
            f"SELECT max({number}) FILTER (rowid = ?), sum({number}) FILTER (rowid < ?), count(*) FILTER (rowid < ? AND {number} <> 0) FROM {whole}",  # noqa: S608, E501 quoted identifiers
            [last[0], last[0], last[0]],
        ).fetchall()[0]
        if value is None:
            continue
        if above is None or not (isfinite(value) and isfinite(above)) or abs(value - above) > _NEAR * max(abs(value), abs(above)):
            return False
        sums += value != 0 and added >= _FEWEST_ROWS
    if sums < (1 if (held and held[0] in _WORDS) or last[1] >= _SURE_ROWS else 2):
        return False
    connection.execute(f"DELETE FROM {whole} WHERE rowid = ?", [last[0]])  # noqa: S608
    return True


def _is_alone(connection: "duckdb.DuckDBPyConnection", whole: str, others: list[str], last: int, texts: tuple[object, ...]) -> bool:
    """Whether the last row has one text, which no row above has, in the first of several columns that all rows above fill: 合計, Razem."""
    if len(others) <= _FEWEST_GAPS or texts[0] is None:
        return False
    filled = " AND ".join(f"{quoted(other)} IS NOT NULL" for other in others)
    found = connection.execute(
        f"SELECT bool_and({filled}) AND NOT bool_or(CAST({quoted(others[0])} AS VARCHAR) = ?) FROM {whole} WHERE rowid < ?",  # noqa: S608
        [str(texts[0]), last],
    ).fetchall()[0][0]
    return bool(found)
