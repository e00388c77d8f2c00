"""Mutants of a module: each is its source with one small fault in it, of the kinds that a tired programmer makes."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


_WHOLE = "(unchanged)"


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, what was there, what is there now, and the module with it."""

    module: str
    line: int
    before: str
    after: str
    tree: ast.Module

    @property
    def is_whole(self) -> bool:
        """Whether it has no fault at all."""
        return self.after == _WHOLE

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {_brief(self.before)}  →  {_brief(self.after)}"


def _brief(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 90 else f"{line[:87]}..."


def unchanged(module: str, source: str) -> Mutant:
    """The module without a fault: what its tests say of it shows whether they can be believed."""
    return Mutant(module, 0, "", _WHOLE, ast.parse(source))


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for choice, after in enumerate(_faults(node)):
            mutated = copy.deepcopy(tree)
            if _skipped(tree, node):
                continue
            spot = next(other for at, other in enumerate(ast.walk(mutated)) if at == place)
            _put(mutated, spot, list(_faults(spot))[choice])
            ast.fix_missing_locations(mutated)
            yield Mutant(module, getattr(node, "lineno", 0), ast.unparse(node), ast.unparse(after) if after else "(left out)", mutated)


def _faults(node: ast.AST) -> Iterator[ast.AST | None]:
    """What may be in the place of a node; None: nothing."""
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            if type(operator) in _SWAPPED:
                yield _with(node, ops=[_SWAPPED[type(o)]() if n == at else o for n, o in enumerate(node.ops)])
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in _SWAPPED:
        yield _with(node, op=_SWAPPED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield _with(node, ifs=node.ifs[1:])
    elif isinstance(node, ast.Return) and not (node.value is None or isinstance(node.value, ast.Constant)):
        yield _with(node, value=ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Call):
        for at in range(len(node.keywords)):
            yield _with(node, keywords=[*node.keywords[:at], *node.keywords[at + 1 :]])
    elif isinstance(node, ast.Continue):
        yield ast.Break()


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
    elif isinstance(node.value, str) and node.value:
        yield ast.Constant(f"XX{node.value}")


def _with(node: ast.AST, **fields: object) -> ast.AST:
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _put(tree: ast.Module, spot: ast.AST, after: ast.AST | None) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is spot:
                setattr(parent, name, after)
            elif isinstance(value, list):
                setattr(parent, name, [after if item is spot else item for item in value])


def _skipped(tree: ast.Module, node: ast.AST) -> bool:
    """What has no behaviour: docstrings, annotations, type variables, decorators, `__all__`; the words of a message; what is only
    written to the process's log; and the places where the tests of crashes kill a process."""
    for parent in ast.walk(tree):
        if isinstance(parent, ast.Expr) and _is_left_alone(parent.value) and _within(parent, node):
            return True
        if isinstance(parent, ast.Expr) and isinstance(parent.value, ast.Constant) and parent.value is node:
            return True
        if isinstance(parent, ast.JoinedStr | ast.FormattedValue) and isinstance(node, ast.Constant) and _within(parent, node):
            return True
        unmoved: list[ast.AST | None] = []
        if isinstance(parent, ast.AnnAssign | ast.arg):
            unmoved.append(parent.annotation)
        elif isinstance(parent, ast.FunctionDef):
            unmoved += [parent.returns, *parent.decorator_list]
        elif isinstance(parent, ast.ClassDef):
            unmoved += [*parent.decorator_list, *parent.bases]
        elif isinstance(parent, ast.Raise) or (isinstance(parent, ast.Assign) and _is_name_alone(parent)):
            unmoved.append(parent)
        if any(item is not None and _within(item, node) for item in unmoved):
            return True
    return False


def _is_name_alone(statement: ast.Assign) -> bool:
    """`__all__`, or a type variable."""
    return ast.unparse(statement.targets[0]) == "__all__" or _calls(statement.value, "TypeVar")


def _is_left_alone(statement: ast.expr) -> bool:
    """A line for the process's log, or a failpoint. An event on the board is neither: readers are promised it."""
    if not isinstance(statement, ast.Call):
        return False
    return ast.unparse(statement.func).startswith("log.") or _calls(statement, "failpoint")


def _calls(value: ast.expr, function: str) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == function


def _within(outer: ast.AST, node: ast.AST) -> bool:
    return any(item is node for item in ast.walk(outer))
