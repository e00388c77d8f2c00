"""What a stage of the developer is given: the part of the design that is its job's own, and nothing else."""

from sqlglot import ErrorLevel
from sqlglot.errors import UnsupportedError

from contracts.base import Contract, Text
from contracts.pipelines.analysis import AggregateWork, AnalysisResult, AnalysisStep, EtlTarget, TargetColumn
from contracts.pipelines.workflow import JobId, Workflow, WorkflowJob
from contracts.sql_review import WriteMode
from contracts.statements import name as identifier
from contracts.statements import passage, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.trees import parse
from workers.engines.steps.relations import inputs_of, spoken_names
from workers.errors import InvalidInput


class JobSpec(Contract):
    """The design of one job. It is the parameters of the job's stage, so a stage is redone when and only when its own part changes."""

    job: JobId
    source: Text
    dialect: Text
    steps: tuple[AnalysisStep, ...]
    made: dict[str, Text]
    """Steps that other jobs leave as tables."""
    left: tuple[TableDetail, ...] = ()
    """The tables among these whose steps are known in words only."""
    spoken: dict[str, Text] = {}
    """What steps are called in SQL, where that is not their id."""
    target: EtlTarget
    sql: Text = ""
    """What a specification gives for the target: a query, or statements that write it, in the job's dialect."""
    requirement: Text = ""
    """Only where a step is known in words alone, so that a model writes it."""
    todos: tuple[Text, ...] = ()
    """As `requirement`: its demands."""
    schedule: Text = ""
    """As `requirement`."""
    is_part: bool = False
    """As `requirement`: it is one of several jobs."""


def job_spec(analysis: AnalysisResult, workflow: Workflow, job: WorkflowJob) -> JobSpec:
    """The part of the design that is this job's."""
    own = set(job.step_ids)
    outputs = {other.step_ids[-1]: other.output for other in workflow.jobs if other.id != job.id and other.step_ids}
    left = tuple(table for table in left_tables(workflow) if any(table.full_name in stage.inputs for stage in job.stages))
    read = {item for step in analysis.steps if step.id in own for item in inputs_of(step.work)}
    in_words = {table.full_name for table in left}
    made = {step: table for step, table in outputs.items() if step in read or table in in_words}
    steps = tuple(step for step in analysis.steps if step.id in own or step.id in made)
    is_last = job.output == analysis.target.table
    spoken = spoken_names(analysis.steps)
    by_model = any(step.work is None for step in steps) and not analysis.sql
    return JobSpec(
        job=job.id,
        source=analysis.source,
        dialect=workflow.dialect,
        steps=steps,
        made=made,
        left=left,
        spoken={step.id: spoken[step.id] for step in steps if step.id in spoken},
        target=analysis.target if is_last else _intermediate(analysis, job),
        sql=translated(analysis.sql, analysis.dialect, workflow.dialect) if is_last else "",
        requirement=analysis.requirement if by_model else "",
        todos=analysis.todos if by_model else (),
        schedule=analysis.schedule if by_model else "",
        is_part=by_model and len(workflow.jobs) > 1,
    )


def translated(sql: str, dialect: str, wanted: str) -> str:
    """A query, or statements, in the dialect of the workflow. Raises `InvalidInput` where the printer would leave a part out."""
    if not sql or not dialect or dialect == wanted:
        return sql
    try:
        trees = parse(sql, dialect)
        return ";\n\n".join(tree.sql(dialect=wanted, pretty=True, unsupported_level=ErrorLevel.RAISE) for tree in trees)
    except UnsupportedError as error:
        values = {"written": identifier(dialect), "dialect": identifier(wanted)}
        raise InvalidInput.of(say("etl.refused.no_translation", **values, reason=passage(str(error)[:300]))) from None


def left_tables(workflow: Workflow) -> tuple[TableDetail, ...]:
    """The tables on the way whose steps are known in words only, as their readers know them."""
    found: list[TableDetail] = []
    for stage in (stage for job in workflow.jobs for stage in job.stages if stage.columns):
        schema, _, table = stage.output.rpartition(".")
        columns = tuple(
            ColumnDetail(
                name=column.name,
                type=column.type,
                description=column.description if isinstance(column.description, str) else "",
                nullable=False if column.name in stage.key else None,
            )
            for column in stage.columns
        )
        found.append(TableDetail(name=table, schema_name=schema, columns=columns, primary_key=stage.key))
    return tuple(found)


def _intermediate(analysis: AnalysisResult, job: WorkflowJob) -> EtlTarget:
    """The table that a job leaves for another: as the architect says, or what its last step, an aggregate, yields."""
    if columns := job.stages[-1].columns:
        return EtlTarget(table=job.output, mode=WriteMode.OVERWRITE, columns=columns, key=job.stages[-1].key)
    work = next(step.work for step in analysis.steps if step.id == job.step_ids[-1])
    if not isinstance(work, AggregateWork):
        raise InvalidInput.of(say("etl.refused.no_grain", job=identifier(job.id)))
    columns = tuple(TargetColumn(name=item.name) for item in (*work.by, *work.measures))
    return EtlTarget(table=job.output, mode=WriteMode.OVERWRITE, columns=columns, key=tuple(item.name for item in work.by))
