"""Scripts shown wrong on rows, and run in the sandbox."""

from collections.abc import Sequence

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.review import ReviewIssue
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import TrialReport
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import ReviewTarget, Severity, SqlReview
from contracts.statements import quote, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines import trial
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.engines.sql.trees import NotParsed

SEED = 20_241_101
"""Of the generated rows, so that a trial can be run again with the same."""


def review_scripts(
    analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]
) -> tuple[list[ReviewIssue], list[ReviewIssue]]:
    """Blockers, each shown on rows, and warnings."""
    issues: list[ReviewIssue] = []
    warnings: list[ReviewIssue] = []
    known = [*tables, *(_left_by(script) for script in scripts if script.target != analysis.target.table)]
    for script in scripts:
        try:
            found = _review(analysis, script, known)
        except NotParsed as error:
            issues.append(ReviewIssue(text=say("etl.script.not_parsed", reason=quote(str(error)[:300])), job=script.job))
            continue
        for finding in found.findings:
            issue = ReviewIssue(text=finding.summary, advice=finding.advice, job=script.job, finding=finding)
            (issues if finding.severity is Severity.BLOCKER else warnings).append(issue)
    return issues, warnings


def _review(analysis: AnalysisResult, script: SqlScript, known: Sequence[TableDetail]) -> SqlReview:
    is_last = script.target == analysis.target.table
    target = ReviewTarget(
        table=script.target,
        columns=tuple(column.name for column in analysis.target.columns) if is_last else (),
        key=analysis.target.key if is_last else (),
        mode=analysis.target.mode if is_last else None,
    )
    with open_sandbox() as sandbox:
        return review(script.statements, known, script.dialect, sandbox, target=target, requirement=analysis.requirement if is_last else "")


def _left_by(script: SqlScript) -> TableDetail:
    """The table that a job leaves for another."""
    schema, _, table = script.target.rpartition(".")
    return TableDetail(name=table, schema_name=schema, columns=tuple(ColumnDetail(name=item.column) for item in script.lineage))


def try_scripts(analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]) -> TrialReport:
    """Run the workflow twice on generated rows, and check what it leaves."""
    return trial(analysis, workflow, scripts, tables, dialect=workflow.dialect, seed=SEED)
