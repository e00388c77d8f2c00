"""Mends of names: tables, columns, qualifiers and functions that the engine does not know, or knows more than once."""

from collections.abc import Callable, Iterator

from sqlglot import Dialect, exp

from contracts.statements import code, name, say
from contracts.tables import TableDetail
from workers.engines.sql.errors.proposals import distance, in_order_of_likeness
from workers.engines.sql.names import likeness
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.joining import with_join
from workers.engines.sql.repair.mend import Broken, Mend, alias_of, changed, column_names, detail_of, replaced, select_of, sources_of

LEAST_LIKENESS = 0.75
"""Names less alike than this are not tried, unless few letters differ: below it a repaired statement would say something else. `shop_id`
for `shop_name` has 0.67, `name` for `customer_name` 0.75."""

MOST_LETTERS = 1 / 3
"""The share of letters that may differ in a misspelt name."""

FOLDED: dict[str, Callable[[str], str]] = {"snowflake": str.upper, "oracle": str.upper, "postgres": str.lower, "redshift": str.lower}
"""How engines keep a name that is written without quotation marks; with them they compare its case too."""

MOST_TRIED = 4
"""Names that are tried for an unknown one."""


def near_names(wanted: str, known: list[str]) -> list[str]:
    """The known names that may be meant, the likeliest first."""
    scored = [(likeness(wanted, other), other) for other in dict.fromkeys(known) if other.lower() != wanted.lower()]
    alike = [other for score, other in sorted(scored, key=lambda item: -item[0]) if score >= LEAST_LIKENESS or _is_misspelt(wanted, other)]
    first = in_order_of_likeness(wanted, alike)[:1]
    return list(dict.fromkeys([*first, *alike]))[:MOST_TRIED]


def _is_misspelt(wanted: str, other: str) -> bool:
    return distance(wanted.lower(), other.lower()) <= len(wanted) * MOST_LETTERS


def other_case(broken: Broken) -> Iterator[Mend]:
    """A name in quotation marks, where the engine keeps names that were made without them in another case: the name without them."""
    folds = FOLDED.get(broken.dialect)
    wanted = broken.name.rpartition(".")[2].strip('"').lower()
    quoted = [
        node
        for node in broken.tree.find_all(exp.Identifier)
        if node.args.get("quoted") and node.name.lower() == wanted and node.name.isidentifier() and folds and node.name != folds(node.name)
    ]
    if folds and quoted:
        new = {id(node): exp.to_identifier(node.name, quoted=False) for node in quoted}
        why = say("sql_repair.other_case", name=code(f'"{quoted[0].name}"'), kept=code(folds(quoted[0].name)))
        yield Mend(replaced(broken.tree, new), why, 0.75)


def unknown_table(broken: Broken) -> Iterator[Mend]:
    """A table that does not exist: without its schema, by a nearer name; an alias that does not exist."""
    wanted = broken.name.rpartition(".")[2]
    found = [table for table in broken.tree.find_all(exp.Table) if table.name.lower() == wanted.lower()]
    if not found:
        yield from unknown_qualifier(broken, wanted)
        return
    yield from _other_schema(broken, found)
    ctes = [cte.alias for cte in broken.tree.find_all(exp.CTE)]
    for place, other in enumerate(near_names(wanted, [*ctes, *(table.name for table in broken.tables)])):
        detail = next((table for table in broken.tables if table.name == other), None)
        new = {id(table): _renamed(table, other, detail, other in ctes) for table in found}
        columns = {id(column): _of_table(column, other) for column in broken.columns_named("") if column.table.lower() == wanted.lower()}
        columns |= {
            id(column): _of_table(column, other)
            for column in broken.tree.find_all(exp.Column)
            if column.table.lower() == wanted.lower() and not any(table.alias for table in found)
        }
        yield Mend(replaced(broken.tree, new | columns), say("sql_repair.table", old=name(wanted), new=name(other)), 1.5 + place)


def _other_schema(broken: Broken, found: list[exp.Table]) -> Iterator[Mend]:
    schemas = {table.db for table in found if table.db}
    known = [table for table in broken.tables if table.name.lower() == found[0].name.lower()]
    targets = {table.schema_name for table in known if table.schema_name not in schemas} or ({""} if schemas else set[str]())
    for target in sorted(targets):
        everywhere = [table for table in broken.tree.find_all(exp.Table) if table.db in schemas] if schemas else found
        new: dict[int, exp.Expr | None] = {}
        for table in everywhere:
            copy = table.copy()
            copy.set("catalog", None)
            copy.set("db", exp.to_identifier(target) if target else None)
            new[id(table)] = copy
        for column in broken.tree.find_all(exp.Column):
            if column.db and column.db in schemas:
                new[id(column)] = exp.column(column.this.copy(), table=column.args["table"].copy())
        shown = ", ".join(sorted(schemas)) or found[0].name
        why = say("sql_repair.schema_added", new=name(target)) if target else say("sql_repair.schema_dropped", old=name(shown))
        yield Mend(replaced(broken.tree, new), why, 1)


def _renamed(table: exp.Table, other: str, detail: TableDetail | None, is_cte: bool) -> exp.Table:
    copy = table.copy()
    copy.set("this", exp.to_identifier(other))
    if is_cte or (detail is not None and not detail.schema_name):
        copy.set("db", None)
        copy.set("catalog", None)
    return copy


def _of_table(column: exp.Column, table: str) -> exp.Column:
    return exp.column(column.this.copy(), table=table)


def unknown_qualifier(broken: Broken, qualifier: str) -> Iterator[Mend]:
    """`x.id` where nothing in the FROM clause is called x."""
    users = [column for column in broken.tree.find_all(exp.Column) if column.table.lower() == qualifier.lower()]
    select = select_of(users[0]) if users else None
    if select is None:
        return
    sources = sources_of(select)
    written = [source for source in sources if source.alias and source.name.lower() == qualifier.lower()]
    having = [source for source in sources if all(_has(source, column.name, broken) for column in users)]
    near = [source for source in having if likeness(qualifier, alias_of(source)) >= LEAST_LIKENESS]
    for place, source in enumerate(dict.fromkeys([*written, *near, *having])):
        new = {id(column): _of_table(column, alias_of(source)) for column in users}
        why = say("sql_repair.qualifier", old=name(qualifier), new=name(alias_of(source)))
        yield Mend(replaced(broken.tree, new), why, 1 if source in written else 1.5 + place)
    bare = [
        node
        for node in select.find_all(exp.Subquery)
        if not node.alias and node.parent_select is select and isinstance(node.parent, exp.From | exp.Join)
    ]
    for node in bare:
        copy = node.copy()
        copy.set("alias", exp.TableAlias(this=exp.to_identifier(qualifier)))
        yield Mend(replaced(broken.tree, {id(node): copy}), say("sql_repair.alias_added"), 1)
    missing = next((table for table in broken.tables if table.name.lower() == qualifier.lower()), None)
    if missing is not None and (joined := with_join(broken, select, missing)) is not None:
        yield Mend(joined.tree, say("sql_repair.join_added", table=name(missing.name), on=code(joined.condition)), 2.5)


def _has(source: exp.Table, column: str, broken: Broken) -> bool:
    return column.lower() in (other.lower() for other in column_names(source, broken))


def unknown_column(broken: Broken) -> Iterator[Mend]:
    """A column that does not exist: of another table, by a nearer name, of a table to be joined, or a text in the wrong quotes."""
    columns = broken.columns_named(broken.name)
    if not columns:
        return
    yield from _as_text(broken, columns)
    select = select_of(columns[0])
    if select is None:
        return
    qualifier = columns[0].table.lower()
    if qualifier and qualifier not in _aliases_around(select):
        yield from unknown_qualifier(broken, qualifier)
    yield from _of_other_source(broken, columns, select)
    yield from _nearer(broken, columns, select)
    yield from _joined(broken, columns, select)


def _aliases_around(select: exp.Select) -> set[str]:
    """What columns of a query may be qualified with."""
    found = set[str]()
    around: exp.Select | None = select
    while around is not None:
        found |= {alias_of(source).lower() for source in sources_of(around)}
        found |= {node.alias.lower() for node in around.find_all(exp.Subquery, exp.TableAlias) if node.parent_select is around}
        around = around.find_ancestor(exp.Select)
    return found


def _as_text(broken: Broken, columns: list[exp.Column]) -> Iterator[Mend]:
    """`WHERE city = "Rome"`: a text, unless there is such a column."""
    quoted = [column for column in columns if not column.table and column.this.quoted and isinstance(column.parent, exp.Predicate | exp.In)]
    if quoted:
        new: dict[int, exp.Expr | None] = {id(column): exp.Literal.string(column.name) for column in quoted}
        yield Mend(replaced(broken.tree, new), say("sql_repair.text_quotes", text=name(quoted[0].name)), 1)


def _of_other_source(broken: Broken, columns: list[exp.Column], select: exp.Select) -> Iterator[Mend]:
    around: exp.Select | None = select
    place = 0
    while around is not None:
        for source in sources_of(around):
            if alias_of(source).lower() != columns[0].table.lower() and _has(source, columns[0].name, broken):
                new: dict[int, exp.Expr | None] = {
                    id(column): _of_table(column, alias_of(source)) for column in columns if select_of(column) is select
                }
                old = printed(columns[0], broken.dialect)
                yield Mend(
                    replaced(broken.tree, new),
                    say("sql_repair.column_of", old=code(old), new=code(f"{alias_of(source)}.{columns[0].name}")),
                    1 + place,
                )
                place += 1
        around = around.find_ancestor(exp.Select)


def _nearer(broken: Broken, columns: list[exp.Column], select: exp.Select) -> Iterator[Mend]:
    column = columns[0]
    sources = [source for source in sources_of(select) if not column.table or alias_of(source).lower() == column.table.lower()]
    known = [other for source in sources for other in column_names(source, broken)]
    for derived in select.find_all(exp.Subquery):
        if derived.parent_select is select and isinstance(derived.this, exp.Query) and column.table.lower() in {"", derived.alias.lower()}:
            known += derived.this.named_selects
    if column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Select) is not select and not column.table:
        known += [item.alias for item in select.selects if isinstance(item, exp.Alias)]
    hints = [hint.rpartition(".")[2] for hint in broken.error.proposals]
    for place, other in enumerate(dict.fromkeys([*near_names(column.name, [*hints, *known])])):
        new: dict[int, exp.Expr | None] = {}
        for written in columns:
            copy = written.copy()
            copy.set("this", exp.to_identifier(other))
            new[id(written)] = copy
        yield Mend(replaced(broken.tree, new), say("sql_repair.column", old=name(column.name), new=name(other)), 1.5 + place)


def _joined(broken: Broken, columns: list[exp.Column], select: exp.Select) -> Iterator[Mend]:
    here = {detail.full_name for source in sources_of(select) if (detail := detail_of(source, broken.tables)) is not None}
    wanted = columns[0].name.lower()
    having = [
        table for table in broken.tables if table.full_name not in here and wanted in (column.name.lower() for column in table.columns)
    ]
    for place, table in enumerate(having[:MOST_TRIED]):
        own = Broken(
            replaced(broken.tree, {id(column): _of_table(column, table.name) for column in columns}),
            broken.error,
            broken.tables,
            broken.dialect,
        )
        moved = next((other for other in own.columns_named(f"{table.name}.{wanted}")), None)
        target = select_of(moved) if moved is not None else None
        if target is not None and (joined := with_join(own, target, table)) is not None:
            yield Mend(joined.tree, say("sql_repair.join_added", table=name(table.name), on=code(joined.condition)), 1.25 + place)


def ambiguous(broken: Broken) -> Iterator[Mend]:
    """A column that several tables have: of the first of them."""
    bare = [column for column in broken.columns_named(broken.name) if not column.table]
    select = select_of(bare[0]) if bare else None
    if select is None:
        return
    having = [source for source in sources_of(select) if _has(source, bare[0].name, broken)] or sources_of(select)
    for place, source in enumerate(having):
        new: dict[int, exp.Expr | None] = {
            id(column): _of_table(column, alias_of(source)) for column in bare if select_of(column) is select
        }
        why = say("sql_repair.qualified", column=name(bare[0].name), source=name(alias_of(source)))
        yield Mend(replaced(broken.tree, new), why, 1 + place)


def unknown_function(broken: Broken) -> Iterator[Mend]:
    """A function that the engine does not have, by a name that it has."""
    wanted = broken.name.rpartition(".")[2]
    calls = [call for call in broken.tree.find_all(exp.Anonymous) if call.name.lower() == wanted.lower()]
    for other in OTHER_FUNCTIONS.get(wanted.upper(), ()):
        new: dict[int, exp.Expr | None] = {
            id(call): exp.Anonymous(this=other, expressions=[arg.copy() for arg in call.expressions]) for call in calls
        }
        if calls:
            yield Mend(replaced(broken.tree, new), say("sql_repair.function", old=name(wanted.upper()), new=name(other)), 1.5)
    counted = {id(call): _counted(call) for call in broken.tree.find_all(exp.CountIf)}
    if counted and wanted.upper() in {"COUNT_IF", "COUNTIF"}:
        yield Mend(replaced(broken.tree, counted), say("sql_repair.function", old=name(wanted.upper()), new=name("SUM(CASE)")), 1)
    is_misspelt = not any(wanted.upper() in found.parser_class.FUNCTIONS for found in Dialect.classes.values())
    known = [*KNOWN_FUNCTIONS]
    for place, other in enumerate(near_names(wanted.upper(), known)[:2] if calls and is_misspelt else ()):
        new = {id(call): exp.Anonymous(this=other, expressions=[arg.copy() for arg in call.expressions]) for call in calls}
        yield Mend(replaced(broken.tree, new), say("sql_repair.function", old=name(wanted.upper()), new=name(other)), 2 + place)


def _counted(call: exp.Expr) -> exp.Expr:
    """`COUNT_IF(c)` as every engine has it."""
    case = exp.Case(ifs=[exp.If(this=call.this.copy(), true=exp.Literal.number(1))], default=exp.Literal.number(0))
    return exp.Sum(this=case)


def unknown_in_using(broken: Broken) -> Iterator[Mend]:
    """A column of USING that one side does not have."""
    for join in broken.tree.find_all(exp.Join):
        using: list[exp.Expr] = join.args.get("using") or []
        select = select_of(join)
        for item in using:
            if item.name.lower() != broken.name.lower() or select is None or not isinstance(join.this, exp.Table):
                continue
            before = {column.lower() for source in sources_of(select) if source is not join.this for column in column_names(source, broken)}
            shared = [column for column in column_names(join.this, broken) if column.lower() in before]
            for place, other in enumerate(near_names(item.name, shared)):
                new = {id(item): exp.to_identifier(other)}
                yield Mend(replaced(broken.tree, new), say("sql_repair.column", old=name(item.name), new=name(other)), 1.25 + place)


def missing_alias(broken: Broken) -> Iterator[Mend]:
    """A query in the FROM clause without a name."""
    bare = [node for node in broken.tree.find_all(exp.Subquery) if not node.alias and isinstance(node.parent, exp.From | exp.Join)]
    new: dict[int, exp.Expr | None] = {}
    for number, node in enumerate(bare, 1):
        copy = node.copy()
        copy.set("alias", exp.TableAlias(this=exp.to_identifier(f"part_{number}")))
        new[id(node)] = copy
    if new:
        yield Mend(replaced(broken.tree, new), say("sql_repair.alias_added"), 1)


def dropped_collation(broken: Broken) -> Iterator[Mend]:
    """A collation that the engine does not have."""
    node = broken.tree.find(exp.Collate)
    if node is not None:
        yield Mend(changed(broken.tree, node, node.this), say("sql_repair.collation", old=name(broken.name)), 1)


OTHER_FUNCTIONS = {
    "LEN": ("LENGTH",),
    "LENGTH": ("LEN",),
    "SUBSTRING": ("SUBSTR",),
    "SUBSTR": ("SUBSTRING",),
    "IFNULL": ("COALESCE",),
    "ISNULL": ("COALESCE",),
    "NVL": ("COALESCE",),
    "CEILING": ("CEIL",),
    "CEIL": ("CEILING",),
    "UCASE": ("UPPER",),
    "LCASE": ("LOWER",),
    "POW": ("POWER",),
    "POWER": ("POW",),
    "CHAR_LENGTH": ("LENGTH",),
    "CHARACTER_LENGTH": ("LENGTH",),
    "STDEV": ("STDDEV",),
    "AVERAGE": ("AVG",),
    "MEAN": ("AVG",),
    "TRUNCATE": ("TRUNC",),
    "RAND": ("RANDOM",),
    "RANDOM": ("RAND",),
    "LOG10": ("LOG",),
    "BOOL_OR": ("MAX",),
    "BOOL_AND": ("MIN",),
    "EVERY": ("MIN",),
    "ANY_VALUE": ("MIN",),
    "GREATEST": ("MAX",),
    "LEAST": ("MIN",),
    "VAR": ("VARIANCE",),
    "TOTAL": ("SUM",),
}
"""Functions that are called otherwise elsewhere, with the same arguments."""

KNOWN_FUNCTIONS = (
    *(
        "COUNT",
        "SUM",
        "AVG",
        "MIN",
        "MAX",
        "COALESCE",
        "NULLIF",
        "UPPER",
        "LOWER",
        "LENGTH",
        "TRIM",
        "LTRIM",
        "RTRIM",
        "SUBSTR",
        "REPLACE",
        "ROUND",
    ),
    *(
        "ABS",
        "FLOOR",
        "CEIL",
        "POWER",
        "SQRT",
        "CONCAT",
        "GREATEST",
        "LEAST",
        "STRFTIME",
        "DATE",
        "DATETIME",
        "JULIANDAY",
        "DATE_TRUNC",
        "TO_CHAR",
    ),
    *(
        "ROW_NUMBER",
        "RANK",
        "DENSE_RANK",
        "LAG",
        "LEAD",
        "NTILE",
        "FIRST_VALUE",
        "LAST_VALUE",
        "STRING_AGG",
        "GROUP_CONCAT",
        "ARRAY_AGG",
        "STDDEV",
    ),
)
"""Functions that are commonly meant by a misspelt name. The dry run decides whether the engine has them."""
