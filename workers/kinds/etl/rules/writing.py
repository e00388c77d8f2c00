"""The script of a job, printed from its typed steps; and what is refused as a script."""

import difflib
import re
from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from contracts.catalogue import KnownQuery
from contracts.pipelines.analysis import AnalysisStep, Origin, SourceWork
from contracts.pipelines.script import LEAST_CHARACTERS, Adapted, ColumnLineage, SqlScript
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, code, name, quote, say
from contracts.tables import TableDetail
from workers.engines.sql.lineage import script_lineage
from workers.engines.sql.names import KnownTables
from workers.engines.sql.trees import NotParsed, parse, parts_of
from workers.engines.steps import Relations, statements_of, written
from workers.kinds.etl.rules.assignment import JobSpec
from workers.kinds.etl.rules.declared_types import with_declared_types

_BEGINS = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)*(?:SELECT|INSERT|CREATE|WITH|MERGE|UPDATE|DELETE|DROP|TRUNCATE)\b", re.IGNORECASE
)


def write_script(spec: JobSpec, tables: Sequence[TableDetail]) -> SqlScript:
    """The steps as statements of the dialect, with the lineage of every column."""
    relations = Relations(spec.steps, tables, spec.dialect, spec.made, spec.spoken)
    statements, temporary = statements_of(relations, spec.steps[-1], spec.target, spec.dialect, _taken(tables))
    return script_of(
        spec, statements, tables, temporary=temporary, says=tuple(step.name for step in spec.steps if step.id not in spec.made)
    )


def _taken(tables: Sequence[TableDetail]) -> list[str]:
    return [table.full_name for table in tables]


def written_query(sql: str, spec: JobSpec, tables: Sequence[TableDetail]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One query, written as the target's mode says, and the temporary tables of that. Raises `NotParsed` or `NotWritable`."""
    query = with_declared_types(_query_of(sql, spec.dialect), spec.target, tables, spec.dialect)
    return written(query, spec.target, spec.dialect, _taken(tables))


def _query_of(sql: str, dialect: str) -> exp.Query:
    """The query of a text that is one query and changes nothing."""
    trees = parse(sql, dialect)
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise NotParsed("It is not one query.")
    if trees[0].find(*CHANGES) is not None:
        raise NotParsed("A query that changes tables is no query.")
    return trees[0]


def script_of(
    spec: JobSpec,
    statements: Sequence[str],
    tables: Sequence[TableDetail],
    *,
    temporary: Sequence[str] = (),
    says: tuple[Sayable, ...] = (),
    written_by: Origin = Origin.RULES,
) -> SqlScript:
    """A script with what it reads and where its columns come from."""
    known = KnownTables(tables)

    def full(table: str) -> str:
        """The catalogue's own name of a table, by which a script may call it or not; of a table that another job makes its name."""
        detail = known.find(table)
        return table if detail is None else detail.full_name

    found = script_lineage(";\n".join(statements), tables, spec.dialect)
    target = spec.target.table.lower()
    origins: dict[str, list[tuple[str, str]]] = {column.name: [] for column in spec.target.columns}
    for edge in found.columns:
        if edge.target_table.lower() == target and edge.target_column in origins and edge.source_table.lower() != target:
            origins[edge.target_column].append((full(edge.source_table), edge.source_column))
    made = {*(item.lower() for item in temporary), target}
    read = {source for source in found.sources if source.lower() not in made} | set(_sources(spec.steps, spec))
    return SqlScript(
        job=spec.job,
        dialect=spec.dialect,
        statements=tuple(statement.strip().rstrip(";") for statement in statements),
        target=spec.target.table,
        reads=tuple(sorted({full(source) for source in read})),
        temporary=tuple(temporary),
        lineage=tuple(ColumnLineage(column=column, origins=tuple(dict.fromkeys(items))) for column, items in origins.items()),
        says=says,
        written_by=written_by,
    )


def _sources(steps: Sequence[AnalysisStep], spec: JobSpec) -> list[str]:
    return [step.work.table for step in steps if isinstance(step.work, SourceWork) and step.id not in spec.made]


def problem_of(statements: Sequence[str], spec: JobSpec) -> Sayable | None:
    """Why a text is refused as the script of a job; None: it may be reviewed. A query alone becomes the table's content."""
    text = ";\n".join(statements)
    if len(text.strip()) < LEAST_CHARACTERS or not _BEGINS.match(text):
        return say("etl.script.no_sql")
    try:
        trees = parse(text, spec.dialect)
    except NotParsed as error:
        return say("etl.script.not_parsed", reason=quote(str(error)[:300]))
    target = spec.target.table.lower()
    writes = {table for tree in trees for table in _written_tables(tree)}
    foreign = sorted(item for item in writes if item != target and not re.fullmatch(re.escape(target) + r"__new\d*", item))
    if foreign:
        return say("etl.script.writes_elsewhere", table=name(foreign[0]))
    changes = (node for tree in trees for node in tree.find_all(*CHANGES))
    lost = next((node for node in changes if target in _names(_targets(node)) and empties(node)), None)
    if spec.target.mode is not WriteMode.OVERWRITE and lost is not None:
        return say("etl.script.loses_rows", table=name(spec.target.table), statement=code(lost.sql(spec.dialect)[:200]))
    return None


def is_temporary(tree: exp.Expr) -> bool:
    """A table that ends with the session that makes it."""
    return isinstance(tree, exp.Create) and tree.find(exp.TemporaryProperty) is not None


CHANGES = (
    exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Alter, exp.Drop, exp.TruncateTable, exp.Copy, exp.Command, exp.Into,
)  # fmt: skip


def empties(tree: exp.Expr) -> bool:
    """A statement that loses the rows that a table has."""
    if isinstance(tree, exp.Create):
        return bool(tree.args.get("replace"))
    if isinstance(tree, exp.Delete):
        where = tree.args.get("where")
        return where is None or simplify(where.this.copy()) == exp.true()
    if isinstance(tree, exp.Alter):
        return any(isinstance(action, exp.Drop | exp.AlterRename) for action in parts_of(tree, "actions"))
    if isinstance(tree, exp.Insert):
        into = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        return bool(tree.args.get("overwrite")) and not into.args.get("partition")
    return isinstance(tree, exp.Drop | exp.TruncateTable)


def written_table(tree: exp.Expr) -> str:
    """The table that a statement writes, in lower case; empty: none."""
    return next(iter(_names(_targets(tree))), "")


def _written_tables(tree: exp.Expr) -> Iterator[str]:
    """All tables that a statement writes, also in its CTEs and by an INTO, in lower case; without temporary ones."""
    for node in tree.find_all(*CHANGES):
        if not is_temporary(node) and not (isinstance(node, exp.Into) and node.args.get("temporary")):
            yield from _names(_targets(node))


def _targets(node: exp.Expr) -> list[exp.Expr]:
    """What a change names as what it changes. What an ALTER drops are columns."""
    match node:
        case exp.Drop():
            return parts_of(node, "tables")
        case exp.TruncateTable():
            return parts_of(node, "expressions")
        case exp.Command():
            return []
        case _:
            return [node.this] if isinstance(node.this, exp.Expr) else []


def _names(targets: Sequence[exp.Expr]) -> list[str]:
    tables = [target.this if isinstance(target, exp.Schema) else target for target in targets]
    return [".".join(part.name for part in table.parts).lower() for table in tables if isinstance(table, exp.Table)]


def as_statements(text: str, spec: JobSpec, tables: Sequence[TableDetail] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A script's text as statements, and the temporary tables that code added. A single query becomes the content of the target. Raises
    `NotParsed` or `NotWritable`."""
    trees = parse(text, spec.dialect)
    if len(trees) == 1 and isinstance(trees[0], exp.Query):
        return written_query(text, spec, tables)
    return tuple(tree.sql(dialect=spec.dialect, pretty=True) for tree in trees), ()


MOST_DISTANCE = 0.5
"""A known query is named as what a script was adapted from when at least this share of its words is the same."""


def adapted_from(script: SqlScript, queries: Sequence[KnownQuery], reads: Sequence[str]) -> Adapted | None:
    """The known query over the same tables that the script is nearest to, with the difference. A confirmed one is preferred."""
    own = _words(script.sql)
    best: tuple[float, bool, KnownQuery] | None = None
    for query in queries:
        if query.tables and set(query.tables) == set(reads):
            share = difflib.SequenceMatcher(None, _words(query.sql), own, autojunk=False).ratio()
            rank = (share + (0.2 if query.confirmed else 0.0), query.confirmed, query)
            if share >= MOST_DISTANCE and (best is None or rank[0] > best[0]):
                best = rank
    if best is None:
        return None
    query = best[2]
    diff = "\n".join(difflib.unified_diff(query.sql.strip().splitlines(), script.sql.splitlines(), "before", "after", lineterm="", n=1))
    return Adapted(place=query.place, sql=query.sql, confirmed=query.confirmed, diff=diff[:20_000])


def _words(sql: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", sql.lower())
