"""Scripts that run again and again: late rows that are never read, rows that a second run doubles, history that overlaps."""

import re
from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from contracts.sql_review import Defect, WriteMode
from contracts.statements import code, name, names
from workers.engines.sql.conditions import conjuncts
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rows import FROM_NAMES, TO_NAMES
from workers.engines.sql.review.suspicion import Edit, Meant, Rounds, Suspicion
from workers.engines.sql.sandbox import Row, Table
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import within

ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
CHANGED = re.compile(r"updated|changed|modified|version|_ts$|last_|event_time|as_of|seq", re.IGNORECASE)
"""A column that says which of two states of a row is the newer one."""


def late_rows(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Only rows after the highest time of the target are read: one that arrives late is never seen."""
    if not script.keeps_target:
        return
    written = script.written.lower().rpartition(".")[2]
    for part in script.parts:
        for where in part.tree.find_all(exp.Where):
            for whole in conjuncts(where):
                node = next((inner for inner in within(whole) if isinstance(inner, ORDERED) and _is_watermark(part, inner, written)), None)
                if node is None or node.find_ancestor(exp.Exists) is not None:
                    continue
                column = next((side for side in (node.this, node.expression) if isinstance(side, exp.Column)), None)
                yield Suspicion(
                    Defect.LATE_ROWS,
                    part,
                    node,
                    {
                        "condition": code(node.sql(script.dialect)),
                        "column": name(column.name if column is not None else ""),
                        "table": name(script.written),
                    },
                    meant=_rereading(script, part, whole),
                    rounds=Rounds.MORE,
                )


def _rereading(script: Script, part: Part, whole: exp.Expr) -> list[Meant] | None:
    """Without the watermark, where rows that are read twice are recognised; else rows whose key the target has are left out instead."""
    if _is_safe_to_reread(part):
        return [Meant(part, ((whole, lambda _: exp.true()),))]
    root, target = part.resolved.root, part.resolved.target
    key = {column.lower() for column in script.target.key} if script.target is not None else set[str]()
    if root is None or target is None or target.table is None or whole.find_ancestor(exp.Select) is not root.select:
        return None
    tree = part.tree
    names = (
        [node.name for node in tree.this.expressions]
        if isinstance(tree.this, exp.Schema)
        else [column.name for column in target.table.columns]
    )
    pairs = [
        exp.EQ(this=exp.column(column, table="_seen"), expression=output.node.unalias().copy())
        for column, output in zip(names, root.outputs, strict=False)
        if column.lower() in key and output.node is not None
    ]
    if not pairs or len(pairs) != len(key):
        return None
    seen = exp.select("1").from_(exp.alias_(exp.to_table(target.table_name), "_seen")).where(*pairs)
    return [Meant(part, ((whole, lambda _: exp.not_(exp.Exists(this=seen.copy()))),))]


def older_overwrites(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """An upsert takes each row that comes, so an older one that arrives late replaces a newer one."""
    if not script.keeps_target:
        return
    for part in script.parts:
        for node, source in _upserts(part):
            if node.args.get("where") is not None or node.args.get("condition") is not None:
                continue
            column = next((name_ for name_ in _assigned_names(node) if CHANGED.search(name_)), None)
            if column is None or part.resolved.target is None:
                continue
            yield Suspicion(
                Defect.OLDER_OVERWRITES,
                part,
                node,
                {"column": name(column), "table": name(script.written)},
                meant=[Meant(part, ((node, _only_newer(column, part.resolved.target.alias, source)),))],
                rounds=Rounds.REPLACED,
                blocks=wanted.late or wanted.older,
            )


def _upserts(part: Part) -> Iterator[tuple[exp.Expr, str]]:
    """The updates of existing rows, and the name of the row that comes."""
    conflict = part.tree.args.get("conflict")
    if isinstance(conflict, exp.OnConflict) and conflict.expressions:
        yield conflict, "excluded"
    if isinstance(part.tree, exp.Merge):
        using = part.tree.args["using"]
        for when in part.tree.args["whens"].expressions:
            if isinstance(when.args.get("then"), exp.Update):
                yield when, using.alias_or_name


def _assigned_names(node: exp.Expr) -> list[str]:
    then = node.args.get("then")
    pairs = then.expressions if isinstance(then, exp.Update) else node.expressions
    return [pair.this.name.lower() for pair in pairs if isinstance(pair, exp.EQ)]


def _only_newer(column: str, target: str, source: str) -> Edit:
    def change(node: exp.Expr) -> None:
        newer = exp.GT(this=exp.column(column, table=source), expression=exp.column(column, table=target))
        if isinstance(node, exp.When):
            node.set("condition", newer)
        else:
            node.set("where", exp.Where(this=newer))

    return change


def _is_watermark(part: Part, node: exp.Expr, written: str) -> bool:
    """One side is the highest value of the target, from a query in brackets or from a CTE."""
    if _highest_of(node, written):
        return True
    for side in (node.this, node.expression):
        found = part.resolved.column(side) if isinstance(side, exp.Column) else None
        scope = found.source.scope if found is not None and found.source is not None else None
        if scope is not None and isinstance(scope.node, exp.Select) and _highest_of(exp.Paren(this=scope.node.copy()), written):
            return len(scope.outputs) == 1
    return False


def _highest_of(node: exp.Expr, written: str) -> bool:
    for query in node.find_all(exp.Select):
        tables = [table.name.lower() for table in query.find_all(exp.Table)]
        if query.find(exp.Max) is not None and written in tables:
            return True
    return False


def _is_safe_to_reread(part: Part) -> bool:
    """Rows that are read twice are recognised, so the condition is not what keeps them from being written twice."""
    tree = part.tree
    return (
        isinstance(tree, exp.Merge)
        or (isinstance(tree, exp.Insert) and tree.args.get("conflict") is not None)
        or tree.find(exp.Exists) is not None
    )


def doubled_by_second_run(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The same script on the same rows leaves another target the second time."""
    if not script.keeps_target:
        return
    target = script.target
    part = next((part for part in script.parts if isinstance(part.tree, exp.Insert)), None)
    if part is None:
        return
    is_append = target is not None and target.mode is WriteMode.APPEND and not target.key
    yield Suspicion(
        Defect.DOUBLED_BY_SECOND_RUN,
        part,
        part.tree,
        {"table": name(script.written), "key": names((target.key if target is not None else ()) or ("key",))},
        rounds=Rounds.AGAIN,
        once=True,
        blocks=target is not None and not is_append,
    )


def history_overlaps(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """Two rows of a history are valid at the same time for one key."""
    target = script.target
    if target is None or not script.keeps_target:
        return
    columns = [column.lower() for column in target.columns]
    start = next((column for column in columns if column in FROM_NAMES), None)
    end = next((column for column in columns if column in TO_NAMES), None)
    key = [column.lower() for column in target.key if column.lower() not in (start, end)]
    if start is None or end is None or not key or not script.parts:
        return

    def wrong(table: Table) -> list[Row]:
        names_ = [column.lower() for column in table.columns]
        places = [names_.index(column) for column in (*key, start, end) if column in names_]
        if len(places) != len(key) + 2:
            return []
        rows = sorted(
            (row for row in table.rows if row[places[-2]] is not None), key=lambda row: tuple(str(row[place]) for place in places)
        )
        for before, after in pairwise(rows):
            if all(before[place] == after[place] for place in places[:-2]) and (
                before[places[-1]] is None or before[places[-1]] > after[places[-2]]
            ):
                return [before, after]
        return []

    part = script.parts[-1]
    yield Suspicion(
        Defect.HISTORY_OVERLAPS, part, part.tree, {"table": name(target.table), "key": names(key)}, wrong=wrong, rounds=Rounds.REPLACED
    )
