"""A case that the rules leave open, read and written by a model as in a job: the same checks, the same remarks, and never called done.

The rows of what is left show how often the model is right, wrong and stopped, or wrong and kept as a draft for a person."""

from collections.abc import Callable

from contracts.pipelines.analysis import CLARIFY_BELOW, AnalysisResult
from contracts.pipelines.package import PackageState
from contracts.pipelines.review import ReviewIssue, ReviewPart, ReviewResult
from contracts.pipelines.script import CLARIFY_SCRIPT_BELOW, SqlScript
from contracts.pipelines.wishes import Component, Environment
from contracts.pipelines.workflow import Workflow
from contracts.roles import RoleName
from contracts.statements import Statement
from workers.engines.requirements.upstream import rank_upstream
from workers.errors import BullpenError, EngineError
from workers.kinds.etl.evaluation.cases import Case
from workers.kinds.etl.evaluation.playing import Result, compared
from workers.kinds.etl.roles.by_model import Declined, analyse_by_model, write_by_model
from workers.kinds.etl.roles.by_model import Known as Shown
from workers.kinds.etl.roles.finalizer import needs_person
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.rounds import MOST_ROUNDS
from workers.kinds.etl.work.trying import review_scripts, try_scripts
from workers.llm.client import ChatClient
from workers.saying import text_of

OpenChat = Callable[[RoleName], ChatClient]
"""The model of a role."""


def play_by_model(case: Case, open_chat: OpenChat) -> Result:
    """`asked`: the model is unsure. `refused`: its answer is of no use. `caught`: a review or the trial stops each of its versions.
    `draft`: a package that a person has to look at. `done`: one that passed every check."""
    try:
        near = [table for table, _ in rank_upstream("", case.requirement, (), case.tables)]
        shown = Shown(dialect="duckdb", tables=near)
        analysis = analyse_by_model(open_chat(RoleName.ANALYST), case.requirement, "case", shown, language=case.language)
    except (EngineError, ValueError, Declined) as error:
        return Result("refused", reason=f"analysis: {error}")
    unsure = analysis.confidence < CLARIFY_BELOW or any(not item.assumed for item in analysis.ambiguities)
    if unsure and analysis.ambiguities:
        return Result("asked", reason=str(analysis.ambiguities[0].question))
    analysis = _as_wanted(analysis, case)
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    checked = review_design(analysis, workflow, case.tables)
    if not checked.passed:
        return Result("caught", reason=str(checked.issues[0].rule))
    return _written(case, analysis, workflow, checked, open_chat(RoleName.DEVELOPER))


def _as_wanted(analysis: AnalysisResult, case: Case) -> AnalysisResult:
    """Whether the target is there already is known from the catalogue, not from the model."""
    exists = any(table.name == analysis.target.table for table in case.tables)
    return analysis.model_copy(update={"target": analysis.target.model_copy(update={"exists": exists})})


def _written(case: Case, analysis: AnalysisResult, workflow: Workflow, checked: ReviewResult, chat: ChatClient) -> Result:
    """The scripts of the jobs, with up to three rounds of remarks."""
    remarks: list[dict[str, object]] = []
    result = Result("refused")
    for _ in range(MOST_ROUNDS):
        try:
            shown = Shown(dialect="duckdb", tables=case.tables)
            scripts = [write_by_model(chat, job_spec(analysis, workflow, job), shown, remarks) for job in workflow.jobs]
        except (BullpenError, ValueError) as error:
            return Result("refused", reason=f"script: {error}")
        unsure = next((script for script in scripts if script.confidence < CLARIFY_SCRIPT_BELOW and script.issues), None)
        if unsure is not None and not remarks:
            return Result("asked", reason=str(unsure.issues[0]), sql=unsure.sql)
        result, issues = _checked(case, analysis, workflow, checked, scripts)
        if not issues:
            return result
        remarks = [{"text": _text(issue)} for issue in issues]
    return result


def _checked(
    case: Case, analysis: AnalysisResult, workflow: Workflow, checked: ReviewResult, scripts: list[SqlScript]
) -> tuple[Result, list[ReviewIssue]]:
    """What the review and the trial say, and what the package would be called."""
    sql = "".join(script.sql for script in scripts)
    reviewed = review_scripts(analysis, workflow, scripts, case.tables)
    trial = try_scripts(analysis, workflow, scripts, case.tables)
    issues = [*reviewed.issues, *(ReviewIssue(text=check.text, job=check.job, check=check) for check in trial.failures)]
    found = compared(case, scripts, sql)
    if issues or not trial.has_run:
        return Result("caught", is_right=found.is_right, reason=_text(issues[0]) if issues else "not run", sql=sql), issues
    review = ReviewResult(part=ReviewPart.DEVELOPMENT, passed=True, score=100, summary="", warnings=reviewed.warnings, trial=trial)
    state = PackageState.DRAFT if needs_person(analysis, tuple(scripts), (checked, review)) else PackageState.DONE
    return Result("draft" if state is PackageState.DRAFT else "done", is_right=found.is_right, reason=found.reason, sql=sql), []


def _text(issue: ReviewIssue) -> str:
    return text_of(issue.text, "en") if isinstance(issue.text, Statement) else str(issue.text)
