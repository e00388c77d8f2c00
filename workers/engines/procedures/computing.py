"""What the steps compute by themselves: what is wrong in a table, what changed between two tables, what to draw."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.base import Json
from contracts.procedure_results import Changed, Compared, Cut, Drawn, Found, NoNumber, Problem, Reason
from contracts.procedures import (
    ChartSpec,
    ChartStep,
    ChartType,
    ColumnName,
    CompareSpec,
    CompareStep,
    Condition,
    FindSpec,
    FindStep,
    Named,
    Procedure,
    Threshold,
    Vocabulary,
)
from workers.engines.procedures.expressions import BadExpression, names_in, search
from workers.engines.procedures.values import read_number
from workers.engines.procedures.words import names_spoken, unknown_drawn

Row = Mapping[str, Any]


def rows_of(value: object) -> list[Row]:
    """The rows in a value: objects of a list, all else left out."""
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict)]  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def number_in(row: Row, column: str) -> int | float | None:
    """A number in a row; None for everything else."""
    value = row.get(column)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


class NoThreshold(Exception):
    """The expression of a limit yields no number."""

    def __init__(self, expression: str, value: object) -> None:
        """`value`: what it yields."""
        super().__init__(expression)
        self.expression = expression
        self.value = value


def with_limits(conditions: Iterable[Condition], scope: Json) -> tuple[Condition, ...]:
    """The conditions with a number for each limit. Raises `NoThreshold`."""
    return tuple(
        condition.model_copy(update={"below": _limit(condition.below, scope), "above": _limit(condition.above, scope)})
        for condition in conditions
    )


def _limit(given: Threshold | None, scope: Json) -> float | None:
    if not isinstance(given, str):
        return given
    value = search(given, scope)
    number = read_number(value)
    if number is None:
        raise NoThreshold(given, value)
    return number


def absent(rows: Sequence[Row], columns: Iterable[str | None]) -> tuple[str, ...]:
    """Those of the columns that no row has; none where there are no rows."""
    return tuple(dict.fromkeys(column for column in columns if rows and column and not any(column in row for row in rows)))


def cut_of(expressions: Iterable[str | None], scope: Json, let: Mapping[str, str]) -> Cut | None:
    """Where one of the tables that the expressions read is not at hand as a whole."""
    steps = {step for expression in expressions if expression for step in tables_read(expression, let)}
    results: Mapping[str, Any] = scope.get("results") or {}
    for step in sorted(steps):
        result: Mapping[str, Any] = results.get(step) or {}
        rows, count = result.get("rows"), result.get("row_count")
        if not isinstance(rows, list):
            continue
        held = len(rows)  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
        if result.get("cut"):
            return Cut(held=held)
        if isinstance(count, int) and count > held:
            return Cut(held=held, all=count)
    return None


def judged_steps(procedure: Procedure) -> frozenset[str]:
    """The steps whose rows a find, a comparison or a chart reads."""
    read: list[str | None] = []
    for step in procedure.steps:
        match step:
            case FindStep():
                read.append(step.find.rows)
            case CompareStep():
                read += [step.compare.before, step.compare.after]
            case ChartStep():
                read += [step.chart.before, step.chart.after]
            case _:
                continue
    return frozenset(name for expression in read if expression for name in tables_read(expression, procedure.let))


def tables_read(expression: str, let: Mapping[str, str], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The steps whose rows an expression reads, also through names of `let`."""
    try:
        heads = names_in(expression)
    except BadExpression:
        return
    for first, *others in heads:
        if first == "results" and others and ("rows" in expression or "objects" in expression):
            yield others[0]
        elif first in let and first not in seen:
            yield from tables_read(let[first], let, seen | {first})


def better_of(vocabulary: Vocabulary, column: str) -> str:
    """Which values of a column are good: `high` or `low`."""
    found: ColumnName | None = next((item for item in vocabulary.columns if item.name == column), None)
    return (found.better if found else None) or "high"


def meets(row: Row, condition: Condition) -> bool:
    """Whether a row has this problem."""
    if condition.equals is not None:
        return str(row.get(condition.column, "")) == condition.equals
    value = number_in(row, condition.column)
    if value is None:
        return False
    below, above = condition.below, condition.above
    return (isinstance(below, float) and value < below) or (isinstance(above, float) and value > above)


_MOST_TEXTS = 3
_LONGEST_TEXT = 40


def no_numbers(rows: Iterable[Row], columns: Sequence[str], key: str) -> tuple[NoNumber, ...]:
    """The rows of which none of the columns holds a number, or one holds a text, under that column."""
    keys: dict[str, list[str]] = {}
    texts: dict[str, dict[str, None]] = {}
    for row in rows:
        text = next((column for column in columns if isinstance(row.get(column), str)), None)
        if text is None and any(number_in(row, column) is not None for column in columns):
            continue
        column = text or columns[0]
        keys.setdefault(column, []).append(str(row.get(key, "")))
        if text is not None:
            texts.setdefault(column, {})[str(row[text])[:_LONGEST_TEXT]] = None
    return tuple(NoNumber(column=at, keys=tuple(held), texts=tuple(texts.get(at, ()))[:_MOST_TEXTS]) for at, held in keys.items())


def lacking_all(spec: FindSpec, scope: Json) -> NoNumber | str | None:
    """Why nothing can be said of the rows: a column that no row has, or no number to compare with the limits. None: of at least one row
    something can. Raises `NoThreshold`."""
    rows = rows_of(search(spec.rows, scope))
    spec = spec.model_copy(update={"any": with_limits(spec.any, scope)})
    columns = [condition.column for condition in spec.any] or [spec.by]
    strange = absent(rows, columns)
    if needed := [*absent(rows, (spec.key, spec.by)), *(strange if len(strange) == len(set(columns)) else ())]:
        return needed[0]
    lacking = _unjudged(rows, spec)
    return lacking[0] if rows and sum(len(lack.keys) for lack in lacking) == len(rows) else None


def _unjudged(rows: Sequence[Row], spec: FindSpec) -> tuple[NoNumber, ...]:
    columns = [condition.column for condition in spec.any if condition.equals is None]
    if not columns or len(columns) < len(spec.any):
        return ()
    return no_numbers((row for row in rows if not _is_problem(row, spec)), columns, spec.key)


def find_problems(spec: FindSpec, vocabulary: Vocabulary, scope: Json, let: Mapping[str, str] | None = None) -> Found:
    """The rows with a problem, the worst first. Raises `NoThreshold`."""
    rows = rows_of(search(spec.rows, scope))
    spec = spec.model_copy(update={"any": with_limits(spec.any, scope)})
    problems = [row for row in rows if _is_problem(row, spec)]
    column = _worst_by(spec, scope)
    if column is not None:
        low = _is_low_bad(spec, vocabulary, column)
        problems.sort(key=lambda row: _worst_first(number_in(row, column), low))
    by: dict[str, list[str]] = {}
    for row in problems:
        if spec.by is not None:
            by.setdefault(str(row.get(spec.by, "")), []).append(str(row.get(spec.key, "")))
    return Found(
        level=spec.level,
        column=column or "",
        rows=max(len(rows), _row_count(spec.rows, scope)),
        problems=tuple(
            Problem(
                key=str(row.get(spec.key, "")),
                value=number_in(row, column) if column else None,
                kind=str(row.get(spec.by, "")) if spec.by else "",
            )
            for row in problems
        ),
        by={kind: tuple(keys) for kind, keys in sorted(by.items(), key=lambda item: (-len(item[1]), item[0]))},
        reasons=_reasons(spec, problems),
        unjudged=_unjudged(rows, spec),
        cut=cut_of([spec.rows], scope, let or {}),
        missing=absent(rows, (*(condition.column for condition in spec.any), spec.column)),
        repeated=tuple(key for key, n in Counter(str(row.get(spec.key, "")) for row in rows).items() if n > 1),
    )


def _worst_by(spec: FindSpec, scope: Json) -> str | None:
    """The column by which the worst is named: that of a condition which the message names, or else the procedure's."""
    named: list[str] = [*(scope.get("named") or ()), *(scope.get("wanted") or ())]
    return next((column for column in named if any(condition.column == column for condition in spec.any)), spec.column)


def _is_low_bad(spec: FindSpec, vocabulary: Vocabulary, column: str) -> bool:
    """Whether small values are the bad ones: as the vocabulary says, or else as the condition has it."""
    if any(item.name == column and item.better for item in vocabulary.columns):
        return better_of(vocabulary, column) == "high"
    condition = next((condition for condition in spec.any if condition.column == column), None)
    return condition is None or condition.above is None


def _reasons(spec: FindSpec, problems: Sequence[Row]) -> tuple[Reason, ...]:
    """Which of several conditions hold, and for which rows."""
    if len(spec.any) < 2 or spec.by is not None:
        return ()
    held = (
        Reason(condition=condition, keys=tuple(str(row.get(spec.key, "")) for row in problems if meets(row, condition)))
        for condition in spec.any
    )
    return tuple(reason for reason in held if reason.keys)


def _row_count(expression: str, scope: Json) -> int:
    """Rows of the whole table, when only its first rows are held."""
    table, _, last = expression.rpartition(".")
    count = search(f"{table}.row_count", scope) if last == "rows" and table else None
    return count if isinstance(count, int) else 0


def _is_problem(row: Row, spec: FindSpec) -> bool:
    if spec.any:
        return any(meets(row, condition) for condition in spec.any)
    return spec.by is not None and str(row.get(spec.by, "")) not in spec.healthy


def _worst_first(value: int | float | None, low: bool) -> tuple[bool, int | float]:
    return (value is None, 0.0 if value is None else value if low else -value)


@dataclass(frozen=True, slots=True)
class _Sides:
    """The numbers of a column before and after, by the keys of their rows."""

    before: Mapping[str, int | float]
    after: Mapping[str, int | float]
    lacking: tuple[NoNumber, ...]
    """The rows without a number in one of the tables; empty where the column is absent."""
    repeated: tuple[str, ...]
    """Keys whose rows have different numbers: they have none here."""


def _sides(old: Sequence[Row], new: Sequence[Row] | None, key: str, column: str, suffix: str) -> _Sides:
    """`new`: None where there is one table only, whose numbers are then both."""
    first = _by_key(old, key, column)
    second = first if new is None else _by_key(new, key, column + suffix)
    before, after = ({name: next(iter(numbers)) for name, numbers in found.items() if len(numbers) == 1} for found in (first, second))
    repeated = tuple(dict.fromkeys(name for found in (first, second) for name, numbers in found.items() if len(numbers) > 1))
    keys = dict.fromkeys(str(row.get(key, "")) for row in (*old, *(new or ())))
    lacking = tuple(name for name in keys if name not in first or name not in second)
    return _Sides(before, after, (NoNumber(column=column, keys=lacking),) if lacking and first and second else (), repeated)


def _by_key(rows: Iterable[Row], key: str, column: str) -> dict[str, set[int | float]]:
    found: dict[str, set[int | float]] = {}
    for row in rows:
        if (number := number_in(row, column)) is not None:
            found.setdefault(str(row.get(key, "")), set()).add(number)
    return found


def compare_tables(spec: CompareSpec, vocabulary: Vocabulary, scope: Json, let: Mapping[str, str] | None = None) -> Compared:
    """Means before and after, what is still a problem, and the rows that got worse. Raises `NoThreshold`."""
    spec = spec.model_copy(update={"problems": with_limits(spec.problems, scope)})
    column = str(search(spec.column, scope) or "")
    old, new = rows_of(search(spec.before, scope)), rows_of(search(spec.after, scope))
    sides = {name: _sides(old, new, spec.key, name, spec.after_suffix) for name in dict.fromkeys((column, *spec.also))}
    before, after = sides[column].before, sides[column].after
    both = [key for key in before if key in after]
    wanted = search(spec.among, scope) if spec.among is not None else None
    among = [key for key in both if not isinstance(wanted, list) or key in wanted]
    limits = [condition for condition in spec.problems if condition.column == column]
    changes = {name: _changes(spec, vocabulary, side.before, side.after, name) for name, side in sides.items()}
    return Compared(
        level=spec.level,
        column=column,
        rows=len(both),
        among=len(among),
        mean_before=_mean([before[key] for key in among]),
        mean_after=_mean([after[key] for key in among]),
        still=tuple(key for key in both if any(meets({column: after[key]}, condition) for condition in limits)),
        worse=tuple(changed for worse, _ in changes.values() for changed in worse),
        better=changes[column][1],
        is_judged=bool(limits),
        labels=spec.labels,
        is_of_all=spec.among is None,
        cut=cut_of([spec.before, spec.after], scope, let or {}),
        missing=tuple(
            dict.fromkeys(
                (
                    *absent(old, (spec.key, column, *spec.also)),
                    *absent(new, (spec.key, *(name + spec.after_suffix for name in (column, *spec.also)))),
                )
            )
        ),
        unjudged=tuple(lack for side in sides.values() for lack in side.lacking),
        repeated=tuple(dict.fromkeys(key for side in sides.values() for key in side.repeated)),
    )


def _changes(
    spec: CompareSpec, vocabulary: Vocabulary, before: Mapping[str, int | float], after: Mapping[str, int | float], column: str
) -> tuple[list[Changed], int]:
    """The rows that got worse by a column, the largest change first, and how many got better. Small changes do not count."""
    sign = 1.0 if better_of(vocabulary, column) == "high" else -1.0
    pairs = [(key, before[key], after[key]) for key in before if key in after]
    least = next((item.noticeable for item in vocabulary.columns if item.name == column), None)
    moved = [
        item for item in pairs if abs(item[2] - item[1]) > (spec.noticeable * max(abs(item[1]), abs(item[2])) if least is None else least)
    ]
    worse = sorted((item for item in moved if sign * (item[2] - item[1]) < 0), key=lambda item: -abs(item[2] - item[1]))
    named = [Changed(key=key, column=column, before=old, after=new) for key, old, new in worse]
    return named, len(moved) - len(worse)


def draw(spec: ChartSpec, scope: Json, vocabulary: Vocabulary | None = None, let: Mapping[str, str] | None = None) -> Drawn:
    """The figures of a chart: those of the rows that matter, or of all rows when none is named. The column that the message names is drawn,
    or else the procedure's."""
    wished = search(spec.type, scope)
    chart_type = ChartType(wished) if wished in {kind.value for kind in ChartType} else ChartType.GROUPED_BAR
    old, new = rows_of(search(spec.before, scope)), rows_of(search(spec.after, scope)) if spec.after is not None else None
    measured = _measured(old, spec.key)
    named = _named_columns(scope, vocabulary or Vocabulary(), measured)
    column = next((name for name in named if name in measured), "") or str(search(spec.column, scope) or "")
    drawn = Drawn(type=chart_type, title=spec.title, key=spec.key, column=column, labels=spec.labels, columns=tuple(measured))
    if named and column not in named:
        return drawn.model_copy(update={"column": named[0], "missing": named[0], "has_after": False})
    has_after = any(number_in(row, column + spec.after_suffix) is not None for row in new or ())
    sides = _sides(old, new if has_after else None, spec.key, column, spec.after_suffix)
    wanted = search(spec.among, scope) if spec.among is not None else None
    among: list[Any] | None = wanted if isinstance(wanted, list) and wanted else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    keys = [key for key in sides.before if key in sides.after and (among is None or key in among)]
    unknown = "" if named else unknown_drawn(str(scope.get("words") or ""))
    unknown = unknown or next(iter(absent(old, (spec.key, column))), "")
    lacking = [(lack, tuple(key for key in lack.keys if among is None or key in among)) for lack in sides.lacking]
    return drawn.model_copy(
        update={
            "rows": tuple(Changed(key=key, before=sides.before[key], after=sides.after[key]) for key in keys),
            "has_after": has_after,
            "missing": unknown,
            "unjudged": tuple(lack.model_copy(update={"keys": left}) for lack, left in lacking if left),
            "repeated": tuple(key for key in sides.repeated if among is None or key in among),
            "cut": cut_of([spec.before, spec.after], scope, let or {}),
        }
    )


def _measured(rows: Sequence[Row], key: str) -> dict[str, None]:
    """The columns with numbers, in their order."""
    return dict.fromkeys(column for row in rows for column in row if column != key and number_in(row, column) is not None)


def _named_columns(scope: Json, vocabulary: Vocabulary, measured: Iterable[str]) -> tuple[str, ...]:
    """The columns that the message names: those of the vocabulary, and others of the table by their plain names."""
    known = {column.name for column in vocabulary.columns}
    plain = [Named(name=column, words=(column.replace("_", " "),)) for column in measured if column not in known]
    spoken: list[Named] = [column for column in vocabulary.columns if column.better is not None or column.name in measured]
    return names_spoken(str(scope.get("words") or ""), [*spoken, *plain])


def _mean(values: Sequence[int | float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
