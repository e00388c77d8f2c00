"""Scripts shown wrong on rows, and run in the sandbox."""

from collections.abc import Sequence
from datetime import UTC, datetime

from contracts.base import content_hash
from contracts.pipelines.analysis import AggregateWork, AnalysisResult
from contracts.pipelines.expressions import Call, Function
from contracts.pipelines.review import ReviewIssue, Verdict
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import TrialReport
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import ReviewCheck, ReviewTarget, SampleTable, Severity, SqlReview
from contracts.statements import name, quote, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines import SourceAtHand, check_meaning, trial
from workers.engines.pipelines.trial.trial import in_order
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.engines.sql.trees import NotParsed, dialect_of
from workers.kinds.etl.rules.assignment import job_spec, left_tables
from workers.kinds.etl.rules.clauses import OF_CLAUSES, has_clauses, untried_clauses
from workers.kinds.etl.rules.writing import as_statements, script_of

SEED = 20_241_101
"""Of the generated rows, so that a trial can be run again with the same."""


def review_scripts(analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]) -> Verdict:
    """Every script by counterexample. The clauses of the target are about rows of the sources, so that several scripts are tried for them
    as one; one that could not be tried is a warning."""
    issues, warnings, checked = list[ReviewIssue](), list[ReviewIssue](), ((), ())
    designed = {table.full_name: table for table in left_tables(workflow)}
    others = [script for script in scripts if script.target != analysis.target.table]
    known = [*tables, *(designed.get(script.target) or _left_by(script, analysis, tables) for script in others)]
    for script in scripts:
        try:
            found = _review(analysis, script, known, designed.get(script.target), is_alone=len(scripts) == 1)
        except NotParsed as error:
            issues.append(ReviewIssue(text=say("etl.script.not_parsed", reason=quote(str(error)[:300])), job=script.job))
            continue
        for finding in found.findings:
            issue = ReviewIssue(text=finding.summary, advice=finding.advice, job=script.job, finding=finding)
            (issues if finding.severity is Severity.BLOCKER else warnings).append(issue)
        if script.target == analysis.target.table or not checked[0]:
            checked = found.checked, found.not_checked
    if len(scripts) > 1 and has_clauses(analysis.target) and not issues:
        whole = _review_whole(analysis, in_order(workflow, scripts), tables)
        issues += [ReviewIssue(text=item.summary, advice=item.advice, finding=item) for item in whole.blockers]
        tried = [check for check in OF_CLAUSES if check in whole.checked]
        checked = (
            tuple(check for check in ReviewCheck if check in checked[0] or check in tried),
            tuple(check for check in checked[1] if check not in tried),
        )
    if not issues:
        warnings += [ReviewIssue(text=text) for text in untried_clauses(analysis.target, checked[1])]
    return Verdict(of="", issues=tuple(issues), warnings=tuple(warnings), checked=checked[0], not_checked=checked[1])


class Trials:
    """An author's attempts on the only script of a workflow: its review and, where that finds nothing, its trial. The last verdict is
    kept."""

    def __init__(self, analysis: AnalysisResult, workflow: Workflow, tables: Sequence[TableDetail], source: SourceAtHand) -> None:
        self._analysis, self._workflow, self._tables, self._source = analysis, workflow, tables, source
        self._last: Verdict | None = None

    def judge(self, script: SqlScript) -> Verdict:
        """What speaks against it."""
        found = review_scripts(self._analysis, self._workflow, [script], self._tables)
        tried = None if found.issues else try_scripts(self._analysis, self._workflow, [script], self._tables, source=self._source)
        of = rests_on(self._analysis, self._workflow, script, self._tables)
        self._last = found.model_copy(update={"of": of, "trial": tried})
        return self._last

    def kept_in(self, script: SqlScript) -> SqlScript:
        """The script with its verdict, if it is the last that was judged."""
        of = rests_on(self._analysis, self._workflow, script, self._tables)
        return script.model_copy(update={"verdict": self._last}) if self._last is not None and self._last.of == of else script


def known_verdict(
    analysis: AnalysisResult, workflow: Workflow, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]
) -> Verdict | None:
    """The verdict that its author brought, if the script is alone and everything is as it was then."""
    verdict = scripts[0].verdict if len(scripts) == 1 else None
    return verdict if verdict is not None and verdict.of == rests_on(analysis, workflow, scripts[0], tables) else None


def rests_on(analysis: AnalysisResult, workflow: Workflow, script: SqlScript, tables: Sequence[TableDetail]) -> str:
    """The hash of all that a verdict rests on. The day counts, since scripts ask for it."""
    written = [script.job, script.dialect, script.statements, script.target, script.reads, script.temporary]
    lineage = [item.to_json() for item in script.lineage]
    known = [table.to_json() for table in tables]
    days = [f"{datetime.now(UTC):%Y-%m-%d}", f"{datetime.now().astimezone():%Y-%m-%d}"]
    return content_hash([SEED, analysis.to_json(), workflow.to_json(), written, lineage, known, days])


def _review_whole(analysis: AnalysisResult, scripts: Sequence[SqlScript], tables: Sequence[TableDetail]) -> SqlReview:
    """All scripts as one, from the sources to the target, for the clauses of the target. No finding has a place in one of them."""
    asked = analysis.target
    target = ReviewTarget(
        table=asked.table,
        columns=tuple(column.name for column in asked.columns),
        key=asked.key,
        mode=asked.mode,
        keeps_all=asked.keeps_all,
        only=asked.only,
        totals=asked.totals,
    )
    statements = [statement for script in scripts for statement in script.statements]
    with open_sandbox() as sandbox:
        found = review(statements, tables, scripts[-1].dialect, sandbox, target=target)
    return found.model_copy(update={"findings": tuple(item.model_copy(update={"place": None}) for item in found.findings)})


def _review(
    analysis: AnalysisResult, script: SqlScript, known: Sequence[TableDetail], designed: TableDetail | None, *, is_alone: bool
) -> SqlReview:
    """`designed`: the table on the way that the architect says it leaves."""
    is_last = script.target == analysis.target.table
    has_clauses_here = is_last and is_alone
    made = analysis.target if is_last else designed
    target = ReviewTarget(
        table=script.target,
        columns=tuple(column.name for column in made.columns) if made is not None else (),
        key=analysis.target.key if is_last else designed.primary_key if designed is not None else (),
        mode=analysis.target.mode if is_last else None,
        keeps_all=analysis.target.keeps_all if has_clauses_here else "",
        only=analysis.target.only if has_clauses_here else (),
        totals=analysis.target.totals if has_clauses_here else (),
        late_days=analysis.target.late_days if is_last else 0,
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
    report = trial(analysis, workflow, scripts, tables, dialect=workflow.dialect, seed=SEED, samples=samples, source=source)
    translated = len(scripts) == 1 and analysis.sql and dialect_of(analysis.dialect) != dialect_of(workflow.dialect)
    return _held_against_original(report, analysis, workflow, scripts[0], tables) if translated else report


def _held_against_original(
    report: TrialReport, analysis: AnalysisResult, workflow: Workflow, script: SqlScript, tables: Sequence[TableDetail]
) -> TrialReport:
    """The query of a specification that was translated, held against what it means in its own dialect. What an operator wrote in its
    place is not."""
    if script.statements != _specified(analysis, workflow, workflow.dialect, tables).statements:
        return report
    values = {"written": name(analysis.dialect), "dialect": name(workflow.dialect)}
    not_tried = (*report.not_tried, say("etl.trial.translated_query", **values))
    original = _specified(analysis, workflow, analysis.dialect, tables)
    failed = None if report.failures else check_meaning(analysis, workflow, script, original, tables, seed=SEED)
    return report.model_copy(update={"not_tried": not_tried, "checks": (*report.checks, *([failed] if failed is not None else []))})


def _specified(analysis: AnalysisResult, workflow: Workflow, dialect: str, tables: Sequence[TableDetail]) -> SqlScript:
    """The script of a specification's query in a dialect."""
    spec = job_spec(analysis, workflow.model_copy(update={"dialect": dialect}), workflow.jobs[0])
    statements, temporary = as_statements(spec.sql, spec, tables)
    return script_of(spec, statements, tables, temporary=temporary)
