"""A program's calls on tables, followed through its names: what is read, joined by which keys, grouped, repartitioned.

It works on a Python syntax tree, into which other languages are brought. The program is never run. Names are followed through
assignments in the order of the text, into functions and branches alike, so what a call works on is right for programs that are
written top to bottom, as jobs are."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from contracts.code import OperationKind
from workers.engines.code.python_names import Names, makes_function, takes_table
from workers.engines.code.strings import Strings
from workers.engines.scripts.ledger import Flow, Ledger, Loop, Spot, View
from workers.engines.scripts.words import (
    COUNT_WORDS,
    MADE,
    METHODS,
    OF_NUMBERS,
    READERS,
    SESSIONS,
    SQL_COLUMN,
    SQL_TABLE,
    STARTS,
    VIEWS,
    WRITERS,
    table_of,
)
from workers.engines.sql.operations.expressions import expression_columns, expression_windows
from workers.engines.sql.operations.script import read_into


@dataclass
class WindowKeys:
    """What a window is partitioned by, and where that is said; in an expression of SQL, nowhere else than the expression."""

    columns: tuple[str, ...] = ()
    spot: Spot | None = None


@dataclass
class Handle:
    """`spark`, `spark.read`, `df.write`: the way to a table rather than a table."""

    role: str
    flow: Flow = field(default_factory=Flow)


Value = Flow | WindowKeys | Handle | None


class ScriptReader:
    """Reads the statements of one program into a ledger."""

    def __init__(self, ledger: Ledger, names: Names, strings: Strings, spot: Callable[[ast.Call, str], Spot]) -> None:
        """`spot` gives the place and the text of a method's call."""
        self._ledger = ledger
        self._names = names
        self._strings = strings
        self._spot = spot
        self._returned: Flow | WindowKeys | None = None
        self._made_by: dict[str, range] = {}
        """A function's name → the operations of its body."""

    def block(self, statements: list[ast.stmt]) -> None:
        """Read these statements, in order."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assign(name, value)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                self._assign(f"self.{name}", value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                for target, value in zip(names, values, strict=True):
                    self._statement(ast.Assign(targets=[target], value=value, lineno=statement.lineno))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self._value(value)
                self._strings.assign(name, value, is_more=True)
            case ast.FunctionDef(name=name, args=arguments, body=body):
                self._names.functions[name] = None
                self._names.values.update({argument.arg: Flow() for argument in arguments.args if takes_table(argument)})
                self._function(name, body)
            case ast.Return(value=ast.expr() as value):
                found = self._value(value)
                self._returned = found if isinstance(found, Flow | WindowKeys) else self._returned
            case ast.Expr(value=value):
                self._value(value)
            case ast.For() | ast.While():
                self._loop(statement)
            case _:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.stmt):
                        self._statement(child)
                    elif isinstance(child, ast.expr):
                        self._value(child)
                    elif isinstance(child, ast.ExceptHandler | ast.match_case):
                        self.block(child.body)

    def _loop(self, loop: ast.For | ast.While) -> None:
        """What it goes over is made once, its body in each turn."""
        self._value(loop.iter if isinstance(loop, ast.For) else loop.test)
        outer, self._ledger.loop = self._ledger.loop, Loop(loop.lineno, _head(loop))
        self.block(loop.body)
        self._ledger.loop = outer
        self.block(loop.orelse)

    def _function(self, name: str, body: list[ast.stmt]) -> None:
        """The body in its place, and what it hands back: what a call of it without a table is."""
        outer, self._returned = self._returned, None
        before = len(self._ledger.operations)
        self.block(body)
        self._made_by[name] = range(before, len(self._ledger.operations))
        self._names.returned[name] = self._returned
        self._returned = outer

    def _assign(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Constant):
            self._names.constants[name] = value.value
        self._strings.assign(name, value)
        if isinstance(value, ast.Call) and makes_function(value):
            match value.args[:1]:
                case [ast.Lambda()]:
                    self._names.functions[name] = None
                case [ast.Name(id=function)] if function in self._names.functions:
                    self._names.wrapped[name] = function
                case _:
                    pass
        operations = self._ledger.operations
        before = len(operations)
        self._names.values[name] = self._value(value)
        operations[before:] = [operation.model_copy(update={"variable": name}) for operation in operations[before:]]

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.ListComp(elt=made, generators=loops) | ast.GeneratorExp(elt=made, generators=loops):
                for loop in loops:
                    self._value(loop.iter)
                outer, self._ledger.loop = self._ledger.loop, Loop(node.lineno, ast.unparse(node))
                found = self._value(made)
                self._ledger.loop = outer
                return found if isinstance(found, Flow) else None
            case ast.Name(id=name):
                known = self._names.values.get(name)
                return known if isinstance(known, Flow | WindowKeys | Handle) else Handle("spark") if name in SESSIONS else None
            case ast.Attribute(value=inner, attr=attr):
                return self._attribute(self._value(inner), inner, attr)
            case ast.Call():
                return self._call(node)
            case _:
                found: Value = None
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        found = self._value(child) or found
                return found if isinstance(node, ast.IfExp | ast.BoolOp | ast.NamedExpr) else None

    def _attribute(self, inner: Value, node: ast.expr, attr: str) -> Value:
        if isinstance(node, ast.Name) and node.id == "self" and f"self.{attr}" in self._names.values:
            known = self._names.values[f"self.{attr}"]
            return known if isinstance(known, Flow | WindowKeys | Handle) else None
        if isinstance(inner, Handle) and attr in ("read", "readStream"):
            return Handle("read")
        if isinstance(inner, Flow):
            return Handle("write", inner) if attr in ("write", "writeStream") else inner if attr in ("rdd", "na", "stat") else None
        if isinstance(inner, Handle) or attr in SESSIONS:
            return inner or Handle("spark")
        return WindowKeys() if isinstance(node, ast.Name) and node.id == "Window" else None

    def _call(self, call: ast.Call) -> Value:
        function = call.func
        if isinstance(function, ast.Name):
            return self._plain(call, function.id)
        if not isinstance(function, ast.Attribute):
            return None
        name = function.attr
        if isinstance(function.value, ast.Name) and function.value.id == "Window":
            return WindowKeys(self._names.columns(call.args) if name == "partitionBy" else (), self._spot(call, name))
        if name == "broadcast":  # by its whole name too
            return self._plain(call, name)
        receiver = self._value(function.value)
        if isinstance(receiver, WindowKeys):
            return WindowKeys(self._names.columns(call.args), self._spot(call, name)) if name == "partitionBy" else receiver
        if isinstance(receiver, Handle):
            return self._handle(call, name, receiver)
        if isinstance(receiver, Flow):
            return self._method(call, name, receiver)
        if name in self._names.functions:  # the program's own method
            return self._plain(call, name)
        if METHODS.get(name) is OperationKind.UNION:  # `parts = None`, and a loop that puts the first part there
            parts = [value for argument in _arguments(call) if isinstance(value := self._value(argument), Flow)]
            return self._add(call, OperationKind.UNION, *parts) if parts else None
        if name == "reduce" and len(call.args) > 1:
            return self._reduced(call)
        for argument in _arguments(call):
            value = self._value(argument)
            if name == "append" and isinstance(value, Flow) and isinstance(function.value, ast.Name):
                self._names.values[function.value.id] = value  # a list of parts is known by its last one, as a comprehension is
        return Handle("spark") if name in ("getOrCreate", "getActiveSession") else None

    def _plain(self, call: ast.Call, name: str) -> Value:
        if name == "sql" and name not in self._names.functions:  # `import spark.sql`
            return self._sql(call, [word for argument in call.args if isinstance(word := self._names.constant(argument), str)])
        if name == "reduce" and len(call.args) > 1 and name not in self._names.functions:
            return self._reduced(call)
        values = [self._value(argument) for argument in _arguments(call)]
        flows = [value for value in values if isinstance(value, Flow)]
        if name == "broadcast" and flows:
            return Flow(flows[0].tables, flows[0].last, broadcast=True)
        if name in ("SparkConf", "SparkSession"):
            return Handle("spark")
        if name not in self._names.functions:
            return None
        self._ledger.repeat(self._made_by.get(name, range(0)))
        given = self._names.returned.get(name)
        handed = given if isinstance(given, Flow | WindowKeys) else None
        return flows[0] if flows else handed  # a helper most often hands on what it was given

    def _reduced(self, call: ast.Call) -> Value:
        """`functools.reduce(DataFrame.union, parts)`: a loop, the one that made the parts where one did."""
        given = [argument.value if isinstance(argument, ast.Subscript) else argument for argument in call.args[1:]]
        items, *others = map(self._value, given)  # of `parts[1:], parts[0]` both are the parts
        flows = [value for value in (*others, items) if isinstance(value, Flow)]
        made = self._ledger.operations[items.last] if isinstance(items, Flow) and items.last is not None else None
        loop = Loop(made.loop_line, made.loop_text) if made and made.loop_line else Loop(call.lineno, ast.unparse(call))
        outer, self._ledger.loop = self._ledger.loop, loop
        found: Value = None
        match call.args[0]:
            case ast.Lambda(args=parameters, body=body):
                names = [parameter.arg for parameter in parameters.args]
                hidden = {name: self._names.values.get(name) for name in names}
                self._names.values.update(zip(names, (flows[0] if flows else None, items), strict=False))
                found = self._value(body)
                self._names.values.update(hidden)
            case ast.Attribute(attr=attr) if flows and METHODS.get(attr) is OperationKind.UNION:
                found = self._add(call, OperationKind.UNION, *flows)
            case _:
                pass
        self._ledger.loop = outer
        return found or next(iter(flows), None)

    def _handle(self, call: ast.Call, name: str, handle: Handle) -> Value:
        if handle.role == "write":
            if name in WRITERS or name in STARTS or METHODS.get(name) is OperationKind.WRITE:
                return self._add(call, OperationKind.WRITE, handle.flow)
            return handle
        words = [word for argument in call.args if isinstance(word := self._names.constant(argument), str)]
        view = self._ledger.views.get(words[0].rsplit(".", 1)[-1].lower()) if words and name in ("table", "cacheTable") else None
        if view:
            return self._add(call, OperationKind.CACHE, view.flow) if name == "cacheTable" else view.flow
        if name in READERS:
            return self._add(call, OperationKind.READ, tables=tuple(table_of(word) for word in words))
        if name == "sql":
            return self._sql(call, words)
        if name in MADE:
            return self._made(call, name)
        if name in ("set", "config") and len(call.args) == 2:
            key, setting = self._names.constant(call.args[0]), self._names.constant(call.args[1])
            if isinstance(key, str) and isinstance(setting, str | int | float):
                self._ledger.set(key, str(setting).lower() if isinstance(setting, bool) else str(setting), call.args[0].lineno)
        return handle

    def _made(self, call: ast.Call, name: str) -> Flow:
        """A table that the program makes: of one that flows in, or of rows of its own, in as many partitions as it says."""
        given = [value for argument in _arguments(call) if isinstance(value := self._value(argument), Flow)]
        if given or name not in ("range", "parallelize"):
            return given[0] if given else Flow()
        place = 1 if name == "parallelize" else 3
        named = [*call.args[place : place + 1], *(word.value for word in call.keywords if word.arg in COUNT_WORDS)]
        count = next((value for node in named if type(value := self._names.constant(node)) is int), None)
        return self._ledger.add(OperationKind.READ, self._spot(call, name), count=count)

    def _sql(self, call: ast.Call, words: list[str]) -> Flow:
        """A statement: first its own operations, then the call, so that a reader of the call's result depends on these operations."""
        tables = {word.arg: value for word in call.keywords if word.arg and isinstance(value := self._value(word.value), Flow)}
        named = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "sqlQuery")]
        text = self._strings.assembled(named[0], tables) if named else None
        hidden = {name.lower(): self._ledger.views.get(name.lower()) for name in tables}
        self._ledger.views.update({name.lower(): View(flow) for name, flow in tables.items()})
        flow = read_into(self._ledger, text) if text else None
        for name, before in hidden.items():
            del self._ledger.views[name]
            if before:
                self._ledger.views[name] = before
        if flow is not None:
            return self._add(call, OperationKind.SQL, flow) if flow.last is not None else flow
        mentioned = tuple(dict.fromkeys(table_of(found) for word in words for found in SQL_TABLE.findall(word)))
        return self._add(call, OperationKind.SQL, tables=mentioned)

    def _method(self, call: ast.Call, name: str, flow: Flow) -> Value:
        arguments = list(_arguments(call))
        values = [self._value(argument) for argument in arguments]
        first = self._names.constant(arguments[0]) if arguments else None
        if name in VIEWS and isinstance(first, str):
            self._ledger.views[first.rsplit(".", 1)[-1].lower()] = View(flow)
            return None
        if name == "pivot" and len(arguments) == 1:  # it looks for the values of its column by a job of its own
            self._add(call, OperationKind.ACTION, flow)
            return flow
        if name == "hint":
            return Flow(flow.tables, flow.last, flow.broadcast or str(first).upper() in ("BROADCAST", "BROADCASTJOIN", "MAPJOIN"))
        windows = [window for argument in arguments for window in self._windows(argument, is_sql=name == "selectExpr")]
        if windows and METHODS.get(name) in (OperationKind.SELECT, None):
            return self._windowed(call, name, flow, windows)
        if name == "agg" and self._is_of_group(flow):
            return self._aggregated(flow, arguments)
        kind = self._kind_of(name, flow, has_arguments=bool(arguments))
        if kind is None:
            return Flow(flow.tables, flow.last, flow.broadcast)
        return self._add(call, kind, flow, *(value for value in values if isinstance(value, Flow)))

    def _is_of_group(self, flow: Flow) -> bool:
        return flow.last is not None and self._ledger.operations[flow.last].kind is OperationKind.GROUP

    def _aggregated(self, flow: Flow, arguments: list[ast.expr]) -> Flow:
        """The aggregates of the group that a flow ends with."""
        if flow.last is not None:
            grouped = self._ledger.operations[flow.last]
            self._ledger.operations[flow.last] = grouped.model_copy(update={"functions": self._names.called(arguments)})
        return flow

    def _kind_of(self, name: str, flow: Flow, *, has_arguments: bool) -> OperationKind | None:
        """What a method does to a flow; None: nothing of its own, such as the count of a group."""
        kind = METHODS.get(name)
        is_grouped = flow.last is not None and self._is_grouped(flow)
        if kind is None and name in OF_NUMBERS and not has_arguments and flow.last is not None and not is_grouped:
            return OperationKind.ACTION
        return None if kind is OperationKind.ACTION and is_grouped else kind

    def _windowed(self, call: ast.Call, name: str, flow: Flow, windows: list[WindowKeys]) -> Flow:
        """An operation with windows, in the place of the specification that a change is about: of one over all rows, if there is one."""
        used = self._spot(call, name)
        about = next((window.spot for window in windows if not window.columns), windows[0].spot)
        is_apart = about is not None and about.line != used.line
        return self._ledger.add(
            OperationKind.WINDOW,
            about if about is not None and is_apart else used,
            flow,
            columns=tuple(dict.fromkeys(column for window in windows for column in window.columns)),
            used_line=used.line if is_apart else None,
        )

    def _is_grouped(self, flow: Flow) -> bool:
        """`df.groupBy("a").count()` is an aggregate and no action."""
        last = self._ledger.operations[flow.last or 0]
        return last.kind is OperationKind.GROUP and not last.functions and last.text.rstrip().endswith(")")

    def _add(
        self, call: ast.Call, kind: OperationKind, *flows: Flow, tables: tuple[str, ...] = (), columns: tuple[str, ...] | None = None
    ) -> Flow:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        count = next((value for argument in call.args[:1] if type(value := self._names.constant(argument)) is int), None)
        calls_functions = kind in (OperationKind.MAP, OperationKind.GROUP, OperationKind.SELECT)
        return self._ledger.add(
            kind,
            self._spot(call, name),
            *flows,
            tables=tables,
            columns=columns if columns is not None else self._keys(kind, name, call),
            functions=self._names.called(list(_arguments(call))) if calls_functions else (),
            count=count if kind in (OperationKind.REPARTITION, OperationKind.COALESCE) else None,
        )

    def _keys(self, kind: OperationKind, name: str, call: ast.Call) -> tuple[str, ...]:
        if kind is OperationKind.JOIN:
            on = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "on")]
            return () if name == "crossJoin" else self._names.columns(on)
        if kind in (OperationKind.READ, OperationKind.WRITE, OperationKind.ACTION, OperationKind.MAP, OperationKind.SQL):
            return ()
        if kind is OperationKind.FILTER or name == "selectExpr":
            words = [word for argument in call.args if isinstance(word := self._names.constant(argument), str)]
            columns = [column for word in words for column in expression_columns(word) or SQL_COLUMN.findall(word)]
            others = [argument for argument in call.args if not isinstance(self._names.constant(argument), str)]
            return tuple(dict.fromkeys([*columns, *self._names.columns(others)]))
        if name in ("withColumn", "withColumnRenamed"):
            return self._names.columns(call.args[:1])
        return self._names.columns(call.args)

    def _windows(self, node: ast.expr, *, is_sql: bool) -> Iterator[WindowKeys]:
        """What each window in an expression is partitioned by, also of one in SQL."""
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(attr="over"), args=[window, *_]):
                    keys = self._value(window)
                    if isinstance(keys, WindowKeys):
                        yield keys
                case ast.Call(func=ast.Attribute(attr="expr") | ast.Name(id="expr"), args=[ast.Constant(value=str(word)), *_]):
                    yield from map(WindowKeys, expression_windows(word))
                case ast.Constant(value=str(word)) if is_sql:
                    yield from map(WindowKeys, expression_windows(word))
                case _:
                    pass


def _head(loop: ast.For | ast.While) -> str:
    if isinstance(loop, ast.While):
        return f"while {ast.unparse(loop.test)}"
    return f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)
