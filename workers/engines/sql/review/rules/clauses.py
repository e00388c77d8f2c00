"""What a request says of its result in closed form: rows that are kept, rows that count, what a column adds up to, and that later rows are
written as if all had been there at once. Each is tried on rows, regardless of how the script is written."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from sqlglot import exp

from contracts.sql_review import Defect, WriteMode
from contracts.statements import Value, code, name, names
from contracts.tables import TableDetail
from workers.engines.sql.lineage import Origins
from workers.engines.sql.names import KnownTables, Output, resolve
from workers.engines.sql.review.duckdb import CLOCK, fit, flat_table, for_sandbox, stop_clock
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.suspicion import Expected, Rounds, Suspicion
from workers.engines.sql.review.witness import comparable, shown
from workers.engines.sql.sandbox import Row, Table
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import NotParsed, parse_statement

LATE_MODES = (WriteMode.UPSERT, WriteMode.APPEND)
COMPARED_WITH_CLOCK = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)


def rows_missing(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Rows of a table that all are to have a row in the result have none."""
    target, part = script.target, _last(script)
    table = _known(script, target.keeps_all) if target is not None and target.keeps_all else None
    if target is None or table is None or part is None:
        return
    pairs = _in_result(script, table)
    if not pairs:
        return
    of_table = exp.select(*(exp.alias_(node, label, quoted=True) for node, label in pairs)).distinct().from_(flat_table(table, script))
    for place, condition in target.only:
        known = _known(script, place)
        if known is not None and known.full_name == table.full_name and (kept := row_condition(condition, script.dialect)) is not None:
            of_table = of_table.where(kept)
    columns = tuple(column for _, column in pairs)

    def given(result: Table, meant: Table) -> Table:
        """The rows that are meant and are there."""
        found = picked(result, columns)
        there = None if found is None else {_key_of(row) for row in found}
        return meant if there is None else Table(meant.columns, tuple(row for row in meant.rows if _key_of(row) in there))

    values: dict[str, Value] = {"table": name(table.full_name), "target": name(target.table)}
    yield _suspicion(script, Defect.ROWS_MISSING, part, values, Expected(of_table.sql("duckdb"), given))


def picked(result: Table, columns: Sequence[str]) -> list[Row] | None:
    """The rows of some columns of a result; None: one of them is not there."""
    names_ = [column.lower() for column in result.columns]
    if any(column.lower() not in names_ for column in columns):
        return None
    places = [names_.index(column.lower()) for column in columns]
    return [tuple(row[place] for place in places) for row in result.rows]


def _key_of(row: Row) -> tuple[str | None, ...]:
    """Equal for keys that count as equal: a day and its first instant, a whole number of any type."""
    return tuple(None if cell is None else (shown(cell) or "").removesuffix(" 00:00:00") for cell in row)


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
    alone = exp.Delete(this=flat_table(table, script), where=exp.Where(this=out.copy())).sql("duckdb")
    with_others = tuple(node.sql("duckdb") for node in _deletes(script, table, out))
    return ((alone,), with_others) if len(with_others) > 1 else ((alone,),)


def _deletes(script: Script, table: TableDetail, out: exp.Expr) -> Iterator[exp.Delete]:
    """Statements that take away rows of a table, and first what refers to them, directly or by one table between."""
    seen = {table.full_name}
    for child in script.inputs:
        for column, key in _refers(script, child, table) if child.full_name not in seen else ():
            theirs = _in(script, column, key, table, out)
            for grandchild in script.inputs:
                for inner, inner_key in _refers(script, grandchild, child) if grandchild.full_name not in {*seen, child.full_name} else ():
                    yield exp.Delete(
                        this=flat_table(grandchild, script), where=exp.Where(this=_in(script, inner, inner_key, child, theirs))
                    )
            yield exp.Delete(this=flat_table(child, script), where=exp.Where(this=theirs))
    yield exp.Delete(this=flat_table(table, script), where=exp.Where(this=out.copy()))


def _in(script: Script, column: str, key: str, table: TableDetail, out: exp.Expr) -> exp.Expr:
    """A column is that of a row that goes. Compared as texts: the two may be of different types."""
    gone = exp.select(exp.cast(exp.column(key, quoted=True), "text")).from_(flat_table(table, script)).where(out.copy())
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
    """A column of the result does not add up to what its definition gives, or is another than the definition gives for a key. Rows that are
    only appended stay as they are, so that their definition holds after one run. A definition by part of the key is not tried."""
    target, part = script.target, _last(script)
    for column, query in target.totals if target is not None else ():
        try:
            resolved = resolve(parse_statement(query, script.dialect), script.tables, script.dialect)
        except NotParsed:
            continue
        if part is None or not isinstance(resolved.tree, exp.Query) or target is None:
            continue
        of_all = len(resolved.tree.selects) == 1
        if not of_all and {item.lower() for item in resolved.tree.named_selects} != {item.lower() for item in (column, *target.key)}:
            continue
        meant = for_sandbox(resolved.tree, Part(0, query, resolved, Origins(resolved)), script)
        expected = Expected(f"SELECT COALESCE(({meant}), 0)", _added_up(column)) if of_all else Expected(meant, _of_keys(column))
        values: dict[str, Value] = {"column": name(column), "target": name(target.table), "definition": code(query)}
        yield _suspicion(script, Defect.TOTAL_DIFFERS, part, values, expected, (WriteMode.UPSERT,))


def _added_up(column: str) -> Callable[[Table, Table], Table]:
    def given(result: Table, meant: Table) -> Table:
        cells = [row[0] for row in picked(result, (column,)) or ()]
        numbers = [cell for cell in cells if isinstance(cell, int | float | Decimal)]
        is_number = len(numbers) == sum(cell is not None for cell in cells)
        return Table(meant.columns, ((sum(numbers),),)) if is_number else meant

    return given


def _of_keys(column: str) -> Callable[[Table, Table], Table]:
    """The rows of the keys that a definition has, as it has them where they are alike."""

    def given(result: Table, meant: Table) -> Table:
        found = picked(result, meant.columns)
        if found is None:
            return meant
        place = [name_.lower() for name_ in meant.columns].index(column.lower())
        wanted = {_key_of((*row[:place], *row[place + 1 :])): row for row in meant.rows}
        rows: list[Row] = []
        for row in found:
            other = wanted.get(_key_of((*row[:place], *row[place + 1 :])))
            if other is not None:
                rows.append(other if comparable(row[place]) == comparable(other[place]) else row)
        return Table(meant.columns, tuple(rows))

    return given


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


def day_of_run(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Rows are read by their day and the day of the run: one that arrives after its day is not written as if it had been there."""
    target = script.target
    if target is None or not script.keeps_target or target.mode not in LATE_MODES or not target.key:
        return
    found: list[tuple[Part, exp.Expr, exp.Column]] = []
    for part in script.parts:
        for node in part.tree.find_all(*COMPARED_WITH_CLOCK):
            column = next((column for column in node.find_all(exp.Column) if script.base_column(part, column) is not None), None)
            if column is not None and node.find(*CLOCK) is not None and node.find(exp.Query) is None:
                found.append((part, node, column))
    for part, node, column in sorted(found, key=lambda each: _is_upper_bound(each[1]))[:1]:
        yield Suspicion(
            Defect.DAY_OF_RUN,
            part,
            node,
            {"condition": code(node.sql(script.dialect)), "table": name(target.table), "column": name(column.name)},
            rounds=Rounds.MORE,
            days_pass=True,
            at_once=tuple(target.key) if target.mode is WriteMode.APPEND or _chooses(script) else (),
            blocks=target.late_days > 0,
        )


def _is_upper_bound(node: exp.Expr) -> bool:
    """A column, as it is or cast, is at most something: no row is too late for that."""
    side = node.this if isinstance(node, exp.LT | exp.LTE) else node.expression if isinstance(node, exp.GT | exp.GTE) else None
    return isinstance(side.this if isinstance(side, exp.Cast) else side, exp.Column)


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


def _suspicion(
    script: Script,
    defect: Defect,
    part: Part,
    values: dict[str, Value],
    expected: Expected,
    modes: Sequence[WriteMode] = LATE_MODES,
) -> Suspicion:
    """Where a run of one of the modes adds to what is there, it holds after a later run too, with rows that came in between."""
    adds = script.keeps_target and script.target is not None and script.target.mode in modes
    return Suspicion(defect, part, _node(part), values, expected=expected, rounds=Rounds.MORE if adds else Rounds.SINGLE)


def _last(script: Script) -> Part | None:
    return script.parts[-1] if script.parts and script.written else None


def _node(part: Part) -> exp.Expr:
    return part.resolved.root.node if part.resolved.root is not None else part.tree


def _known(script: Script, table: str) -> TableDetail | None:
    return KnownTables(script.tables).find(table)


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


def _in_result(script: Script, table: TableDetail) -> list[tuple[exp.Expr, str]]:
    """What of a table's rows the result holds, each with the column that holds it: the table's key, else those columns of the target's key
    that come only from this table. Empty: nothing."""
    target, part = script.target, _filling(script)
    root = part.resolved.root if part is not None else None
    if target is None or part is None or root is None:
        return []
    listed = part.tree.this.expressions if isinstance(part.tree, exp.Insert) and isinstance(part.tree.this, exp.Schema) else []
    labels = [node.name for node in listed] or [output.name for output in root.outputs]
    made = [(label, _of_table(script, part, output, table)) for label, output in zip(labels, root.outputs, strict=False)]
    passed = {node.name.lower(): label for label, node in reversed(made) if isinstance(node, exp.Column)}
    named = {label.lower(): label for label in labels}
    keys = [(exp.column(key, quoted=True), passed.get(key.lower()) or named.get(key.lower(), "")) for key in table.primary_key]
    if keys and all(label for _, label in keys):
        return list(keys)
    if sum(source.table is table for part in script.parts for source in part.resolved.tables) != 1:
        return []
    grain = {column.lower() for column in target.key}
    return [(node, label) for label, node in made if node is not None and label.lower() in grain]


def _filling(script: Script) -> Part | None:
    """The last statement that fills the target with the rows of a query."""
    written = script.written.lower().rpartition(".")[2]
    for part in reversed(script.parts):
        target = part.resolved.target
        if target is not None and target.table_name.lower().rpartition(".")[2] == written and part.resolved.root is not None:
            return part
    return None


def _of_table(script: Script, part: Part, output: Output, table: TableDetail) -> exp.Expr | None:
    """What yields an output, over the columns of one table, as the sandbox has it; None: it needs other columns too."""
    base = script.passed_on(part, output)
    if base is not None and base[0].full_name == table.full_name:
        return exp.column(base[1], quoted=True)
    if base is not None:
        makers = [other for other in script.parts if other.number < part.number and _makes(other, base[0])]
        root = makers[-1].resolved.root if makers else None
        inner = root.output(base[1]) if root is not None else None
        return _of_table(script, makers[-1], inner, table) if inner is not None else None
    node = output.node.unalias() if output.node is not None else None
    columns = list(node.find_all(exp.Column)) if node is not None else []
    bases = [script.base_column(part, column) for column in columns]
    if node is None or not columns or node.find(exp.Query, exp.AggFunc, exp.Window) is not None:
        return None
    if any(found is None or found[0].full_name != table.full_name for found in bases):
        return None
    copy = exp.paren(node.copy())
    for column, found in zip(list(copy.find_all(exp.Column)), bases, strict=True):
        if found is not None:
            column.replace(exp.column(found[1], quoted=True))
    fit(copy, part, script)
    return copy


def _makes(part: Part, table: TableDetail) -> bool:
    target = part.resolved.target
    made = target.table_name.lower() if target is not None and isinstance(part.tree, exp.Create) else ""
    return made in (table.name.lower(), table.full_name.lower())
