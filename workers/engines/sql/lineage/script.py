"""The lineage of a script: what all its statements together read and write, tables in between left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.lineage.statement import ColumnEdge, column_edges, source_tables, target_table
from workers.engines.sql.names import Resolved, resolve
from workers.engines.sql.trees import NotParsed, dialect_of, parse, parse_statement, table_name

STATEMENT_WORDS = frozenset({"insert", "merge", "update", "delete", "create", "with", "select", "replace"})
LINE_OF_STATEMENT = re.compile(r"^[ \t]*(?=(?:insert|merge|update|delete|create|with|select)\b)", re.IGNORECASE | re.MULTILINE)
OTHER_DIALECTS = ("", "databricks")
"""Tried where a statement does not parse in its own dialect; they read most of what the others write."""
RENAMED = re.compile(r"([\w.`\"\[\]]+)\s+to\s+([\w.`\"\[\]]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a script reads and writes."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    columns: tuple[ColumnEdge, ...]
    unread: tuple[str, ...] = ()
    """Statements that could not be parsed."""


@dataclass
class _Graph:
    """Tables and columns as the statements so far leave them."""

    reads: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Target → its sources; a query without a target is "". Names in lower case."""
    edges: dict[ColumnEdge, None] = field(default_factory=dict[ColumnEdge, None])
    made: dict[str, TableDetail] = field(default_factory=dict[str, TableDetail])
    """Tables that the script makes, with the columns that it gives them."""
    names: dict[str, str] = field(default_factory=dict[str, str])
    """Lower case → as it was first written."""


def script_lineage(sql: str, tables: Sequence[TableDetail], dialect: str, *, lateral_aliases: bool = False) -> Lineage:
    """The tables and columns that a text of one or more statements reads and writes.

    What does not parse is left out and named. Names that are not in `tables` are taken as they are written.
    """
    graph, unread = _Graph(), list[str]()
    for tree, text in statements(sql, dialect, unread):
        known = [*graph.made.values(), *tables]
        _add(graph, tree, text, known if tables else [*graph.made.values()], dialect, lateral_aliases)
    return _result(graph, unread)


def statements(sql: str, dialect: str, unread: list[str]) -> Iterator[tuple[exp.Expr, str]]:
    """The statements of a script with their texts, those inside a procedure too. Texts that cannot be parsed are added to `unread`."""
    for text in _pieces(sql, dialect):
        trees = _read(text, dialect)
        if trees is not None and not any(_is_opaque(tree) for tree in trees):
            yield from ((tree, text) for tree in trees)
        elif (found := _without_semicolons(text, dialect)) is not None:
            yield from found
        elif inner := _from_first_word(text):
            found_inside = _read(inner, dialect)
            if found_inside is None:
                unread.append(text.strip()[:200])
            yield from ((tree, inner) for tree in found_inside or ())
        else:
            unread.append(text.strip()[:200])


def _read(text: str, dialect: str) -> list[exp.Expr] | None:
    """The statements of a text in its dialect, or in one that reads more; None: it cannot be parsed."""
    for name in (dialect, *OTHER_DIALECTS):
        try:
            return [_without_replace(tree, name) for tree in parse(text, name)]
        except NotParsed:
            continue
    return None


def _without_replace(tree: exp.Expr, dialect: str) -> exp.Expr:
    """A REPLACE fills the columns that an INSERT fills; the parser takes it for a command. Raises `NotParsed`."""
    is_replace = isinstance(tree, exp.Command) and str(tree.this).upper() == "REPLACE"
    return parse_statement(f"INSERT {tree.expression.name}", dialect) if is_replace else tree


def _without_semicolons(text: str, dialect: str) -> list[tuple[exp.Expr, str]] | None:
    """T-SQL needs no semicolon between statements: each that starts a line is one."""
    starts = [match.start() for match in LINE_OF_STATEMENT.finditer(text)]
    if len(starts) < 2:
        return None
    pieces = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    read = [(piece, _read(piece, dialect)) for piece in pieces]
    if any(trees is None for _, trees in read):
        return None
    return [(tree, piece) for piece, trees in read for tree in trees or ()]


def _pieces(sql: str, dialect: str) -> list[str]:
    try:
        tokens = Dialect.get_or_raise(dialect_of(dialect) or None).tokenize(sql)
    except SqlglotError:
        return [sql]
    ends = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    starts = [0, *(end + 1 for end in ends)]
    return [piece for start, end in zip(starts, [*ends, len(sql)], strict=True) if (piece := sql[start:end]).strip()]


def _is_opaque(tree: exp.Expr) -> bool:
    return (isinstance(tree, exp.Create) and str(tree.args.get("kind")).upper() in ("PROCEDURE", "TRIGGER")) or (
        isinstance(tree, exp.Command) and str(tree.this).upper() not in ("ALTER", "RENAME", "SET", "CALL", "SHOW", "EXPLAIN")
    )


def _from_first_word(text: str) -> str:
    """What follows the first word inside the text that may start a statement on data: `BEGIN INSERT INTO ..` from INSERT on."""
    words = list(re.finditer(r"[A-Za-z_]+", text))
    found = next((word.start() for word in words[1:] if word[0].lower() in STATEMENT_WORDS - {"create", "replace"}), None)
    return text[found:] if found is not None else ""


def _add(graph: _Graph, tree: exp.Expr, text: str, tables: Sequence[TableDetail], dialect: str, lateral_aliases: bool) -> None:
    if isinstance(tree, exp.Drop):
        for table in tree.find_all(exp.Table):
            _forget(graph, table_name(table).lower())
    elif isinstance(tree, exp.Alter | exp.Command):
        _alter(graph, tree)
    elif isinstance(tree, exp.Query | exp.Create | exp.Insert | exp.Update | exp.Delete | exp.Merge | exp.Cache | exp.MultitableInserts):
        if isinstance(tree, exp.Create) and str(tree.args.get("kind")).upper() not in ("TABLE", "VIEW"):
            return
        for part in _parts(tree):
            resolved = resolve(part, tables, dialect, lateral_aliases=lateral_aliases)
            _add_resolved(graph, resolved, text)


def _parts(tree: exp.Expr) -> list[exp.Expr]:
    """Hive's `FROM a INSERT INTO b SELECT .. INSERT INTO c SELECT ..` as statements of their own."""
    if not isinstance(tree, exp.MultitableInserts):
        return [tree]
    made = list[exp.Expr]()
    for insert in tree.expressions:
        copy = insert.copy()
        if isinstance(copy.expression, exp.Select) and isinstance(tree.args.get("source"), exp.Expr):
            copy.expression.set("from_", exp.From(this=tree.args["source"].copy()))
        made.append(copy)
    return made


def _add_resolved(graph: _Graph, resolved: Resolved, text: str) -> None:
    target, read = target_table(resolved), source_tables(resolved)
    like = [table_name(node.this) for node in resolved.tree.find_all(exp.LikeProperty, exp.Clone) if isinstance(node.this, exp.Table)]
    for name in (*read, *like, *([target] if target else ())):
        graph.names.setdefault(name.lower(), name)
    graph.reads.setdefault(target.lower(), set()).update(name.lower() for name in (*read, *like))
    edges = column_edges(resolved, text)
    if target:
        _learn(graph, resolved, target)
    for edge in edges:
        graph.edges[edge] = None


def _learn(graph: _Graph, resolved: Resolved, target: str) -> None:
    """What a statement makes is known to those behind it, if its columns are."""
    if not isinstance(resolved.tree, exp.Create) or resolved.root is None or resolved.root.columns is None:
        return
    names = tuple(dict.fromkeys(name for name in resolved.root.columns if name))
    schema, _, name = target.rpartition(".")
    graph.made[target.lower()] = TableDetail(name=name, schema_name=schema, columns=tuple(ColumnDetail(name=column) for column in names))


def _forget(graph: _Graph, name: str) -> None:
    if name in graph.reads and not any(name in read for read in graph.reads.values()):
        graph.reads.pop(name)
        graph.edges = {edge: None for edge in graph.edges if edge.target_table.lower() != name}


def _alter(graph: _Graph, tree: exp.Expr) -> None:
    if isinstance(tree, exp.Command):
        if str(tree.this).upper() == "RENAME":
            for old, new in RENAMED.findall(str(tree.expression)):
                _rename(graph, old.strip('`"[]'), new.strip('`"[]'))
        elif found := re.search(r"(?i)^\s*(?:table\s+)?([\w.]+)\s+exchange\s+partition.*\btable\s+([\w.]+)", str(tree.expression)):
            _moved(graph, found[2], found[1])
        return
    for action in cast("list[exp.Expr]", tree.args.get("actions") or []):
        if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            _rename(graph, table_name(tree.this), table_name(action.this))
        elif isinstance(action, exp.SwapTable) and isinstance(action.this, exp.Table):
            _moved(graph, table_name(action.this), table_name(tree.this))


def _moved(graph: _Graph, source: str, target: str) -> None:
    for name in (source, target):
        graph.names.setdefault(name.lower(), name)
    graph.reads.setdefault(target.lower(), set()).add(source.lower())


def _rename(graph: _Graph, old: str, new: str) -> None:
    if old.lower() not in graph.names:
        return
    graph.names[new.lower()] = new

    def renamed(name: str) -> str:
        return new if name.lower() == old.lower() else name

    graph.reads = {renamed(target).lower(): {renamed(source).lower() for source in read} for target, read in graph.reads.items()}
    graph.edges = {
        ColumnEdge(renamed(edge.source_table), edge.source_column, renamed(edge.target_table), edge.target_column): None
        for edge in graph.edges
    }


def _result(graph: _Graph, unread: list[str]) -> Lineage:
    targets = [name for name in graph.reads if name]
    read = {source for sources in graph.reads.values() for source in sources}
    between = {name for name in targets if any(name in sources for target, sources in graph.reads.items() if target != name)}
    return Lineage(
        tuple(sorted(graph.names[name] for name in read - between)),
        tuple(graph.names[name] for name in targets if name not in between),
        tuple(_without(graph, between)),
        tuple(unread),
    )


def _without(graph: _Graph, between: set[str]) -> dict[ColumnEdge, None]:
    """Edges from the first tables to the last ones: tables in between are followed through."""
    into: dict[tuple[str, str], list[ColumnEdge]] = {}
    for edge in graph.edges:
        into.setdefault((edge.target_table.lower(), edge.target_column.lower()), []).append(edge)

    def first(edge: ColumnEdge, seen: frozenset[ColumnEdge]) -> Iterator[tuple[str, str]]:
        key = (edge.source_table.lower(), edge.source_column.lower())
        if key[0] not in between or edge in seen:
            yield edge.source_table, edge.source_column
            return
        for before in into.get(key, ()):
            yield from first(before, seen | {edge})

    return {
        ColumnEdge(table, column, edge.target_table, edge.target_column): None
        for edge in graph.edges
        if edge.target_table.lower() not in between
        for table, column in first(edge, frozenset())
    }
