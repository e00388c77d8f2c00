"""The files that a loop reads and the folder that it writes, where the script says them."""

import ast
from collections.abc import Iterator

from workers.kinds.tune.rules.advice.rewrites.source import Source

FORMATS = frozenset({"parquet", "orc", "json", "csv"})
"""Files in folders: no format that keeps a table's state beside them."""

OPTIONS = frozenset(
    {"charset", "compression", "dateFormat", "delimiter", "encoding", "header", "maxRecordsPerFile", "nullValue", "quote", "sep",
     "timestampFormat"}
)  # fmt: skip
"""Of a write, that say how the rows are written and not which rows are replaced."""

OF_READ = frozenset({"format", "option", "options", "schema"})
NOT_ONE = frozenset("*?[]{}\\")
"""Characters of a pattern of paths."""


def path_read(source: Source, loop: ast.For, node: ast.expr) -> str | None:
    """Of `spark.read.parquet("/data/events")`, or of a name that is bound to one before the loop; None for all else."""
    if isinstance(node, ast.Name):
        bound = bound_before(source, loop, node.id)
        return None if bound is None or isinstance(bound, ast.Name) else path_read(source, loop, bound)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
        return None
    form, inner = node.func.attr, node.func.value
    if not all(isinstance(word.value, ast.Constant | ast.Name) and word.arg not in (None, "path") for word in node.keywords):
        return None
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        given = [*inner.args, *(word.value for word in inner.keywords)]
        if inner.func.attr not in OF_READ or not all(isinstance(value, ast.Constant | ast.Name) for value in given):
            return None
        if inner.func.attr == "format" and form == "load" and len(given) == 1 and isinstance(given[0], ast.Constant):
            form = str(given[0].value)
        inner = inner.func.value
    match inner:
        case ast.Attribute(value=ast.Name(), attr="read") if form in FORMATS:
            return text_of(source, loop, node.args[0])
        case _:
            return None


def bound_before(source: Source, loop: ast.For, name: str) -> ast.expr | None:
    """What a name is bound to before the loop, if it is so in any case and nothing else in the script is bound to it."""
    stores = [
        node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    if len(stores) != 1 or any(isinstance(node, ast.arg) and node.arg == name for node in ast.walk(source.tree)):
        return None
    statement = source.parents.get(stores[0])
    if not isinstance(statement, ast.Assign) or statement.lineno >= loop.lineno:
        return None
    return statement.value if source.parents.get(statement) in list(_around(source, loop)) else None


def _around(source: Source, node: ast.AST) -> Iterator[ast.AST]:
    while (holder := source.parents.get(node)) is not None:
        yield holder
        node = holder


def text_of(source: Source, loop: ast.For, node: ast.expr) -> str | None:
    """A text that the script writes down, in one place or by names of such texts."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            bound = bound_before(source, loop, name)
            return bound.value if isinstance(bound, ast.Constant) and isinstance(bound.value, str) else None
        case ast.JoinedStr(values=values):
            parts = [text_of(source, loop, value.value if isinstance(value, ast.FormattedValue) else value) for value in values]
            return None if None in parts else "".join(part for part in parts if part is not None)
        case _:
            return None


def are_apart(path: str, other: str) -> bool:
    """Neither of two folders is the other or lies in it, for all that their names tell."""
    if NOT_ONE & {*path, *other} or not path or not other:
        return False
    (place, first), (other_place, second) = _parts(path), _parts(other)
    if place and other_place and place != other_place:
        return True
    if ".." in (*first, *second) or (path.startswith("/") != other.startswith("/") and not (place or other_place)):
        return False
    return any(mine != its for mine, its in zip(first, second, strict=False))


def is_same(written: str, logged: str) -> bool:
    """A path of a script is the one that a log has in full."""
    (place, mine), (other_place, its) = _parts(written), _parts(logged)
    if place and other_place and place != other_place:
        return False
    return mine == its if written.startswith("/") or "://" in written or ":/" in written else bool(mine) and its[-len(mine) :] == mine


def _parts(path: str) -> tuple[str, tuple[str, ...]]:
    """(the host or bucket, the folders)."""
    _scheme, is_named, rest = path.partition("://")
    if is_named:
        place, _, rest = rest.partition("/")
    else:
        place, rest = "", path.removeprefix("file:").removeprefix("dbfs:").removeprefix("hdfs:")
    return place, tuple(part for part in rest.split("/") if part not in ("", "."))
