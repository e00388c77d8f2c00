"""The operations of a script in SQL, or of the SQL in a program's strings: what is read, joined by which keys, and written.

Nothing is run. A statement that cannot be read is reported with its line, and the others are still read."""

import re

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from contracts.code import OperationKind, ScriptFacts
from contracts.statements import name, say
from workers.engines.scripts.facts import SCRIPT_CHARS, TOO_LONG, facts_of
from workers.engines.scripts.ledger import Flow, Ledger, View
from workers.engines.scripts.source_text import Assembled
from workers.engines.scripts.words import table_of
from workers.engines.sql.operations.clauses import renamed
from workers.engines.sql.operations.page import Page
from workers.engines.sql.operations.query import QueryReader
from workers.engines.sql.operations.scope import Keys, Scope
from workers.engines.sql.operations.statements import TOO_DEEP, UNKNOWN_GRAMMAR, Statement, statements

LEADING = frozenset(
    getattr(TokenType, name) for name in ("SELECT", "WITH", "INSERT", "CREATE", "MERGE", "FROM", "L_PAREN", "UPDATE", "DELETE", "CACHE")
)
"""How statements begin that work on tables. Others (`ADD JAR`, `USE`, `ANALYZE`) need not be understood."""

WRITING = frozenset(getattr(TokenType, name) for name in ("INSERT", "CREATE", "MERGE", "UPDATE", "DELETE"))

SETTING = re.compile(r"\s*SET\s+(spark\.[\w.\-]+)\s*=\s*(\S[^\n]*)", re.IGNORECASE)
"""Taken as a text: a setting's value need not be an expression of SQL."""


def read_sql(text: str) -> ScriptFacts:
    """The operations, each with its place in the text. Statements that cannot be read are reported in `unreadable`; nothing is raised."""
    if len(text) > SCRIPT_CHARS:
        return ScriptFacts(language="sql", unreadable=TOO_LONG)
    ledger = Ledger()
    read_into(ledger, Assembled.whole(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text))
    if not (ledger.operations or ledger.settings or ledger.unread):
        ledger.unread.append(say("code.problem.no_statement"))
    return facts_of(ledger, language="sql")


def read_into(ledger: Ledger, source: Assembled) -> Flow | None:
    """Note the operations of all statements of a text, and what flows out of the last one; None if that cannot be read."""
    flow: Flow | None = None
    for statement in statements(source.text):
        flow = _read(ledger, source, statement)
    return flow


def _read(ledger: Ledger, source: Assembled, statement: Statement) -> Flow | None:
    setting = SETTING.match(statement.text, statement.tokens[0].start if statement.tokens else 0)
    if setting:
        line, _ = source.place(statement.start + setting.start(1))
        ledger.set(setting[1], setting[2].strip("'\""), line)
        return Flow()
    first = statement.tokens[0].token_type if statement.tokens else None
    if first is not None and first not in LEADING:
        return Flow()
    before = len(ledger.operations)
    problem, at = statement.problem, statement.problem_at
    if statement.tree is not None:
        try:
            return _StatementReader(ledger, Page(statement, source)).read(statement.tree)
        except RecursionError:
            problem, at = TOO_DEEP, 0
        except (AttributeError, KeyError, TypeError, ValueError):
            problem, at = say("code.sql.misplaced"), 0  # of a broken text the parser makes trees of any shape
        del ledger.operations[before:]
    line, _ = source.place(statement.start + at)
    ledger.unread.append(say("code.problem.sql", line=name(line), why=problem or UNKNOWN_GRAMMAR))
    return None


class _StatementReader:
    """Reads one statement: what is done with its query's result."""

    def __init__(self, ledger: Ledger, page: Page) -> None:
        self._ledger = ledger
        self._page = page
        self._queries = QueryReader(ledger, page)

    def read(self, tree: exp.Expr) -> Flow:
        """Note it, and give what flows out of it."""
        if not isinstance(tree, exp.Query):
            self._queries.with_named(tree.args.get("with_"))
        match tree:
            case exp.Query():
                return self._queries.query(tree).flow
            case exp.Insert():
                return self._insert(tree)
            case exp.MultitableInserts():
                return self._inserts(tree)
            case exp.Create():
                return self._create(tree)
            case exp.Merge():
                return self._merge(tree)
            case exp.Cache():
                return self._cache(tree)
            case exp.Update() | exp.Delete():
                return self._write(tree.this if isinstance(tree.this, exp.Expr) else tree, Flow())
            case _:
                return Flow()

    def _write(self, target: exp.Expr, flow: Flow) -> Flow:
        return self._ledger.add(OperationKind.WRITE, self._page.clause(WRITING, self._page.first(target)), flow)

    def _insert(self, insert: exp.Insert) -> Flow:
        query = insert.expression
        flow = self._queries.query(query).flow if isinstance(query, exp.Query) else Flow()
        return self._write(insert.this, flow)

    def _inserts(self, inserts: exp.MultitableInserts) -> Flow:
        """Hive's `FROM a INSERT ... SELECT ... INSERT ... SELECT ...`: each of the inserts reads the FROM in front."""
        flow = Flow()
        source = inserts.args.get("source")
        for insert in inserts.expressions:
            if isinstance(insert, exp.Insert):
                query = insert.expression
                if source is not None and isinstance(query, exp.Select) and query.args.get("from_") is None:
                    query.set("from_", exp.From(this=source.copy()))
                flow = self._insert(insert)
        return flow

    def _create(self, create: exp.Create) -> Flow:
        target = create.this.this if isinstance(create.this, exp.Schema) else create.this
        if not isinstance(target, exp.Table) or create.kind not in ("TABLE", "VIEW"):
            return Flow()
        name = target.name.lower()
        if isinstance(create.expression, exp.Query):
            view = renamed(self._queries.query(create.expression), create.this)
            if create.kind == "VIEW":
                self._ledger.views[name] = view
                return view.flow
            return self._write(target, view.flow)
        path = _location(create)
        if path:
            tables = (table_of(path),) if create.kind == "VIEW" else (table_of(target.name), table_of(path))
            spot = self._page.clause((TokenType.CREATE,), self._page.first(target))
            flow = self._ledger.add(OperationKind.READ, spot, tables=tuple(dict.fromkeys(tables)))
            self._ledger.views[name] = View(flow)
            return flow
        return Flow()

    def _merge(self, merge: exp.Merge) -> Flow:
        scope = Scope()
        flows: list[Flow] = []
        for side in (merge.this, merge.args["using"]):
            view = self._queries.query(side)
            scope.views[side.alias_or_name.lower()] = view
            flows.append(view.flow)
        on = merge.args.get("on")
        keys: Keys = scope.compared(on) if isinstance(on, exp.Expr) else {}
        spot = self._page.clause((TokenType.USING,), self._page.first(merge.args["using"]))
        joined = self._ledger.add(
            OperationKind.JOIN,
            spot,
            *flows,
            columns=tuple(dict.fromkeys(name for name, _ in keys)),
            origins=tuple(dict.fromkeys(origin for _, origin in keys)),
        )
        return self._write(merge.this, joined)

    def _cache(self, cache: exp.Cache) -> Flow:
        target = cache.this
        query = cache.args.get("expression")
        view = self._queries.query(query if isinstance(query, exp.Query) else target)
        flow = self._ledger.add(OperationKind.CACHE, self._page.clause((TokenType.CACHE,), self._page.first(target)), view.flow)
        self._ledger.views[target.name.lower()] = View(flow, view.columns, view.is_open)
        return flow


def _location(create: exp.Create) -> str:
    """Where the files of a table lie, if the statement says so."""
    for property_ in create.find_all(exp.LocationProperty, exp.Property):
        if isinstance(property_, exp.LocationProperty):
            return property_.this.name
        if type(property_) is exp.Property and property_.name.lower() == "path":
            return property_.text("value")
    return ""
