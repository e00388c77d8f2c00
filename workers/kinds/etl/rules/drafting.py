"""A specification to edit: what search finds for a requirement, and TODO where nothing is known. Nothing is understood here."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import yaml

from contracts.statements import name as identifier_of
from contracts.statements import say
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from workers.catalogue import Catalogue
from workers.engines.questions.spoken import Spoken, spoken
from workers.engines.requirements import described_keys, observed_keys, rank_upstream, target_in
from workers.engines.sql.plan_shape import is_unique
from workers.engines.sql.schema_text import identifier, joins_text
from workers.errors import NotFound
from workers.kinds.etl.rules.specification import NOT_READ, TODO

MOST_TABLES = 3
"""Likely tables that are listed."""
MOST_COLUMNS = 40
MOST_UNREAD = 12
"""Runs of words that are named as not read."""
MOST_QUOTED = 2_000
"""Characters of the requirement that are quoted: with the draft they have to fit into an answer."""
LEAST_LETTERS = 2
"""Letters of a Chinese name that a requirement is searched for: one letter is in too many words."""
_INDENT = "  "
_FOUND = "# Search filled this in, and understood nothing: do each TODO, and check every line."

JoinsOf = Callable[[Sequence[str]], Sequence[JoinPath]]
"""The ways to join tables, given by their full names."""


def draft_spec(catalogue: Catalogue, source: tuple[str, str], target: str, requirement: str, owner: str, chosen: Sequence[str] = ()) -> str:
    """A YAML text that `read_spec` takes once its TODOs are done. `source`: its name and dialect; `chosen`: the tables of which it is
    made. Raises `NotFound` for one that the catalogue does not have."""
    name = source[0]
    tables, _ = observed_keys(described_keys(catalogue.tables(name, owner=owner)))
    known = {table.full_name: table for table in tables}
    for table in chosen:
        if table not in known:
            raise NotFound.of(say("etl.refused.no_table", table=identifier_of(table), source=identifier_of(name)))
    return drafted(
        requirement, tables, lambda found: catalogue.joins(name, found, owner=owner), source, target=target,
        chosen=[known[table] for table in chosen],
    )  # fmt: skip


def drafted(
    requirement: str, tables: Sequence[TableDetail], joins_of: JoinsOf, source: tuple[str, str], *, target: str = "",
    chosen: Sequence[TableDetail] = (),
) -> str:  # fmt: skip
    """The draft for a requirement. `target`: the name of its table; empty: the one behind the verb of the requirement, if there is one.
    `chosen`: the tables that it is made from, with all of their columns; none: the likely ones."""
    name, dialect = source
    target = target or target_in(requirement)
    words = requirement or target.rpartition(".")[2].replace("_", " ")
    named = spoken(words, tables, _behind(target, words))
    ranked = rank_upstream(target.rpartition(".")[2], words, (), tables)
    ranked.sort(key=lambda found: _place(found[0].full_name, named))  # a name that is said wins over names that contain it
    likely = list(chosen) or [table for table, _ in ranked[:MOST_TABLES]]
    joins = joins_of([table.full_name for table in likely]) if len(likely) > 1 else ()
    query = _Query(target, words, likely, joins, dialect, named, takes_all=bool(chosen))
    return "\n".join(
        [
            "# Made from the tables below: do each TODO, and check every line." if chosen else _FOUND,
            *(f"# > {_printable(line)}".rstrip() for line in requirement.strip()[:MOST_QUOTED].splitlines()),
            *(f"{NOT_READ}{_printable(run)}" for run in _left(named.unread, query) if requirement),
            f"target: {_scalar(target or _derived(likely))}",
            f"source: {name}",
            "mode: overwrite            # overwrite, append, upsert or history",
            f"grain: [{', '.join(map(_scalar, query.key or (TODO,)))}]  # the columns that make a row unique{query.keys_open}",
            "columns:                   # in their order; leave them out to take those of the query",
            *(f"{_INDENT}- {_column(column)}" for column in query.columns),
            "# The tables:" if chosen else "# Likely tables, the likeliest first:",
            *(f"#   {_printable(_table(table))}" for table in likely),
            *(f"#   join: {_printable(line)}" for line in joins_text(joins, dialect)),
            "sql: |",
            *(f"{_INDENT}{_printable(line)}" for line in query.lines()),
            "",
        ]
    )


def unread_in(requirement: str, tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """The runs of words of a requirement of which a draft for it has nothing."""
    return spoken(requirement, tables, _behind(target_in(requirement), requirement)).unread[:MOST_UNREAD]


def _behind(target: str, words: str) -> int:
    """The place behind the target's name."""
    return words.find(target) + len(target) if target and target in words else 0


def _left(unread: Sequence[str], query: "_Query") -> list[str]:
    """Without those that are columns of the draft, which say that they are to be done."""
    return [run for run in unread if run.lower() not in {column.name.lower() for column in query.columns}][:MOST_UNREAD]


def _place(table: str, named: Spoken) -> tuple[int, int]:
    """What a row is asked for comes first, then what is named."""
    for rank, some in enumerate((named.rows_for, named.tables)):
        if table in some:
            return rank, some.index(table)
    return 2, 0


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the draft. `table` is None where no table is known to have it."""

    name: str
    meaning: str = ""
    table: TableDetail | None = None
    hint: str = ""
    """A comment of SQL behind it."""


@dataclass(frozen=True, slots=True)
class _From:
    """The tables that a draft reads, as far as it is known how."""

    tables: tuple[TableDetail, ...] = ()
    joins: tuple[tuple[TableDetail, JoinPath], ...] = ()
    """A table, and how it is joined to those before it."""
    open: tuple[TableDetail, ...] = ()
    """Where one of two tables would repeat the rows of the other, and the words do not say of which a row is asked for."""


class _Query:
    """The query as far as names tell it."""

    def __init__(
        self,
        target: str,
        words: str,
        likely: Sequence[TableDetail],
        joins: Sequence[JoinPath],
        dialect: str,
        named: Spoken,
        *,
        takes_all: bool,
    ) -> None:
        self._dialect = dialect
        first = likely[0] if likely else None
        self._groups = {} if named.rows_for else _groups(named, likely)
        key = tuple(self._groups) or (first.primary_key if first is not None else ())
        found = dict(self._groups)
        for column in _known_columns(words, likely, () if self._groups else key, takes_all=takes_all):
            found.setdefault(column.name.lower(), column)
        other = {target.rpartition(".")[2].lower(), *(table.name.lower() for table in likely)}
        for word in () if takes_all else _new_names(words):
            if word not in other:
                found.setdefault(word, _Column(word))
        wanted = [column.table for column in found.values() if column.table is not None]
        may_join = first is not None and (first.full_name in (*named.rows_for, *named.tables) or bool(self._groups))
        self._from = _from(likely, joins, wanted, may_join=may_join, may_ask=first is not None and first.full_name not in named.rows_for)
        open_ = self._from.open
        self.key = tuple(self._groups) if open_ else key
        self.keys_open = ""
        if open_ and not self._groups:
            self.keys_open = "; of " + " or of ".join(f"{table.full_name}: {', '.join(table.primary_key) or '?'}" for table in open_)
        combined = (self._combined(column) for column in found.values())
        self.columns = tuple(self._placed(column, first) for column in combined)[:MOST_COLUMNS] or (_Column(TODO),)
        if all(column.name in self.key for column in self.columns):
            self.columns = (*self.columns, _Column(TODO))

    def _placed(self, column: _Column, first: TableDetail | None) -> _Column:
        """A column of a table that is not read has no place yet."""
        if column.table in (*self._from.tables, *self._from.open):
            return column
        return _Column(column.name, column.meaning, hint=_hint(column, first))

    def lines(self) -> Iterator[str]:
        """The query, a line each. It always has a TODO: nobody has said yet which rows count."""
        yield "SELECT"
        for place, column in enumerate(self.columns, 1):
            yield f"{_INDENT}{self._value(column)}{',' if place < len(self.columns) else ''}{column.hint}"
        if self._from.open:
            yield f"FROM {TODO}  -- {' or '.join(self._name(table.full_name) for table in self._from.open)}: of which is a row?"
        if self._from.tables:
            yield f"FROM {self._name(self._from.tables[0].full_name)}"
        for table, path in self._from.joins:
            [line] = joins_text([path], self._dialect)
            yield f"JOIN {self._name(table.full_name)} ON {line}"
        yield f"WHERE {TODO}  -- which rows count; remove the line where all do"
        if self._groups:
            places = (str(place) for place, column in enumerate(self.columns, 1) if column.name in self._groups)
            yield f"GROUP BY {', '.join(places)}"

    def _combined(self, column: _Column) -> _Column:
        """A column beside those that rows are grouped by: how its values become one has to be named."""
        if not self._groups or column.name in self._groups or column.table is None:
            return column
        return _Column(column.name, column.meaning, hint=f"  -- of {column.table.full_name}.{column.name}: added up, counted, ...?")

    def _value(self, column: _Column) -> str:
        if column.table is not None:
            return f"{self._name(column.table.full_name)}.{self._name(column.name)}"
        return TODO if column.name == TODO else f"{TODO} AS {self._name(column.name)}"

    def _name(self, text: str) -> str:
        return identifier(text, self._dialect)


def _groups(named: Spoken, likely: Sequence[TableDetail]) -> dict[str, _Column]:
    """The columns for each value of which a row is asked for, by name: of the likeliest table that has them. A unit of time is computed."""
    found: dict[str, _Column] = {}
    for options in named.groups:
        if not options[0][0]:
            found[options[0][1]] = _Column(options[0][1])
            continue
        table = next((table for table in likely if table.full_name in dict(options)), None)
        if table is not None:
            name = dict(options)[table.full_name]
            column = next(column for column in table.columns if column.name == name)
            found[name] = _Column(name, column.description, table)
    return found


def _known_columns(words: str, likely: Sequence[TableDetail], key: Sequence[str], *, takes_all: bool) -> Iterator[_Column]:
    """The columns of the likely tables that the words name, and the key of the first; or all."""
    plain = f" {' '.join(_words(words.replace('_', ' ')))} "
    for place, table in enumerate(likely):
        for column in table.columns:
            if takes_all or (place == 0 and column.name in key) or _is_said(column, words, plain):
                yield _Column(column.name, column.description, table)


def _new_names(words: str) -> Iterator[str]:
    """The words that can only be names of columns."""
    return (word for word in _words(words) if "_" in word.strip("_") and word.isidentifier())


def _from(
    likely: Sequence[TableDetail], joins: Sequence[JoinPath], wanted: Sequence[TableDetail], *, may_join: bool, may_ask: bool
) -> _From:
    """The first table, and each further one of which columns are wanted, where it has one row for each of the rows so far. `may_join`: the
    words name the first; `may_ask`: they do not say that a row of the first is asked for."""
    tables, joined = list(likely[:1]), list[tuple[TableDetail, JoinPath]]()
    for table in likely[1:]:
        reached = {item.full_name for item in tables}
        path = next((path for path in joins if table.full_name in _ends(path) and _ends(path) - {table.full_name} <= reached), None)
        if table not in wanted or path is None or table.name in {item.name for item in tables}:
            continue
        is_one = is_unique(table, set(path.left_columns if path.left == table.full_name else path.right_columns))
        if is_one and may_join:
            tables.append(table)
            joined.append((table, path))
        elif may_ask:
            return _From(open=(*tables, table))
    return _From(tuple(tables), tuple(joined))


def _hint(column: _Column, first: TableDetail | None) -> str:
    """Where a column may come from whose table is not joined: it would repeat the rows."""
    if column.table is None or first is None:
        return column.hint
    return f"  -- {column.table.full_name}.{column.name}, which may have several rows for one of {first.full_name}"


def _ends(path: JoinPath) -> set[str]:
    return {path.left, path.right}


def _words(text: str) -> list[str]:
    """The words of a text in small letters, with their underscores."""
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).lower().split()


def _is_said(column: ColumnDetail, text: str, plain: str) -> bool:
    """Whether a text (`plain`: its words, with blanks around) has the name of a column, or a Chinese name that its comment begins with."""
    if column.name.isascii() and f" {' '.join(_words(column.name.replace('_', ' ')))} " in plain:
        return True
    spoken = (column.name, column.description.partition("，")[0].partition("(")[0].partition("（")[0].strip())
    return any(len(word) >= LEAST_LETTERS and not word.isascii() and word in text for word in spoken)


def _derived(likely: Sequence[TableDetail]) -> str:
    """A name for a target that nobody named."""
    return f"{likely[0].name}_result" if likely else TODO


def _column(column: _Column) -> str:
    meaning = f", meaning: {json.dumps(_printable(column.meaning), ensure_ascii=False)}" if column.meaning else ""
    return f"{{name: {_scalar(column.name)}{meaning}}}"


def _scalar(text: str) -> str:
    """A name as YAML reads it back, quoted where it has to be."""
    plain = text.isascii() and all(part.isidentifier() for part in text.split("."))
    return text if plain and isinstance(yaml.safe_load(text), str) else json.dumps(_printable(text), ensure_ascii=False)


def _table(table: TableDetail) -> str:
    columns = ", ".join(column.name for column in table.columns[:MOST_COLUMNS])
    key = f"; key: {', '.join(table.primary_key)}" if table.primary_key else ""
    return f"{table.full_name} ({columns}){key}"


def _printable(text: str) -> str:
    """A text in one line of YAML: letters that YAML refuses are spaces."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
