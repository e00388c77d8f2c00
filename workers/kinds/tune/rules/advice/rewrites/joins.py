"""Rewrites of a join: heavy keys joined separately, a salt on both sides, a side sent to every executor."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.verdicts import ScriptSpot
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by, receiver, wrapped
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.rewrites.source import Source

WHOLE_NUMBER = re.compile(r"-?\d{1,18}")
NUMBER_TYPES = ("int", "bigint", "smallint", "tinyint", "long", "short", "integer")

LEFT_JOINS = ("inner", "left", "leftouter", "left_outer", "semi", "leftsemi", "left_semi", "anti", "leftanti", "left_anti")
"""Joins in which each row of the left side is independent of the others, so that parts of the left side may be joined separately."""

EITHER_JOINS = ("inner", "cross")
"""Joins of which that holds for both sides."""

SEED = 7
"""The seed of the salt, so that a task that is repeated gives its rows the same salt again."""


@dataclass(frozen=True, slots=True)
class JoinCall:
    """`left.join(right, keys[, how])` with keys by name, or with one equality of a column of each side."""

    source: Source
    call: ast.Call
    statement: ast.stmt
    left: ast.expr
    right: ast.expr
    keys: tuple[str, ...]
    """As the left side calls them."""
    how: str
    condition: str = ""
    """The equality as it is written; empty for keys by name."""
    is_of_one_name: bool = True
    """Both sides call the key the same."""


def read_join(source: Source, spot: ScriptSpot) -> JoinCall | None:
    """The join of a spot; None where its form is not one that can be rewritten safely."""
    call = source.call_at(spot)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "join" or not call.args:
        return None
    named = {word.arg: word.value for word in call.keywords}
    on = call.args[1] if len(call.args) > 1 else named.get("on")
    how = call.args[2] if len(call.args) > 2 else named.get("how", ast.Constant("inner"))
    statement, left = source.statement_of(call), receiver(call)
    equal = _equal_columns(on, left, call.args[0])
    keys = (equal[0],) if equal else _strings(on)
    if not keys or statement is None or left is None or not isinstance(how, ast.Constant) or not isinstance(how.value, str):
        return None
    condition = source.text_of(on) if equal and on is not None else ""
    is_of_one_name = equal is None or equal[0] == equal[1]
    return JoinCall(source, call, statement, left, call.args[0], keys, how.value.lower(), condition, is_of_one_name)


def _equal_columns(on: ast.expr | None, left: ast.expr | None, right: ast.expr) -> tuple[str, str] | None:
    """The two columns of `left.k == right.k` or `left["k"] == right["k"]`, in either order, the left side's first."""
    if not isinstance(on, ast.Compare) or len(on.ops) != 1 or not isinstance(on.ops[0], ast.Eq):
        return None
    if not isinstance(left, ast.Name) or not isinstance(right, ast.Name) or left.id == right.id:
        return None
    found = dict(column for column in map(_column_of, (on.left, on.comparators[0])) if column)
    return (found[left.id], found[right.id]) if set(found) == {left.id, right.id} else None


def _column_of(node: ast.expr) -> tuple[str, str] | None:
    """(the table's variable, the column)."""
    match node:
        case ast.Attribute(value=ast.Name(id=table), attr=column):
            return table, column
        case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(column))):
            return table, column
        case _:
            return None


def split_by_keys(script: NamedScript, join: JoinCall, column: str, values: Sequence[str], column_type: str) -> str:
    """The diff that joins the rows of the left side with these keys separately, with a broadcast of the few rows that match them."""
    place = join.source.line_start(join.statement)
    if place is None or column not in join.keys or join.how not in LEFT_JOINS or not values or not join.is_of_one_name:
        return ""
    source, (at, indent) = join.source, place
    alias, imports = source.functions_alias()
    is_hot, hot_rows = source.free_name("is_hot"), source.free_name("hot_rows")
    literals = ", ".join(_literal(value, column_type) for value in values)
    test = f"{alias}.col({column!r}).isin({literals})"
    if join.how != "inner":  # a null key is in no list and not out of it either; the rows with one have to stay
        test = f"{alias}.coalesce({test}, {alias}.lit(False))"
    hoisted, left, right = _named_sides(join, indent)
    rest = _other_arguments(join)
    lines = [
        *hoisted,
        f"{indent}{is_hot} = {_double_quoted(test)}",
        f"{indent}{hot_rows} = {left}.filter({is_hot}).join({alias}.broadcast({right}.filter({is_hot})), {rest})",
    ]
    joined = f"{left}.filter(~{is_hot}).join({right}, {rest}).union({hot_rows})"
    return _with_lines(script, join, at, lines, joined, imports)


def salted(script: NamedScript, join: JoinCall, salts: int) -> str:
    """A number from 0 to `salts` - 1 beside the key: the left side's rows get one each, the right side's all of them."""
    place = join.source.line_start(join.statement)
    if place is None or join.how not in LEFT_JOINS:
        return ""
    source, (at, indent) = join.source, place
    alias, imports = source.functions_alias()
    salt, big, copies = source.free_name("salt"), source.free_name("salted"), source.free_name("copies")
    hoisted, left, right = _named_sides(join, indent)
    keys = ", ".join(_double_quoted(repr(key)) for key in (*join.keys, salt))
    how = "" if join.how == "inner" else f', "{join.how}"'
    lines = [
        *hoisted,
        f'{indent}{big} = {left}.withColumn("{salt}", ({alias}.rand({SEED}) * {salts}).cast("int"))',
        f'{indent}{copies} = {right}.withColumn("{salt}", {alias}.explode({alias}.array(*[{alias}.lit(n) for n in range({salts})])))',
    ]
    on = f'({join.condition}) & ({big}["{salt}"] == {copies}["{salt}"])' if join.condition else f"[{keys}]"
    return _with_lines(script, join, at, lines, f'{big}.join({copies}, {on}{how}).drop("{salt}")', imports)


def with_broadcast(script: NamedScript, source: Source, spot: ScriptSpot, *, of_right: bool) -> str:
    """One side marked for broadcast. The keys may have any form: they stay as they are."""
    call = source.call_at(spot)
    left = receiver(call) if call else None
    if call is None or left is None or not call.args:
        return ""
    side = call.args[0] if of_right else left
    broadcast, imports = source.broadcast
    return diff_by(script, [*imports, *wrapped(source, side, f"{broadcast}(", ")")])


def _with_lines(script: NamedScript, join: JoinCall, at: int, lines: list[str], joined: str, imports: tuple[Edit, ...]) -> str:
    source = join.source
    before = "".join(line + source.newline for line in lines)
    edits = [*imports, Edit(at, at, before), Edit(source.start(join.call), source.end(join.call), joined)]
    if imports and imports[0].start == at:  # the statement is the first one after the imports
        edits = [Edit(at, at, imports[0].new + before), edits[-1]]
    return diff_by(script, edits)


def _named_sides(join: JoinCall, indent: str) -> tuple[list[str], str, str]:
    """(assignments, left, right): both sides as names. An expression is assigned to a name first, since it is used twice."""
    lines: list[str] = []
    sides: list[str] = []
    for node, wanted in ((join.left, "left_rows"), (join.right, "right_rows")):
        if isinstance(node, ast.Name):
            sides.append(node.id)
            continue
        name = join.source.free_name(wanted)
        lines.append(f"{indent}{name} = {join.source.text_of(node)}")
        sides.append(name)
    return lines, sides[0], sides[1]


def _other_arguments(join: JoinCall) -> str:
    words = [join.source.text_of(argument) for argument in join.call.args[1:]]
    return ", ".join([*words, *(f"{word.arg}={join.source.text_of(word.value)}" for word in join.call.keywords if word.arg)])


def _strings(node: ast.expr | None) -> tuple[str, ...]:
    match node:
        case ast.Constant(value=str(word)):
            return (word,)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            words = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            return tuple(words) if len(words) == len(items) else ()
        case _:
            return ()


def _literal(value: str, column_type: str) -> str:
    """The key as Python writes it: a number where the column is one, or looks so and nothing else is known."""
    is_number = column_type.lower() in NUMBER_TYPES or not column_type
    return str(int(value)) if is_number and WHOLE_NUMBER.fullmatch(value) else _double_quoted(repr(value))


def _double_quoted(code: str) -> str:
    """Python's own spelling of a text, with the quotes that scripts have most."""
    return code if '"' in code or "\\" in code or "\n" in code else code.replace("'", '"')
