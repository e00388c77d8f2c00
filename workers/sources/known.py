"""Lock 2: every table and column of a statement is one that the source is known to have."""

import re
from collections.abc import Iterable
from typing import Any

from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify_columns import qualify_columns, validate_qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.schema import MappingSchema

from contracts.sources import Lock, SourceKind
from contracts.statements import Name, say
from workers.errors import StatementRefused
from workers.saying.reasons import reason_of
from workers.sources.names import Reference, check_table_functions, write_in_full
from workers.sources.schema import KnownTable, SourceSchema, nearest, with_nearest

_COLUMN = re.compile(r"Column '(?P<name>.+?)' could not be resolved(?: for table: '(?P<table>.+?)')?|Unknown column: (?P<other>\S+)")


def resolve_names(tree: exp.Query, schema: SourceSchema) -> exp.Query:
    """The statement with its tables written in full. Raises `StatementRefused` with the nearest known names."""
    tree = tree.copy()
    check_table_functions(tree, Lock.KNOWN)
    found = write_in_full(tree, schema)
    for reference in found:
        if reference.unknown:
            raise _unknown_table(reference.node, schema)
    _check_columns(tree, schema, found)
    return tree


def _unknown_table(node: exp.Table, schema: SourceSchema) -> StatementRefused:
    name = ".".join(part.name for part in node.parts)
    like = schema.nearest(node.name if not node.db else f"{node.db}.{node.name}") or schema.nearest(node.name)
    return StatementRefused(Lock.KNOWN, with_nearest(say("refused.source.no_table", table=Name(text=name[:200])), like), nearest=like)


def _check_columns(tree: exp.Query, schema: SourceSchema, found: list[Reference]) -> None:
    """Resolve every column on a copy, as the engine compares names."""
    tables = {id(reference.table): reference.table for reference in found if reference.table is not None}.values()
    copy = tree.copy()
    for identifier in copy.find_all(exp.Identifier):
        folded = schema.fold(identifier.name, quoted=bool(identifier.args.get("quoted")))
        identifier.replace(exp.to_identifier(folded, quoted=True))
    try:
        resolved = qualify_columns(
            qualify_tables(copy, dialect=schema.dialect),
            schema=_mapping(schema, tables),
            expand_alias_refs=True,
            expand_stars=True,
        )
        validate_qualify_columns(resolved)
    except OptimizeError as error:
        raise _unknown_column(error, list(tables)) from None
    except SqlglotError as error:
        raise StatementRefused(Lock.KNOWN, say("refused.source.unresolved", reason=reason_of(error))) from None


def _mapping(schema: SourceSchema, tables: Iterable[KnownTable]) -> MappingSchema:
    names: dict[str, Any] = {}
    for table in tables:
        columns = {schema.key(column.name): "unknown" for column in table.columns}
        if schema.kind is SourceKind.SQLITE:
            columns.setdefault("rowid", "unknown")
        names.setdefault(schema.key(table.schema), {})[schema.key(table.name)] = columns
    return MappingSchema(names, dialect=schema.dialect, normalize=False)


def _unknown_column(error: OptimizeError, tables: list[KnownTable]) -> StatementRefused:
    text = " ".join(str(error).split())
    found = _COLUMN.search(text)
    if found is None:
        return StatementRefused(Lock.KNOWN, say("refused.source.unresolved", reason=reason_of(error)))
    name = (found["name"] or found["other"]).strip("'\". ")
    names: dict[str, list[str]] = {}
    for table in tables:
        for column in table.columns:
            names.setdefault(column.name.lower(), []).append(f"{table.name}.{column.name}")
    like = nearest(name, names)
    column = Name(text=name[:200])
    if found["table"]:
        says = say("refused.source.no_column_in", column=column, table=Name(text=found["table"]))
    else:
        says = say("refused.source.no_column", column=column)
    return StatementRefused(Lock.KNOWN, with_nearest(says, like), nearest=like)
