"""The review of a design, before there is any SQL: grain, keys, inputs, late data, reruns."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.pipelines.analysis import (
    AggregateWork,
    AnalysisResult,
    DedupWork,
    EtlTarget,
    HistoryWork,
    IncrementWork,
    JoinSide,
    JoinWork,
    SourceWork,
)
from contracts.pipelines.review import DesignRule, ReviewIssue, ReviewPart, ReviewResult
from contracts.pipelines.workflow import COMPONENTS, ComponentKind, Workflow
from contracts.sql_review import WriteMode
from contracts.statements import code, count, name, names, say
from contracts.tables import TableDetail
from workers.engines.sql.names import KnownTables
from workers.engines.steps.contradictions import contradictions
from workers.engines.steps.relations import Relations, inputs_of
from workers.kinds.etl.rules.architecture import sides_of

BLOCKER_COSTS, WARNING_COSTS = 45, 5
"""Points that an issue and a warning take from a score of 100."""


def review_design(
    analysis: AnalysisResult, workflow: Workflow, tables: Sequence[TableDetail], waived: Sequence[DesignRule] = ()
) -> ReviewResult:
    """Issues block; warnings are shown, and so are issues of rules that somebody waived."""
    missing = tuple(_inputs(analysis, tables))
    if missing:  # what the steps make is not known without what they read
        issues, warnings = (*missing, *_jobs(analysis, workflow)), tuple(_rerun(analysis))
    else:
        issues = (*_target(analysis, tables), *_conditions(analysis), *_jobs(analysis, workflow))
        warnings = (*_rerun(analysis), *_fan_out(analysis, tables))
    accepted = [issue for issue in issues if issue.rule in waived]
    left = [issue for issue in issues if issue.rule not in waived]
    rules = tuple(dict.fromkeys(issue.rule for issue in accepted))
    return result_of(ReviewPart.DESIGN, left, (*warnings, *accepted), waived=rules)


def result_of(part: ReviewPart, issues: Sequence[ReviewIssue], warnings: Sequence[ReviewIssue], **more: object) -> ReviewResult:
    """A review with its score: passed only without an issue."""
    score = max(0, 100 - BLOCKER_COSTS * len(issues) - WARNING_COSTS * len(warnings))
    summary = (
        say("etl.review.passed", warnings=count(len(warnings))) if not issues else say("etl.review.not_passed", issues=count(len(issues)))
    )
    return ReviewResult(
        part=part, passed=not issues, score=min(score, 59) if issues else score, summary=summary, issues=tuple(issues),
        warnings=tuple(warnings), **more,  # pyright: ignore[reportArgumentType] the trial, or nothing
    )  # fmt: skip


def _inputs(analysis: AnalysisResult, tables: Sequence[TableDetail]) -> Iterator[ReviewIssue]:
    known = {table.full_name for table in tables} | {table.name for table in tables}
    yield from _overwritten(analysis, tables)
    seen: set[str] = set()
    for step in analysis.steps:
        if isinstance(step.work, SourceWork) and step.work.table not in known:
            yield ReviewIssue(text=say("etl.design.unknown_table", table=name(step.work.table)), rule=DesignRule.INPUT)
        missing = [item for item in inputs_of(step.work) if item not in seen]
        if missing:
            yield ReviewIssue(text=say("etl.design.no_input", step=name(step.id), inputs=names(missing)), rule=DesignRule.INPUT)
        seen.add(step.id)


def _overwritten(analysis: AnalysisResult, tables: Sequence[TableDetail]) -> Iterator[ReviewIssue]:
    """An input that an overwrite empties, or may: its target has the name of the input and does not say the schema."""
    target, known = analysis.target, KnownTables(tables)
    if target.mode is not WriteMode.OVERWRITE:
        return
    made = known.made_as(target.table)
    for step in analysis.steps:
        if not isinstance(step.work, SourceWork):
            continue
        table = known.find(step.work.table)
        read = table.full_name if table is not None else step.work.table
        may_be = made is None and read.rpartition(".")[2].lower() == target.table.lower()
        if may_be or read.lower() == (made.full_name if made is not None else target.table).lower():
            text = say("etl.design.overwrites_input", target=name(target.table), table=name(read))
            yield ReviewIssue(text=text, advice=say("etl.design.overwrites_input_advice"), rule=DesignRule.INPUT)


def _target(analysis: AnalysisResult, tables: Sequence[TableDetail]) -> Iterator[ReviewIssue]:
    target, last = analysis.target, analysis.steps[-1]
    columns = [item.name for item in target.columns]
    outside = [item for item in (*target.key, *target.partition_by) if item not in columns]
    if outside:
        yield ReviewIssue(text=say("etl.design.key_column", columns=names(outside)), rule=DesignRule.KEY)
    if target.mode is WriteMode.UPSERT and not target.key:
        yield ReviewIssue(text=say("etl.design.upsert_key"), advice=say("etl.design.upsert_key_advice"), rule=DesignRule.KEY)
    if target.mode is WriteMode.APPEND and not target.key and not target.partition_by:
        yield ReviewIssue(text=say("etl.design.append_key"), advice=say("etl.design.append_key_advice"), rule=DesignRule.KEY)
    if target.mode is WriteMode.HISTORY and not isinstance(last.work, HistoryWork) and not _keeps_versions(target):
        yield ReviewIssue(text=say("etl.design.history_key"), advice=say("etl.design.history_key_advice"), rule=DesignRule.KEY)
    if last.work is None:
        return
    made = Relations(analysis.steps, tables, "duckdb").columns(last.id)
    extra = (last.work.valid_from, last.work.valid_to, last.work.is_current) if isinstance(last.work, HistoryWork) else ()
    missing = [item for item in columns if item not in made and item not in extra]
    if missing:
        yield ReviewIssue(text=say("etl.design.column", columns=names(missing), step=name(last.id)), rule=DesignRule.COLUMN)
    if isinstance(last.work, AggregateWork) and target.key:
        by = {item.name for item in last.work.by}
        if by and not by >= set(target.key):
            yield ReviewIssue(text=say("etl.design.grain", key=names(target.key), by=names(sorted(by))), rule=DesignRule.GRAIN)


def _keeps_versions(target: EtlTarget) -> bool:
    """A key of what has versions, and columns that say when one holds."""
    if target.history is None:
        return False
    columns = {item.name for item in target.columns}
    return {target.history.valid_from, target.history.valid_to} <= columns and bool(set(target.key) - {target.history.valid_from})


def _conditions(analysis: AnalysisResult) -> Iterator[ReviewIssue]:
    for step_id, column in contradictions(analysis.steps):
        yield ReviewIssue(text=say("etl.design.contradiction", step=name(step_id), column=code(column)), rule=DesignRule.CONDITION)


def _jobs(analysis: AnalysisResult, workflow: Workflow) -> Iterator[ReviewIssue]:
    carried = {item for job in workflow.jobs for item in job.step_ids}
    left_out = [step.id for step in analysis.steps if step.id not in carried]
    if left_out:
        yield ReviewIssue(text=say("etl.design.coverage", steps=names(left_out)), rule=DesignRule.COVERAGE)
    layer = {job: number for number, jobs in enumerate(workflow.layers) for job in jobs}
    temporary = {stage.output: job.id for job in workflow.jobs for stage in job.stages if stage.is_temp}
    for job in workflow.jobs:
        late = [item for item in job.depends if layer.get(item, 99) >= layer.get(job.id, 99)]
        if late or job.id not in layer:
            yield ReviewIssue(text=say("etl.design.order", job=name(job.id)), job=job.id, rule=DesignRule.ORDER)
        foreign = [item for stage in job.stages for item in stage.inputs if temporary.get(item, job.id) != job.id]
        if foreign:
            yield ReviewIssue(text=say("etl.design.temporary", tables=names(foreign)), job=job.id, rule=DesignRule.TEMPORARY)
        kind = next(spec.kind for spec in COMPONENTS if spec.component is job.component)
        if kind is ComponentKind.SYNC and len(job.step_ids) > 2:
            text = say("etl.design.component", component=name(job.component), job=name(job.id))
            yield ReviewIssue(text=text, job=job.id, rule=DesignRule.COMPONENT)


def _rerun(analysis: AnalysisResult) -> Iterator[ReviewIssue]:
    target = analysis.target
    if target.mode is WriteMode.APPEND and target.key:
        yield ReviewIssue(text=say("etl.design.append"), rule=DesignRule.RERUN)
    late = next((step.work for step in analysis.steps if isinstance(step.work, IncrementWork)), None)
    if late is not None and late.look_back_days == 0:
        yield ReviewIssue(text=say("etl.design.late", column=name(late.watermark)), rule=DesignRule.LATE_DATA)


def _fan_out(analysis: AnalysisResult, tables: Sequence[TableDetail]) -> Iterator[ReviewIssue]:
    """A join on columns that are not a key of the right side. Whether it matters the review of the SQL shows on rows."""
    works = {step.id: step.work for step in analysis.steps}
    by_name = {table.full_name: table for table in tables} | {table.name: table for table in tables}
    for step in analysis.steps:
        work = step.work
        if not isinstance(work, JoinWork) or work.side in (JoinSide.SEMI, JoinSide.ANTI):
            continue
        right = works[work.right]
        joined = {side.name for pair in sides_of(work.on) for side in pair if side.step == work.right}
        if isinstance(right, SourceWork) and right.table in by_name:
            table = by_name[right.table]
            keys = [set(table.primary_key), *map(set, table.unique)] if table.primary_key or table.unique else []
            both = sides_of(work.on)
            if keys and not any(key <= joined for key in keys) and not _is_key_of_left(work, both, works, by_name):
                yield ReviewIssue(text=say("etl.design.many", table=name(table.full_name), step=name(step.id)), rule=DesignRule.JOIN)
        elif isinstance(right, AggregateWork | DedupWork):
            continue


def _is_key_of_left(work: JoinWork, pairs: Sequence[object], works: Mapping[str, object], by_name: dict[str, TableDetail]) -> bool:
    """A join from the one side to the many: the rows become those of the right side, which is what an aggregate over it needs."""
    left = works[work.left]
    if not isinstance(left, SourceWork) or left.table not in by_name:
        return bool(pairs)
    joined = {side.name for pair in sides_of(work.on) for side in pair if side.step == work.left}
    return set(by_name[left.table].primary_key) <= joined and bool(by_name[left.table].primary_key)
