"""Rewrites of a grouping: in two stages over a salt, or with a count in the place of a list that is only measured."""

import ast
from collections.abc import Callable

from contracts.verdicts import ScriptSpot
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by, receiver
from workers.kinds.tune.rules.advice.rewrites.joins import SEED
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.rewrites.source import Source

SECOND_STAGE: dict[str, Callable[[str, str], str]] = {
    "collect_list": lambda alias, name: f"{alias}.flatten({alias}.collect_list({name}))",
    "collect_set": lambda alias, name: f"{alias}.array_distinct({alias}.flatten({alias}.collect_list({name})))",
    "count": lambda alias, name: f"{alias}.sum({name})",
    "min": lambda alias, name: f"{alias}.min({name})",
    "max": lambda alias, name: f"{alias}.max({name})",
}
"""Aggregate → what puts its parts together. Of others (avg, count of distinct values, percentile) parts cannot be added up; a sum of
decimals would be of a wider type, and a call does not tell the type."""

GROUPINGS = ("groupBy", "groupby")
"""Methods with a row for each key; `rollup` and `cube` have more."""


def in_two_stages(script: NamedScript, source: Source, spot: ScriptSpot, salts: int) -> str:
    """By key and salt first, then by key. Only for keys that are columns: an expression is another one over its own result."""
    group = source.call_at(spot)
    aggregate = _agg_of(source, group) if group else None
    statement = source.statement_of(aggregate) if aggregate else None
    place = source.line_start(statement) if statement else None
    rows, keys = (receiver(group), _plain_keys(group)) if group else (None, {})
    if aggregate is None or place is None or rows is None or aggregate.keywords or not keys:
        return ""
    alias, imports = source.functions_alias()
    second: list[str] = []
    made = [key.lower() for key in keys]
    for argument in aggregate.args:
        aggregated = _named_aggregate(argument)
        if aggregated is None or aggregated[0] not in SECOND_STAGE:
            return ""
        made.append(aggregated[2].lower())
        name = f'"{aggregated[2]}"'
        second.append(f"{SECOND_STAGE[aggregated[0]](alias, name)}.alias({name})")
    if len(made) != len(set(made)):
        return ""
    at, indent = place
    salt, parts = source.free_name("salt"), source.free_name("parts")
    by_salt = ", ".join(source.text_of(key) for key in keys.values())
    by_key = ", ".join(f'"{key}"' for key in keys)
    first = ", ".join(source.text_of(argument) for argument in aggregate.args)
    line = (
        f'{indent}{parts} = {source.text_of(rows)}.withColumn("{salt}", ({alias}.rand({SEED}) * {salts}).cast("int"))'
        f'.groupBy({by_salt}, "{salt}").agg({first}){source.newline}'
    )
    whole = Edit(source.start(aggregate), source.end(aggregate), f"{parts}.groupBy({by_key}).agg({', '.join(second)})")
    if imports and imports[0].start == at:
        return diff_by(script, [Edit(at, at, imports[0].new + line), whole])
    return diff_by(script, [*imports, Edit(at, at, line), whole])


def _plain_keys(group: ast.Call) -> dict[str, ast.expr]:
    """The columns that a call groups by, with their places; empty where one of its keys is anything else."""
    if not isinstance(group.func, ast.Attribute) or group.func.attr not in GROUPINGS or group.keywords:
        return {}
    match group.args:
        case [ast.List(elts=places) | ast.Tuple(elts=places)]:
            pass
        case places:
            pass
    found: dict[str, ast.expr] = {}
    for place in places:
        match place:
            case (
                ast.Constant(value=str(name))
                | ast.Call(func=ast.Attribute(attr="col") | ast.Name(id="col"), args=[ast.Constant(value=str(name))])
                | ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(name)))
            ) if name.isidentifier():
                found[name] = place
            case _:
                return {}
    return found if len(found) == len(places) else {}


def counted_instead(script: NamedScript, source: Source, spot: ScriptSpot) -> tuple[str, str]:
    """(diff, column) where a collected list is used for nothing but its size: `count` gives that, and is combined before the
    shuffle. Empty where the list may be used for more."""
    group = source.call_at(spot)
    aggregate = _agg_of(source, group) if group else None
    for argument in aggregate.args if aggregate else ():
        aggregated = _named_aggregate(argument)
        if aggregated is None or aggregated[0] != "collect_list" or not _stays_inside(source, aggregate):
            continue
        uses = [
            node
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Constant) and node.value == aggregated[2] and node is not aggregated[3]
        ]
        sizes = [_size_of(source, use) for use in uses]
        if not uses or not all(sizes):
            continue
        alias, imports = source.functions_alias()
        edits = [
            Edit(source.start(size), source.end(size), f'{alias}.col("{aggregated[2]}").cast("int")') for size in sizes if size is not None
        ]
        counted = Edit(source.start(aggregated[1].func), source.end(aggregated[1].func), f"{alias}.count")
        return diff_by(script, [*imports, *edits, counted]), aggregated[2]
    return "", ""


def _agg_of(source: Source, group: ast.Call) -> ast.Call | None:
    """`.agg(...)` on a `.groupBy(...)`."""
    match source.parents.get(group):
        case ast.Attribute(attr="agg") as method:
            call = source.parents.get(method)
            return call if isinstance(call, ast.Call) else None
        case _:
            return None


def _named_aggregate(node: ast.expr) -> tuple[str, ast.Call, str, ast.Constant] | None:
    """`F.sum("amount").alias("s")` → its function, the call, the name and the node of the name."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Attribute(attr=function) | ast.Name(id=function)) as inner, attr="alias"),
            args=[ast.Constant(value=str(name)) as place],
        ) if name.isidentifier():
            return function, inner, name, place
        case _:
            return None


def _size_of(source: Source, use: ast.Constant) -> ast.Call | None:
    """`F.size("items")` or `F.size(F.col("items"))` around a column's name."""
    node: ast.AST | None = source.parents.get(use)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "col":
        node = source.parents.get(node)
    match node:
        case ast.Call(func=ast.Attribute(attr="size") | ast.Name(id="size"), args=[_]):
            return node
        case _:
            return None


def _stays_inside(source: Source, aggregate: ast.Call | None) -> bool:
    """The grouped table goes into one `select` and nowhere else, so what is not named there is not used."""
    node = source.parents.get(aggregate) if aggregate else None
    if isinstance(node, ast.Attribute):
        return node.attr == "select"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
        name = node.targets[0].id
        stored = [
            node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        ]
        loads = [
            node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        used = source.parents.get(loads[0]) if len(loads) == 1 and len(stored) == 1 else None
        return isinstance(used, ast.Attribute) and used.attr == "select"
    return False
