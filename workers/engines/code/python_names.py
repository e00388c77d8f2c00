"""What the expressions of a program name: columns, functions, constants; known from what has been assigned so far."""

import ast
from collections.abc import Iterator

from workers.engines.scripts.ledger import Flow
from workers.engines.scripts.words import AGGREGATES, COLUMN_FUNCTIONS, FRAME_NAME, FUNCTION_MODULES
from workers.engines.sql.operations.expressions import expression_columns


class Names:
    """The names a program has assigned to, in the order of its text."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        """Variable → the table, or the way to one, that it holds."""
        self.constants: dict[str, object] = {}
        self.functions: dict[str, None] = {}
        """Those the program defines."""
        self.wrapped: dict[str, str] = {}
        """Variable → the function of the program that it makes one of Spark: `gate_of = udf(gate)`."""
        self.returned: dict[str, object] = {}
        """Function of the program → the table, or the window, it hands back."""

    def constant(self, node: ast.expr) -> object:
        """The value of a constant, or of a name that was given one; of a path with fields in it, its tail."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.constants.get(name)
            case ast.JoinedStr(values=[*_, ast.Constant(value=str(tail))]) if "/" in tail:
                return tail
            case _:
                return None

    def columns(self, nodes: list[ast.expr]) -> tuple[str, ...]:
        """Column names in an expression: "a", ["a", "b"], F.col("a"), df.a, df["a"], a.x == b.y; numbers are not names."""
        found: dict[str, None] = {}
        for node in nodes:
            constant = self.constant(node)
            names = [constant] if isinstance(constant, str) else self._named(node)
            found.update({bare(name): None for name in names})
        return tuple(found)

    def _named(self, node: ast.expr) -> Iterator[str]:
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr), args=[argument, *_]) if attr in COLUMN_FUNCTIONS:
                    if isinstance(word := self.constant(argument), str):
                        yield word
                case ast.Call(func=ast.Attribute(attr="expr") | ast.Name(id="expr"), args=[ast.Constant(value=str(word)), *_]):
                    yield from expression_columns(word)
                case ast.Subscript(slice=ast.Constant(value=str(word))):
                    yield word
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if isinstance(self.values.get(name), Flow):
                    yield attr
                case ast.Attribute(value=ast.Name(id="_"), attr=attr) if not attr.startswith("_"):  # a row's field, in Scala
                    yield attr
                case ast.List(elts=items) | ast.Tuple(elts=items):
                    yield from (word for item in items if isinstance(word := self.constant(item), str))
                case _:
                    pass

    def called(self, arguments: list[ast.expr]) -> tuple[str, ...]:
        """Functions in these expressions: the program's own, and Spark's."""
        found: dict[str, None] = {}
        for argument in arguments:
            for part in ast.walk(argument):
                match part:
                    case ast.Name(id=name) if name in self.functions or name in self.wrapped:
                        found[self.wrapped.get(name, name)] = None
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=attr)) if module in FUNCTION_MODULES:
                        found[attr] = None
                    case ast.Call(func=ast.Name(id=name)) if name in AGGREGATES:
                        found[name] = None
                    case _:
                        pass
        return tuple(found)


def bare(name: str) -> str:
    """A column's name without that of a table before it: `o.customer_id`."""
    return name.rsplit(".", 1)[-1].strip("`") if name.replace(".", "").replace("`", "").replace("_", "").isalnum() else name


def makes_function(call: ast.Call) -> bool:
    """`udf(lambda note: ...)`, `pandas_udf(gate, "string")`, also of a module."""
    return (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in ("udf", "pandas_udf")


def takes_table(parameter: ast.arg) -> bool:
    """A parameter of a function that is a table, by its annotation or its name."""
    annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
    return any(word in annotation for word in ("DataFrame", "Dataset", "RDD")) or bool(FRAME_NAME.search(parameter.arg))
