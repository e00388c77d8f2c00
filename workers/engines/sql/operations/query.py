"""A query of SQL as operations on tables, in the order in which they are made: FROM and joins first, the order of the result last."""

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from contracts.code import OperationKind
from contracts.verdicts import ColumnRef
from workers.engines.scripts.ledger import Flow, Ledger, Spot, View
from workers.engines.scripts.words import table_of
from workers.engines.sql.operations.clauses import (
    computed,
    correlated,
    crossing,
    grouping,
    hints,
    merged,
    ordering,
    partition_of,
    renamed,
    sides,
    yielded,
)
from workers.engines.sql.operations.page import SET_WORDS, Page
from workers.engines.sql.operations.scope import Keys, Scope, queries
from workers.engines.sql.operations.statements import is_stand_in
from workers.engines.sql.trees import within

BROADCAST = ("BROADCAST", "BROADCASTJOIN", "MAPJOIN")
JOIN_HINTS = (*BROADCAST, "MERGE", "SHUFFLE_MERGE", "MERGEJOIN", "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL", "SKEW")
PARTITION_HINTS = ("REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE")


class QueryReader:
    """Reads the queries of one statement."""

    def __init__(self, ledger: Ledger, page: Page) -> None:
        self._ledger = ledger
        self._page = page
        self._named: list[dict[str, View]] = []
        """What WITH clauses have named, the innermost last."""

    def with_named(self, clause: exp.Expr | None) -> None:
        """Read the queries of a WITH clause; they are known from here on."""
        if isinstance(clause, exp.With):
            self._named.append({})
            for expression in clause.expressions:
                if isinstance(expression.this, exp.Query):
                    self._named[-1][expression.alias.lower()] = renamed(self.query(expression.this), expression)

    def query(self, query: exp.Expr, outer: Scope | None = None) -> View:
        """Its operations, and what it yields."""
        known = len(self._named)
        self.with_named(query.args.get("with_"))
        match query:
            case exp.Select():
                view = self._select(query, outer)
            case exp.SetOperation():
                view = self._set_operation(query, outer)
            case exp.Subquery():
                view = self._subquery(query, outer)
            case exp.Table():
                view = self.table(query)
            case _:
                view = View(Flow())
        del self._named[known:]
        return view

    def table(self, table: exp.Table) -> View:
        """What a name in FROM stands for: a query of WITH, a temporary view, or a table that is read."""
        name = table.name.lower()
        if not isinstance(table.this, exp.Identifier):
            return View(Flow())  # a function that makes a table
        if not table.db:
            for named in reversed(self._named):
                if name in named:
                    return named[name]
        known = self._ledger.views.get(name) if table.db in ("", "global_temp") else None
        if known:
            return known
        spot = self._page.piece(*table.parts)
        written = Spot(spot.line, spot.column, ".".join(part.name for part in table.parts))
        return View(self._ledger.add(OperationKind.READ, written, tables=() if is_stand_in(name) else (table_of(table.name),)))

    def _subquery(self, query: exp.Subquery, outer: Scope | None) -> View:
        scope = Scope(outer)
        flow = self._joined_table(query, scope) if isinstance(query.this, exp.Table) else self._enter(query.this, scope).flow
        flow = self._ordered(query, flow, scope, ())
        return renamed(View(flow, merged(scope), any(view.is_open for view in scope.views.values())), query)

    def _joined_table(self, query: exp.Subquery, scope: Scope) -> Flow:
        """Joins in brackets: `(a JOIN b ON ...)`. Their names are known outside of the brackets too."""
        flow = self._enter(query.this, scope).flow
        for join in query.this.args.get("joins") or ():
            flow = self._join(join, flow, scope, None)
        return flow

    def _set_operation(self, query: exp.SetOperation, outer: Scope | None) -> View:
        chain: list[exp.SetOperation] = []
        node: exp.Expr = query
        while isinstance(node, exp.SetOperation):  # a long chain leans to the left, deeper than calls may go
            chain.append(node)
            node = node.this
            if node.args.get("with_"):
                break
        left = self.query(node, outer)
        flow = left.flow
        for combined in reversed(chain):
            right = self.query(combined.expression, outer)
            token = self._page.keyword(SET_WORDS, self._page.first(combined.expression))
            spot = self._page.at(token, self._page.first(combined.expression))
            kind = OperationKind.UNION if isinstance(combined, exp.Union) else OperationKind.DISTINCT
            flow = self._ledger.add(kind, spot, flow, right.flow)
            if isinstance(combined, exp.Union) and combined.args.get("distinct"):
                flow = self._ledger.add(OperationKind.DISTINCT, spot, flow)
        scope = Scope(outer)
        scope.views[""] = View(flow, left.columns, left.is_open)
        return View(self._ordered(query, flow, scope, ()), left.columns, left.is_open)

    def _select(self, select: exp.Select, outer: Scope | None) -> View:
        scope = Scope(outer)
        where = select.args.get("where")
        flow = self._from(select, scope, where)
        chosen: list[exp.Expr] = list(select.expressions)
        if where is not None:
            flow = self._filter(where, TokenType.WHERE, flow, scope)
        flow = self._grouped(select, flow, scope)
        if select.args.get("having") is not None:
            flow = self._filter(select.args["having"], TokenType.HAVING, flow, scope)
        flow = self._windows(select, flow, scope)
        begin = self._page.first(*chosen)
        for selected in chosen:
            flow = self._queries_in(selected, flow, scope)
        if any(not selected.is_star for selected in chosen):
            flow = self._add(OperationKind.SELECT, self._page.clause((TokenType.SELECT,), begin), flow, keys=scope.keys(chosen))
        if select.args.get("qualify") is not None:
            flow = self._filter(select.args["qualify"], TokenType.QUALIFY, flow, scope)
        if select.args.get("distinct"):
            flow = self._add(OperationKind.DISTINCT, self._page.clause((TokenType.DISTINCT,), begin), flow, keys=scope.keys(chosen))
        flow = self._ordered(select, flow, scope, chosen)
        flow = self._partition_hints(select, flow)
        return View(flow, *yielded(chosen, scope))

    def _from(self, select: exp.Select, scope: Scope, where: exp.Expr | None) -> Flow:
        start = select.args.get("from_")
        flow = self._enter(start.this, scope).flow if start is not None else Flow()
        inner = (start.this.args.get("joins") or ()) if start is not None and isinstance(start.this, exp.Table) else ()
        hinted = dict(hints(select, JOIN_HINTS))
        joins = [*inner, *(select.args.get("joins") or ())]
        for number, join in enumerate(joins):
            flow = self._join(join, flow, scope, where, hinted, first=number == 0)
        for lateral in select.args.get("laterals") or ():
            scope.views[lateral.alias_or_name.lower()] = View(flow, computed(lateral), is_open=False)
        return flow

    def _enter(self, node: exp.Expr, scope: Scope) -> View:
        """Add a source of FROM to the scope, under its alias."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.alias:
            return View(self._joined_table(node, scope))
        inner = node.this if isinstance(node, exp.Lateral) else node
        view = self.query(inner, scope) if isinstance(inner, exp.Query | exp.Table) else View(Flow(), computed(node), is_open=False)
        for pivot in node.args.get("pivots") or ():
            flow = self._add(OperationKind.GROUP, self._page.clause((TokenType.PIVOT,), self._page.first(pivot)), view.flow)
            view = View(flow)
        scope.views[node.alias_or_name.lower()] = view
        return view

    def _join(
        self,
        join: exp.Join,
        left: Flow,
        scope: Scope,
        where: exp.Expr | None,
        given: dict[str, list[str]] | None = None,
        *,
        first: bool = False,
    ) -> Flow:
        before = list(scope.views)
        view = self._enter(join.this, scope)
        alias = join.this.alias_or_name.lower()
        on, using = join.args.get("on"), join.args.get("using")
        if on is not None:
            keys = scope.compared(on)
        elif using:
            keys = {(column.name, origin): None for column in using for origin in sides(scope, column.name, alias)}
        else:
            keys = crossing(scope, where, alias)
        joined = {alias, *(before if first else ())}
        hinted = tuple(hint for hint, names in (given or {}).items() if joined & set(names))
        begin = self._page.first(join)
        token = self._page.join(begin)
        return self._add(
            OperationKind.JOIN,
            self._page.at(token, begin),
            left,
            view.flow,
            keys=keys,
            hints=hinted,
            is_broadcast=any(hint in BROADCAST for hint in hinted),
        )

    def _filter(self, clause: exp.Expr, keyword: TokenType, flow: Flow, scope: Scope) -> Flow:
        flow = self._queries_in(clause, flow, scope)
        return self._add(OperationKind.FILTER, self._page.clause((keyword,), self._page.first(clause)), flow, keys=scope.keys([clause]))

    def _queries_in(self, clause: exp.Expr, flow: Flow, scope: Scope) -> Flow:
        """Queries within an expression: `IN` and `EXISTS`, and any that looks at the outer query's columns, become joins."""
        for query in queries(clause):
            view = self.query(query, scope)
            select = query.find(exp.Select)
            around = query.parent
            keys: Keys = {}
            if isinstance(around, exp.In) and select is not None:
                keys |= scope.keys([around.this])
                named = [column.alias_or_name for column in select.selects]
                keys |= {(name, view.origin(name) or ColumnRef(column=name)): None for name in named}
            if select is not None:
                keys |= correlated(select, scope)
            begin = self._page.first(query)
            if isinstance(around, exp.In | exp.Exists) or keys:
                words = (TokenType.IN, TokenType.EXISTS) if isinstance(around, exp.In | exp.Exists) else (TokenType.SELECT,)
                flow = self._add(OperationKind.JOIN, self._page.clause(words, begin), flow, view.flow, keys=keys)
        return flow

    def _grouped(self, select: exp.Select, flow: Flow, scope: Scope) -> Flow:
        group = select.args.get("group")
        chosen: list[exp.Expr] = list(select.expressions)
        having = select.args.get("having")
        functions = self._aggregates([*chosen, *([having] if having is not None else [])])
        if group is not None:
            clauses = [clause for part in ("rollup", "cube", "grouping_sets") for clause in group.args.get(part) or ()]
            keys = grouping([*group.expressions, *(expression for clause in clauses for expression in clause.expressions)], chosen, scope)
            spot = self._page.clause((TokenType.GROUP_BY,), self._page.first(group))
            return self._add(OperationKind.GROUP, spot, flow, keys=keys, functions=functions)
        if functions:
            spot = self._page.clause((TokenType.SELECT,), self._page.first(*chosen))
            return self._add(OperationKind.GROUP, spot, flow, functions=functions)
        return flow

    def _aggregates(self, expressions: list[exp.Expr]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for expression in expressions:
            for node in expression.dfs(prune=lambda inner: isinstance(inner, exp.Query | exp.Window)):
                if isinstance(node, exp.AggFunc):
                    found[self._page.word(node)] = None
        return tuple(found)

    def _windows(self, select: exp.Select, flow: Flow, scope: Scope) -> Flow:
        named = {window.name.lower(): window for window in select.args.get("windows") or ()}
        places = [*select.expressions, *(node for clause in ("qualify", "order") if (node := select.args.get(clause)))]
        seen: set[tuple[tuple[str, ColumnRef], ...]] = set()
        for window in [verdict for place in places for verdict in within(place) if isinstance(verdict, exp.Window)]:
            keys = scope.keys(partition_of(window, named))
            if tuple(keys) not in seen:
                seen.add(tuple(keys))
                used = self._page.piece(window)
                about = self._specified(window, named, used)
                functions = (self._page.word(window.this),)
                used_line = used.line if about is not used else None
                flow = self._add(OperationKind.WINDOW, about, flow, keys=keys, functions=functions, used_line=used_line)
        return flow

    def _specified(self, window: exp.Window, named: dict[str, exp.Window], used: Spot) -> Spot:
        """Where a change of it is made: at its name's specification, if it has one in another line."""
        elsewhere = named.get(window.alias.lower()) if window.alias else None
        spot = self._page.piece(elsewhere) if elsewhere is not None else used
        return spot if spot.line != used.line else used

    def _ordered(self, query: exp.Expr, flow: Flow, scope: Scope, chosen: list[exp.Expr] | tuple[()]) -> Flow:
        """ORDER BY sorts all rows; DISTRIBUTE BY and CLUSTER BY only say where each goes. SORT BY stays within a partition."""
        for clause, keyword, kind in (
            ("order", TokenType.ORDER_BY, OperationKind.SORT),
            ("distribute", TokenType.DISTRIBUTE_BY, OperationKind.REPARTITION),
            ("cluster", TokenType.CLUSTER_BY, OperationKind.REPARTITION),
        ):
            node = query.args.get(clause)
            if node is not None:
                keys = ordering(node.expressions, list(chosen), scope)
                flow = self._add(kind, self._page.clause((keyword,), self._page.first(node)), flow, keys=keys)
        return flow

    def _partition_hints(self, select: exp.Select, flow: Flow) -> Flow:
        for name, words in hints(select, (*PARTITION_HINTS, "COALESCE")):
            counts = [int(word) for word in words if word.isdecimal() and len(word) < 10]
            kind = OperationKind.COALESCE if name == "COALESCE" else OperationKind.REPARTITION
            keys: Keys = {(word, ColumnRef(column=word)): None for word in words if not word.isdecimal()}
            spot = self._page.hint(select, name)
            flow = self._add(kind, spot, flow, keys=keys, count=counts[0] if counts else None, hints=(name,))
        return flow

    def _add(
        self,
        kind: OperationKind,
        spot: Spot,
        *flows: Flow,
        keys: Keys | None = None,
        functions: tuple[str, ...] = (),
        hints: tuple[str, ...] = (),
        count: int | None = None,
        is_broadcast: bool = False,
        used_line: int | None = None,
    ) -> Flow:
        named = keys or {}
        return self._ledger.add(
            kind,
            spot,
            *flows,
            columns=tuple(dict.fromkeys(name for name, _ in named)),
            origins=tuple(dict.fromkeys(origin for _, origin in named)),
            functions=functions,
            hints=hints,
            count=count,
            is_broadcast=is_broadcast,
            used_line=used_line,
        )
