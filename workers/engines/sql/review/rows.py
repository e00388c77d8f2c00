"""Small tables on which a suspicion may show: rows within keys, references, domains, nullability and types, around the values that
the script compares with."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from sqlglot import exp

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.facts import TableFacts, TypeKind, held_kind
from workers.engines.sql.lineage import Origins
from workers.engines.sql.names import resolve
from workers.engines.sql.review.duckdb import CLOCK, TODAY
from workers.engines.sql.review.types import other_values
from workers.engines.sql.sandbox import Row
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import NotParsed, parse_statement, parts_of

ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
Place = tuple[str, str]
"""(full name of a table, column), lower case."""
Data = dict[str, list[Row]]
"""Rows by full name of the table, lower case."""

FIRST_DAY = date(2024, 3, 1)
NULL_SHARE = 0.2
ASKED_NULL_SHARE = 0.5
"""How often a column is null of which the script or the request asks whether it is: rows on both sides of the question are wanted."""
SHARED = 0.7
"""How often a joined column takes a value that a column it is compared with has already."""
EVEN = 3
"""Of four sets of rows, the one in which numbers are the same more often: ties."""
MOST_APART = 8
"""Rows from this on have numbers of those before them again: small ones, which every type holds."""
MOST_LATE = 7
"""Days before the run, each of which has rows that are late; a longer lateness is tried at its ends."""
LARGE = 6
"""Every sixth set has 12 to 20 rows a table: some defects show only where several chains of joins meet."""
MOST_DIGITS = 12
MOST_DAYS_DIGITS = 3
"""A number of no more digits may be one of days; a year is none."""
SHARED_EVEN = 0.4
"""The same where numbers are even, so that several of what is joined have equal sums."""
ROUND = 1000
"""Seeds from this on make the rows of the second round, which are of a later day."""
BATCH = re.compile(r"snapshot|load_?date|batch|as_?of|extract(?:ed)?_|partition|^dt$|^ds$", re.IGNORECASE)
"""A column that has one value in all rows of a delivery."""
FROM_NAMES = ("valid_from", "effective_from", "start_date", "valid_start", "from_date", "dbt_valid_from")
TO_NAMES = ("valid_to", "effective_to", "end_date", "valid_end", "to_date", "dbt_valid_to")
CURRENT_NAMES = ("is_current", "current_flag", "is_active", "current")
STARTS = re.compile(
    r"(?:^|_)(?:start|started|begin|began|begun|from|opened|open|created|ordered|placed|issued|admitted|sent|shipped)(?:_|$)"
)
ENDS = re.compile(
    r"(?:^|_)(?:end|ended|finish|finished|until|to|closed|close|discharged|completed|delivered|received|paid|returned|resolved)(?:_|$)"
)
"""Names of columns between which time passes: no row of a table has the second before the first."""
ENTITY_KEY = re.compile(r"id$|key$|code$|_no$", re.IGNORECASE)
ENTITY_NAME = re.compile(r"name$|title$|email$|symbol$", re.IGNORECASE)


@dataclass
class Recipe:
    """What the script says about the values that matter."""

    script: Script
    nulls_in: frozenset[Place] = frozenset()
    touching: bool = False
    """A version of a history ends on the day on which the next begins, also where the script takes its end for its last day."""
    literals: dict[Place, list[str]] = field(default_factory=dict[Place, list[str]])
    steps: list[timedelta] = field(default_factory=list[timedelta])
    """The intervals that the script names: times that lie exactly so far from each other matter."""
    grouped: set[Place] = field(default_factory=set[Place])
    last_days: set[Place] = field(default_factory=set[Place])
    """Columns that the script compares as the last day, itself included."""
    open_ends: set[Place] = field(default_factory=set[Place])
    """Columns of which the script says what it means that they are null."""
    asked_null: set[Place] = field(default_factory=set[Place])
    """Columns of which the script or the request asks whether they are null."""
    clocked: set[Place] = field(default_factory=set[Place])
    """Columns that the script or the request compares with the day of the run."""
    numbered: set[Place] = field(default_factory=set[Place])
    """Columns that the script or the request casts to a number, or compares with one by their order: texts in them are numbers."""
    leaning: dict[Place, list[int]] = field(default_factory=dict[Place, list[int]])
    """On which side of a literal rows are wanted: most rows are to come through the conditions, since what is wrong shows behind them."""
    _parent: dict[Place, Place] = field(default_factory=dict[Place, Place])

    def __post_init__(self) -> None:
        for part in (*self.script.parts, *_clauses(self.script)):
            self._read(part)
        for table in self.script.inputs:
            for reference in self.script.facts.of(table).references:
                self._join((table.full_name.lower(), reference.column), (reference.table, reference.references))

    def root(self, place: Place) -> Place:
        """The same for all columns that are compared with each other."""
        while self._parent.get(place, place) != place:
            place = self._parent[place]
        return place

    def joined(self, place: Place) -> bool:
        """It is compared with another column."""
        return place in self._parent

    def compared(self, place: Place) -> list[str]:
        """The literals that it, or a column that it is compared with, is compared with."""
        root = self.root(place)
        return [text for other, texts in self.literals.items() if other == place or self.root(other) == root for text in texts]

    def _join(self, left: Place, right: Place) -> None:
        if left == right:
            return
        self._parent.setdefault(left, left)
        self._parent.setdefault(right, right)
        self._parent[self.root(left)] = self.root(right)

    def _places(self, part: Part, node: exp.Expr) -> list[Place]:
        found = [self.script.base_column(part, column) for column in [node, *node.find_all(exp.Column)]]
        return [(base[0].full_name.lower(), base[1]) for base in found if base is not None]

    def _read(self, part: Part) -> None:
        for node in part.tree.find_all(exp.Predicate):
            self._read_comparison(part, node)
        for node in part.tree.find_all(exp.Between, exp.LTE, exp.GTE):
            high = node.args["high"] if isinstance(node, exp.Between) else node.expression if isinstance(node, exp.LTE) else node.this
            self.last_days.update(self._places(part, high))
        for node in part.tree.find_all(exp.Is, exp.Coalesce):
            self.open_ends.update(self._places(part, node.this))
            self.asked_null.update(self._places(part, node.this) if isinstance(node, exp.Is) else ())
        for cast in part.tree.find_all(exp.Cast):
            if cast.to.is_type(*exp.DataType.NUMERIC_TYPES):
                self.numbered.update(self._places(part, cast.this)[:1])
        self.steps += [step for node in part.tree.find_all(exp.Interval) if (step := _step(node)) is not None]
        for node in part.tree.find_all(exp.In):
            query = node.args.get("query")
            if isinstance(query, exp.Expr):
                self._join_all(self._places(part, node.this), self._places(part, query)[:1])
        for scope in part.resolved.scopes:
            for name, sources in scope.merged.items():
                bases = [base for source in sources if (base := self.script.through(part, source, name)) is not None]
                self._join_all(
                    [(base[0].full_name.lower(), base[1]) for base in bases[:1]], [(b[0].full_name.lower(), b[1]) for b in bases[1:]]
                )
        for node in part.tree.find_all(exp.Distinct):
            if isinstance(on := node.args.get("on"), exp.Expr):
                self.grouped.update(self._places(part, on))
        for node in part.tree.find_all(exp.Group, exp.Window):
            keys = node.expressions if isinstance(node, exp.Group) else parts_of(node, "partition_by")
            for key in keys:
                self.grouped.update(self._places(part, key))

    def _join_all(self, left: list[Place], right: list[Place]) -> None:
        for ours in left[:1]:
            for theirs in right:
                self._join(ours, theirs)

    def _read_comparison(self, part: Part, node: exp.Expr) -> None:
        sides = list(node.iter_expressions())
        columns = [place for side in sides for place in self._places(part, side)]
        texts = [literal.name for side in sides for literal in side.find_all(exp.Literal) if not literal.find_ancestor(exp.Interval)]
        for place in columns:
            self.literals.setdefault(place, []).extend(texts)
        if node.find(*CLOCK) is not None:
            self.clocked.update(columns)
        if isinstance(node, ORDERED) and len(sides) == 2 and len(columns) == 1 and texts:
            is_above = isinstance(node, exp.GT | exp.GTE) is (sides[0].find(exp.Column) is not None)
            self.leaning.setdefault(columns[0], []).append(1 if is_above else -1)
        if isinstance(node, (*ORDERED, exp.Between)) and texts and all(text.isascii() and text.isdigit() for text in texts):
            self.numbered.update(columns[:1])
        if isinstance(node, exp.EQ | exp.NEQ | exp.NullSafeEQ | exp.NullSafeNEQ) and all(isinstance(side, exp.Column) for side in sides):
            self._join_all(self._places(part, sides[0])[:1], self._places(part, sides[1])[:1])


class Maker:
    """Makes rows, the same for the same seed."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._is_even = self._is_large = False
        self._facts = {table.full_name.lower(): recipe.script.facts.of(table) for table in recipe.script.inputs}

    def tables(self) -> list[TableDetail]:
        """The tables that need rows, referenced ones first; the target of an upsert starts empty."""
        written = recipe_target(self._recipe.script)
        left = {name: facts for name, facts in self._facts.items() if name != written or not self._recipe.script.keeps_target}
        found = list[TableDetail]()
        while left:
            free = [
                name for name, facts in left.items() if not any(other.table in left and other.table != name for other in facts.references)
            ]
            for name in free or list(left)[:1]:
                found.append(left.pop(name).table)
        return found

    def make(self, seed: int) -> Data:
        """Rows of all tables."""
        random = Random(seed)
        self._is_even, self._is_large = seed % 4 == EVEN, seed % LARGE == LARGE - 1
        least, most = (12, 20) if self._is_large else (4, 8) if self._is_even else (1 + seed % 3, 3 + seed % 4)
        data, used = Data(), dict[Place, list[Any]]()
        for table in self.tables():
            facts = self._facts[table.full_name.lower()]
            batch = FIRST_DAY + timedelta(days=seed // ROUND)
            rows = [self._row(facts, number, random, used, batch) for number in range(random.randint(least, most))]
            data[table.full_name.lower()] = rows
        return self.kept(data)

    def kept(self, data: Data) -> Data:
        """The rows that keys and references allow."""
        found: Data = {}
        for name, rows in data.items():
            facts = self._facts[name]
            found[name] = list(unique_rows(facts, rows))
        for name, rows in found.items():
            found[name] = list(as_history(self._facts[name], rows, *ends_of(self._recipe, self._facts[name])))
        for name, rows in found.items():
            found[name] = [row for row in rows if self._refers(self._facts[name], row, found)]
        return found

    def _refers(self, facts: TableFacts, row: Row, data: Data) -> bool:
        names = list(facts.columns)
        for reference in facts.references:
            other = data.get(reference.table)
            if other is None or reference.table not in self._facts or reference.column not in names:
                continue
            columns = list(self._facts[reference.table].columns)
            value = row[names.index(reference.column)]
            if value is not None and reference.references in columns:
                place = columns.index(reference.references)
                if all(theirs[place] != value for theirs in other):
                    return False
        return True

    def _row(self, facts: TableFacts, number: int, random: Random, used: dict[Place, list[Any]], batch: date) -> Row:
        cells = list[Any]()
        for column in facts.table.columns:
            place = (facts.table.full_name.lower(), column.name.lower())
            if BATCH.search(column.name) and held_kind(column) in (TypeKind.DATE, TypeKind.TIMESTAMP):
                cells.append(batch)
                continue
            root = self._recipe.root(place)
            own = _own(column, number) if self._is_large and frozenset({column.name.lower()}) in facts.keys else None
            if own is not None and not self._recipe.compared(place):
                used.setdefault(root, []).append(own)
                cells.append(own)
                continue
            before = (
                used.get(root, [])
                if self._recipe.joined(place) and not any(place[1] in key and len(key) == 1 for key in facts.keys)
                else []
            )
            if before and random.random() < (SHARED_EVEN if self._is_even else SHARED):
                cells.append(random.choice(before))
                continue
            value = self._value(facts, column, number, random)
            if value is not None:
                used.setdefault(root, []).append(value)
            cells.append(value)
        return in_time_order(facts, tuple(cells))

    def _value(self, facts: TableFacts, column: ColumnDetail, number: int, random: Random) -> Any:
        place = (facts.table.full_name.lower(), column.name.lower())
        is_asked = place in self._recipe.nulls_in or place in self._recipe.asked_null
        if facts.may_be_null(column.name) and random.random() < (ASKED_NULL_SHARE if is_asked else NULL_SHARE):
            return None
        pool = self._pool(facts, column, place, number)
        return random.choice(pool) if pool else None

    def _pool(self, facts: TableFacts, column: ColumnDetail, place: Place, number: int) -> list[Any]:
        literals = self._recipe.compared(place)
        in_key = any(column.name.lower() in key for key in facts.keys)
        is_joined = self._recipe.joined(place) or in_key or (place in self._recipe.grouped and not ENTITY_NAME.search(column.name))
        if held_kind(column) in (TypeKind.INTEGER, TypeKind.DECIMAL):
            number = 0 if self._is_even else number % MOST_APART
        match held_kind(column):
            case TypeKind.INTEGER:
                return _numbers(column, literals, is_joined, number)
            case TypeKind.DECIMAL:
                whole = is_joined or bool(literals) or bool(column.values)
                return [value + (0.0 if whole else 0.5) for value in _numbers(column, literals, is_joined, number)]
            case TypeKind.BOOLEAN:
                return [True, False]
            case TypeKind.DATE:
                return self._days(place, literals, self._recipe.steps)
            case TypeKind.TIMESTAMP:
                days = self._days(place, literals, ())
                if self._is_even and not literals and not self._recipe.steps:
                    return list(_moments(days[0], [])[:2])
                return _instants(literals) + [
                    moment
                    for day in (days[:2] if self._recipe.steps and not literals else days)
                    for moment in _moments(day, self._recipe.steps)
                ]
            case TypeKind.OTHER if (values := other_values(column.type)) is not None:
                return values
            case _:
                return self._texts(column, place, literals, is_joined, number)

    def _days(self, place: Place, literals: list[str], steps: Sequence[timedelta]) -> list[date]:
        days = [*self._run_days(place), *_near(literals, self._recipe.leaning.get(place, ()))]
        if days:
            return days
        base = [FIRST_DAY + timedelta(days=step) for step in (0, 1, 2, 4)]
        apart = [base[0] + step for step in steps if timedelta(days=1) <= step <= timedelta(days=400)]
        return [*apart, *base[: 1 if apart else 4], date.fromisoformat(TODAY) - timedelta(days=1)]

    def _run_days(self, place: Place) -> list[date]:
        """Of a column that is compared with the day of the run: that day, those before it on which rows are late, as far off as the script
        names an interval or a number of days, and long ago. Where the most is said that rows are late, only those of long ago are later."""
        if place not in self._recipe.clocked:
            return []
        target, today = self._recipe.script.target, date.fromisoformat(TODAY)
        late = target.late_days if target is not None else 0
        numbers = [
            int(text) for text in self._recipe.compared(place) if text.isascii() and text.isdigit() and len(text) <= MOST_DAYS_DIGITS
        ]
        named = [*self._recipe.steps, *(timedelta(days=days) for days in numbers)]
        beyond = {MOST_LATE + 1, late, *(step.days + 1 for step in named)}
        ago = sorted({0, *range(1, min(max(late, 1), MOST_LATE) + 1), *(days for days in beyond if days <= late)})
        steps = [step for step in named if not late or step.days <= late]
        return [*(today - timedelta(days=days) for days in ago), *(today - step for step in steps), FIRST_DAY]

    def _texts(self, column: ColumnDetail, place: Place, literals: list[str], is_joined: bool, number: int) -> list[Any]:
        if column.values:
            named = [value for value in column.values if value in literals]
            return list(dict.fromkeys([*named, *named, *column.values[:3]]))
        if place in self._recipe.numbered:
            return _number_texts(literals)
        known = list(dict.fromkeys(text for text in literals if text and "%" not in text))
        if known:
            return [*known, known[0], _other(known)]
        if is_joined:
            return ["a", "b", "c"]
        return [f"{column.name[:8]} {number + 1}"]


def ends_of(recipe: Recipe, facts: TableFacts) -> tuple[bool, bool]:
    """Whether a version of a history lasts until the day before the next, and whether the last one has no end."""
    period = history_columns(list(facts.columns))
    if period is None:
        return False, False
    place = (facts.table.full_name.lower(), period[1])
    includes_end = facts.kind(period[1]) is TypeKind.DATE and place in recipe.last_days and not recipe.touching
    return includes_end, place in recipe.open_ends and facts.may_be_null(period[1])


def in_time_order(facts: TableFacts, row: Row) -> Row:
    """A row in which nothing ends before it begins: an end that is earlier becomes the beginning."""
    columns = facts.table.columns
    times = [place for place, column in enumerate(columns) if held_kind(column) in (TypeKind.DATE, TypeKind.TIMESTAMP)]
    starts = [place for place in times if STARTS.search(columns[place].name.lower())]
    ends = [place for place in times if ENDS.search(columns[place].name.lower()) and place not in starts]
    cells = list(row)
    for start in starts:
        for end in ends:
            before, after = cells[start], cells[end]
            if before is not None and after is not None and _moment(after) < _moment(before):
                cells[end] = before if type(before) is type(after) else _as(before, after)
    return tuple(cells)


def _moment(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _as(value: Any, like: Any) -> Any:
    """A day or moment in the type of another."""
    if isinstance(like, datetime):
        return datetime(value.year, value.month, value.day) if isinstance(value, date) else like  # noqa: DTZ001 as above
    if isinstance(like, date):
        return value.date() if isinstance(value, datetime) else like
    return _moment(value)[: len(str(like))] if isinstance(like, str) else like


def _clauses(script: Script) -> Iterator[Part]:
    """What the request says in SQL, as statements: its values matter as those of the script do."""
    target = script.target
    texts = [] if target is None else [f"SELECT 1 FROM {table} WHERE {condition}" for table, condition in target.only]  # noqa: S608 parsed only
    texts += [query for _, query in target.totals] if target is not None else []
    for text in texts:
        try:
            resolved = resolve(parse_statement(text, script.dialect), script.tables, script.dialect)
        except NotParsed:
            continue
        yield Part(0, text, resolved, Origins(resolved))


def recipe_target(script: Script) -> str:
    """The full name of the table that the script writes, in lower case."""
    written = script.written.lower().rpartition(".")[2]
    return next((table.full_name.lower() for table in script.inputs if table.name.lower() == written), "")


def unique_rows(facts: TableFacts, rows: list[Row]) -> Iterator[Row]:
    """The rows that the keys of a table allow; without a key, no row twice."""
    names = list(facts.columns)
    keys = [sorted(key) for key in facts.keys if key <= set(names)] or [names]
    seen: set[tuple[int, Row]] = set()
    for row in rows:
        marks = {(number, tuple(row[names.index(name)] for name in key)) for number, key in enumerate(keys)}
        if not marks & seen:
            seen |= marks
            yield row


def history_columns(names: list[str]) -> tuple[str, str] | None:
    """The columns that say from when and until when a row of a history is valid."""
    start = next((name for name in names if name in FROM_NAMES), None)
    end = next((name for name in names if name in TO_NAMES), None)
    return (start, end) if start is not None and end is not None else None


def as_history(facts: TableFacts, rows: list[Row], includes_end: bool = False, is_null_at_end: bool = False) -> Iterator[Row]:
    """Rows with periods of validity: the versions of an entity follow each other without gap or overlap; the last one is open.
    `includes_end`: the end is the last day of a version, not the first day of the next."""
    names = list(facts.columns)
    period = history_columns(names)
    entity = _entity(facts, names, period)
    if period is None or not entity or any(row[names.index(period[0])] is None for row in rows):
        yield from rows
        return
    start, end = (names.index(name) for name in period)
    flag = next((names.index(name) for name in names if name in CURRENT_NAMES), None)
    latest: dict[tuple[Any, Any], Row] = {(_of_entity(row, entity), row[start]): row for row in rows}
    ordered = sorted(latest.values(), key=lambda row: (str(_of_entity(row, entity)), str(row[start])))
    for number, row in enumerate(ordered):
        following = ordered[number + 1] if number + 1 < len(ordered) else None
        after = following if following is not None and _of_entity(following, entity) == _of_entity(row, entity) else None
        cells = list(row)
        until = after[start] if after is not None else None
        cells[end] = until if until is not None else None if is_null_at_end else open_end(row[start])
        if includes_end and isinstance(until, date):
            cells[end] = until - timedelta(days=1)
        if flag is not None:
            cells[flag] = after is None
        yield tuple(cells)


def _entity(facts: TableFacts, names: list[str], period: tuple[str, str] | None) -> list[int]:
    """The places of the columns that say of what a row is a version: the key without the beginning, else the first that names a key."""
    if period is None:
        return []
    key = [name.lower() for name in facts.table.primary_key]
    entity = [names.index(name) for name in key if name != period[0] and name in names]
    if period[0] in key and entity:
        return entity
    return [names.index(name) for name in names if name not in period and ENTITY_KEY.search(name)][:1]


def _of_entity(row: Row, places: list[int]) -> Row:
    return tuple(row[place] for place in places)


def open_end(start: Any) -> Any:
    """The end of a version that has none yet, of the type of its beginning."""
    if isinstance(start, datetime):
        return datetime(9999, 12, 31)  # noqa: DTZ001 columns without a time zone
    if isinstance(start, date):
        return date(9999, 12, 31)
    return "9999-12-31" if isinstance(start, str) else 99_991_231 if isinstance(start, int) else start


def _numbers(column: ColumnDetail, literals: list[str], is_joined: bool, number: int) -> list[Any]:
    wanted = [int(float(text)) for text in literals if re.fullmatch(r"-?\d{1,12}(\.\d+)?", text)]
    if column.values:
        given = [int(float(value)) for value in column.values if re.fullmatch(r"-?\d{1,15}(\.\d+)?", value)]
        wanted = [value for value in wanted if value in given] or given[:4]
        return wanted or [1]
    base = [1, 2, 3] if is_joined else [10 * (number + 1), 10 * (number + 2)]
    near = [value + step for value in wanted for step in (0, 1, -1)]
    low, high = _bound(column.minimum), _bound(column.maximum)
    found = [value for value in [*near, *base] if (low is None or value >= low) and (high is None or value <= high)]
    return found or ([int(low), int(low) + 1] if low is not None else base)


def _bound(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _own(column: ColumnDetail, number: int) -> Any:
    """A key that no other row of the table has; None: its type or domain has none."""
    match held_kind(column):
        case TypeKind.INTEGER if not (column.values or column.minimum or column.maximum):
            return number + 1
        case TypeKind.DATE:
            return FIRST_DAY + timedelta(days=number)
        case _:
            return None


def _number_texts(literals: list[str]) -> list[Any]:
    """Numbers as texts: around those that they are compared with, and of fewer and more digits."""
    wanted = dict.fromkeys(int(text) for text in literals if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS)
    near = [number for value in wanted for number in (value, 10 ** len(str(value)), 10 ** (len(str(value)) - 1) - 1, value + 1, value - 1)]
    return [str(number) for number in near if number >= 0] or ["2", "10", "9"]


def _instants(literals: list[str]) -> list[datetime]:
    """Times of day that are compared with, and the second before each."""
    found = [text for text in literals if len(text) >= len("2024-01-01 00:00") and _is_day(text)]
    moments: list[datetime] = []
    for text in found:
        try:
            moments.append(datetime.fromisoformat(text).replace(tzinfo=None))
        except ValueError:
            continue
    return [moment for at in moments if at.time() != time() for moment in (at, at - timedelta(seconds=1))]


def _near(literals: list[str], leaning: Sequence[int]) -> list[date]:
    """Days that are compared with, and those beside them."""
    found = [
        date.fromisoformat(text[:10]) for text in literals if re.match(r"\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])", text) and _is_day(text)
    ]
    years = [date(int(text), 7, 15) for text in literals if re.fullmatch(r"(19|20)\d\d", text)]
    leaning = list(dict.fromkeys(leaning))
    near = [day + timedelta(days=step) for day in (*found, *years) for step in (0, 0, 1, -1, *leaning * 3)]
    near += [day.replace(day=min(day.day, 28), year=day.year - 1) for day in found[:2]]
    return near + [day.replace(day=min(day.day, 28), year=day.year + 1) for day in years]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return not int(text[:4]) > 9000


def _moments(day: date, steps: list[timedelta]) -> list[datetime]:
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001 columns without a time zone
    morning = midnight + timedelta(hours=9)
    return [
        midnight,
        morning,
        midnight + timedelta(hours=18, minutes=30),
        midnight + timedelta(hours=23, minutes=30),
        *(morning + step for step in steps if abs(step) < timedelta(days=1)),
    ]


def _step(node: exp.Interval) -> timedelta | None:
    text = f"{node.this.name if isinstance(node.this, exp.Expr) else ''} {node.args.get('unit') or ''}".lower()
    found = re.search(r"(\d+)\s*(second|minute|hour|day)", text)
    return timedelta(**{f"{found[2]}s": int(found[1])}) if found else None


def _other(known: list[str]) -> str:
    return next(word for word in ("x", "y", "z", "other") if word not in known)
