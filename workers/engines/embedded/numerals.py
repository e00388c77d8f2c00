"""Numbers that the reader of CSV leaves as text: with a decimal comma, with separated thousands, with the sign of a currency or percent,
or in brackets where they are negative."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted

if TYPE_CHECKING:  # only the children load it
    import duckdb

_APART = ". \u00a0\u2009\u202f"
"""What separates thousands beside a decimal comma: a point, or one of the spaces that French and Swedish have."""
_COMMA_NUMBER = rf"\s*[+-]?(\d{{1,3}}([{_APART}]\d{{3}})+|\d+)(,\d+)?\s*"
_PLAINLY_COMMA = rf"\s*[+-]?(\d{{1,3}}([{_APART}]\d{{3}})+,\d+|\d+,(\d{{1,2}}|\d{{4,}})|0,\d+)\s*"
"""A comma that cannot separate thousands."""
_POINT_NUMBER = r"\s*[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?\s*"
_PLAINLY_POINT = r"\s*[+-]?\d{1,3}(,\d{3})*(,\d{3}\.\d+|,\d{3},\d{3})\s*"
"""A comma that can only separate thousands."""
_EITHER_NUMBER = f"({_COMMA_NUMBER})|({_POINT_NUMBER})"
_FIRST_OF_NUMBERS = " \t\n\f\r+-0123456789"
_SOME_NUMBERS = 0.8
"""Of a column's values: so many look like numbers where it is worth saying that it stays text."""
_APOSTROPHES = "'\u2019"
_WITH_APOSTROPHES = rf"\s*[+-]?(\d{{1,3}}([{_APOSTROPHES}]\d{{3}})+|\d+)(\.\d+)?\s*"
_PLAINLY_APART = rf".*\d[{_APOSTROPHES}]\d.*"
"""A number as Switzerland writes it: 1'234.50."""
_SIGNS = "$€£¥￥₹₽%％"
_PLAIN = "plain"
_WITH_SIGN = rf"\s*(\(\s*)?[+-]?\s*[{_SIGNS}]?\s*[+-]?\d[\d.,{_APOSTROPHES}{_APART}]*\s*[{_SIGNS}]?\s*(\))?\s*"
_UNIT = rf"[{_APART[1:]}]([^\d\s.,;:/()]{{1,5}})$"
"""A word behind a number, such as zł, Kč or kg."""
_PLAIN_NUMBER = r"[+-]?\d+(\.\d+)?"
_MAYBE_THOUSANDS = r"[+-]?\d{1,3}(\.\d{3})+"
_POINT_THOUSANDS = r"\s*[+-]?([1-9]\d{0,2}(\.\d{3})+|\d{1,18})\s*"
_MOST_DECIMALS = 6
_MOST_WORDS = 3
"""Different words among the numbers of a column that people write where a number is missing. More are values of their own."""
_LONGEST_WORD = 40


def read_numbers(connection: "duckdb.DuckDBPyConnection", table: str) -> list[list[str]]:
    """Make numbers of the columns of a table of which every value is one of the same form; what was done and what was not, as notes: a
    column in which a comma may separate thousands or decimals stays text."""
    notes: list[list[str]] = []
    for column in texts(connection, table):
        whole = quoted(column)
        sign, cell = _sign(connection, table, whole)
        if form := _read_form(connection, table, whole, cell, is_bare=cell != whole and (not sign or sign in _SIGNS)):
            notes += [[form, column, table]] if form != _PLAIN else []
            notes += [["with_sign", column, table, sign] if sign else ["brackets", column, table]] if cell != whole else []
        elif words := _words(connection, table, cell):
            notes.append(["words", column, table, ", ".join(word[:_LONGEST_WORD] for word in words)])
        elif example := _example(connection, table, whole, cell):
            notes.append(["number_text", column, table, example[:_LONGEST_WORD]])
    return notes


def read_thousands(connection: "duckdb.DuckDBPyConnection", table: str, place: str, texts: str) -> list[list[str]]:
    """Where decimals have a comma, a point separates thousands: make whole numbers of the columns that were read as decimals, and of which
    every point has three digits behind it. `texts`: the call that gives the values of the text at `place` as they stand there, in the
    order of the rows of the table. Notes on these columns."""
    held = connection.execute(
        "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND data_type = 'DOUBLE' ORDER BY column_index", [table]
    ).fetchall()
    columns = [column for (column,) in held]
    tests = ", ".join(
        f"bool_and(regexp_full_match({whole}, '{_POINT_THOUSANDS}')) AND bool_or(contains({whole}, '.'))" for whole in map(quoted, columns)
    )
    fits = connection.execute(f"SELECT {tests} FROM {texts}", [place]).fetchall()[0] if columns else ()  # noqa: S608 quoted identifiers
    found = [column for column, fit in zip(columns, fits, strict=True) if fit]
    if not found:
        return []
    whole, read = quoted(table), quoted(f"{table} as read")
    values = ", ".join(f"CAST(replace({quoted(column)}, '.', '') AS BIGINT) AS {quoted(column)}" for column in found)
    connection.execute(f"CREATE TEMP TABLE {read} AS SELECT {values} FROM {texts}", [place])  # noqa: S608 quoted
    sets = ", ".join(f"{quoted(column)} = {read}.{quoted(column)}" for column in found)
    connection.execute(f"UPDATE {whole} SET {sets} FROM {read} WHERE {whole}.rowid = {read}.rowid")  # noqa: S608 quoted identifiers
    connection.execute(f"DROP TABLE {read}")
    for column in found:
        connection.execute(f"ALTER TABLE {whole} ALTER {quoted(column)} TYPE BIGINT")
    return [["thousands_point", column, table] for column in found]


def _read_form(connection: "duckdb.DuckDBPyConnection", table: str, whole: str, cell: str, *, is_bare: bool) -> str:
    """Make numbers of a column; the form that they have, empty where they have none. `is_bare`: a sign was taken off, so that plain
    numbers are left."""
    separators = f"replace(translate({cell}, '{_APART}', ''), ',', '.')"
    if _read(connection, table, whole, cell, _COMMA_NUMBER, _PLAINLY_COMMA, ",", separators):
        return "decimal_comma"
    if _read(connection, table, whole, cell, _POINT_NUMBER, _PLAINLY_POINT, ".", f"replace({cell}, ',', '')"):
        return "thousands_comma"
    if is_bare and not _may_be_thousands(connection, table, whole, cell):
        return _PLAIN if _read(connection, table, whole, cell, _PLAIN_NUMBER, _PLAIN_NUMBER, ".", cell) else ""
    return _PLAIN if _read_apostrophes(connection, table, whole, cell) else ""


def _may_be_thousands(connection: "duckdb.DuckDBPyConnection", table: str, whole: str, cell: str) -> bool:
    """Whether every point of a column may separate thousands: 1.000 € is read by a person who knows the country."""
    either = connection.execute(
        f"SELECT bool_and(regexp_full_match({cell}, ?)) FROM {quoted(table)} WHERE {whole} IS NOT NULL AND contains({cell}, '.')",  # noqa: S608
        [_MAYBE_THOUSANDS],
    ).fetchall()[0][0]
    return bool(either)


def _sign(connection: "duckdb.DuckDBPyConnection", table: str, whole: str) -> tuple[str, str]:
    """The sign that every value of a column has beside its number, or the brackets of some, and the expression of the values without it;
    the column itself where there is none, or more than one."""
    if not all_fit(connection, table, f"trim({whole}) <> ''", f"regexp_full_match({whole}, ?)", _WITH_SIGN):
        return _unit(connection, table, whole)
    signs, brackets = connection.execute(
        f"SELECT list(DISTINCT regexp_extract({whole}, '[{_SIGNS}]')), "  # noqa: S608
        f"bool_or(contains({whole}, '(')) AND NOT bool_and(contains({whole}, '(')) FROM {quoted(table)} WHERE trim({whole}) <> ''"
    ).fetchall()[0]
    if len(signs) != 1 or not (signs[0] or brackets):
        return "", whole
    return signs[0], f"concat(CASE WHEN contains({whole}, '(') THEN '-' ELSE '' END, translate({whole}, '{signs[0]}() ', ''))"


def _unit(connection: "duckdb.DuckDBPyConnection", table: str, whole: str) -> tuple[str, str]:
    """As `_sign`, of the word that stands behind the number in every value."""
    plain = f"trim({whole})"
    if not all_fit(
        connection, table, f"{plain} <> ''", f"instr('+-0123456789', left({plain}, 1)) > 0 AND regexp_matches({plain}, ?)", _UNIT
    ):
        return "", whole
    units = connection.execute(
        f"SELECT list(DISTINCT regexp_extract({plain}, ?, 1)) FROM {quoted(table)} WHERE {plain} <> ''",  # noqa: S608 quoted identifiers
        [_UNIT],
    ).fetchall()[0][0]
    return (units[0], f"trim(left({plain}, length({plain}) - {len(units[0])}), '{_APART[1:]}')") if len(units) == 1 else ("", whole)


def texts(connection: "duckdb.DuckDBPyConnection", table: str) -> list[str]:
    """The columns of a table that are texts."""
    found = connection.execute(
        "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND data_type = 'VARCHAR'", [table]
    ).fetchall()
    return [column for (column,) in found]


def _read(
    connection: "duckdb.DuckDBPyConnection", table: str, whole: str, cell: str, form: str, plainly: str, point: str, number: str
) -> bool:
    """Whether every value of a column had this form, and one of them plainly; it is one of numbers then. `cell`: the expression of the
    value without its sign."""
    if not all_fit(connection, table, f"{whole} IS NOT NULL", f"regexp_full_match({cell}, ?)", form):
        return False
    shown, digits, whole_digits = connection.execute(
        f"SELECT bool_or(regexp_full_match({cell}, ?)), "  # noqa: S608 quoted identifiers
        f"max(CASE WHEN contains({cell}, '{point}') THEN length(trim({cell})) - instr(trim({cell}), '{point}') ELSE 0 END), "
        f"max(length(regexp_replace(split_part({cell}, '{point}', 1), '[^0-9]', '', 'g'))) FROM {quoted(table)} WHERE {whole} IS NOT NULL",
        [plainly],
    ).fetchall()[0]
    if not shown:
        return False
    width = next((most for most in (18, 38) if whole_digits + digits <= most), 0)
    kind = f"DECIMAL({width}, {digits})" if width and digits <= _MOST_DECIMALS else "DOUBLE"
    filled = f"CASE WHEN {whole} IS NOT NULL THEN trim({number}) END"
    connection.execute(f"ALTER TABLE {quoted(table)} ALTER {whole} TYPE {kind} USING CAST({filled} AS {kind})")
    return True


def _read_apostrophes(connection: "duckdb.DuckDBPyConnection", table: str, whole: str, cell: str) -> bool:
    rows, is_of = f"{whole} IS NOT NULL", f"regexp_full_match({cell}, ?)"
    if not all_fit(connection, table, rows, is_of, _WITH_APOSTROPHES):
        return False
    if connection.execute(f"SELECT 1 FROM {quoted(table)} WHERE {is_of} LIMIT 1", [_PLAINLY_APART]).fetchone() is None:  # noqa: S608
        return False
    marks = _APOSTROPHES.replace("'", "''")
    number = f"CAST(CASE WHEN {whole} IS NOT NULL THEN translate(trim({cell}), '{marks}', '') END AS DOUBLE)"
    connection.execute(f"ALTER TABLE {quoted(table)} ALTER {whole} TYPE DOUBLE USING {number}")
    return True


def all_fit(connection: "duckdb.DuckDBPyConnection", table: str, rows: str, fits: str, form: str | Sequence[str]) -> bool:
    """Whether `fits`, with `form` in it, holds for every row of which `rows` holds, one at least. The first of which it does not ends the
    look: most texts are neither a number nor a date."""
    found = f"SELECT 1 FROM {quoted(table)} WHERE {rows}"  # noqa: S608 quoted identifiers
    other = connection.execute(f"{found} AND NOT coalesce({fits}, FALSE) LIMIT 1", [form]).fetchone()
    return other is None and connection.execute(f"{found} LIMIT 1").fetchone() is not None


def _words(connection: "duckdb.DuckDBPyConnection", table: str, cell: str) -> list[str]:
    """The few words, such as n/a, because of which a column of numbers stays text."""
    cells = (
        "(SELECT cell, regexp_full_match(cell, ?) OR try_cast(cell AS DOUBLE) IS NOT NULL AS fits "  # noqa: S608 quoted identifiers
        f"FROM (SELECT nullif(trim({cell}), '') AS cell FROM {quoted(table)}))"
    )
    others = f"SELECT DISTINCT cell FROM {cells} WHERE NOT fits LIMIT {_MOST_WORDS + 1}"  # noqa: S608 the same
    words = sorted(cell for (cell,) in connection.execute(others, [_EITHER_NUMBER]).fetchall())
    if not 0 < len(words) <= _MOST_WORDS:
        return []
    most = f"SELECT count(*) FILTER (fits) > count(*) FILTER (NOT fits) FROM {cells}"  # noqa: S608 the same
    return words if connection.execute(most, [_EITHER_NUMBER]).fetchall()[0][0] else []


def _example(connection: "duckdb.DuckDBPyConnection", table: str, whole: str, cell: str) -> str:
    """A value that keeps a column of texts from being one of numbers; empty where few look like numbers with what may separate
    thousands."""
    fits = f"CASE WHEN instr(?, left({cell}, 1)) > 0 THEN regexp_full_match({cell}, ?) ELSE FALSE END"
    separated = f"contains({cell}, ',')" if cell == whole else f"contains(translate({cell}, '.', ','), ',')"
    found = connection.execute(
        f"SELECT coalesce(min({whole}) FILTER (NOT fits), min({whole}) FILTER (split)) "  # noqa: S608 quoted identifiers
        f"FROM (SELECT {whole}, {fits} AS fits, {separated} AS split FROM {quoted(table)} "
        f"WHERE trim({whole}) <> '') HAVING bool_or(fits AND split) AND avg(CAST(fits AS INTEGER)) >= ?",
        [_FIRST_OF_NUMBERS, _EITHER_NUMBER, _SOME_NUMBERS],
    ).fetchall()
    return str(found[0][0]) if found else ""
