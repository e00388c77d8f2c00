"""Tests of the target as queries: each yields the rows that break a promise, so an empty result is a pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from contracts.pipelines.trial import CheckKind
from contracts.statements import Statement, code, names, say
from workers.engines.pipelines.package.contents import Contents
from workers.engines.pipelines.trial.design import kept_columns

Place = Callable[[str], exp.Table]
"""How a table is written in the query."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A test."""

    name: str
    """Of its file."""
    kind: CheckKind
    says: Statement
    query: exp.Query
    columns: tuple[str, ...] = ()
    """Of a key, or that have a value."""


def assertions(contents: Contents, place: Place) -> Iterator[Assertion]:
    """What the tables promise: their keys; and of the target columns that always have a value, and rows that must not be lost."""
    target = contents.analysis.target
    final = next((script for script in contents.scripts if contents.is_final(script)), None)
    if final is None:
        return
    name = contents.names[final.job]
    for script in contents.scripts:
        if key := contents.key(script):
            yield _unique(contents.names[script.job], target.table if script is final else script.target, key, place)
    may_be_null = {column.name for column in target.columns if column.nullable}
    wanted = [
        *(column for column in target.key if column not in may_be_null),
        *(column.name for column in target.columns if column.nullable is False and column.name not in target.key),
    ]
    if wanted:
        condition = exp.or_(*(exp.Is(this=exp.column(_quoted(column)), expression=exp.null()) for column in wanted))
        query = exp.select("*").from_(place(target.table)).where(condition)
        yield Assertion(
            f"{name}_has_values",
            CheckKind.NOT_NULL,
            say("pipelines.test.not_null", table=code(target.table), columns=names(wanted)),
            query,
            tuple(wanted),
        )
    yield from _rows_kept(contents, place, name)


def _unique(name: str, table: str, key: tuple[str, ...], place: Place) -> Assertion:
    keys = [exp.column(_quoted(column)) for column in key]
    repeated = exp.select(*keys, exp.alias_(exp.Count(this=exp.Star()), "rows_with_key")).from_(place(table))
    repeated = repeated.group_by(*(column.copy() for column in keys)).having(
        exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
    )
    says = say("pipelines.test.unique", table=code(table), key=names(key))
    return Assertion(f"{name}_key_is_unique", CheckKind.GRAIN, says, repeated, key)


def _rows_kept(contents: Contents, place: Place, name: str) -> Iterator[Assertion]:
    target = contents.analysis.target
    kept = kept_columns(contents.read, contents.analysis)
    source = contents.known.find(kept.table) if kept is not None else None
    if kept is None or source is None:
        return
    same = [
        exp.EQ(this=exp.column(_quoted(ours), table="made"), expression=exp.column(_quoted(source.columns[at].name), table="kept"))
        for ours, at in zip(kept.columns, kept.places, strict=True)
    ]
    made = exp.select(exp.Literal.number(1)).from_(_named(place(target.table), "made")).where(*same)
    query = exp.select("kept.*").from_(_named(place(kept.table), "kept")).where(exp.Not(this=exp.Exists(this=made)))
    yield Assertion(
        f"{name}_keeps_rows", CheckKind.ROWS_KEPT, say("pipelines.test.kept", table=code(target.table), source=code(kept.table)), query
    )


def _named(table: exp.Table, alias: str) -> exp.Table:
    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return table


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not name.isascii() or not name.replace("_", "").isalnum() or not name.islower())
