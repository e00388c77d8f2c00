"""A PySpark script as its syntax tree tells it: what is read, joined by which keys, grouped, repartitioned, in which line.

The script is never run. Names are followed through assignments in the order of the text, into functions and branches alike, so
what a call works on is right for scripts that are written top to bottom, as jobs are."""

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.tuning_sources import OperationKind, ScriptFacts, ScriptOperation
from workers.engines.tuning.script_words import COLUMN_FUNCTIONS, FRAME_NAME, METHODS, READERS, SQL_COLUMN, SQL_TABLE, WRITERS, table_of

SESSIONS = ("spark", "spark_session", "sqlContext", "sc")
SCRIPT_CHARS = 1_000_000
OPERATIONS = 2_000
TEXT_CHARS = 200


@dataclass
class Flow:
    """A table as it flows through the script."""

    tables: tuple[str, ...] = ()
    last: int | None = None
    """The operation it comes from."""
    broadcast: bool = False


@dataclass
class WindowKeys:
    """What a window is partitioned by."""

    columns: tuple[str, ...] = ()


@dataclass
class Handle:
    """`spark`, `spark.read`, `df.write`: the way to a table rather than a table."""

    role: str
    flow: Flow = field(default_factory=Flow)


Value = Flow | WindowKeys | Handle | None


def read_script(text: str) -> ScriptFacts:
    """Its operations. A text that is no Python is told so in `unreadable`, and raises nothing."""
    if len(text) > SCRIPT_CHARS:
        return ScriptFacts(unreadable=f"The script is longer than {SCRIPT_CHARS} characters.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a user's script, say an unknown escape: no business of ours
            tree = ast.parse(text.lstrip("\ufeff"))
        reader = _Reader()
        reader.block(tree.body)
    except SyntaxError as error:
        return ScriptFacts(unreadable=f"The script is no Python: {error.msg}, line {error.lineno or 1}.")
    except (ValueError, RecursionError, MemoryError) as error:
        return ScriptFacts(unreadable=f"The script cannot be parsed: {type(error).__name__}.")
    return ScriptFacts(operations=tuple(reader.operations), functions=tuple(reader.functions), settings=reader.settings)


class _Reader:
    def __init__(self) -> None:
        self.operations: list[ScriptOperation] = []
        self.functions: dict[str, None] = {}
        self.settings: dict[str, str] = {}
        self.names: dict[str, Value] = {}
        self.constants: dict[str, object] = {}

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                if isinstance(value, ast.Constant):
                    self.constants[name] = value.value
                before = len(self.operations)
                self.names[name] = self.value(value)
                self.operations[before:] = [one.model_copy(update={"variable": name}) for one in self.operations[before:]]
            case ast.FunctionDef(name=name, args=arguments, body=body):
                self.functions[name] = None
                self.names.update({one.arg: Flow() for one in arguments.args if _takes_table(one)})
                self.block(body)
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                self.value(value)
            case _:
                for child in ast.iter_child_nodes(statement):
                    if isinstance(child, ast.stmt):
                        self._statement(child)
                    elif isinstance(child, ast.expr):
                        self.value(child)
                    elif isinstance(child, ast.ExceptHandler | ast.match_case):
                        self.block(child.body)

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Name(id=name):
                return self.names.get(name) or (Handle("spark") if name in SESSIONS else None)
            case ast.Attribute(value=inner, attr=attr):
                return self._attribute(self.value(inner), inner, attr)
            case ast.Call():
                return self._call(node)
            case _:
                found: Value = None
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        found = self.value(child) or found
                return found if isinstance(node, ast.IfExp | ast.BoolOp | ast.NamedExpr) else None

    def _attribute(self, inner: Value, node: ast.expr, attr: str) -> Value:
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
            return WindowKeys(self._columns(call.args) if name == "partitionBy" else ())
        receiver = self.value(function.value)
        if isinstance(receiver, WindowKeys):
            return WindowKeys(self._columns(call.args)) if name == "partitionBy" else receiver
        if isinstance(receiver, Handle):
            return self._handle(call, name, receiver)
        if isinstance(receiver, Flow):
            return self._method(call, name, receiver)
        if name == "broadcast":
            return self._plain(call, name)
        for argument in self._arguments(call):
            self.value(argument)
        return Handle("spark") if name in ("getOrCreate", "getActiveSession") else None

    def _plain(self, call: ast.Call, name: str) -> Value:
        values = [self.value(argument) for argument in self._arguments(call)]
        flows = [value for value in values if isinstance(value, Flow)]
        if name == "broadcast" and flows:
            return Flow(flows[0].tables, flows[0].last, broadcast=True)
        return flows[0] if flows and name in self.functions else None  # a helper most often hands on what it was given

    def _handle(self, call: ast.Call, name: str, handle: Handle) -> Value:
        if handle.role == "write":
            if name in WRITERS or METHODS.get(name) is OperationKind.WRITE:
                return self._add(call, OperationKind.WRITE, handle.flow)
            return handle
        if name in READERS:
            words = [word for argument in call.args if isinstance(word := self._constant(argument), str)]
            return self._add(call, OperationKind.READ, Flow(), tables=tuple(table_of(word) for word in words))
        if name == "sql":
            words = [word for argument in call.args if isinstance(word := self._constant(argument), str)]
            tables = tuple(dict.fromkeys(table_of(found) for word in words for found in SQL_TABLE.findall(word)))
            return self._add(call, OperationKind.SQL, Flow(), tables=tables)
        if name in ("range", "createDataFrame", "parallelize", "emptyRDD"):
            return Flow()
        if name in ("set", "config") and len(call.args) == 2:
            key, setting = self._constant(call.args[0]), self._constant(call.args[1])
            if isinstance(key, str) and key.startswith("spark.") and isinstance(setting, str | int | float):
                self.settings[key[:TEXT_CHARS]] = str(setting)[:TEXT_CHARS]
        return handle

    def _method(self, call: ast.Call, name: str, flow: Flow) -> Value:
        arguments = list(self._arguments(call))
        values = [self.value(argument) for argument in arguments]
        others = [value for value in values if isinstance(value, Flow)]
        windows = [keys for argument in arguments for keys in self._windows(argument)]
        kind = METHODS.get(name)
        if windows and kind in (OperationKind.SELECT, None):
            return self._add(call, OperationKind.WINDOW, flow, columns=tuple(dict.fromkeys(c for w in windows for c in w.columns)))
        if name == "agg" and flow.last is not None and self.operations[flow.last].kind is OperationKind.GROUP:
            grouped = self.operations[flow.last]
            self.operations[flow.last] = grouped.model_copy(update={"functions": self._functions(arguments)})
            return flow
        if kind is None or (kind is OperationKind.ACTION and flow.last is not None and self._is_grouped(flow)):
            return Flow(flow.tables, flow.last, flow.broadcast)
        return self._add(call, kind, flow, others=others)

    def _is_grouped(self, flow: Flow) -> bool:
        """`df.groupBy("a").count()` is an aggregate and no action."""
        last = self.operations[flow.last or 0]
        return last.kind is OperationKind.GROUP and not last.functions and last.text.rstrip().endswith(")")

    def _add(
        self,
        call: ast.Call,
        kind: OperationKind,
        flow: Flow,
        *,
        tables: tuple[str, ...] = (),
        columns: tuple[str, ...] | None = None,
        others: list[Flow] | None = None,
    ) -> Flow:
        others = others or []
        all_tables = tuple(dict.fromkeys([*flow.tables, *(name for other in others for name in other.tables), *tables]))
        if len(self.operations) >= OPERATIONS:
            return Flow(all_tables, flow.last)
        number = len(self.operations)
        function = call.func
        arguments = list(self._arguments(call))
        count = next((value for argument in call.args[:1] if type(value := self._constant(argument)) is int), None)
        end = function.end_lineno if isinstance(function, ast.Attribute) else call.lineno
        name = function.attr if isinstance(function, ast.Attribute) else ""
        self.operations.append(
            ScriptOperation(
                number=number,
                kind=kind,
                line=end or call.lineno,
                column=max(0, (function.end_col_offset or 0) - len(name)) if isinstance(function, ast.Attribute) else call.col_offset,
                text=self._text(call, name),
                columns=columns if columns is not None else self._keys(kind, name, call),
                tables=all_tables,
                functions=self._functions(arguments) if kind in (OperationKind.MAP, OperationKind.GROUP, OperationKind.SELECT) else (),
                count=count if kind in (OperationKind.REPARTITION, OperationKind.COALESCE) else None,
                is_broadcast=flow.broadcast or any(other.broadcast for other in others),
                inputs=tuple(one for one in (flow.last, *(other.last for other in others)) if one is not None),
            )
        )
        return Flow(all_tables, number)

    def _keys(self, kind: OperationKind, name: str, call: ast.Call) -> tuple[str, ...]:
        if kind is OperationKind.JOIN:
            on = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "on")]
            return () if name == "crossJoin" else self._columns(on)
        if kind in (OperationKind.READ, OperationKind.WRITE, OperationKind.ACTION, OperationKind.MAP, OperationKind.SQL):
            return ()
        if kind is OperationKind.FILTER:
            words = [self._constant(argument) for argument in call.args]
            told = [found for word in words if isinstance(word, str) for found in SQL_COLUMN.findall(word)]
            return tuple(
                dict.fromkeys([*told, *(c for a in call.args if not isinstance(self._constant(a), str) for c in self._columns([a]))])
            )
        if name in ("withColumn", "withColumnRenamed"):
            return self._columns(call.args[:1])
        return self._columns(call.args)

    def _columns(self, nodes: list[ast.expr]) -> tuple[str, ...]:
        """Column names in an expression: "a", ["a", "b"], F.col("a"), df.a, df["a"], a.x == b.y; numbers are none."""
        found: dict[str, None] = {}
        for node in nodes:
            constant = self._constant(node)
            if isinstance(constant, str):
                found[constant] = None
                continue
            for part in ast.walk(node):
                match part:
                    case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr), args=[ast.Constant(value=str(word)), *_]) if (
                        attr in COLUMN_FUNCTIONS
                    ):
                        found[word] = None
                    case ast.Subscript(slice=ast.Constant(value=str(word))):
                        found[word] = None
                    case ast.Attribute(value=ast.Name(id=name), attr=attr) if isinstance(self.names.get(name), Flow):
                        found[attr] = None
                    case ast.List(elts=items) | ast.Tuple(elts=items):
                        found.update({word: None for item in items if isinstance(word := self._constant(item), str)})
                    case _:
                        pass
        return tuple(found)

    def _windows(self, node: ast.expr) -> Iterator[WindowKeys]:
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(attr="over"), args=[window, *_]):
                    keys = self.value(window)
                    if isinstance(keys, WindowKeys):
                        yield keys
                case _:
                    pass

    def _functions(self, arguments: list[ast.expr]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for argument in arguments:
            for part in ast.walk(argument):
                match part:
                    case ast.Name(id=name) if name in self.functions:
                        found[name] = None
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="F" | "functions" | "fn"), attr=attr)):
                        found[attr] = None
                    case _:
                        pass
        return tuple(found)

    def _constant(self, node: ast.expr) -> object:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.constants.get(name)
            case ast.JoinedStr(values=[*_, ast.Constant(value=str(tail))]) if "/" in tail:
                return tail
            case _:
                return None

    def _arguments(self, call: ast.Call) -> Iterator[ast.expr]:
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)

    def _text(self, call: ast.Call, name: str) -> str:
        arguments = ", ".join(ast.unparse(argument) for argument in call.args)
        return f"{name}({arguments})"[:TEXT_CHARS] if name else ""


def _takes_table(parameter: ast.arg) -> bool:
    annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
    return "DataFrame" in annotation or bool(FRAME_NAME.search(parameter.arg))
