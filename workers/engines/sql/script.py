"""A script as the review reads it: its statements with names resolved, the tables that it needs, and where its result is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from contracts.sql_review import ReviewTarget
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.facts import Facts, TypeKind, type_kind
from workers.engines.sql.lineage import Origins
from workers.engines.sql.names import KnownTables, Output, Resolved, ResolvedColumn, Scope, Source, resolve
from workers.engines.sql.trees import parse, parts_of, table_name

SAME_KIND = (
    exp.Paren,
    exp.Alias,
    exp.Add,
    exp.Sub,
    exp.DateAdd,
    exp.DateSub,
    exp.Min,
    exp.Max,
    exp.Coalesce,
    exp.Window,
    exp.Lag,
    exp.Lead,
)
"""Their value is of the kind of their first part; a difference of times is not, and is not compared with a time either."""


@dataclass(eq=False)
class Part:
    """A statement of a script."""

    number: int
    """From 1."""
    text: str
    resolved: Resolved
    origins: Origins

    @property
    def tree(self) -> exp.Expr:
        """The statement, columns with their qualifiers."""
        return self.resolved.tree


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the key of the target says of a table that is read, and the catalogue does not."""

    table: str
    """Full name."""
    columns: tuple[str, ...]
    """In lower case."""
    is_key: bool
    """No two rows that are kept have the same values of the columns; else: each has a value."""


@dataclass(eq=False)
class Script:
    """All statements, in order."""

    parts: list[Part]
    dialect: str
    facts: Facts
    tables: tuple[TableDetail, ...]
    """Those that are known, those that the script makes included."""
    inputs: tuple[TableDetail, ...]
    """Known tables that must exist before the script runs, the target included where the script does not make it."""
    target: ReviewTarget | None
    requirement: str = ""
    first_made: frozenset[str] = frozenset()
    """Inputs, by full name in lower case, that nobody knows yet: the first run makes them, and later ones find them there."""
    learnt: list[Learnt] = field(default_factory=list[Learnt])
    """What its facts have from the key of the target."""

    @property
    def written(self) -> str:
        """The table in which the result is, as it is written; empty: the result is that of the last statement, a query."""
        if self.target is not None:
            return self.target.table
        last = self.parts[-1].resolved.target if self.parts else None
        return last.table_name if last is not None else ""

    @property
    def keeps_target(self) -> bool:
        """The target has rows from earlier runs: the script does not make it again."""
        return any(table.name.lower() == self.written.rpartition(".")[2].lower() for table in self.inputs)

    def scopes(self) -> Iterator[tuple[Part, Scope]]:
        """Every query of every statement."""
        for part in self.parts:
            for scope in part.resolved.scopes:
                yield part, scope

    def kind(self, part: Part, node: exp.Expr) -> TypeKind:
        """The kind of an expression's type, as far as it follows from columns of known tables, casts and arithmetic on times."""
        if isinstance(node, exp.Cast):
            return type_kind(node.to.sql())
        if isinstance(node, SAME_KIND):
            return self.kind(part, node.this)
        if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.AtTimeZone):
            return TypeKind.TIMESTAMP
        if not isinstance(node, exp.Column):
            return TypeKind.OTHER
        base = self.base_column(part, node)
        if base is not None:
            return self.facts.of(base[0]).kind(base[1])
        found = part.resolved.column(node)
        inner = found.alias_of if found is not None else None
        if inner is None and found is not None and found.source is not None and found.source.scope is not None:
            inner = found.source.scope.output(found.name)
        return self.kind(part, inner.node) if inner is not None and inner.node is not None and inner.node is not node else TypeKind.OTHER

    def base_column(self, part: Part, node: exp.Expr) -> tuple[TableDetail, str] | None:
        """The column of a known table that an expression passes on."""
        while isinstance(node, exp.Paren | exp.Alias | exp.Subquery) and not (isinstance(node, exp.Subquery) and node.args.get("joins")):
            node = node.this
        if isinstance(node, exp.Select) and len(node.expressions) == 1:
            return self.base_column(part, node.expressions[0])
        if not isinstance(node, exp.Column):
            return None
        found = part.resolved.column(node)
        if found is None:
            return None
        if found.alias_of is not None:
            return self.base_column(part, found.alias_of.node) if found.alias_of.node is not None else None
        return self.through(part, found.source, found.name)

    def through(self, part: Part, source: Source | None, column: str) -> tuple[TableDetail, str] | None:
        """The column of a known table that a column of a FROM item passes on."""
        if source is None:
            return None
        if source.table is not None:
            return source.table, column.lower()
        scope = source.scope
        if scope is None:
            return None
        names = [output.name.lower() for output in scope.outputs]
        for place, alias in enumerate(source.column_aliases[: len(names)]):
            names[place] = alias.lower()
        if column.lower() not in names:
            return None
        if scope.branches:
            scope = scope.branches[0]
            if len(scope.outputs) != len(names):
                return None
        output = scope.outputs[names.index(column.lower())]
        if output.source is not None:
            return self.through(part, output.source, output.column)
        return self.base_column(part, output.node) if output.node is not None else None

    def passed_on(self, part: Part, output: Output) -> tuple[TableDetail, str] | None:
        """The column of a known table that an output passes on."""
        return self.through(part, output.source, output.column) if output.node is None else self.base_column(part, output.node)

    def may_be_null(self, part: Part, node: exp.Expr) -> bool:
        """A column passed on from a table in which it may be null, or filled with nulls by an outer join."""
        found = part.resolved.column(node) if isinstance(node, exp.Column) else None
        if found is not None and found.source is not None and found.source.is_optional:
            return True
        base = self.base_column(part, node)
        return base is not None and self.facts.of(base[0]).may_be_null(base[1])

    def columns_in(self, part: Part, node: exp.Expr) -> list[ResolvedColumn]:
        """The resolved columns inside an expression, nested queries included."""
        return [found for column in node.find_all(exp.Column) if (found := part.resolved.column(column)) is not None]


def read_script(
    sql: str | Sequence[str],
    tables: Sequence[TableDetail],
    dialect: str,
    target: ReviewTarget | None,
    requirement: str = "",
    *,
    learns: bool = True,
    nullable: Collection[str] = (),
) -> Script:
    """`learns`: what the key of the target says of the tables that are read is believed. `nullable`: columns of the key, in lower case,
    that may be null. Raises `NotParsed`."""
    texts = [sql] if isinstance(sql, str) else list(sql)
    known, made, parts, inputs, first = list(tables), set[str](), list[Part](), dict[str, TableDetail](), set[str]()
    for text in texts:
        for tree in parse(text, dialect):
            resolved = resolve(tree, known, dialect)
            parts.append(Part(len(parts) + 1, text, resolved, Origins(resolved)))
            for table in _needed(resolved):
                if table.full_name.lower() not in made:
                    inputs.setdefault(table.full_name.lower(), table)
            new = _made(resolved)
            if new is not None and _may_be_there(tree):
                there = KnownTables(known).find(new.full_name)
                inputs.setdefault((there or new).full_name.lower(), there or new)
                first |= set() if there is not None else {new.full_name.lower()}
            elif new is not None:
                made.add(new.full_name.lower())
            if new is not None and (new.full_name.lower() in made or KnownTables(known).find(new.full_name) is None):
                known = [new, *(table for table in known if table.full_name.lower() != new.full_name.lower())]
    known = [_with_key(table, target) for table in known]
    found = [_with_key(table, target) for table in inputs.values() if table.columns]
    script = Script(
        parts, parts[0].resolved.dialect if parts else "", Facts(known), tuple(known), tuple(found), target, requirement, frozenset(first)
    )
    if learns:
        _learn_from_target(script, nullable)
    return script


LEAVES_OUT = (exp.Where, exp.Having, exp.Qualify, exp.Join, exp.Distinct, exp.SetOperation, exp.Limit, exp.Fetch)
"""With one of these, not every row of a table is one of the result."""


def _learn_from_target(script: Script, nullable: Collection[str]) -> None:
    """What becomes the key of the target is not null; and a table without a known key, whose rows are neither grouped nor ranked by
    these columns, has them as its key. Statistics that say otherwise are believed, unless the rows that they speak of may be left out."""
    target, part = script.target, script.parts[-1] if script.parts else None
    root = part.resolved.root if part is not None else None
    if target is None or part is None or root is None:
        return
    key = {column.lower() for column in target.key}
    written = zip(_columns_written(part.tree, target, root), root.outputs, strict=False)
    passed = [(name.lower(), base) for name, output in written if name.lower() in key and (base := script.passed_on(part, output))]
    bases, leaves_out = [base for _, base in passed], part.tree.find(*LEAVES_OUT) is not None
    for name, (table, column) in passed:
        facts = script.facts.of(table)
        if name not in nullable and facts.may_be_null(column) and (leaves_out or not facts.columns[column].nulls):
            facts.never_null.add(column)
            script.learnt.append(Learnt(table.full_name, (column,), is_key=False))
    grouped = {base for base in (script.base_column(part, node) for node in _grouping(part.tree)) if base is not None}
    if len(bases) == len(key) and len({table.full_name for table, _ in bases}) == 1 and not any(base in grouped for base in bases):
        facts, columns = script.facts.of(bases[0][0]), frozenset(column for _, column in bases)
        if not facts.keys and (leaves_out or not facts.counted_twice(columns)):
            facts.keys.append(columns)
            script.learnt.append(Learnt(bases[0][0].full_name, tuple(sorted(columns)), is_key=True))


def _columns_written(tree: exp.Expr, target: ReviewTarget, root: Scope) -> list[str]:
    """The columns of the target that a statement fills, in the order of what it selects: those that it names, else those of the target."""
    if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema):
        return [node.name for node in tree.this.expressions]
    if isinstance(tree, exp.Insert) and target.columns:
        return list(target.columns)
    return [output.name for output in root.outputs]


def _grouping(tree: exp.Expr) -> Iterator[exp.Expr]:
    for node in tree.find_all(exp.Group, exp.Window):
        yield from node.expressions if isinstance(node, exp.Group) else parts_of(node, "partition_by")


def _needed(resolved: Resolved) -> Iterator[TableDetail]:
    """The known tables that a statement reads or changes."""
    if isinstance(resolved.tree, exp.Drop):
        return
    target = resolved.target
    yield from (source.table for source in resolved.tables if source.table is not None)
    if target is not None and target.table is not None and not isinstance(resolved.tree, exp.Create):
        yield target.table


def _with_key(table: TableDetail, target: ReviewTarget | None) -> TableDetail:
    """The target has the key that the contract asks for."""
    if target is None or not target.key or table.primary_key or table.name.lower() != target.table.rpartition(".")[2].lower():
        return table
    return table.model_copy(update={"primary_key": target.key})


def _made(resolved: Resolved) -> TableDetail | None:
    tree = resolved.tree
    if not isinstance(tree, exp.Create) or str(tree.args.get("kind")).upper() not in ("TABLE", "VIEW"):
        return None
    node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    if not isinstance(node, exp.Table):
        return None
    schema, _, name = table_name(node).rpartition(".")
    columns: tuple[ColumnDetail, ...] = ()
    if isinstance(tree.this, exp.Schema):
        defined = [item for item in tree.this.expressions if isinstance(item, exp.ColumnDef)]
        columns = tuple(ColumnDetail(name=item.name, type=item.kind.sql(resolved.dialect) if item.kind else "") for item in defined)
    elif resolved.root is not None and resolved.root.columns is not None:
        columns = tuple(ColumnDetail(name=column) for column in dict.fromkeys(resolved.root.columns) if column)
    return TableDetail(name=name, schema_name=schema, columns=columns) if columns else None


def _may_be_there(tree: exp.Expr) -> bool:
    """CREATE TABLE IF NOT EXISTS with typed columns: after the first run the table is there, with its rows."""
    is_kept = isinstance(tree, exp.Create) and bool(tree.args.get("exists")) and isinstance(tree.this, exp.Schema)
    return is_kept and tree.find(exp.PartitionedByProperty) is None  # which has columns of its own in Hive


def find_target(script: Script) -> TableDetail | None:
    """What is known of the target."""
    return KnownTables(script.tables).find(script.written) if script.written else None


def conflict_key(parts: Sequence[Part], table: TableDetail) -> tuple[str, ...]:
    """The columns of a table that an upsert of a script needs to be unique."""
    for part in parts:
        found, tree = part.resolved.target, part.tree
        if found is None or found.table is None or found.table.full_name != table.full_name or not isinstance(tree, exp.Insert):
            continue
        conflict = tree.args.get("conflict")
        if isinstance(conflict, exp.OnConflict):
            named = tuple(key.name for key in parts_of(conflict, "conflict_keys"))
            return named or table.primary_key or next(iter(table.unique), ())
        if tree.args.get("ignore"):
            return table.primary_key or next(iter(table.unique), ())
    return ()
