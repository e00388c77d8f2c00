"""Lock 3: what an owner may see, written into the statement.

A table with policies is replaced, wherever its name is, by a query of its own that has only the rows and columns of the policy:
`orders` becomes `(SELECT id, total FROM sales.orders WHERE region = 'EU') AS orders`. Nothing else of the statement changes, so it
does not matter how the table is used: `SELECT *`, aliases, unions, lateral joins and CTEs see only what is left.

While an owner has policies on a source, each view is replaced by its query, with the policies on the tables behind it. A view whose
query is not known, or is stored (materialised), is refused unless it has a policy of its own. A hidden column is null in a view.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.sources import EVERYONE, Lock, SourceKind, SourcePolicy
from contracts.statements import Name, Statement, code, count, names, quote, say
from workers.engines.sql import bounded
from workers.engines.sql.trees import PARSER_FAULTS
from workers.errors import InvalidInput, StatementRefused
from workers.saying.reasons import reason_of
from workers.sources.names import Reference, check_table_functions, write_in_full
from workers.sources.parsing import check_tree
from workers.sources.schema import KnownColumn, KnownTable, SourceSchema, with_nearest

OWNER_VALUE = "bullpen_owner"
"""The name under which the owner of the job is bound as a value; `:owner` in a predicate."""

VIEWS_MAX = 20
"""Views within views. Real ones are a few deep; the limit ends a circle."""

_KEEPS_ALL: Mapping[SourceKind, tuple[str | None, str | None]] = {
    SourceKind.POSTGRES: (None, "0"),
    SourceKind.MYSQL: ("18446744073709551615", None),
    SourceKind.SQLITE: ("-1", "0"),
    SourceKind.DUCKDB: ("9223372036854775807", None),
    SourceKind.TRINO: ("9223372036854775807", None),
    SourceKind.CLICKHOUSE: ("9223372036854775807", None),
}
"""A LIMIT or OFFSET that drops no row: the engine then checks the predicate before any condition of the user's. Otherwise
`WHERE CAST(note AS INTEGER) = 1` would show, in its error, the notes of hidden rows."""

_MAY_STAY = frozenset({"this", "db", "alias", "joins", "laterals", "pivots"})
"""Parts of a table's place that mean the same around a query. Others (TABLESAMPLE, ONLY, PARTITION, AS OF) are refused."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What binds one owner on one table."""

    predicates: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The statement with the policies in it, and whether there were any."""

    tree: exp.Query
    policies: int
    """Tables that were replaced because of a policy."""


def apply_policies(tree: exp.Query, schema: SourceSchema, policies: Iterable[SourcePolicy], owner: str) -> Rewritten:
    """The statement as this owner may run it. Raises `StatementRefused` for what cannot be rewritten safely."""
    rules = rules_for(policies, schema, owner)
    tree = tree.copy()
    if not rules:
        return Rewritten(tree, 0)
    rewriting = _Rewriting(schema, rules)
    rewriting.rewrite(tree, (), 0)
    return Rewritten(tree, rewriting.replaced)


def rules_for(policies: Iterable[SourcePolicy], schema: SourceSchema, owner: str) -> dict[int, Rules]:
    """By `id` of the table: what binds this owner. A policy whose table is gone refuses everything, since it may have a new name."""
    mine = [policy for policy in policies if policy.owner in (owner, EVERYONE)]
    tables = [(policy, find_table(policy.table, schema)) for policy in mine]
    for policy, table in tables:
        if table is None:
            raise _refused(say("refused.source.policy_without_table", table=Name(text=policy.table)))
    exempt = {id(table) for policy, table in tables if policy.exempt}
    found: dict[int, Rules] = {}
    for policy, table in tables:
        if policy.owner == EVERYONE and id(table) in exempt:
            continue
        for bound in _with_children(table, schema):
            if policy.predicate or policy.hidden or policy.denied:
                found[id(bound)] = _joined(found.get(id(bound), Rules()), policy, schema)
    return found


def _with_children(table: KnownTable | None, schema: SourceSchema) -> list[KnownTable]:
    """A table and its partitions, which can be read by their own names."""
    if table is None:
        return []
    bound, added = [table], [table]
    while added:
        names = {(parent.schema, parent.name) for parent in added}
        added = [child for child in schema.tables if names.intersection(child.parents) and child not in bound]
        bound += added
    return bound


def _joined(rules: Rules, policy: SourcePolicy, schema: SourceSchema) -> Rules:
    return Rules(
        (*rules.predicates, policy.predicate) if policy.predicate else rules.predicates,
        rules.hidden | {schema.key(name) for name in policy.hidden},
        rules.denied or policy.denied,
    )


def visible_schema(schema: SourceSchema, policies: Iterable[SourcePolicy], owner: str) -> SourceSchema:
    """The source as this owner knows it: without hidden columns and denied tables, so that no error names them."""
    rules = rules_for(policies, schema, owner)
    if not rules:
        return schema
    tables: list[KnownTable] = []
    for table in schema.tables:
        bound = rules.get(id(table), Rules())
        if not bound.denied:
            columns = tuple(column for column in table.columns if schema.key(column.name) not in bound.hidden)
            tables.append(replace(table, columns=columns))
    return replace(schema, tables=tuple(tables))


def find_table(name: str, schema: SourceSchema) -> KnownTable | None:
    """The table that a policy names: `orders`, `sales.orders`."""
    place, _, plain = name.rpartition(".")
    return schema.find(schema.key(place) if place else None, schema.key(plain))


def read_predicate(text: str, table: KnownTable, schema: SourceSchema) -> exp.Expr:
    """A condition over the columns of one table. Raises `InvalidInput`."""
    try:
        condition = bounded.parse_one(text, schema.dialect, into=exp.Condition)
        check_tree(condition, schema.kind)
    except (*PARSER_FAULTS, StatementRefused) as error:
        raise InvalidInput.of(say("refused.source.predicate", predicate=quote(text[:200]), reason=reason_of(error))) from None
    if condition.find(exp.Query, exp.Table, exp.AggFunc, exp.Window, exp.Star):
        raise InvalidInput.of(say("refused.source.predicate_form"))
    known = {schema.key(column.name): column.name for column in table.columns}
    for column in condition.find_all(exp.Column):
        found = known.get(schema.fold(column.name, quoted=bool(column.this.args.get("quoted"))))
        if found is None or column.table:
            refusal = say("refused.source.predicate_column", column=Name(text=column.sql()[:100]), table=Name(text=table.full_name))
            raise InvalidInput.of(refusal)
        column.set("this", exp.to_identifier(found, quoted=True))
    for value in condition.find_all(exp.Placeholder):
        if value.name != "owner":
            raise InvalidInput.of(say("refused.source.predicate_value", value=code(":owner")))
        value.set("this", OWNER_VALUE)
    return condition


def check_policy(policy: SourcePolicy, schema: SourceSchema) -> None:
    """Whether a policy can be kept. Raises `InvalidInput` with the nearest names."""
    table = find_table(policy.table, schema)
    if table is None:
        says = say("refused.source.no_table", table=Name(text=policy.table))
        raise InvalidInput.of(with_nearest(says, schema.nearest(policy.table)))
    known = {schema.key(column.name) for column in table.columns}
    absent = [name for name in policy.hidden if schema.key(name) not in known]
    if absent:
        there = names(column.name for column in table.columns)
        raise InvalidInput.of(say("refused.source.absent", table=Name(text=table.full_name), absent=names(absent), there=there))
    if policy.predicate:
        read_predicate(policy.predicate, table, schema)


class _Rewriting:
    """One statement's rewriting."""

    def __init__(self, schema: SourceSchema, rules: Mapping[int, Rules]) -> None:
        self._schema = schema
        self._rules = rules
        self.replaced = 0

    def rewrite(self, tree: exp.Expr, search: tuple[str, ...], depth: int) -> None:
        """Replace tables and views in place."""
        if depth > VIEWS_MAX:
            raise _refused(say("refused.source.views_deep", most=count(VIEWS_MAX)))
        check_table_functions(tree, Lock.POLICIES)
        for reference in write_in_full(tree, self._schema, search=search):
            if reference.unknown:
                raise _refused(say("refused.source.policy_unknown", table=Name(text=reference.node.sql()[:200])))
            if reference.table is not None:
                self._replace(reference, reference.table, depth)

    def _replace(self, reference: Reference, table: KnownTable, depth: int) -> None:
        rules = self._rules.get(id(table))
        if rules is not None and rules.denied:
            raise _refused(say("refused.source.denied", table=Name(text=table.name)))
        expand = table.is_view and not (table.stored and rules is not None)
        if rules is None and not expand:
            return
        node = reference.node
        extra = [part for part, value in node.args.items() if value and part not in _MAY_STAY]
        if extra:
            raise _refused(say("refused.source.policy_part", table=Name(text=table.name), parts=names(sorted(extra))))
        inner = self._view(table, depth) if expand else _plain_table(table)
        if rules is not None:
            self.replaced += 1
            inner = exp.Subquery(this=self._restricted(inner, table, rules, depth))
        inner.set("alias", node.args["alias"])
        for part in ("joins", "laterals", "pivots"):
            if node.args.get(part):
                inner.set(part, node.args[part])
        node.replace(inner)

    def _restricted(self, inner: exp.Expr, table: KnownTable, rules: Rules, depth: int) -> exp.Select:
        """Hidden columns are left out; inside a view, whose query names them, they are null."""
        visible: list[exp.Expr] = []
        for column in table.columns:
            shown = exp.to_identifier(column.name, quoted=True)
            if self._schema.key(column.name) not in rules.hidden:
                visible.append(exp.column(shown))
            elif depth:
                visible.append(exp.alias_(_null(column, self._schema), shown))
        if not visible:
            raise _refused(say("refused.source.no_column_seen", table=Name(text=table.name)))
        if inner.args.get("alias") is None:
            inner.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        select = exp.select(*visible).from_(inner)
        for predicate in rules.predicates:
            try:
                select = select.where(read_predicate(predicate, table, self._schema))
            except InvalidInput as error:
                refusal = say("refused.source.policy_broken", table=Name(text=table.name), reason=reason_of(error))
                raise _refused(refusal) from None
        if rules.predicates:
            limit, offset = _KEEPS_ALL[self._schema.kind]
            select = select.limit(_number(limit)) if limit else select
            select = select.offset(_number(offset)) if offset else select
        return select

    def _view(self, table: KnownTable, depth: int) -> exp.Subquery:
        """The query of a view, rewritten in its turn."""
        if table.stored or table.definition is None:
            view = Name(text=table.name)
            raise _refused(say("refused.source.stored_view", view=view) if table.stored else say("refused.source.unseen_view", view=view))
        query = read_view(table, self._schema)
        holder = exp.Subquery(this=query)
        self.rewrite(holder, (table.schema,), depth + 1)
        return holder


def read_view(table: KnownTable, schema: SourceSchema) -> exp.Query:
    """The query of a view with the view's column names. Raises `StatementRefused`."""
    try:
        trees = bounded.parse(table.definition or "", schema.dialect)
    except PARSER_FAULTS as error:
        raise _refused(say("refused.source.view_why", view=Name(text=table.name), reason=reason_of(error, 200))) from None
    tree = trees[0] if len(trees) == 1 else None
    columns: list[exp.Expr] = []
    if isinstance(tree, exp.Create):
        columns = list(tree.this.expressions) if isinstance(tree.this, exp.Schema) else []
        tree = tree.expression
    if not isinstance(tree, exp.Query):
        raise _refused(say("refused.source.view", view=Name(text=table.name)))
    return _named(tree, columns, table)


def _named(tree: exp.Query, columns: list[exp.Expr], table: KnownTable) -> exp.Query:
    if not columns:
        return tree
    if tree.is_star or len(tree.selects) != len(columns) or not isinstance(tree, exp.Select):
        raise _refused(say("refused.source.view_columns", view=Name(text=table.name)))
    aliased = [
        exp.alias_(item.unalias(), exp.to_identifier(column.name, quoted=True)) for item, column in zip(tree.selects, columns, strict=True)
    ]
    return tree.select(*aliased, append=False)


def _null(column: KnownColumn, schema: SourceSchema) -> exp.Expr:
    """A null of the column's type, where the engine minds."""
    if schema.kind is not SourceKind.POSTGRES:
        return exp.Null()
    try:
        return exp.cast(exp.Null(), exp.DataType.build(column.type, dialect=schema.dialect, udt=True))
    except SqlglotError:
        return exp.Null()


def _plain_table(table: KnownTable) -> exp.Expr:
    return exp.Table(this=exp.to_identifier(table.name, quoted=True), db=exp.to_identifier(table.schema, quoted=True))


def _number(text: str) -> exp.Expr:
    return exp.Literal.number(text) if not text.startswith("-") else exp.Neg(this=exp.Literal.number(text[1:]))


def _refused(says: Statement) -> StatementRefused:
    return StatementRefused(Lock.POLICIES, says)
