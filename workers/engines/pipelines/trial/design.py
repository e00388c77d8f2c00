"""What scripts read, write and leave, held against the design. Nothing runs here."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import SampleTable
from contracts.statements import Statement, code, name, names, say
from contracts.tables import TableDetail
from workers.engines.pipelines.trial.checks import Failure, Kept
from workers.engines.sql.lineage import Lineage, script_lineage
from workers.engines.sql.names import KnownTables
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import parts_of, table_name


def lineage_of(scripts: Sequence[SqlScript], tables: Sequence[TableDetail], dialect: str) -> Lineage:
    """Of all scripts together: tables in between are followed through."""
    return script_lineage(";\n".join(statement for script in scripts for statement in script.statements), tables, dialect)


def check_tables(analysis: AnalysisResult, found: Lineage, tables: Sequence[TableDetail]) -> Failure | None:
    """The scripts read the tables that the design names, and no other."""
    known = KnownTables(tables)
    target = _full(analysis.target.table, known)
    designed = {_full(name, known) for name in analysis.tables}
    read = {_full(name, known) for name in found.sources} - {target}
    if not designed or read == designed - {target}:
        return None
    more, fewer = sorted(read - designed), sorted(designed - {target} - read)
    if more:
        return Failure(CheckKind.LINEAGE, say("pipelines.trial.lineage.more", tables=names(more)))
    return Failure(CheckKind.LINEAGE, say("pipelines.trial.lineage.fewer", tables=names(fewer)))


def check_column_lineage(scripts: Sequence[SqlScript], found: Lineage, target: str, tables: Sequence[TableDetail]) -> Failure | None:
    """Each column of the target comes from the columns that its script names. `COUNT(*)` comes from no column."""
    known = KnownTables(tables)
    own = _full(target, known)
    between = {_full(script.target, known) for script in scripts} - {own}
    writers = [script for script in scripts if _full(script.target, known) == own]
    stated = {origin for origin in _stated(writers, known) if origin[1] not in between and origin[1] != own}
    given = {
        (edge.target_column.lower(), _full(edge.source_table, known), edge.source_column.lower())
        for edge in found.columns
        if _full(edge.target_table, known) == own and edge.source_column not in ("*", "") and edge.source_table
    }
    given = {origin for origin in given if origin[1] != own}
    if not stated or stated == given or any(script.lineage == () for script in writers):
        return None
    if any(table in between for _, table, _ in _stated(scripts, known, with_stars=True)):
        return None  # what is stated goes through another job's table, what is found goes to the first tables
    differing = sorted(stated ^ given)
    rows = tuple(
        (column, f"{table}.{source}", "-" if (column, table, source) in stated else "+") for column, table, source in differing[:6]
    )
    shown = SampleTable(name="", columns=("column", "origin", ""), rows=rows)
    return Failure(
        CheckKind.LINEAGE, say("pipelines.trial.lineage.columns", columns=names(dict.fromkeys(row[0] for row in rows))), (shown,)
    )


def _stated(scripts: Sequence[SqlScript], known: KnownTables, *, with_stars: bool = False) -> Iterator[tuple[str, str, str]]:
    """What scripts say of the origin of their columns: the column, and table and column that it comes from."""
    for script in scripts:
        for item in script.lineage:
            for table, column in item.origins:
                if with_stars or column != "*":
                    yield item.column.lower(), _full(table, known), column.lower()


def _full(name: str, known: KnownTables) -> str:
    found = known.find(name)
    return (found.full_name if found is not None else name).lower()


def check_temporary_use(workflow: Workflow, scripts: Sequence[SqlScript]) -> Failure | None:
    """No job reads a temporary table of another."""
    temporary = {table.lower(): script.job for script in scripts for table in script.temporary}
    temporary |= {stage.output.lower(): job.id for job in workflow.jobs for stage in job.stages if stage.is_temp}
    for script in scripts:
        for table in script.reads:
            owner = temporary.get(table.lower())
            if owner is not None and owner != script.job:
                text = say("pipelines.trial.temporary.shared", table=code(table), job=code(script.job), owner=code(owner))
                return Failure(CheckKind.TEMPORARY, text)
    return None


def check_temporary_left(
    workflow: Workflow, scripts: Sequence[SqlScript], left: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Failure]]:
    """What a job leaves is its output; temporary tables are gone. Yields the job with the failure."""
    outputs = {script.job: {script.target.lower()} for script in scripts}
    for job in workflow.jobs:
        outputs.setdefault(job.id, set()).update(stage.output.lower() for stage in job.stages if not stage.is_temp)
    for job, tables in left.items():
        known = {name.rpartition(".")[2] for name in outputs.get(job, ())}
        extra = [table for table in tables if table.rpartition(".")[2] not in known]
        if extra:
            yield job, Failure(CheckKind.TEMPORARY, say("pipelines.trial.temporary.left", job=code(job), tables=names(extra)))


def kept_columns(script: Script, analysis: AnalysisResult) -> Kept | None:
    """The columns of the target's key that are passed on from the table of which every row is kept; None: not said, or no column is, or
    the script restricts that table itself: whether the requirement does, no code can tell."""
    target = analysis.target
    source = KnownTables(script.tables).find(target.keeps_all) if target.keeps_all else None
    if source is None or _is_restricted(script, source):
        return None
    columns, places = list[str](), list[int]()
    names_of_source = [column.name.lower() for column in source.columns]
    for column in target.key:
        found = passed_from(script, target.table, column)
        if found is not None and found[0].full_name.lower() == source.full_name.lower() and found[1] in names_of_source:
            columns.append(column)
            places.append(names_of_source.index(found[1]))
    return Kept(source.full_name, tuple(places), tuple(columns)) if columns else None


def _is_restricted(script: Script, table: TableDetail) -> bool:
    """Whether a condition of a query looks at a column of the table."""
    for part, scope in script.scopes():
        where = scope.select.args.get("where") if scope.select is not None else None
        for column in where.find_all(exp.Column) if where is not None else ():
            base = script.base_column(part, column)
            if base is not None and base[0].full_name.lower() == table.full_name.lower():
                return True
    return False


def passed_from(script: Script, table: str, column: str) -> tuple[TableDetail, str] | None:
    """The column of a table that the scripts read and do not make, whose values a column of a table that they make passes on."""
    return _passed_from(script, table, column, len(script.parts))


def _passed_from(script: Script, table: str, column: str, before: int) -> tuple[TableDetail, str] | None:
    """The column of a table that the scripts do not make, whose values a column passes on, through the statements before a number."""
    last = table.rpartition(".")[2].lower()
    for part in reversed(script.parts[:before]):
        target = part.resolved.target
        if target is None or target.table_name.rpartition(".")[2].lower() != last or part.resolved.root is None:
            continue
        base = _written(script, part, column)
        if base is None or any(known.full_name.lower() == base[0].full_name.lower() for known in script.inputs):
            return base
        return _passed_from(script, base[0].full_name, base[1], part.number - 1)
    return None


def _written(script: Script, part: Part, column: str) -> tuple[TableDetail, str] | None:
    root, tree = part.resolved.root, part.tree
    if root is None:
        return None
    outputs = list(root.outputs)
    listed = parts_of(tree.this, "expressions") if isinstance(tree.this, exp.Schema) else []
    order = [node.name for node in listed] if len(listed) == len(outputs) else []
    known = part.resolved.target.table if part.resolved.target is not None else None
    if not order and known is not None and isinstance(tree, exp.Insert) and len(known.columns) == len(outputs):
        order = [item.name for item in known.columns]
    for place, output in enumerate(outputs):
        if (order[place] if order else output.name).lower() == column.lower():
            return script.passed_on(part, output)
    return None


MOSTLY_UNCHANGING = frozenset({"spark", "spark2", "hive"})
"""Dialects whose plain tables refuse it that a row is changed or deleted; the engine of the trial does not."""


def check_table_format(script: Script, dialect: str) -> Iterator[Statement]:
    """What a table must be whose rows the scripts change."""
    changes = [part.tree for part in script.parts if isinstance(part.tree, exp.Delete | exp.Update | exp.Merge)]
    tables = {table_name(tree.this): tree.key.upper() for tree in changes if isinstance(tree.this, exp.Table)}
    for table, word in tables.items() if dialect in MOSTLY_UNCHANGING else ():
        yield say("pipelines.trial.table_format", table=code(table), statement=code(word), dialect=name(dialect))
