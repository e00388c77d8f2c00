"""What a request says of its result in closed form: rows that are kept, rows that count, what a column adds up to, and that later rows are
written as if all had been there at once. Each is tried on rows, regardless of how the script is written."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect, WriteMode
from contracts.statements import code, name, names
from contracts.tables import TableDetail
from workers.engines.sql.names import KnownTables
from workers.engines.sql.review.duckdb import stop_clock
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Expected, Rounds, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import NotParsed, parse_statement

LATE_MODES = (WriteMode.UPSERT, WriteMode.APPEND)


def rows_missing(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Rows of a table that all are to have a row in the result have none."""
    target, part = script.target, _last(script)
    table = _known(script, target.keeps_all) if target is not None and target.keeps_all else None
    if target is None or table is None or part is None:
        return
    pairs = _key_in_result(script, part, table)
    if not pairs:
        return
    of_table = exp.select(*(exp.column(column, quoted=True) for column, _ in pairs)).distinct().from_(_flat(table.name))
    for place, condition in target.only:
        known = _known(script, place)
        if known is not None and known.full_name == table.full_name and (kept := row_condition(condition, script.dialect)) is not None:
            of_table = of_table.where(kept)
    in_result = exp.select(*(exp.column(column, quoted=True) for _, column in pairs)).distinct().from_(_flat(target.table))
    matching = (
        exp.select("1")
        .from_(exp.alias_(exp.Subquery(this=of_table.copy()), "_kept"))
        .where(
            *(
                exp.NullSafeEQ(this=exp.column(ours, table="_kept", quoted=True), expression=exp.column(theirs, quoted=True))
                for ours, theirs in pairs
            )
        )
    )
    given = in_result.where(exp.Exists(this=matching)).sql("duckdb")
    yield _suspicion(
        Defect.ROWS_MISSING, part, {"table": name(table.full_name), "target": name(target.table)}, Expected(given, of_table.sql("duckdb"))
    )


def rows_not_left_out(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Rows that are not to count change the result."""
    target, part = script.target, _last(script)
    for place, condition in target.only if target is not None else ():
        table = _known(script, place)
        kept = row_condition(condition, script.dialect)
        if table is None or part is None or kept is None or all(table.full_name != known.full_name for known in script.inputs):
            continue
        out = exp.Not(this=exp.func("COALESCE", exp.paren(kept), exp.false(), dialect="duckdb"))
        yield Suspicion(
            Defect.ROWS_NOT_LEFT_OUT,
            part,
            _node(part),
            {"table": name(table.full_name), "condition": code(condition)},
            without=_without(script, table, out),
        )


def _without(script: Script, table: TableDetail, out: exp.Expr) -> tuple[tuple[str, ...], ...]:
    """Ways to take away rows that do not count: these alone, and with all that refers to them, as an order of a customer who does not
    count. Nobody says which one is meant, so that a script is wrong only if its result changes by each."""
    alone = exp.Delete(this=_flat(table.name), where=exp.Where(this=out.copy())).sql("duckdb")
    with_others = tuple(node.sql("duckdb") for node in _deletes(script, table, out))
    return ((alone,), with_others) if len(with_others) > 1 else ((alone,),)


def _deletes(script: Script, table: TableDetail, out: exp.Expr) -> Iterator[exp.Delete]:
    """Statements that take away rows of a table, and first what refers to them, directly or by one table between."""
    seen = {table.full_name}
    for child in script.inputs:
        for column, key in _refers(script, child, table) if child.full_name not in seen else ():
            theirs = _in(column, key, table, out)
            for grandchild in script.inputs:
                for inner, inner_key in _refers(script, grandchild, child) if grandchild.full_name not in {*seen, child.full_name} else ():
                    yield exp.Delete(this=_flat(grandchild.name), where=exp.Where(this=_in(inner, inner_key, child, theirs)))
            yield exp.Delete(this=_flat(child.name), where=exp.Where(this=theirs))
    yield exp.Delete(this=_flat(table.name), where=exp.Where(this=out.copy()))


def _in(column: str, key: str, table: TableDetail, out: exp.Expr) -> exp.Expr:
    """A column is that of a row that goes. Compared as texts: the two may be of different types."""
    gone = exp.select(exp.cast(exp.column(key, quoted=True), "text")).from_(_flat(table.name)).where(out.copy())
    return exp.In(this=exp.cast(exp.column(column, quoted=True), "text"), query=exp.Subquery(this=gone))


def _refers(script: Script, child: TableDetail, parent: TableDetail) -> list[tuple[str, str]]:
    """Columns of a table with the key of another that each refers to: by a declared reference, else as the script joins them."""
    names = {parent.full_name.lower(), parent.name.lower()}
    declared = [(found.column, found.references) for found in script.facts.of(child).references if found.table in names]
    if declared:
        return declared
    found: dict[tuple[str, str], None] = {}
    for part in script.parts:
        for equal in part.tree.find_all(exp.EQ):
            sides = [script.base_column(part, side) for side in (equal.this, equal.expression)]
            for mine, other in (sides, sides[::-1]):
                if mine is None or other is None or (mine[0].full_name, other[0].full_name) != (child.full_name, parent.full_name):
                    continue
                if script.facts.of(parent).has_key_in(frozenset({other[1]})):
                    found[mine[1], other[1]] = None
    return list(found)


def total_differs(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A column of the result does not add up to what its definition gives."""
    target, part = script.target, _last(script)
    for column, query in target.totals if target is not None else ():
        try:
            tree = parse_statement(query, script.dialect)
        except NotParsed:
            continue
        if part is None or not isinstance(tree, exp.Query) or target is None:
            continue
        for node in list(tree.find_all(exp.Table)):
            node.set("db", None)
            node.set("catalog", None)
        stop_clock(tree)
        zero = exp.Literal.number(0)
        given = exp.select(exp.func("COALESCE", exp.Sum(this=exp.column(column, quoted=True)), zero)).from_(_flat(target.table))
        meant = exp.select(exp.func("COALESCE", exp.Subquery(this=tree), zero.copy()))
        expected = Expected(given.sql("duckdb"), meant.sql("duckdb"))
        yield _suspicion(
            Defect.TOTAL_DIFFERS, part, {"column": name(column), "target": name(target.table), "definition": code(query)}, expected
        )


def not_as_at_once(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A run on some rows and another on all of them leave what one run on all leaves; its keys, where rows that are there may stay as they
    are: they are only appended, or a condition says which are replaced."""
    target, part = script.target, _last(script)
    if target is None or part is None or not script.keeps_target or target.mode not in LATE_MODES or not target.key:
        return
    yield Suspicion(
        Defect.NOT_AS_AT_ONCE,
        part,
        _node(part),
        {"table": name(target.table), "key": names(target.key)},
        rounds=Rounds.MORE,
        at_once=tuple(target.key) if target.mode is WriteMode.APPEND or _chooses(script) else (),
        compares_at_once=True,
    )


def _chooses(script: Script) -> bool:
    """Rows that are there are replaced under a condition, as by newer ones only."""
    for part in script.parts:
        conflict = part.tree.args.get("conflict")
        if isinstance(conflict, exp.OnConflict) and conflict.args.get("where") is not None:
            return True
        if any(when.args.get("condition") is not None for when in part.tree.find_all(exp.When)):
            return True
        if isinstance(part.tree, exp.Update | exp.Delete) and part.tree.find(exp.GT, exp.GTE, exp.LT, exp.LTE) is not None:
            return True
    return False


def _suspicion(defect: Defect, part: Part, values: dict[str, object], expected: Expected) -> Suspicion:
    return Suspicion(defect, part, _node(part), values, expected=expected)  # pyright: ignore[reportArgumentType] statements' values


def _last(script: Script) -> Part | None:
    return script.parts[-1] if script.parts and script.written else None


def _node(part: Part) -> exp.Expr:
    return part.resolved.root.node if part.resolved.root is not None else part.tree


def _known(script: Script, table: str) -> TableDetail | None:
    return KnownTables(script.tables).find(table)


def _flat(table: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(table.rpartition(".")[2], quoted=True))


def condition_on(text: str, table: TableDetail, dialect: str) -> exp.Expr | None:
    """A query for the rows of a table that a condition of a request keeps; None: the text is no condition of one row."""
    if row_condition(text, dialect) is None:
        return None
    return parse_statement(f"SELECT 1 FROM {exp.to_table(table.full_name).sql(dialect, identify=True)} WHERE {text}", dialect)  # noqa: S608 parsed only


def row_condition(text: str, dialect: str) -> exp.Expr | None:
    """A condition of a request, its columns without their tables; None: it is not one of a row."""
    try:
        tree = parse_statement(f"SELECT 1 WHERE {text}", dialect)
    except NotParsed:
        return None
    where = tree.args.get("where")
    if not isinstance(where, exp.Where) or where.find(exp.Query, exp.AggFunc, exp.Window) is not None:
        return None
    for column in list(where.find_all(exp.Column)):
        column.set("table", None)
    stop_clock(where)
    return where.this


def _key_in_result(script: Script, part: Part, table: TableDetail) -> list[tuple[str, str]]:
    """The columns of a table's key, each with the column of the result that passes it on; empty: not all are there."""
    root = part.resolved.root
    if root is None or not table.primary_key:
        return []
    listed = part.tree.this.expressions if isinstance(part.tree, exp.Insert) and isinstance(part.tree.this, exp.Schema) else []
    labels = [node.name for node in listed] or [output.name for output in root.outputs]
    found: dict[str, str] = {}
    for label, output in zip(labels, root.outputs, strict=False):
        base = script.passed_on(part, output)
        if base is not None and base[0].full_name == table.full_name:
            found.setdefault(base[1].lower(), label)
    for column in table.primary_key:
        if column.lower() not in found and column.lower() in {label.lower() for label in labels}:
            found[column.lower()] = column
    return [(column, found[column.lower()]) for column in table.primary_key] if all(k.lower() in found for k in table.primary_key) else []
