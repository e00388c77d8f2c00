"""The search for a repair: changed statements, the least doubtful first, each tried by the engine's own dry run."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from sqlglot import exp

from contracts.sql_errors import SqlError, SqlErrorKind
from contracts.sql_repair import RepairEdit, RepairTry, SqlRepair
from contracts.statements import Join, Statement, code, listing, name, names, say
from contracts.tables import TableDetail
from workers.engines.sql.errors import read_error
from workers.engines.sql.repair.dialects import keeps_texts, likely_dialects, parsed, printed
from workers.engines.sql.repair.mend import Broken, Mender
from workers.engines.sql.repair.mend_clauses import alias_in_clause, distinct_order, misplaced_aggregate, not_grouped
from workers.engines.sql.repair.mend_names import (
    ambiguous,
    dropped_collation,
    missing_alias,
    other_case,
    unknown_column,
    unknown_function,
    unknown_in_using,
    unknown_table,
)
from workers.engines.sql.repair.mend_rows import misplaced_window
from workers.engines.sql.repair.mend_text import sign_mends, text_mends
from workers.engines.sql.repair.mend_types import function_types, mismatch
from workers.engines.sql.repair.smallest import edits_between, smallest
from workers.engines.sql.repair.translate import Translation, translate
from workers.engines.sql.trees import MAX_CHARACTERS, dialect_of

DryRun = Callable[[str], str | None]
"""Asks the engine whether it would run a statement: its error, or None."""

MOST_DRY_RUNS = 60
"""Statements that are tried. Of the cases measured, nine in ten of those that are repaired need fewer than five."""

MOST_TEXTS = 40
"""Changed texts of one statement that are looked at; each is parsed, in several dialects at first."""

MOST_SEEN = 200
"""Changed statements beyond which no more texts are made, so that giving up takes seconds and not minutes."""

MOST_MENDS = 6
"""Mends on top of each other."""

MOST_DIALECTS = 4
"""Dialects in which a text is read, the likeliest first."""

MOST_SHOWN = 12
"""Refused statements that a result lists."""

AS_PRINTED = 0.4
"""How doubtful the statement in the words of its dialect is."""

MENDERS: dict[SqlErrorKind, tuple[Mender, ...]] = {
    SqlErrorKind.UNKNOWN_TABLE: (other_case, unknown_table),
    SqlErrorKind.UNKNOWN_SCHEMA: (unknown_table,),
    SqlErrorKind.UNKNOWN_COLUMN: (misplaced_window, misplaced_aggregate, alias_in_clause, other_case, unknown_column, unknown_in_using),
    SqlErrorKind.AMBIGUOUS_NAME: (ambiguous,),
    SqlErrorKind.UNKNOWN_FUNCTION: (function_types, unknown_function),
    SqlErrorKind.TYPE_MISMATCH: (mismatch, function_types),
    SqlErrorKind.BAD_VALUE: (mismatch,),
    SqlErrorKind.UNKNOWN_COLLATION: (dropped_collation,),
    SqlErrorKind.MISSING_ALIAS: (missing_alias,),
    SqlErrorKind.NOT_GROUPED: (not_grouped,),
    SqlErrorKind.GROUPING: (distinct_order, misplaced_aggregate, not_grouped),
    SqlErrorKind.MISPLACED_AGGREGATE: (misplaced_aggregate, misplaced_window, alias_in_clause),
    SqlErrorKind.WINDOW: (misplaced_window,),
}
"""What is tried for an error."""

_OF_NAMES = {SqlErrorKind.UNKNOWN_TABLE, SqlErrorKind.UNKNOWN_COLUMN, SqlErrorKind.UNKNOWN_SCHEMA, SqlErrorKind.AMBIGUOUS_NAME}
_TRANSLATED = (["sql_repair.dialect"], ["sql_repair.dialect_unproved"], ["sql_repair.dialect_ordered"])
_AFTER_NAMES = 1.5
"""Cost of reading a statement as one of another dialect where a name is refused and no engine of the dialect is asked: a translation keeps
the name, so what is wrong with it remains."""
HOPELESS = {SqlErrorKind.PERMISSION, SqlErrorKind.LIMITS}
"""Errors that no change of the statement mends."""


@dataclass(order=True, slots=True)
class State:
    """A changed statement that is to be tried."""

    cost: float
    size: int
    """By how many characters its length differs from the original's."""
    number: int
    sql: str = field(compare=False)
    changes: tuple[Statement, ...] = field(compare=False)
    written_in: str = field(compare=False)
    """The dialect that the text is in now; after a translation, the engine's."""
    read_as: str = field(compare=False)
    """The dialect of the original that the search started from."""


class Search:
    """One search; `repair` is its door."""

    def __init__(self, sql: str, dialect: str, tables: Sequence[TableDetail], dry_run: DryRun, most: int, *, is_tried: bool) -> None:
        self.original = sql
        self.is_tried = is_tried
        self.as_printed = ""
        """The statement as the dialect's printer writes it, where that is tried."""
        self.dialect = dialect
        self.tables = tables
        self.dry_run = dry_run
        self.left = most
        self.runs = 0
        self.tried: list[RepairTry] = []
        self.waiting: list[State] = []
        self.seen: set[str] = set()
        self.without: Statement | None = None
        """What of the statement has no counterpart in the dialect, if it was written in another one."""

    def add(self, sql: str, cost: float, changes: tuple[Statement, ...], written_in: str, read_as: str) -> None:
        """Take a statement up, unless it was there before."""
        key = f"{written_in}:{' '.join(sql.split())}"
        if key in self.seen or len(changes) > MOST_MENDS:
            return
        self.seen.add(key)
        size = abs(len(sql) - len(self.original))
        heapq.heappush(self.waiting, State(round(cost, 2), size, len(self.seen), sql, changes, written_in, read_as))

    def start(self, sql: str, cost: float, changes: tuple[Statement, ...]) -> None:
        """Take up a text in each dialect in which it may be written."""
        is_known = False
        for place, read in enumerate(likely_dialects(sql, self.dialect)[:MOST_DIALECTS]):
            if read == self.dialect:
                if cost:
                    self.add(sql, cost + place * 0.5, changes, read, read)
                continue
            tree = None if is_known else parsed(sql, read)
            tree = tree if tree is not None and keeps_texts(sql, tree, read) else None
            found = None if tree is None else self._translated(tree, read)
            if found is None:
                continue
            if not found.is_same:
                is_known = True  # what it would be in an unlikelier dialect, it does not mean
                if found.without:
                    values = {"part": code(found.without), "old": name(read), "new": name(self.dialect)}
                    self.without = self.without or say("sql_repair.lacking.no_counterpart", **values)
                continue
            values = {"old": name(read), "new": name(self.dialect)}
            why = say("sql_repair.dialect", **values)
            if found.unproved:
                why = say("sql_repair.dialect_unproved", **values, parts=listing(*map(code, found.unproved), join=Join.PLAIN))
            if found.ordered:
                why = say("sql_repair.dialect_ordered", **values, order=code(found.ordered))
            self.add(found.sql, cost + 0.5 + place * 0.5, (*changes, why), self.dialect, read)

    def _translated(self, tree: exp.Expr, read: str) -> Translation | None:
        try:
            return translate(tree, read, self.dialect, self.tables)
        except Exception:
            return None

    def run(self, first_error: str) -> SqlRepair:
        """Try statements until one runs."""
        error = read_error(first_error, self.dialect)
        if error.kind in HOPELESS:
            return self._given_up(error)
        self.start(self.original, _AFTER_NAMES if error.kind in _OF_NAMES and not self.is_tried else 0, ())
        if error.kind is SqlErrorKind.SYNTAX and not self.is_tried:  # smaller changes would all seem to run
            self._add_printed()
        first = State(0, 0, 0, self.original, (), self.dialect, self.dialect)
        for mend in sign_mends(self.original):
            self._add_text(first, mend.sql, mend.cost, mend.why)
        self._mend(first, error)
        while self.waiting and self.left > 0:
            state = heapq.heappop(self.waiting)
            self.left -= 1
            self.runs += 1
            refused = self.dry_run(state.sql)
            if refused is None:
                found = self._found(state, error)
                if " ".join((found.sql or "").split()) != " ".join(self.original.split()):
                    return found
                continue  # the engine refused just that
            self.tried.append(RepairTry(sql=state.sql, changes=state.changes, error=refused.strip().partition("\n")[0]))
            self._mend(state, read_error(refused, self.dialect))
        return self._given_up(error)

    def _add_printed(self) -> None:
        """The same statement in the words of the dialect: the parser takes many that the engine does not, such as Oracle's LIMIT."""
        tree = parsed(self.original, self.dialect)
        text = printed(tree, self.dialect) if tree is not None else ""
        edits = edits_between(self.original, text, self.dialect, self.dialect) if text else []
        if any(letter.isalpha() for edit in edits or () for letter in f"{edit.text}{self.original[edit.start : edit.end]}"):
            self.as_printed = text
            self.add(text, AS_PRINTED, (say("sql_repair.as_printed", dialect=name(self.dialect)),), self.dialect, self.dialect)

    def _mend(self, state: State, error: SqlError) -> None:
        tree = parsed(state.sql, state.written_in)
        if tree is None or (error.kind is SqlErrorKind.SYNTAX and not state.changes):
            room = MOST_TEXTS if len(self.seen) < MOST_SEEN and len(state.changes) < 2 else 0
            for mend in islice(text_mends(state.sql, error, self.dialect), room):
                self._add_text(state, mend.sql, mend.cost, mend.why)
        if tree is None:
            return
        for sql, cost, why in self._mended(tree, error):
            self.add(sql, state.cost + cost, (*state.changes, why), self.dialect, state.read_as)

    def _add_text(self, state: State, sql: str, cost: float, why: Statement) -> None:
        if parsed(sql, self.dialect) is not None:
            self.add(sql, state.cost + cost, (*state.changes, why), self.dialect, state.read_as)
        elif not state.changes:
            self.start(sql, state.cost + cost, (*state.changes, why))

    def _mended(self, tree: exp.Expr, error: SqlError) -> Iterator[tuple[str, float, Statement]]:
        broken = Broken(tree, error, self.tables, self.dialect)
        for mender in MENDERS.get(error.kind, ()):
            for mend in mender(broken):
                yield printed(mend.tree, self.dialect), mend.cost, mend.why

    def _found(self, state: State, error: SqlError) -> SqlRepair:
        sql = state.sql if state.sql == self.as_printed else smallest(self.original, state.sql, state.read_as, self.dialect)
        if sql != state.sql:
            self.runs += 1
            sql = sql if self.dry_run(sql) is None else state.sql
        edits = edits_between(self.original, sql, state.read_as, self.dialect) or []
        return SqlRepair(
            original=self.original,
            dialect=self.dialect,
            sql=sql,
            error=error,
            written_in=state.read_as if state.read_as != self.dialect else "",
            changes=state.changes,
            edits=tuple(RepairEdit(start=edit.start, before=self.original[edit.start : edit.end], after=edit.text) for edit in edits),
            tried=tuple(self.tried[:MOST_SHOWN]),
            dry_runs=self.runs,
        )

    def _last_met(self, error: SqlError) -> SqlError:
        """The name that stopped the statement once it was in the words of the dialect; else what stopped it as it was."""
        translated = [item for item in self.tried if [change.code for change in item.changes] in _TRANSLATED]
        met = (read_error(item.error, self.dialect) for item in translated)
        return next((item for item in met if item.kind in _OF_NAMES and item.names), error)

    def _given_up(self, error: SqlError) -> SqlRepair:
        return SqlRepair(
            original=self.original,
            dialect=self.dialect,
            error=error,
            tried=tuple(self.tried[:MOST_SHOWN]),
            dry_runs=self.runs,
            lacking=self.without or _lacking(self._last_met(error), self.tables),
        )


def _lacking(error: SqlError, tables: Sequence[TableDetail]) -> Statement:
    shown = code(error.names[0]) if error.names else code(error.near or error.message.strip().partition("\n")[0][:200])
    if error.kind in HOPELESS:
        return say("sql_repair.lacking.not_the_statement")
    if error.kind in _OF_NAMES:
        if not tables:
            return say("sql_repair.lacking.tables", name=shown)
        return say("sql_repair.lacking.name", name=shown, tables=names(table.full_name for table in tables[:MOST_SHOWN]))
    if error.kind is SqlErrorKind.UNKNOWN_FUNCTION:
        return say("sql_repair.lacking.function", name=shown)
    return say("sql_repair.lacking.other", name=shown)


def repair(
    sql: str,
    error: str | None,
    dialect: str,
    tables: Sequence[TableDetail],
    dry_run: DryRun,
    *,
    most_dry_runs: int = MOST_DRY_RUNS,
    is_tried: bool = True,
) -> SqlRepair:
    """The smallest change with which a statement runs.

    `error`: the engine's message; None: the dry run is asked. `dialect`: the engine that is to run it, by any usual name. `tables`: what
    is known of its tables; without them names can only be mended from the statement itself. Every statement that is returned passed
    `dry_run`; it is called at most `most_dry_runs` times and once for the final text. `is_tried`: it asks an engine of
    this dialect, and not another one for a translation.
    """
    engine = dialect_of(dialect)
    if error is None:
        error = dry_run(sql)
        if error is None:
            return SqlRepair(original=sql, dialect=engine, sql=sql, dry_runs=1)
    if len(sql) > MAX_CHARACTERS:
        return SqlRepair(original=sql, dialect=engine, error=read_error(error, engine), lacking=say("sql_repair.lacking.too_long"))
    return Search(sql, engine, tables, dry_run, most_dry_runs, is_tried=is_tried).run(error)
