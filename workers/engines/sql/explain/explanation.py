"""What a statement computes, query by query."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import cast

from sqlglot import exp

from contracts.sql_explanation import ClauseKind, ExplainedClause, ExplainedQuery, QueryRole, SqlExplanation
from contracts.statements import Statement, code, listing, name, names, say, say_member
from contracts.tables import TableDetail
from workers.engines.sql.explain.clauses import clauses_of, order_and_limit
from workers.engines.sql.explain.conditions import condition
from workers.engines.sql.explain.context import Context, Numbers, context_of
from workers.engines.sql.explain.words import words
from workers.engines.sql.repair.dates import in_one_form
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.trees import TOO_DEEP, NotParsed, dialect_of, parse_statement


class SetKind(StrEnum):
    """How two results are put together."""

    UNION = "union"
    UNION_ALL = "union_all"
    INTERSECT = "intersect"
    EXCEPT = "except"


SET_KINDS: tuple[tuple[type[exp.Expr], SetKind], ...] = (
    (exp.Union, SetKind.UNION),
    (exp.Intersect, SetKind.INTERSECT),
    (exp.Except, SetKind.EXCEPT),
)


def explain(sql: str, dialect: str, tables: Sequence[TableDetail] = (), *, traps: Sequence[Statement] = ()) -> SqlExplanation:
    """What a statement computes, in words. Raises `NotParsed`.

    `tables`: what is known of its tables, for what a row of the result is. `traps`: what a review found, shown with the explanation.
    """
    engine = dialect_of(dialect)
    tree = in_one_form(_with_negations(parse_statement(sql, engine)), engine)
    explainer = _Explainer(engine, tables)
    explainer.number(tree)
    try:
        return SqlExplanation(dialect=engine, queries=tuple(explainer.queries(tree)), traps=tuple(traps))
    except RecursionError:  # a chain of a thousand operators
        raise NotParsed(TOO_DEEP) from None


def _with_negations(tree: exp.Expr) -> exp.Expr:
    """The tree with `x NOT LIKE y` and `x IS NOT NULL` as the negation of a condition, where the parser has only a mark for it."""

    def changed(node: exp.Expr) -> exp.Expr:
        if not node.args.get("negate"):
            return node
        positive = node.copy()
        positive.set("negate", None)
        return exp.Not(this=positive)

    return tree.transform(changed)


def _choosing(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What beside its condition decides which rows a change of rows touches. The parser takes the `TOP (10)` of T-SQL for
    a table: what the statement does not read or join is shown here as it is written."""
    there = _there(tree)
    for item in tree.args.get("tables") or ():
        if item.name.lower() not in there:
            columns = [exp.Var(this=column.name) for column in item.args["alias"].columns] if item.args.get("alias") else []
            yield exp.Anonymous(this=item.name, expressions=columns) if columns else item
    target = tree.this if isinstance(tree.this, exp.Expr) else tree
    places = [
        (target, "partition"),
        (target, "joins"),
        (tree, "from_"),
        (tree, "using"),
        (tree, "order"),
        (tree, "limit"),
        (tree, "conflict"),
    ]
    for node, place in places:
        yield from _nodes(node.args.get(place))


def _nodes(part: object) -> list[exp.Expr]:
    items = cast("list[object]", part) if isinstance(part, list) else [part]
    return [node for node in items if isinstance(node, exp.Expr)]


def _there(tree: exp.Expr) -> dict[str, str]:
    """The tables of an UPDATE or a DELETE by what they are called in it, in lower case."""
    nodes = [node for place in ("this", "from_", "using") for node in _nodes(tree.args.get(place))]
    return {table.alias_or_name.lower(): table.name for node in nodes for table in node.find_all(exp.Table)}


def _changed_tables(tree: exp.Expr) -> tuple[str, ...]:
    """The tables whose rows a statement writes, by their own names; of a DROP or a TRUNCATE all that it names."""
    if isinstance(tree, exp.Drop | exp.TruncateTable):
        gone = (item.find(exp.Table) for item in (*_nodes(tree.args.get("tables")), *tree.expressions))
        return tuple(table.parts[-1].name for table in gone if table is not None)
    there, target = _there(tree), tree.find(exp.Table)
    named = [there[item.name.lower()] for item in tree.args.get("tables") or () if item.name.lower() in there]
    if named or not isinstance(tree, exp.Update | exp.Delete):
        return tuple(named) or ((target.name,) if target is not None else ())
    changed = str(tree.this.name)
    return (there.get(changed.lower(), changed),)


def statements_of(explanation: SqlExplanation) -> tuple[Statement, ...]:
    """The explanation line by line, as a list shows it. A query has its title only where there are several."""
    has_titles = len(explanation.queries) > 1
    found: list[Statement] = []
    for query in explanation.queries:
        found += [*([query.title] if has_titles else []), *(clause.text for clause in query.clauses)]
    return (*found, *((say("sql_explain.traps"), *explanation.traps) if explanation.traps else ()))


class _Explainer:
    """Walks the queries of one statement, those first that others read."""

    def __init__(self, dialect: str, tables: Sequence[TableDetail]) -> None:
        self.tables = tables
        self.root = Context(dialect, Numbers(), condition)
        self.parts = 0

    def number(self, tree: exp.Expr) -> None:
        """Number the sub-queries, the innermost first, as they are explained."""
        inner = [query for query in tree.find_all(exp.Query, bfs=False) if _is_subquery(query) and query is not tree]
        for query in sorted(inner, key=lambda query: -query.depth):
            self.root.numbers.of(query)

    def queries(self, tree: exp.Expr) -> Iterator[ExplainedQuery]:
        """All queries of a statement."""
        writes = self._writes(tree)
        query = tree if isinstance(tree, exp.Query) else tree.args.get("expression")
        if isinstance(query, exp.Query):
            if not isinstance(tree, exp.Query):
                yield from self._ctes(tree, self.root)
            yield from self._query(query, QueryRole.MAIN, "", self.root, writes)
            return
        other = ExplainedClause(kind=ClauseKind.OTHER, text=say("sql_explain.other_statement", kind=name(tree.key.upper())))
        clauses = (*writes, *self._changed(tree), other)
        yield ExplainedQuery(role=QueryRole.MAIN, title=say("sql_explain.result_title"), clauses=clauses)
        for inner in tree.find_all(exp.Query):
            if not isinstance(inner, exp.Subquery) and inner.find_ancestor(exp.Select) is None:
                yield from self._query(inner, QueryRole.SUBQUERY, str(self.root.numbers.of(inner)), self.root)

    def _writes(self, tree: exp.Expr) -> tuple[ExplainedClause, ...]:
        if isinstance(tree, exp.Query):
            return ()
        table = names(_changed_tables(tree))
        if not table.items:
            return ()
        if isinstance(tree, exp.Delete):
            return (ExplainedClause(kind=ClauseKind.WRITES, text=say("sql_explain.deletes", table=table)),)
        if isinstance(tree, exp.Update):
            return (ExplainedClause(kind=ClauseKind.WRITES, text=say("sql_explain.updates", table=table)),)
        how = f" OR {tree.args['alternative']}" if tree.args.get("alternative") else " IGNORE" if tree.args.get("ignore") else ""
        made = ExplainedClause(kind=ClauseKind.WRITES, text=say("sql_explain.writes", kind=name(tree.key.upper() + how), table=table))
        return (made, *self._touched_by(tree))

    def _touched_by(self, tree: exp.Expr) -> Iterator[ExplainedClause]:
        chosen = _choosing(tree) if isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge) else ()
        shown = [code(printed(node, self.root.dialect).strip(" ,\n")) for node in chosen]
        if shown:
            yield ExplainedClause(kind=ClauseKind.FILTER, text=say("sql_explain.touched_by", clauses=listing(*shown)))

    def _changed(self, tree: exp.Expr) -> Iterator[ExplainedClause]:
        """What an UPDATE sets, and which rows it or a DELETE touches."""
        if not isinstance(tree, exp.Update | exp.Delete):
            return
        where, others = tree.args.get("where"), list(self._touched_by(tree))
        if isinstance(where, exp.Where):
            text = say("sql_explain.touched", condition=condition(where.this, self.root))
            yield ExplainedClause(kind=ClauseKind.FILTER, text=text)
        yield from others
        if not others and where is None and not (tree.args.get("tables") or tree.args.get("with_")):
            yield ExplainedClause(kind=ClauseKind.FILTER, text=say("sql_explain.touched_all"))
        for item in tree.expressions:
            if isinstance(tree, exp.Update) and isinstance(item, exp.EQ):
                value = words(item.expression, self.root)
                yield ExplainedClause(kind=ClauseKind.RESULT, text=say("sql_explain.column_is", name=name(item.this.name), value=value))

    def _query(
        self, query: exp.Expr, role: QueryRole, called: str, outer: Context, first: tuple[ExplainedClause, ...] = ()
    ) -> Iterator[ExplainedQuery]:
        """A query behind those that it reads."""
        yield from self._ctes(query, outer)
        if isinstance(query, exp.SetOperation):
            yield from self._set(query, role, called, outer, first)
            return
        if isinstance(query, exp.Subquery):
            yield from self._query(query.this, role, called, outer, first)
            return
        if not isinstance(query, exp.Select):
            return
        context = context_of(query, outer)
        clauses = (*first, *clauses_of(query, context, self.tables))
        yield from self._inside(query, context)
        yield ExplainedQuery(role=role, name=called, title=_title(role, called), clauses=clauses)

    def _ctes(self, query: exp.Expr, outer: Context) -> Iterator[ExplainedQuery]:
        found = query.args.get("with_")
        if isinstance(found, exp.With):
            for cte in found.expressions:
                yield from self._query(cte.this, QueryRole.CTE, cte.alias, outer)

    def _inside(self, select: exp.Select, context: Context) -> Iterator[ExplainedQuery]:
        """The queries in brackets of a query, those of its expressions included."""
        for inner in select.find_all(exp.Query):
            if inner is select or inner.find_ancestor(exp.Select) is not select:
                continue
            if (called := _derived_name(inner)) is not None:
                yield from self._query(inner, QueryRole.DERIVED, called, context)
            elif _is_subquery(inner):
                yield from self._query(inner, QueryRole.SUBQUERY, str(context.numbers.of(inner)), context)

    def _set(
        self, query: exp.SetOperation, role: QueryRole, called: str, outer: Context, first: tuple[ExplainedClause, ...]
    ) -> Iterator[ExplainedQuery]:
        kind = next(found for node, found in SET_KINDS if isinstance(query, node))
        if kind is SetKind.UNION and query.args.get("distinct") is False:
            kind = SetKind.UNION_ALL
        numbers: list[str] = []
        for side in _sides(query):
            self.parts += 1
            numbers.append(str(self.parts))
            yield from self._query(side, QueryRole.PART, numbers[-1], outer)
        text = say_member("sql_explain.set", kind, parts=listing(*(name(number) for number in numbers)))
        clauses = (*first, ExplainedClause(kind=ClauseKind.SET, text=text), *order_and_limit(query, outer))
        yield ExplainedQuery(role=role, name=called, title=_title(role, called), clauses=clauses)


def _derived_name(query: exp.Expr) -> str | None:
    """The name of a query in a FROM clause; None of other queries and where it has none."""
    holder = query.parent
    if isinstance(query, exp.Subquery) or not isinstance(holder, exp.Subquery) or not holder.alias:
        return None
    return holder.alias if isinstance(holder.parent, exp.From | exp.Join | exp.Lateral) else None


def _is_subquery(query: exp.Expr) -> bool:
    """Whether a query is part of an expression, or of a FROM clause without a name."""
    if isinstance(query, exp.Subquery | exp.Values) or isinstance(query.parent, exp.CTE | exp.SetOperation) or query.parent is None:
        return False
    return _derived_name(query) is None and not isinstance(query.parent, exp.Insert | exp.Create)


def _sides(query: exp.SetOperation) -> list[exp.Expr]:
    """The queries that are put together; those of a chain of the same kind in a row."""
    left: exp.Expr = query.this
    is_chain = type(left) is type(query) and left.args.get("distinct") == query.args.get("distinct")
    before = _sides(left) if is_chain and isinstance(left, exp.SetOperation) else [left]
    return [*before, query.expression]


def _title(role: QueryRole, called: str) -> Statement:
    if role is QueryRole.MAIN or not called:
        return say("sql_explain.result_title")
    return say_member("sql_explain.title_of", role, name=name(called))
