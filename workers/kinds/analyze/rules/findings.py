"""What was found, in sentences: every one with its figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from contracts.base import Json
from contracts.procedure_results import Compared, Cut, Found, HeldTable, NoNumber
from contracts.procedures import Condition, Sides, Vocabulary, in_language
from contracts.refusals import near
from contracts.statements import Join, Number, Statement, Value, count, listing, name, names, number, passage, quote, say, term
from workers.engines.procedures.computing import no_numbers, number_in
from workers.engines.procedures.held import (
    Held,
    HeldQuestion,
    HeldRows,
    findings,
    keys_of_kinds,
    narrowed,
    newest_comparison,
    of_keys,
    rank,
    within,
)
from workers.engines.procedures.limits import Limit, Side
from workers.engines.procedures.tables import AFTER, BEFORE, fullest
from workers.engines.procedures.words import column_named
from workers.saying import text_of

MOST_KEYS = 8
"""Names of rows in a sentence; the table has all."""
MOST_CHANGED = 5
_DIGITS = 3
"""Behind the decimal point, at most."""


def figure(value: int | float, *beside: int | float) -> Number:
    """A figure with the digits that its row has, up to three, and one of what has more; as many as those `beside` it have."""
    return number(value, max(map(_digits, (value, *beside))))


def _digits(value: int | float) -> int:
    if isinstance(value, int):
        return 0
    exact = len(f"{value:.9f}".rstrip("0").partition(".")[2])
    return 1 if exact > _DIGITS and abs(value) >= 1 else max(1, min(exact, _DIGITS))


class Wording:
    """Names of columns, values and levels in the user's language."""

    def __init__(self, vocabulary: Vocabulary, language: str, sides: Sides | None = None) -> None:
        self._vocabulary = vocabulary
        self._language = language
        self._sides = sides or Sides()

    def column(self, column: str) -> str:
        """A column in words."""
        found = column_named(self._vocabulary, column)
        for suffix, side in ((AFTER, self.after), (BEFORE, self.before)):
            if found is None and column.endswith(suffix):
                return self._of_side(column.removesuffix(suffix), side(self._sides))
        return (in_language(found.label, self._language) if found else "") or column

    def column_in(self, table: HeldTable, column: str) -> str:
        """The same, with the name of its side where the table has earlier figures beside it."""
        is_newer = column + BEFORE in table.columns
        return self._of_side(column, self.after(self._sides)) if is_newer else self.column(column)

    def _of_side(self, column: str, side: Value) -> str:
        return text_of(say("analyze.column_after", column=name(self.column(column)), after=side), self._language)

    def before(self, sides: Sides) -> Value:
        """What the first table of a comparison is called."""
        return passage(in_language(sides.before, self._language)) if sides.before else term("analyze.before")

    def after(self, sides: Sides) -> Value:
        """What the second table of a comparison is called."""
        return passage(in_language(sides.after, self._language)) if sides.after else term("analyze.after")

    def is_measure(self, column: str) -> bool:
        """Whether a column has good and bad values."""
        found = column_named(self._vocabulary, column)
        return found is not None and found.better is not None

    def value(self, value: str) -> str:
        """A value in words."""
        found = next((item for item in self._vocabulary.values if item.name == value), None)
        return (in_language(found.label, self._language) if found else "") or value

    def level(self, level: str) -> str:
        """What a row is."""
        found = next((item for item in self._vocabulary.levels if item.name == level), None)
        return (
            (in_language(found.label, self._language) if found else "") or level or in_language({"en": "rows", "zh": "行"}, self._language)
        )


def keys_value(keys: Sequence[str]) -> Value:
    """Names of rows, and how many more there are."""
    shown = names(keys[:MOST_KEYS])
    more = len(keys) - MOST_KEYS
    return shown if more <= 0 else say("analyze.keys_and_more", keys=shown, n=count(more))


def say_no_number(lack: NoNumber, words: Wording) -> Statement:
    """That no row could be compared with a limit, and why."""
    column = name(words.column(lack.column))
    if not lack.texts:
        return say("analyze.no_number.empty", column=column)
    return say("analyze.no_number.texts", column=column, texts=listing(*map(quote, lack.texts), join=Join.PLAIN))


def say_unjudged(lacking: Iterable[NoNumber], words: Wording) -> Iterator[Statement]:
    """The rows that are neither right nor wrong, since they have no number to compare."""
    for lack in lacking:
        yield say("analyze.found.unjudged", column=name(words.column(lack.column)), keys=keys_value(lack.keys))


def say_no_column(column: str, there: Iterable[str]) -> Statement:
    """That no row has a column which the procedure names, and the nearest of those that there are."""
    known = list(there)
    if meant := near(column, known):
        return say("analyze.no_column_near", column=name(column), near=name(meant))
    return say("analyze.no_column", column=name(column), there=names(known))


def say_missing(columns: Iterable[str]) -> Iterator[Statement]:
    """The columns that a step names in vain, beside others."""
    for column in columns:
        yield say("analyze.found.no_column", column=name(column))


def say_cut(cut: Cut | None, level: str) -> Iterator[Statement]:
    """That only some rows are at hand."""
    if cut is not None:
        held = count(cut.held, exact=True)
        if cut.all is None:
            yield say("analyze.held.part_of_more", rows=held, level=name(level))
        else:
            yield say("analyze.held.part", rows=held, all=count(cut.all, exact=True), level=name(level))


def say_table_cut(table: HeldTable, words: Wording) -> Iterator[Statement]:
    """That only some rows of a table are at hand."""
    cut = Cut(held=len(table.rows), all=None if table.has_more else table.row_count) if table.is_cut else None
    yield from say_cut(cut, words.level(table.level))


def say_found(found: Found, words: Wording) -> Iterator[Statement]:
    """What is wrong in a table."""
    level = name(words.level(found.level))
    if not found.rows:
        yield say("analyze.found.no_rows", level=level)
        return
    if not found.problems:
        judged = max(0, (found.cut.held if found.cut else found.rows) - sum(len(lack.keys) for lack in found.unjudged))
        if found.cut is not None or found.missing:
            yield say("analyze.found.nothing_in_part", n=count(judged, exact=True), level=level)
        else:
            yield say("analyze.found.nothing", n=count(judged), level=level)
        yield from _beside(found, words)
        return
    keys = [problem.key for problem in found.problems]
    n, rows = count(len(keys), exact=True), count(found.cut.held if found.cut else found.rows, exact=True)
    if found.by:
        yield say("analyze.found.by_kind", n=n, rows=rows, level=level)
        for kind, of_kind in sorted(found.by.items(), key=lambda item: (-len(item[1]), item[0])):
            yield say("analyze.found.kind", kind=name(words.value(kind)), n=count(len(of_kind), exact=True), keys=keys_value(of_kind))
        yield from _beside(found, words)
        return
    yield say("analyze.found.some", n=n, rows=rows, level=level, keys=keys_value(keys))
    yield from _beside(found, words)
    worst = found.problems[0]
    if worst.value is not None:
        yield say("analyze.found.worst", key=name(worst.key), column=name(words.column(found.column)), value=figure(worst.value))
    for reason in found.reasons:
        kind = say_condition(reason.condition, words)
        yield say("analyze.found.kind", kind=kind, n=count(len(reason.keys), exact=True), keys=keys_value(reason.keys))


def _beside(found: Found | Compared, words: Wording) -> Iterator[Statement]:
    """What limits the judgement: rows that are not at hand, columns that are not there, cells without a number, keys of several rows."""
    yield from say_cut(found.cut, words.level(found.level))
    yield from say_missing(found.missing)
    yield from say_unjudged(found.unjudged, words)
    if isinstance(found, Compared):
        yield from say_repeated(found.repeated)
    elif found.repeated:
        yield say("analyze.found.repeated", keys=keys_value(found.repeated))


def say_repeated(keys: Sequence[str]) -> Iterator[Statement]:
    """The rows that are left out, since nobody knows which of those with their name is meant."""
    if keys:
        yield say("analyze.compared.repeated", keys=keys_value(keys))


def say_condition(condition: Condition, words: Wording) -> Statement:
    """A condition of a procedure in words."""
    column = name(words.column(condition.column))
    if condition.equals is not None:
        return say("analyze.limit.equals", column=column, value=name(words.value(condition.equals)))
    if isinstance(condition.below, float):
        return say("analyze.limit.below", column=column, value=plain_number(condition.below))
    return say("analyze.limit.above", column=column, value=plain_number(condition.above if isinstance(condition.above, float) else 0.0))


def say_limit(limit: Limit, called: str) -> Statement:
    """A limit of a message in words. `called`: the column in words."""
    column, value = name(called), plain_number(limit.value)
    match limit.side:
        case Side.ABOVE:
            return say("analyze.limit.above", column=column, value=value)
        case Side.BELOW:
            return say("analyze.limit.below", column=column, value=value)
        case Side.AT_LEAST:
            return say("analyze.limit.at_least", column=column, value=value)
        case Side.AT_MOST:
            return say("analyze.limit.at_most", column=column, value=value)


def plain_number(value: float) -> Number:
    """A limit with the digits that it was given with."""
    return number(value, min(3, len(f"{value:.3f}".rstrip("0").partition(".")[2])))


def say_compared(compared: Compared, words: Wording) -> Iterator[Statement]:
    """Before and after."""
    column, level = name(words.column(compared.column)), name(words.level(compared.level))
    if compared.mean_before is None or compared.mean_after is None:
        yield say("analyze.compared.nothing", column=column)
        yield from _beside(compared, words)
        return
    mean_before, mean_after = compared.mean_before, compared.mean_after
    before, after = figure(mean_before, mean_after), figure(mean_after, mean_before)
    n = count(compared.among, exact=True)
    was, now = words.before(compared.labels), words.after(compared.labels)
    if compared.is_of_all:
        yield say("analyze.compared.mean_all", column=column, level=level, n=n, before=before, after=after, was=was, now=now)
    else:
        yield say("analyze.compared.mean", column=column, level=level, n=n, before=before, after=after, was=was, now=now)
    if compared.still:
        yield say("analyze.compared.still", n=count(len(compared.still), exact=True), keys=keys_value(compared.still))
    elif compared.is_judged and compared.is_whole:
        yield say("analyze.compared.all_mended")
    if compared.worse or (compared.is_whole and not compared.missing):
        yield say_worse(compared, words)
    yield from _beside(compared, words)


def say_worse(compared: Compared, words: Wording) -> Statement:
    """What got worse."""
    if not compared.worse:
        return say("analyze.compared.no_worse", level=name(words.level(compared.level)))
    by_column: dict[str, list[Statement]] = {}
    for item in compared.worse:
        change = say(
            "analyze.compared.change", key=name(item.key), before=figure(item.before, item.after), after=figure(item.after, item.before)
        )
        by_column.setdefault(item.column or compared.column, []).append(change)
    parts = [
        say("analyze.compared.of_column", column=name(words.column(column)), changes=listing(*changes[:MOST_CHANGED], join=Join.PLAIN))
        for column, changes in by_column.items()
    ]
    n = count(len({item.key for item in compared.worse}), exact=True)
    return say("analyze.compared.worse", n=n, level=name(words.level(compared.level)), changes=listing(*parts, join=Join.CLAUSES))


class HeldAnswer:
    """The answer to a question about what was found."""

    def __init__(self, says: Iterable[Statement], rows: HeldRows | None = None) -> None:
        self.says = tuple(says)
        self.rows = rows


def answer_held(question: HeldQuestion, results: Sequence[Json], tables: Sequence[HeldTable], words: Wording) -> HeldAnswer | None:
    """From the tables and findings of the conversation. None: they do not say it."""
    compared = newest_comparison(results)
    first = next(iter(tables), None)
    match question.kind:
        case Held.WORSE if compared is not None:
            rows = _in_tables(tables, [item.key for item in compared.worse])
            worse = (say_worse(compared, words),) if compared.worse or compared.is_whole else ()
            return HeldAnswer((*worse, *_beside(compared, words)), rows)
        case Held.STILL if compared is not None and (compared.still or compared.is_judged):
            still = say("analyze.compared.still", n=count(len(compared.still), exact=True), keys=keys_value(compared.still))
            mended = (say("analyze.compared.all_mended"),) if compared.is_whole else ()
            says = (*((still,) if compared.still else mended), *_beside(compared, words))
            return HeldAnswer(says, _in_tables(tables, compared.still))
        case Held.EFFECT if compared is not None:
            return HeldAnswer(say_compared(compared, words))
        case Held.RANK:
            return _ranked(question, tables, words)
        case Held.ROW:
            table = fullest(tables, question.keys)
            rows = of_keys(table, question.keys) if table is not None else None
            return HeldAnswer((say("analyze.held.rows", keys=keys_value(question.keys)),), rows) if rows else None
        case Held.WHERE:
            return _within(question, tables, words)
        case Held.OPEN:
            return HeldAnswer((say("analyze.held.open_limit"),))
        case Held.KINDS:
            return _of_kinds(question, results, tables, words)
        case Held.COUNT:
            found = [statement for item in findings(results) for statement in say_found(item, words)]
            return HeldAnswer(found) if found and first is not None else None
        case _:
            return None


def _in_tables(tables: Sequence[HeldTable], keys: Sequence[str]) -> HeldRows | None:
    found = (of_keys(table, keys) for table in tables)
    return next((rows for rows in found if rows.rows), None)


def _at_level(question: HeldQuestion, tables: Sequence[HeldTable]) -> list[HeldTable]:
    return [table for table in tables if question.level in ("", table.level)]


def _no_level(question: HeldQuestion, words: Wording) -> HeldAnswer:
    return HeldAnswer((say("analyze.held.no_level", level=name(words.level(question.level))),))


def _within(question: HeldQuestion, tables: Sequence[HeldTable], words: Wording) -> HeldAnswer:
    """The rows within the limits of the message: how many, which, and whether all rows are at hand."""
    tables = _at_level(question, tables)
    if not tables:
        return _no_level(question, words)
    limits = question.limits
    for is_meant, side in ((question.is_after, AFTER), (question.is_before, BEFORE)):
        there = tuple(replace(limit, column=limit.column + side) for limit in question.limits)
        if is_meant and any(all(limit.column in table.columns for limit in there) for table in tables):
            limits = there
    table = next((table for table in tables if all(limit.column in table.columns for limit in limits)), None)
    if table is None:
        missing = next((limit.column for limit in limits if all(limit.column not in table.columns for table in tables)), limits[0].column)
        return HeldAnswer((say("analyze.held.no_column", column=name(words.column(missing))),))
    table = narrowed(table, question.cells)
    rows, level = within(table, limits), name(words.level(table.level))
    lacking = [lack for limit in limits for lack in no_numbers(table.as_objects(), [limit.column], table.key)]
    if table.rows and any(len(lack.keys) == len(table.rows) for lack in lacking):
        return HeldAnswer((say_no_number(lacking[0], words),))
    what = listing(*(say_limit(limit, words.column_in(table, limit.column)) for limit in limits))
    keys = [str(row.get(table.key, "")) for row in rows.rows]
    n, of = count(len(keys), exact=True), count(len(table.rows), exact=True)
    says = [
        *_say_only(question),
        say("analyze.held.within", n=n, rows=of, level=level, what=what, keys=keys_value(keys))
        if keys
        else say("analyze.held.none_within", rows=of, level=level, what=what),
    ]
    says += say_table_cut(table, words)
    says += say_unjudged(lacking, words)
    return HeldAnswer(says, rows)


def _ranked(question: HeldQuestion, tables: Sequence[HeldTable], words: Wording) -> HeldAnswer | None:
    tables = _at_level(question, tables)
    if not tables:
        return _no_level(question, words)
    for is_meant, side in ((question.is_after, AFTER), (question.is_before, BEFORE)):
        if is_meant and any(question.column + side in table.columns for table in tables):
            question = replace(question, column=question.column + side)
    table = next((table for table in tables if question.column in table.columns), None)
    if table is None:
        return None
    table = narrowed(table, question.cells)
    ranked = rank(table, question)
    column = name(words.column_in(table, question.column))
    says = [
        say("analyze.held.place", place=count(place, exact=True), key=name(row.get(table.key)), column=column, value=figure(value))
        for place, row in zip(ranked.places, ranked.rows, strict=True)
        if (value := number_in(row, question.column)) is not None
    ]
    return HeldAnswer([*_say_only(question), *says, *say_table_cut(table, words)], ranked) if says else None


def _say_only(question: HeldQuestion) -> Iterator[Statement]:
    if question.cells:
        yield say("analyze.held.only", values=names(question.cells))


def _of_kinds(question: HeldQuestion, results: Sequence[Json], tables: Sequence[HeldTable], words: Wording) -> HeldAnswer | None:
    says: list[Statement] = []
    keys: list[str] = []
    for value in question.values:
        own = [key for found in findings(results) for key in keys_of_kinds(found, (value,))] or _with_value(tables, value)
        own = list(dict.fromkeys(own))
        keys += own
        kind = name(words.value(value))
        says.append(say("analyze.found.kind", kind=kind, n=count(len(own), exact=True), keys=keys_value(own)))
    rows = _in_tables(tables, keys)
    return HeldAnswer(says, rows) if rows is not None else None


def _with_value(tables: Sequence[HeldTable], value: str) -> list[str]:
    """The rows of the first table that has this value anywhere."""
    for table in tables:
        found = [str(row.get(table.key, "")) for row in table.as_objects() if value in row.values()]
        if found:
            return found
    return []
