"""Scripts shown wrong on rows, and run in the sandbox."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.pipelines.analysis import AggregateWork, AnalysisResult
from contracts.pipelines.expressions import Call, Function
from contracts.pipelines.review import ReviewIssue
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import TrialReport
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import ReviewCheck, ReviewTarget, SampleTable, Severity, SqlReview
from contracts.statements import quote, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines import SourceAtHand, trial
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.engines.sql.trees import NotParsed

SEED = 20_241_101
"""Of the generated rows, so that a trial can be run again with the same."""


@dataclass
class Reviewed:
    """What the review of all scripts says."""

    issues: list[ReviewIssue] = field(default_factory=list[ReviewIssue])
    """Blockers, each shown on rows."""
    warnings: list[ReviewIssue] = field(default_factory=list[ReviewIssue])
    checked: tuple[ReviewCheck, ...] = ()
    not_checked: tuple[ReviewCheck, ...] = ()


def review_scripts(analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]) -> Reviewed:
    """Every script by counterexample. Of the clauses of the target, what the script of the target itself was tried for counts."""
    made = Reviewed()
    known = [*tables, *(_left_by(script, analysis, tables) for script in scripts if script.target != analysis.target.table)]
    for script in scripts:
        try:
            found = _review(analysis, script, known)
        except NotParsed as error:
            made.issues.append(ReviewIssue(text=say("etl.script.not_parsed", reason=quote(str(error)[:300])), job=script.job))
            continue
        for finding in found.findings:
            issue = ReviewIssue(text=finding.summary, advice=finding.advice, job=script.job, finding=finding)
            (made.issues if finding.severity is Severity.BLOCKER else made.warnings).append(issue)
        if script.target == analysis.target.table or not made.checked:
            made.checked, made.not_checked = found.checked, found.not_checked
    return made


def _review(analysis: AnalysisResult, script: SqlScript, known: Sequence[TableDetail]) -> SqlReview:
    is_last = script.target == analysis.target.table
    target = ReviewTarget(
        table=script.target,
        columns=tuple(column.name for column in analysis.target.columns) if is_last else (),
        key=analysis.target.key if is_last else (),
        mode=analysis.target.mode if is_last else None,
        keeps_all=analysis.target.keeps_all if is_last else "",
        only=analysis.target.only if is_last else (),
        totals=analysis.target.totals if is_last else (),
    )
    with open_sandbox() as sandbox:
        return review(script.statements, known, script.dialect, sandbox, target=target, requirement=analysis.requirement if is_last else "")


def _left_by(script: SqlScript, analysis: AnalysisResult, tables: Sequence[TableDetail]) -> TableDetail:
    """The table that a job leaves for another: an aggregate, whose key is what it groups by."""
    schema, _, table = script.target.rpartition(".")
    types = {(item.full_name, column.name): column.type for item in tables for column in item.columns}
    counts, keys = set[str](), tuple[str, ...]()
    for step in analysis.steps:
        if isinstance(step.work, AggregateWork) and script.target.endswith(f"__{step.id}"):
            counts = {item.name for item in step.work.measures if isinstance(item.value, Call) and item.value.function in _COUNTS}
            keys = tuple(item.name for item in step.work.by)
    columns = tuple(
        ColumnDetail(
            name=item.column,
            type="BIGINT" if item.column in counts else types.get(item.origins[0], "DOUBLE") if len(item.origins) == 1 else "DOUBLE",
            nullable=False if item.column in keys else None,
        )
        for item in script.lineage
    )
    return TableDetail(name=table, schema_name=schema, columns=columns, primary_key=keys)


_COUNTS = frozenset({Function.COUNT, Function.COUNT_DISTINCT})


def try_scripts(
    analysis: AnalysisResult,
    workflow: Workflow,
    scripts: Sequence[SqlScript],
    tables: Sequence[TableDetail],
    samples: Sequence[SampleTable] = (),
    source: SourceAtHand | None = None,
) -> TrialReport:
    """Run the workflow twice on generated rows, and on `samples` in the place of those of their tables, and check what it leaves. The
    source plans what it can."""
    return trial(analysis, workflow, scripts, tables, dialect=workflow.dialect, seed=SEED, samples=samples, source=source)
