"""A loop that reads, filters by one value and writes one partition a turn, rewritten as one pass over all its values.

Only where each step is known to do for all values at once what it does for one: rows are filtered, projected, joined and grouped. Nothing
is ordered, limited, sampled or kept, and no turn needs what another one made."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.rewrites.paths import FORMATS, OPTIONS, are_apart, path_read, text_of
from workers.kinds.tune.rules.advice.rewrites.row_by_row import AGGREGATES, FUNCTIONS, Functions, is_plain
from workers.kinds.tune.rules.advice.rewrites.source import Source

FILTERS = frozenset({"filter", "where"})
OF_CONSTANTS = frozenset({"fillna", "dropna", "hint", "alias"})
"""Methods that do the same to each row, whichever other rows there are, and what they are given is written down."""

GROUPS = frozenset({"groupBy", "groupby"})
KEYED = GROUPS | {"dropDuplicates", "drop_duplicates"}
GROUPED = frozenset({"agg", "count", "sum", "avg", "mean", "min", "max"})
WRITES = FORMATS | {"save"}
WAYS = ("inner", "left", "left_outer", "left_semi", "left_anti", "leftsemi", "leftanti")
"""Joins whose rows each come from one row of the left side."""

SAFE_METHODS = frozenset({"isoformat", "strftime", "format", "zfill", "replace", "lower", "upper", "strip"})
MODES = ("overwrite", "append")
DYNAMIC = '.option("partitionOverwriteMode", "dynamic")'
ONCE = frozenset({"enumerate", "list", "range", "reversed", "set", "sorted", "tuple", "zip"})
"""Calls whose values do not depend on what a turn wrote."""

SAFE_CALLS = frozenset({"str", "int", "float", "date", "datetime", "timedelta", "format", "range", "len", "print"})
"""Calls of plain names that a turn may make beside Spark's: they change nothing."""


@dataclass(frozen=True, slots=True)
class OnePass:
    """The rewriting."""

    column: str
    values: str
    """The name of the list of the loop's values."""
    diff: str
    is_overwritten: bool
    root: str
    """The folder that is written."""
    reads: tuple[str, ...]
    """The folders that are read."""


class NotMechanical(Exception):
    """The loop has something that one pass may do otherwise."""


@dataclass
class _Chain:
    """What is known of the tables of a turn."""

    column: str = ""
    value: str = ""
    comparison: ast.Compare | None = None
    edits: list[Edit] = field(default_factory=list[Edit])
    tables: set[str] = field(default_factory=set[str])
    """Names in the loop that hold rows of the one value."""
    has_column: bool = True
    is_grouped: bool = False
    """The last step was a grouping, whose aggregates come next."""
    written: int = 0
    is_overwritten: bool = False
    root: str | None = None
    reads: list[str | None] = field(default_factory=list[str | None])
    functions: Functions = field(default_factory=lambda: Functions(frozenset(), {}))


def one_pass(script: NamedScript, source: Source, line: int) -> OnePass | None:
    """Of the loop in this line; None where the loop has anything that one pass may do otherwise."""
    loop = next((node for node in ast.walk(source.tree) if isinstance(node, ast.For) and node.lineno == line), None)
    if loop is None or source.language != "python" or loop.orelse or not _is_flat(source, loop):
        return None
    try:
        return _rewritten(script, source, loop)
    except NotMechanical:
        return None


def _is_flat(source: Source, loop: ast.For) -> bool:
    """Each statement has its lines to itself, and none of them is a block."""
    plain = all(isinstance(statement, ast.Assign | ast.Expr) for statement in loop.body)
    return plain and source.line_start(loop) is not None and all(source.line_start(statement) is not None for statement in loop.body)


def _rewritten(script: NamedScript, source: Source, loop: ast.For) -> OnePass:
    of_turn = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    if isinstance(loop.iter, ast.GeneratorExp) or (isinstance(loop.iter, ast.Call) and not _is_once(loop.iter)):
        raise NotMechanical  # its values may depend on what an earlier turn wrote
    chain = _Chain(functions=Functions.of(source))
    spark: list[ast.stmt] = []
    plain: list[ast.stmt] = []
    for statement in loop.body:
        if _is_plain(statement, chain.tables):
            if spark and isinstance(statement, ast.Assign):
                raise NotMechanical  # a value that is worked out between the steps
            plain.append(statement)
            of_turn |= _targets(statement)
            continue
        spark.append(statement)
        _read(source, loop, statement, chain, of_turn)
    if not spark or chain.comparison is None or chain.written != 1:
        raise NotMechanical
    reads = tuple(path for path in chain.reads if path is not None)
    if chain.root is None or len(reads) != len(chain.reads) or not all(are_apart(chain.root, path) for path in reads):
        raise NotMechanical  # a turn may read what another one wrote
    _only_by_value(spark, chain, of_turn)
    _not_carried(loop)
    _not_used_after(source, loop, of_turn | chain.tables)
    values = source.free_name(f"all_{chain.value}")
    diff = diff_by(script, [*chain.edits, *_frame(source, loop, spark, plain, chain, values)])
    if not diff:
        raise NotMechanical
    return OnePass(
        column=chain.column,
        values=values,
        diff=diff,
        is_overwritten=chain.is_overwritten,
        root=chain.root,
        reads=reads,
    )


def _is_once(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr == "collect"
    return isinstance(call.func, ast.Name) and call.func.id in ONCE


def _read(source: Source, loop: ast.For, statement: ast.stmt, chain: _Chain, of_turn: set[str]) -> None:
    """Follow one statement on tables: its calls from the innermost on."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value):
            _follow(source, loop, value, chain, of_turn)
            chain.tables.add(target)
        case ast.Expr(value=ast.Call() as value):
            _follow(source, loop, value, chain, of_turn)
        case _:
            raise NotMechanical


def _follow(source: Source, loop: ast.For, value: ast.expr, chain: _Chain, of_turn: set[str]) -> None:
    steps = list(_steps(value))
    base = steps[0]
    if not isinstance(base, ast.Name):
        raise NotMechanical
    is_of_value = base.id in chain.tables
    if any(isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value for node in ast.walk(value)):
        raise NotMechanical  # a text over several lines would be moved with them
    if chain.tables and not is_of_value:
        raise NotMechanical  # a second table of the turn
    writing = False
    for step in steps[1:]:
        if isinstance(step, ast.Attribute):  # `.read`, `.write`
            writing = writing or step.attr == "write"
            if step.attr not in ("read", "write"):
                raise NotMechanical
            continue
        if not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
            raise NotMechanical
        name = step.func.attr
        if writing:
            _write(source, loop, step, name, chain)
        elif is_of_value:
            _transform(source, loop, step, name, chain)
        elif name in FILTERS:
            _restrict(step, base.id, chain, of_turn)
            chain.reads.append(path_read(source, loop, step.func.value))
            is_of_value = True
    if not is_of_value:
        raise NotMechanical


def _steps(node: ast.expr) -> Iterator[ast.Name | ast.Attribute | ast.Call]:
    """`spark.read.parquet(p).filter(c)`: the name, the attributes that are no methods, the calls; innermost first."""
    match node:
        case ast.Name():
            yield node
        case ast.Attribute(value=inner):
            yield from _steps(inner)
            yield node
        case ast.Call(func=ast.Attribute(value=inner)):
            yield from _steps(inner)
            yield node
        case _:
            raise NotMechanical


def _restrict(call: ast.Call, table: str, chain: _Chain, of_turn: set[str]) -> None:
    """The filter by the turn's value."""
    if len(call.args) != 1 or call.keywords:
        raise NotMechanical
    match call.args[0]:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Name(id=value)]) as comparison if value in of_turn:
            column = chain.functions.column(left, table)
        case _:
            raise NotMechanical
    if not column or "." in column:  # a field of a column has no folder of its name
        raise NotMechanical
    chain.column, chain.value, chain.comparison = column, value, comparison


def _transform(source: Source, loop: ast.For, call: ast.Call, name: str, chain: _Chain) -> None:
    """One step on the rows of the turn: those that are known, in the forms that are known."""
    was_grouped, chain.is_grouped = chain.is_grouped, name in GROUPS
    if (name in GROUPED) != was_grouped:
        raise NotMechanical  # an aggregate of all rows, or a grouping that something else is done with
    text = [argument.value for argument in call.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
    is_text = len(text) == len(call.args) and not call.keywords
    has_own = chain.column.casefold() in map(str.casefold, text)  # Spark's names of columns have no case
    if name in KEYED and is_text and text:
        if not has_own:
            if not chain.has_column:
                raise NotMechanical
            chain.edits.append(Edit(source.start(call.args[0]), source.start(call.args[0]), f'"{chain.column}", '))
    elif name == "select" and is_text and text:
        if not has_own and "*" not in text:
            chain.edits.append(Edit(source.end(call.args[-1]), source.end(call.args[-1]), f', "{chain.column}"'))
    elif name == "join":
        chain.reads.append(_joined_by_names(source, loop, call, chain))
    elif name in GROUPED:
        allowed = FUNCTIONS | AGGREGATES if name == "agg" else frozenset[str]()
        if call.keywords or not all(chain.functions.is_known(argument, allowed) for argument in call.args):
            raise NotMechanical
        chain.has_column = False
    elif not _is_row_by_row(call, name, chain, is_text=is_text, has_own=has_own):
        raise NotMechanical


def _is_row_by_row(call: ast.Call, name: str, chain: _Chain, *, is_text: bool, has_own: bool) -> bool:
    match name, call.args:
        case "distinct", []:
            return not call.keywords
        case "drop", _:
            return is_text and not has_own
        case "withColumn", [ast.Constant(value=str()), value]:
            return not call.keywords and not has_own and chain.functions.is_known(value)
        case (("filter" | "where"), [condition]):  # a text may hold any function
            return not call.keywords and not isinstance(condition, ast.Constant) and chain.functions.is_known(condition)
        case _:
            return name in OF_CONSTANTS and all(map(is_plain, [*call.args, *(word.value for word in call.keywords)]))


def _joined_by_names(source: Source, loop: ast.For, call: ast.Call, chain: _Chain) -> str | None:
    """What is read of the other table: one from before the loop, by names of columns, each row for itself."""
    match call.args:
        case [other, on]:
            given: ast.expr = ast.Constant(value="inner")
        case [other, on, given]:
            pass
        case _:
            raise NotMechanical
    kinds = {word.arg: word.value for word in call.keywords}
    how = kinds.pop("how", given)
    by_names = isinstance(on, ast.Constant) or (isinstance(on, ast.List) and all(isinstance(key, ast.Constant) for key in on.elts))
    if isinstance(other, ast.Call) and chain.functions.name_of(other) == "broadcast" and len(other.args) == 1:
        other = other.args[0]
    if not by_names or kinds or not isinstance(other, ast.Name) or not isinstance(how, ast.Constant) or how.value not in WAYS:
        raise NotMechanical
    return path_read(source, loop, other)


def _write(source: Source, loop: ast.For, call: ast.Call, name: str, chain: _Chain) -> None:
    """`mode(...)`, and at the end the folder of the turn's partition."""
    if name == "mode" and len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and call.args[0].value in MODES:
        chain.is_overwritten = call.args[0].value == "overwrite"
        return
    given = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    if name in ("format", "option") and len(given) == len(call.args) and not call.keywords:
        if given and given[0] in (FORMATS if name == "format" else OPTIONS):
            return
        raise NotMechanical  # one that says what is replaced, or whose folders are tables
    if name not in WRITES or len(call.args) != 1 or call.keywords or not isinstance(call.func, ast.Attribute):
        raise NotMechanical
    before_it = {step.func.attr for step in _steps(call.func.value) if isinstance(step, ast.Call) and isinstance(step.func, ast.Attribute)}
    if (name == "save") != ("format" in before_it):
        raise NotMechanical  # the format of a deployment may be one of tables
    modes = [
        step for step in _steps(call) if isinstance(step, ast.Call) and isinstance(step.func, ast.Attribute) and step.func.attr == "mode"
    ]
    match call.args[0]:
        case ast.JoinedStr(
            values=[*before, ast.Constant(value=str(head)), ast.FormattedValue(value=ast.Name(id=value), conversion=-1, format_spec=None)]
        ):
            tail = f"/{chain.column}="
            if value != chain.value or not head.endswith(tail) or len(modes) != 1:
                raise NotMechanical
            kept = ast.JoinedStr(values=[*before, ast.Constant(value=head.removesuffix(tail))])
        case _:
            raise NotMechanical
    chain.root = text_of(source, loop, kept)
    path = ast.unparse(kept) if before else repr(head.removesuffix(tail)).replace("'", '"')
    behind = f'{DYNAMIC if chain.is_overwritten else ""}.partitionBy("{chain.column}")'
    dot = source.end(call.func.value)
    chain.edits += [Edit(dot, dot, behind), Edit(source.start(call.args[0]), source.end(call.args[0]), path)]
    chain.written += 1


def _only_by_value(spark: Sequence[ast.stmt], chain: _Chain, of_turn: set[str]) -> None:
    """The tables depend on the turn by the filter and the folder alone."""
    used = [node for statement in spark for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in of_turn]
    if len(used) != 2 or {node.id for node in used} != {chain.value}:
        raise NotMechanical


def _is_plain(statement: ast.stmt, tables: set[str]) -> bool:
    """It works on no table and changes nothing outside: texts, numbers, dates, prints."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            pass
        case _:
            return False
    for node in ast.walk(value):
        match node:
            case ast.Name(id=name) if name in tables or name in ("spark", "sc"):
                return False
            case ast.Call(func=ast.Name(id=name)) if name not in SAFE_CALLS:
                return False
            case ast.Call(func=ast.Attribute(attr=name)) if name not in SAFE_METHODS:
                return False
            case ast.Await() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr():
                return False
            case _:
                pass
    return True


def _targets(statement: ast.stmt) -> set[str]:
    return {target.id for target in statement.targets if isinstance(target, ast.Name)} if isinstance(statement, ast.Assign) else set()


def _not_carried(loop: ast.For) -> None:
    """No turn begins with what the one before left."""
    assigned = {name for statement in loop.body for name in _targets(statement)}
    known = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for statement in loop.body:
        loads = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        if loads & (assigned - known):
            raise NotMechanical
        known |= _targets(statement)


def _not_used_after(source: Source, loop: ast.For, names: set[str]) -> None:
    """What the last turn left is not used behind the loop."""
    end = loop.end_lineno or loop.lineno
    if any(isinstance(node, ast.Name) and node.id in names and node.lineno > end for node in ast.walk(source.tree)):
        raise NotMechanical
    holder = source.parents.get(loop)
    while holder is not None and not isinstance(holder, ast.Module):
        if isinstance(holder, ast.For | ast.While):
            raise NotMechanical
        holder = source.parents.get(holder)


def _frame(
    source: Source, loop: ast.For, spark: Sequence[ast.stmt], plain: Sequence[ast.stmt], chain: _Chain, values: str
) -> Iterator[Edit]:
    """The list before the loop, its filling in place of the steps, and the steps behind the loop, a level further left."""
    place = source.line_start(loop)
    first = source.line_start(loop.body[0])
    if place is None or first is None or chain.comparison is None or any(statement.lineno > spark[0].lineno for statement in plain):
        raise NotMechanical
    at, outer = place
    inner = first[1]
    yield Edit(at, at, f"{outer}{values} = []{source.newline}")
    begin = source.line_start(spark[0])
    if begin is None:
        raise NotMechanical
    yield Edit(begin[0], begin[0], f"{inner}{values}.append({chain.value}){source.newline}")
    for line in range(spark[0].lineno, (loop.end_lineno or loop.lineno) + 1):
        start = source.line_at(line)
        if source.text.startswith(inner, start):
            yield Edit(start, start + len(inner), outer)
    yield from _any_of(source, chain, chain.comparison, values)


def _any_of(source: Source, chain: _Chain, comparison: ast.Compare, values: str) -> Iterator[Edit]:
    """`day == one of the values`, each compared as the loop did: `isin` would make one type of the column and of all values."""
    alias, imports = source.functions_alias()
    reduce, import_of_it = source.module_alias("functools")
    yield from (*imports, *import_of_it)
    yield Edit(source.start(comparison), source.start(comparison), f"{reduce}.reduce(lambda one, other: one | other, [")
    yield Edit(source.end(comparison), source.end(comparison), f" for {chain.value} in {values}], {alias}.lit(False))")
