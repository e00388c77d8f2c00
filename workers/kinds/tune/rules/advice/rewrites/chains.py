"""Small rewrites of a chain of calls: a call taken out, an argument wrapped, a step put in."""

import ast
from collections.abc import Iterable, Sequence

from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.patches import Edit, apply_edits, diff_of
from workers.kinds.tune.rules.advice.rewrites.source import Source


def diff_by(script: NamedScript, edits: Iterable[Edit]) -> str:
    """The diff that the edits make; empty when they do not fit together or the result does not parse any more."""
    new = apply_edits(script.text, edits)
    return diff_of(script.name, script.text, new) if new is not None and Source.read_as(new, script.facts.language) else ""


def without_calls(script: NamedScript, source: Source, calls: Sequence[ast.Call]) -> str:
    """The diff that takes methods out of their chains: `df.repartition(8).filter(x)` becomes `df.filter(x)`, and an assignment
    that would give a name to itself goes altogether."""
    gone = frozenset(calls)
    whole = [statement for call in calls for statement in [_emptied(source, call, gone)] if statement]
    edits = {edit for statement in whole for edit in [_lines_of(source, statement)]}
    covered = [(edit.start, edit.end) for edit in edits]
    chained = [call for call in calls if not any(start <= source.start(call) < end for start, end in covered)]
    return diff_by(script, [*edits, *(_own_lines(source, call) or _method(source, call) for call in chained)]) or diff_by(
        script, [_method(source, call) for call in calls]
    )


def wrapped(source: Source, node: ast.expr, before: str, after: str) -> tuple[Edit, ...]:
    """Put text around an expression."""
    return Edit(source.start(node), source.start(node), before), Edit(source.end(node), source.end(node), after)


def receiver(call: ast.Call) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _emptied(source: Source, call: ast.Call, gone: frozenset[ast.Call]) -> ast.stmt | None:
    """`df = df.repartition(8)`, with the call taken out."""
    statement = source.parents.get(call)
    inner: ast.expr | None = call
    while isinstance(inner, ast.Call) and inner in gone:
        inner = receiver(inner)
    match statement, inner:
        case ast.Assign(targets=[ast.Name(id=target)]), ast.Name(id=name) if target == name:
            return statement
        case _:
            return None


def _lines_of(source: Source, statement: ast.stmt) -> Edit:
    place = source.line_start(statement)
    rest = source.text[source.end(statement) : source.line_end(source.end(statement))].strip()
    if place is None or (rest and not rest.startswith("#")):
        return Edit(source.start(statement), source.end(statement), "pass")
    return Edit(place[0], source.line_end(source.end(statement)), "")


def _method(source: Source, call: ast.Call) -> Edit:
    inner = receiver(call)
    return Edit(_behind(source, inner) if inner else source.end(call), source.end(call), "")


def _own_lines(source: Source, call: ast.Call) -> Edit | None:
    """A method that has its lines to itself goes with them, so that comments on the lines before stay."""
    if not isinstance(call.func, ast.Attribute):
        return None
    dot = source.text.rfind(".", 0, source.end(call.func) - len(call.func.attr))
    line = source.text.rfind("\n", 0, dot) + 1
    after = source.text[source.end(call) : source.line_end(source.end(call))].strip()
    if source.text[line:dot].strip() or (after and not after.startswith("#")):
        return None
    return Edit(line, source.line_end(source.end(call)), "")


def _behind(source: Source, node: ast.expr) -> int:
    """Its end, with the parentheses around it: they belong to no node."""
    at = source.end(node)
    depth = 0
    start = source.start(node)
    while start > 0 and source.text[start - 1] in " \t(":
        start -= 1
        depth += source.text[start] == "("
    while depth:
        rest = source.text[at:]
        stripped = rest.lstrip()
        if not stripped.startswith(")"):
            break
        at += len(rest) - len(stripped) + 1
        depth -= 1
    return at
