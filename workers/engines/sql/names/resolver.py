"""Resolves the names of a statement: queries from the inside out, then the columns of each."""

from collections.abc import Sequence
from typing import cast

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.names.aliases import PSEUDO_COLUMNS, STRINGS_IN_QUOTES, Clause, may_use_alias
from workers.engines.sql.names.known import KnownTables
from workers.engines.sql.names.lookup import columns_and_queries, find_source, target_of, visible_from
from workers.engines.sql.names.model import NameProblem, NameProblemKind, Output, Resolved, ResolvedColumn, Scope, Source
from workers.engines.sql.names.nearest import nearest
from workers.engines.sql.names.sources import Ctes, Sources
from workers.engines.sql.trees import ctes_of, dialect_of, parse_statement, place_of

CLAUSES = {"where": Clause.WHERE, "group": Clause.GROUP, "having": Clause.HAVING, "qualify": Clause.QUALIFY, "order": Clause.ORDER}
OTHER_PARTS = ("distinct", "windows", "limit", "offset", "sort", "distribute", "cluster", "connect", "prewhere", "match")


def resolve(sql: str | exp.Expr, tables: Sequence[TableDetail], dialect: str, *, lateral_aliases: bool = False) -> Resolved:
    """Which table each column of one statement comes from.

    Without `tables` nothing is a problem: tables and their columns are taken as they are written. Raises `NotParsed`.
    `lateral_aliases`: an alias may be used by later items of its select, in any dialect.
    """
    tree = parse_statement(sql, dialect) if isinstance(sql, str) else sql.copy()
    reader = _Reader(KnownTables(tables), dialect_of(dialect), lateral_aliases)
    return reader.read(tree)


class _Reader:
    def __init__(self, known: KnownTables, dialect: str, lateral_aliases: bool) -> None:
        self.known = known
        self.dialect = dialect
        self.lateral_aliases = lateral_aliases
        self.scopes: list[Scope] = []
        self.columns: list[ResolvedColumn] = []
        self.by_node: dict[int, ResolvedColumn] = {}
        self.sources = Sources(known, self.query)
        self.problems = self.sources.problems

    def read(self, tree: exp.Expr) -> Resolved:
        root, target = self._statement(tree)
        for found in self.columns:
            if found.source is not None and found.source.alias and not found.node.table and not found.also and not found.is_assigned:
                found.node.set("table", exp.to_identifier(found.source.alias))
        problems = sorted(self.problems, key=lambda problem: problem.place.start if problem.place else 0)
        return Resolved(tree, self.dialect, root, self.scopes, self.sources.tables, target, self.columns, problems, self.by_node)

    # statements

    def _statement(self, tree: exp.Expr) -> tuple[Scope | None, Source | None]:
        if isinstance(tree, exp.Query):
            return self.query(tree, None, {}), None
        if isinstance(tree, exp.Create):
            return self._create(tree)
        if isinstance(tree, exp.Insert):
            return self._insert(tree)
        if isinstance(tree, exp.Update):
            return self._update(tree)
        if isinstance(tree, exp.Delete):
            return self._delete(tree)
        if isinstance(tree, exp.Merge):
            return self._merge(tree)
        inner = next((node for node in tree.iter_expressions() if isinstance(node, exp.Query)), None)
        return (self.query(inner, None, {}) if inner is not None else None), None

    def _create(self, tree: exp.Create) -> tuple[Scope | None, Source | None]:
        target = target_of(tree.this)
        made = Source(target.name, target, ".".join(part.name for part in target.parts)) if target is not None else None
        if not isinstance(tree.expression, exp.Query):
            return None, made
        return self.query(tree.expression, None, self._ctes(tree, None, {})), made

    def _insert(self, tree: exp.Insert) -> tuple[Scope | None, Source | None]:
        node = target_of(tree.this)
        target = self.sources.table(node, is_read=False) if node is not None else None
        if target is not None and isinstance(tree.this, exp.Schema):
            for name in tree.this.expressions:
                self._check_target_column(name, target)
        ctes = self._ctes(tree, None, {})
        root = None
        if isinstance(tree.expression, exp.Query):
            root = self.query(tree.expression, None, ctes)
        elif isinstance(tree.expression, exp.Values):
            self._columns(tree.expression, Scope(tree, ctes=ctes), Clause.SELECT)
        conflict = tree.args.get("conflict")
        if isinstance(conflict, exp.Expr) and target is not None:
            self._conflict(conflict, Scope(tree, sources={target.alias.lower(): target}, ctes=ctes), target)
        return root, target

    def _conflict(self, conflict: exp.Expr, scope: Scope, target: Source) -> None:
        """ON CONFLICT: names without a qualifier are the target's; `excluded` is the row that was not inserted."""
        scope.outer = Scope(scope.node, sources={"excluded": Source("excluded", target.node, target.table_name, target.table)})
        for pair in conflict.expressions:
            self._assigned(pair, scope, target)
        self._columns(conflict.args.get("where"), scope, Clause.WHERE)

    def _assigned(self, pair: exp.Expr, scope: Scope, target: Source | None) -> None:
        """`column = value` of an UPDATE."""
        left = pair.this if isinstance(pair, exp.EQ) else None
        if target is not None and isinstance(left, exp.Column) and not left.table:
            self._note(ResolvedColumn(left, scope, left.name, target, is_assigned=True))
            self._check_target_column(left, target)
            self._columns(pair.expression, scope, Clause.SELECT)
        else:
            self._columns(pair, scope, Clause.SELECT)

    def _update(self, tree: exp.Update) -> tuple[Scope | None, Source | None]:
        ctes = self._ctes(tree, None, {})
        scope = Scope(tree, ctes=ctes)
        target = self.sources.add(tree.this, scope, ctes, None)
        self.sources.add_from(tree, scope, ctes)
        target = self._renamed_target(target, scope)
        self._read_arguments()
        for pair in tree.expressions:
            self._assigned(pair, scope, target)
        self._finish(tree, scope)
        return scope, target

    def _renamed_target(self, target: Source | None, scope: Scope) -> Source | None:
        """`UPDATE t SET .. FROM tab AS t`: the target is an alias of the FROM."""
        if target is None or target.table is not None:
            return target
        named = [source for source in scope.sources.values() if source is not target and source.alias.lower() == target.table_name.lower()]
        return named[0] if named else target

    def _delete(self, tree: exp.Delete) -> tuple[Scope | None, Source | None]:
        ctes = self._ctes(tree, None, {})
        scope = Scope(tree, ctes=ctes)
        target = self.sources.add(tree.this, scope, ctes, None) if isinstance(tree.this, exp.Expr) else None
        using = tree.args.get("using")
        for node in cast("list[exp.Expr]", using if isinstance(using, list) else []):
            self.sources.add(node, scope, ctes, None)
        self._read_arguments()
        self._finish(tree, scope)
        return scope, target

    def _merge(self, tree: exp.Merge) -> tuple[Scope | None, Source | None]:
        ctes = self._ctes(tree, None, {})
        scope = Scope(tree, ctes=ctes)
        target = self.sources.add(tree.this, scope, ctes, None)
        self.sources.add(tree.args["using"], scope, ctes, None)
        self._read_arguments()
        self._columns(tree.args.get("on"), scope, Clause.FROM)
        for when in cast("list[exp.Expr]", tree.args["whens"].expressions):
            self._columns(when.args.get("condition"), scope, Clause.WHERE)
            then = when.args.get("then")
            if isinstance(then, exp.Insert):
                if isinstance(then.this, exp.Tuple) and target is not None:
                    for name in then.this.expressions:
                        self._check_target_column(name, target)
                self._columns(then.args.get("expression"), scope, Clause.SELECT)
            elif isinstance(then, exp.Update):
                for pair in then.expressions:
                    self._assigned(pair, scope, target)
        return scope, target

    def _finish(self, tree: exp.Expr, scope: Scope) -> None:
        for part in ("where", "order", "returning"):
            self._columns(tree.args.get(part), scope, Clause.WHERE)
        self.scopes.append(scope)

    def _check_target_column(self, node: exp.Expr, target: Source) -> None:
        if target.has(node.name) is False:
            likely = nearest(node.name, target.columns or ())
            self.problems.append(
                NameProblem(NameProblemKind.UNKNOWN_COLUMN, node.name, place_of(node), likely, self.known.with_column(node.name), node=node)
            )

    # queries

    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Scope:
        """A query of any form; the scope is listed after those that it reads."""
        ctes = self._ctes(node, outer, ctes)
        if isinstance(node, exp.Subquery):
            return self._in_brackets(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        scope = Scope(node, outer, ctes=ctes)
        if isinstance(node, exp.Table):
            self.sources.add(node, scope, ctes, None)
            scope.outputs = self._star(exp.Star(), scope, list(scope.sources.values()))
        self.scopes.append(scope)
        return scope

    def _in_brackets(self, node: exp.Subquery, outer: Scope | None, ctes: Ctes) -> Scope:
        scope = self.query(node.this, outer, ctes)
        for part in ("order", "limit", "offset"):
            self._columns(node.args.get(part), scope, CLAUSES.get(part, Clause.SELECT))
        return scope

    def _set_operation(self, node: exp.SetOperation, outer: Scope | None, ctes: Ctes) -> Scope:
        scope = Scope(node, outer, ctes=ctes)
        left = self.query(node.this, outer, ctes)
        right = self.query(node.expression, outer, ctes)
        scope.branches = [left, right]
        scope.outputs = [Output(output.name, output.node, output.source, output.column) for output in left.outputs]
        self._columns(node.args.get("order"), scope, Clause.ORDER)
        self.scopes.append(scope)
        return scope

    def _ctes(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Ctes:
        with_ = ctes_of(node)
        if with_ is None:
            return ctes
        found = dict(ctes)
        for cte in with_.expressions:
            name = cte.alias
            if with_.args.get("recursive") and isinstance(cte.this, exp.SetOperation):
                made = self._recursive(cte, outer, found)
            elif isinstance(cte.this, exp.Query):
                made = self.query(cte.this, outer, found)
            else:
                root, _ = self._statement(cte.this)
                made = root or Scope(cte.this, outer)
            found[name.lower()] = _named(made, cte)
        return found

    def _recursive(self, cte: exp.CTE, outer: Scope | None, ctes: Ctes) -> Scope:
        union = cte.this
        first = self.query(union.this, outer, ctes)
        itself = _named(Scope(union, outer, outputs=list(first.outputs)), cte)
        second = self.query(union.expression, outer, {**ctes, cte.alias.lower(): itself})
        itself.branches = [first, second]
        self.scopes.append(itself)
        return itself

    def _select(self, node: exp.Select, outer: Scope | None, ctes: Ctes) -> Scope:
        scope = Scope(node, outer, ctes=ctes)
        self.sources.add_from(node, scope, ctes)
        self._read_arguments()
        for item in node.expressions:
            self._item(item, scope)
        for part, clause in CLAUSES.items():
            self._columns(node.args.get(part), scope, clause)
        for part in OTHER_PARTS:
            value = node.args.get(part)
            for inner in cast("list[object]", value if isinstance(value, list) else [value]):
                self._columns(inner, scope, Clause.SELECT)
        self.scopes.append(scope)
        return scope

    def _read_arguments(self) -> None:
        waiting, self.sources.arguments = self.sources.arguments, []
        for node, scope in waiting:
            self._columns(node, scope, Clause.FROM)

    def _item(self, item: exp.Expr, scope: Scope) -> None:
        if isinstance(item, exp.Star):
            scope.outputs += self._star(item, scope, list(scope.sources.values()))
        elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            source = find_source(scope, item) or self._table_of_alias(scope, item)
            if source is None:
                self._unknown_qualifier(item, scope)
            scope.outputs += self._star(item.this, scope, [source]) if source else [Output("*", item)]
        else:
            self._columns(item, scope, Clause.SELECT)
            names = [alias.name for alias in item.expressions] if isinstance(item, exp.Aliases) else [item.output_name]
            scope.outputs += [Output(name, item) for name in names]

    def _star(self, star: exp.Expr, scope: Scope, sources: list[Source]) -> list[Output]:
        left_out = {node.name.lower() for node in cast("list[exp.Expr]", star.args.get("except_") or [])}
        replaced = {node.alias.lower(): node for node in cast("list[exp.Expr]", star.args.get("replace") or [])}
        renamed = {node.this.name.lower(): node.alias for node in cast("list[exp.Expr]", star.args.get("rename") or [])}
        made: list[Output] = []
        for source in sources:
            columns = source.columns
            if columns is None:
                made.append(Output("*", star, source))
                continue
            for name in columns:
                merged = scope.merged.get(name.lower(), [])
                if name.lower() in left_out or source in merged[1:]:
                    continue
                if name.lower() in replaced:
                    self._columns(replaced[name.lower()].this, scope, Clause.SELECT)
                    made.append(Output(name, replaced[name.lower()].this))
                else:
                    made.append(Output(renamed.get(name.lower(), name), None, source, name))
        return made

    # columns

    def _columns(self, node: object, scope: Scope, clause: Clause) -> None:
        if not isinstance(node, exp.Expr):
            return
        for inner in list(columns_and_queries(node)):
            if isinstance(inner, exp.Column):
                self._column(inner, scope, clause)
            else:
                self.query(inner, scope, scope.ctes)

    def _column(self, node: exp.Column, scope: Scope, clause: Clause) -> None:
        if isinstance(node.this, exp.Star):
            return
        if node.table:
            self._qualified(node, scope)
            return
        by_alias = may_use_alias(clause, self.dialect) or (clause is Clause.SELECT and self.lateral_aliases)
        own_alias = scope.output(node.name) if by_alias else None
        if own_alias is not None and clause is Clause.ORDER:
            self._note(ResolvedColumn(node, scope, node.name, alias_of=own_alias))
        elif not self._unqualified(node, scope, own_alias) and not self._is_no_column(node, scope):
            self._unknown(node, scope)

    def _qualified(self, node: exp.Column, scope: Scope) -> None:
        around: Scope | None = scope
        while around is not None:
            source = find_source(around, node) or self._table_of_alias(around, node)
            if source is not None:
                self._note(ResolvedColumn(node, scope, node.name, source, is_outer=around is not scope))
                if source.has(node.name) is False and node.name.lower() not in PSEUDO_COLUMNS:
                    self._unknown(node, scope, source)
                return
            around = around.outer
        holder = next((source for source in scope.sources.values() if source.has(node.table)), None)
        if holder is not None:
            self._note(ResolvedColumn(node, scope, node.table, holder))
            return
        self._unknown_qualifier(node, scope)

    def _table_of_alias(self, scope: Scope, node: exp.Column) -> Source | None:
        """Where nothing is known, a table that has an alias is also meant by its name."""
        if self.known.tables:
            return None
        return next((source for source in scope.sources.values() if source.table_name.lower() == node.table.lower()), None)

    def _unqualified(self, node: exp.Column, scope: Scope, own_alias: Output | None) -> bool:
        around: Scope | None = scope
        possible: list[Source] = []
        while around is not None:
            if merged := around.merged.get(node.name.lower()):
                self._note(ResolvedColumn(node, scope, node.name, merged[0], is_outer=around is not scope, also=tuple(merged[1:])))
                return True
            having = [source for source in around.sources.values() if source.has(node.name)]
            if having:
                self._note(ResolvedColumn(node, scope, node.name, having[0], is_outer=around is not scope))
                if len(having) > 1:
                    meant = tuple(f"{source.alias}.{node.name}" for source in having)
                    self.problems.append(NameProblem(NameProblemKind.AMBIGUOUS_COLUMN, node.name, place_of(node), meant, node=node))
                return True
            if around is scope and own_alias is not None:
                self._note(ResolvedColumn(node, scope, node.name, alias_of=own_alias))
                return True
            possible += [source for source in around.sources.values() if source.has(node.name) is None]
            if possible:
                self._note(ResolvedColumn(node, scope, node.name, possible[0], is_outer=around is not scope, also=tuple(possible[1:])))
                return True
            around = around.outer
        return False

    def _is_no_column(self, node: exp.Column, scope: Scope) -> bool:
        """A pseudo-column, a whole row, or a string in double quotes."""
        if node.name.lower() in PSEUDO_COLUMNS or node.name.lower() in scope.sources or not (scope.sources or scope.outer):
            return True
        return self.dialect in STRINGS_IN_QUOTES and bool(node.this.args.get("quoted"))

    def _unknown(self, node: exp.Column, scope: Scope, source: Source | None = None) -> None:
        sources = [source] if source is not None else list(visible_from(scope))
        names = {f"{found.alias}.{name}" if len(sources) > 1 else name for found in sources for name in found.columns or ()}
        written = f"{node.table}.{node.name}" if node.table else node.name
        elsewhere = self.known.with_column(node.name)
        self.problems.append(
            NameProblem(NameProblemKind.UNKNOWN_COLUMN, written, place_of(node), nearest(node.name, sorted(names)), elsewhere, node=node)
        )

    def _unknown_qualifier(self, node: exp.Column, scope: Scope) -> None:
        if not self.known.tables:
            return
        sources = list(visible_from(scope))
        having = [source.alias for source in sources if source.has(node.name)]
        likely = tuple(dict.fromkeys([*nearest(node.table, [source.alias for source in sources]), *having]))
        written = f"{node.table}.{node.name}"
        self.problems.append(NameProblem(NameProblemKind.UNKNOWN_QUALIFIER, written, place_of(node), likely, node=node))

    def _note(self, found: ResolvedColumn) -> None:
        self.columns.append(found)
        self.by_node[id(found.node)] = found


def _named(scope: Scope, cte: exp.Expr) -> Scope:
    """A CTE's scope, with the names that its definition gives the columns."""
    alias = cte.args.get("alias")
    names = [node.name for node in cast("list[exp.Expr]", alias.args.get("columns") or [])] if isinstance(alias, exp.TableAlias) else []
    for output, name in zip(scope.outputs, names, strict=False):
        output.name = name
    scope.alias = cte.alias
    return scope
