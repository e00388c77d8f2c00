"""What is checked of the target after a run. Each check yields the rows that show a failure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from contracts.pipelines.analysis import EtlTarget
from contracts.pipelines.trial import CheckKind
from contracts.sql_review import SampleTable, WriteMode
from contracts.statements import Statement, code, count, listing, name, names, say
from workers.engines.pipelines.trial.play import Played, counted, rows_of
from workers.engines.pipelines.warehouse import Answer
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.review.rows import Data
from workers.engines.sql.review.witness import comparable, shown
from workers.engines.sql.sandbox import Row

MOST_SHOWN = 6
"""Rows of a table beyond this are not shown."""
WIDER = {
    (TypeKind.DECIMAL, TypeKind.INTEGER),
    (TypeKind.TIMESTAMP, TypeKind.DATE),
}
"""(documented, given): every value of the given type is one of the documented type."""


_FLOATS = ("DOUBLE", "FLOAT")
"""Types of the trial's engine that hold no exact numbers."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that failed."""

    kind: CheckKind
    text: Statement
    shown: tuple[SampleTable, ...] = ()


def sample(columns: Sequence[str], rows: Sequence[Row], table: str = "") -> SampleTable:
    """Rows as a report shows them."""
    return SampleTable(name=table, columns=tuple(columns), rows=tuple(tuple(shown(cell) for cell in row) for row in rows[:MOST_SHOWN]))


def check_grain(target: EtlTarget, found: Answer) -> Failure | None:
    """No two rows have the same key, and no key is null, unless the target says that it may be: rows without a value are a group then."""
    places = _places(target.key, found)
    if places is None:
        return None
    counts = Counter(_mark(row, places) for row in found.rows)
    repeated = [row for row in found.rows if counts[_mark(row, places)] > 1]
    if repeated:
        repeated.sort(key=lambda row: [str(row[place]) for place in places])
        text = say("pipelines.trial.grain.repeated", table=code(target.table), key=names(target.key))
        return Failure(CheckKind.GRAIN, text, (sample(found.columns, repeated),))
    may_be_null = {column.name.lower() for column in target.columns if column.nullable}
    empty = [row for row in found.rows if any(row[place] is None and found.columns[place].lower() not in may_be_null for place in places)]
    if empty:
        text = say("pipelines.trial.grain.null", table=code(target.table), key=names(target.key))
        return Failure(CheckKind.GRAIN, text, (sample(found.columns, empty),))
    return None


def check_columns(target: EtlTarget, found: Answer) -> Failure | None:
    """The documented columns, in their order."""
    documented = [column.name for column in target.columns]
    if not documented or [column.lower() for column in documented] == [column.lower() for column in found.columns]:
        return None
    text = say("pipelines.trial.columns", table=code(target.table), documented=names(documented), given=names(found.columns))
    return Failure(CheckKind.COLUMNS, text)


def check_types(target: EtlTarget, found: Answer) -> Failure | None:
    """Types of the documented kind: a number stays a number, a day a day."""
    given = {column.lower(): kind for column, kind in zip(found.columns, found.types, strict=True)}
    for column in target.columns:
        actual = given.get(column.name.lower())
        if not column.type or actual is None:
            continue
        wanted, kind = type_kind(column.type), type_kind(actual)
        if TypeKind.OTHER in (wanted, kind) or wanted is kind or (wanted, kind) in WIDER or _is_whole(column.type, actual):
            continue
        text = say("pipelines.trial.types", column=name(column.name), documented=code(column.type), given=code(actual))
        return Failure(CheckKind.TYPES, text)
    return None


def _is_whole(documented: str, given: str) -> bool:
    """A sum of whole numbers may have a type for decimals without digits behind the point."""
    return type_kind(documented) is TypeKind.INTEGER and type_kind(given) is TypeKind.INTEGER


def check_not_null(target: EtlTarget, found: Answer) -> Failure | None:
    """Columns that are documented to have a value have one."""
    wanted = {column.name.lower() for column in target.columns if column.nullable is False}
    places = [place for place, column in enumerate(found.columns) if column.lower() in wanted]
    empty = [row for row in found.rows if any(row[place] is None for place in places)]
    if not empty:
        return None
    lacking = [found.columns[place] for place in places if any(row[place] is None for row in empty)]
    return Failure(CheckKind.NOT_NULL, say("pipelines.trial.not_null", columns=names(lacking)), (sample(found.columns, empty),))


def check_second_run(target: EtlTarget, played: Played) -> Failure | None:
    """The second run on the same rows leaves the target as it was."""
    first, second = played.runs[0], played.runs[1]
    before, after = counted(first), counted(second)
    if before == after:
        return None
    added, lost = rows_of(second, after - before), rows_of(first, before - after)
    tables = tuple(
        sample(found.columns, rows, title) for title, found, rows in (("-", first, lost), ("+", second, added)) if rows
    )  # the names mark rows as those of a diff are
    changes = [say("pipelines.trial.rows_added", n=count(len(added)))] if added else []
    changes += [say("pipelines.trial.rows_lost", n=count(len(lost)))] if lost else []
    text = say("pipelines.trial.second_run", table=code(target.table), changes=listing(*changes))
    return Failure(CheckKind.SECOND_RUN, text, tables)


def check_increment(target: EtlTarget, runs: Sequence[Answer], at_once: Answer) -> Failure | None:
    """Two runs with rows in between give what one run on all rows gives. Where rows are only appended, those of the first run stay as they
    are, and every key of all rows is there."""
    step_by_step = runs[1]
    ours, theirs = counted(step_by_step), counted(at_once)
    missing, extra = rows_of(at_once, theirs - ours), rows_of(step_by_step, ours - theirs)
    places = _places(target.key or target.partition_by, at_once)
    if places is not None and target.mode is not WriteMode.OVERWRITE:
        mine, wanted = _marks(step_by_step.rows, places), _marks(at_once.rows, places)
        extra = tuple(row for row in extra if _mark(row, places) in wanted)  # what a run does not bring again stays
        if target.mode is WriteMode.APPEND and target.key:
            missing = tuple(row for row in missing if _mark(row, places) not in mine)
            extra = tuple(rows_of(runs[0], counted(runs[0]) - ours))
    if not missing and not extra:
        return None
    tables = tuple(
        sample(found.columns, rows, title) for title, found, rows in (("-", at_once, missing), ("+", step_by_step, extra)) if rows
    )
    return Failure(CheckKind.INCREMENT, say("pipelines.trial.increment", table=code(target.table)), tables)


def check_rows_stay(target: EtlTarget, played: Played) -> Failure | None:
    """Where rows are only appended, those of the first run stay as they are, also where the source has other values for them since."""
    first, second = played.runs[0], played.runs[1]
    lost = rows_of(first, counted(first) - counted(second))
    if not lost:
        return None
    text = say("pipelines.trial.rows_changed", table=code(target.table), n=count(len(lost)))
    return Failure(CheckKind.INCREMENT, text, (sample(first.columns, lost, "-"), sample(second.columns, second.rows, "+")))


def check_keys_stay(target: EtlTarget, played: Played, at_once: Answer) -> Failure | None:
    """Where rows are replaced by their key, those whose key does not come again stay: each key of the first run that a run on all rows has
    too is there after a run that no longer sees the old rows."""
    first, second = played.runs[0], played.runs[1]
    places = _places(target.key, first)
    if places is None:
        return None
    kept, wanted = _marks(second.rows, places), _marks(at_once.rows, places)
    lost = [row for row in first.rows if _mark(row, places) in wanted and _mark(row, places) not in kept]
    if not lost:
        return None
    text = say("pipelines.trial.rows_gone", table=code(target.table), n=count(len(lost)), key=names(target.key))
    return Failure(CheckKind.INCREMENT, text, (sample(first.columns, lost, "-"),))


def _mark(row: Row, places: Sequence[int]) -> Row:
    return tuple(comparable(row[place]) for place in places)


def _marks(rows: Sequence[Row], places: Sequence[int]) -> set[Row]:
    return {_mark(row, places) for row in rows}


def check_versions(target: EtlTarget, found: Answer) -> Failure | None:
    """The versions of a key follow each other: each ends after it begins, none begins before the one before it has ended, one is open, and
    each is another than the one before it."""
    kept = target.history
    if kept is None:
        return None
    key = _places([column for column in target.key if column != kept.valid_from], found)
    period = _places((kept.valid_from, kept.valid_to), found)
    if key is None or period is None:
        return None
    start, end = period
    filled_in = {kept.valid_from.lower(), kept.valid_to.lower(), kept.is_current.lower()}
    tracked = [place for place, column in enumerate(found.columns) if column.lower() not in filled_in and place not in key]
    ordered = sorted(found.rows, key=lambda row: (str(_mark(row, key)), str(row[start])))
    pairs = [(before, after) for before, after in pairwise(ordered) if _mark(before, key) == _mark(after, key)]
    wrong = [row for row in ordered if str(row[end]) < str(row[start])]
    wrong += [row for before, after in pairs if str(before[end]) > str(after[start]) for row in (before, after)]
    values = {"table": code(target.table), "key": names(found.columns[place] for place in key)}
    if wrong:
        return Failure(CheckKind.INCREMENT, say("pipelines.trial.versions", **values), (sample(found.columns, wrong),))
    touching = [pair for pair in pairs if str(pair[0][end]) == str(pair[1][start])] if tracked else []
    wrong = [row for pair in touching if _mark(pair[0], tracked) == _mark(pair[1], tracked) for row in pair]
    return Failure(CheckKind.INCREMENT, say("pipelines.trial.versions_same", **values), (sample(found.columns, wrong),)) if wrong else None


@dataclass(frozen=True, slots=True)
class Kept:
    """Columns of a source table whose values must all be in the target."""

    table: str
    """Full name."""
    places: tuple[int, ...]
    """Of the columns in the source table."""
    columns: tuple[str, ...]
    """Of the target."""


def check_rows_kept(target: EtlTarget, found: Answer, data: Data, kept: Kept, columns: Sequence[str]) -> Failure | None:
    """Every row of the source table has its row in the target."""
    places = _places(kept.columns, found)
    if places is None:
        return None
    types = [found.types[place] for place in places]
    there = {_kept_mark(row, places, types) for row in found.rows}
    lost = [row for row in data.get(kept.table.lower(), []) if _kept_mark(row, kept.places, types) not in there]
    if not lost:
        return None
    text = say("pipelines.trial.rows_kept", table=code(target.table), source=code(kept.table), n=count(len(lost)))
    return Failure(CheckKind.ROWS_KEPT, text, (sample(columns, lost, kept.table),))


def _kept_mark(row: Row, places: Sequence[int], types: Sequence[str]) -> Row:
    return tuple(_cell(row[place], type_) for place, type_ in zip(places, types, strict=True))


def _cell(cell: object, type_: str) -> object:
    """A value of the rows that were put in, or of those that came out, as its column of the target holds it: a number that is put in may be
    text, and dates come out as text."""
    if cell is None or isinstance(cell, bool):
        return cell
    if type_kind(type_) not in (TypeKind.INTEGER, TypeKind.DECIMAL):
        return str(cell).removesuffix(" 00:00:00")
    try:
        return comparable(Decimal(cell) if isinstance(cell, str) else cell, is_rounded=type_ in _FLOATS)
    except InvalidOperation:
        return cell


def _places(columns: Sequence[str], found: Answer) -> list[int] | None:
    """Where columns are in an answer; None: one is not there, or there are none."""
    names_found = [column.lower() for column in found.columns]
    if not columns or any(column.lower() not in names_found for column in columns):
        return None
    return [names_found.index(column.lower()) for column in columns]
