"""The end of an `etl` job: the files that a data engineer would commit, and how far they may be trusted."""

from contracts.etl.edits import PackageEdit
from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import CLARIFY_BELOW, AnalysisResult, Origin
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import Workflow
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import Sayable, member_term, name, names, quote, say
from workers.engines.pipelines.package.readme import reading_of
from workers.kinds.etl.playbook import ANALYSIS, DESIGN_REVIEW, DEVELOPMENT_REVIEW, LOAD_STAGE, SCRIPTS, WORKFLOW
from workers.kinds.etl.rules.clauses import untried_clauses
from workers.kinds.etl.rules.demands import demands_of
from workers.kinds.etl.view import demand_said
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.packing import pack
from workers.roles.base import StepContext


def finalize(ctx: StepContext) -> Report[EtlPackage]:
    """The package (E3). Done only when rules read the requirement word for word and the scripts have run; else a draft that says why.
    An operator may want other files, or another language."""
    request, analysis, workflow = ctx.need(EtlRequest, INPUT), ctx.need(AnalysisResult, ANALYSIS), ctx.need(Workflow, WORKFLOW)
    edited = PackageEdit.model_validate(ctx.edit())
    language, form = edited.language or request.language or ctx.language, edited.form or request.form
    reviews = (ctx.need(ReviewResult, DESIGN_REVIEW), ctx.need(ReviewResult, DEVELOPMENT_REVIEW))
    scripts = tuple(script.model_copy(update={"verdict": None}) for script in ctx.family(SqlScript, SCRIPTS).values())
    open_ = _open(analysis, scripts, reviews)
    state = PackageState.DRAFT if needs_person(analysis, scripts, reviews) else PackageState.DONE
    table = name(analysis.target.table)
    demands = demands_of(analysis, scripts)
    decisions = (*analysis.assumptions, *workflow.followed, *workflow.deviations)
    floor = Floor(ctx)
    tables = floor.tables(analysis.source)
    made_at = floor.now.replace(microsecond=0)
    files = pack(
        analysis, workflow, scripts, reviews, tables, form, language, decisions=decisions, demands=[*map(demand_said, demands)],
        open_=open_, made_at=made_at,
    )  # fmt: skip
    package = EtlPackage(
        language=language,
        state=state,
        form=form,
        headline=say("etl.headline.done", table=table) if state is PackageState.DONE else say("etl.headline.draft", table=table),
        analysis=analysis,
        workflow=workflow,
        scripts=scripts,
        reviews=reviews,
        files=files,
        made_at=made_at,
        decisions=decisions,
        demands=demands,
        open=open_,
    )
    summary = say("etl.step.packed", state=member_term("etl.state", state))
    return completed(package, summary, stages=(LOAD_STAGE,) if request.write else ())


def needs_person(analysis: AnalysisResult, scripts: tuple[SqlScript, ...], reviews: tuple[ReviewResult, ...]) -> bool:
    """Whether a person has to look: somebody edited a script or waived a rule, the scripts did not run or made no row, words were left
    out, a model was not sure of its reading, or nothing meets a demand of the requirement. Who wrote what passed its checks does not
    matter; what of the requirement a model did not use is shown."""
    if analysis.left_out or analysis.confidence < CLARIFY_BELOW or not all(demand.by for demand in demands_of(analysis, scripts)):
        return True
    trial = reviews[-1].trial
    is_edited = any(script.says and _is_edit(script) for script in scripts) or any(review.waived for review in reviews)
    return is_edited or trial is None or not trial.has_run or trial.stayed_empty


def _is_edit(script: SqlScript) -> bool:
    first = script.says[0]
    return not isinstance(first, str) and first.code == "etl.script.edited"


def _open(analysis: AnalysisResult, scripts: tuple[SqlScript, ...], reviews: tuple[ReviewResult, ...]) -> tuple[Sayable, ...]:
    trial, found = reviews[-1].trial, list[Sayable]()
    if trial is not None and trial.has_run and trial.stayed_empty:  # nothing below weighs more: the checks passed on nothing
        found.append(say("etl.open.stayed_empty"))
    if analysis.read_by is Origin.MODEL:
        found.append(say("etl.open.read_by_model"))
    if any(script.written_by is Origin.MODEL for script in scripts):
        found.append(say("etl.open.written_by_model"))
    if any(_is_edit(script) for script in scripts if script.says):
        found.append(say("etl.open.edited"))
    found.extend(say("etl.open.waived", rules=names(review.waived)) for review in reviews if review.waived)
    found.extend(say("etl.open.left_out", words=quote(words)) for words in analysis.left_out)
    found.extend(say("etl.open.not_used", words=quote(words)) for script in scripts for words in script.not_used)
    found.extend(say("etl.open.demand", demand=quote(demand.text)) for demand in demands_of(analysis, scripts) if not demand.by)
    found.extend(untried_clauses(analysis.target, reviews[-1].not_checked))
    found.extend(reading_of(item) for item in analysis.ambiguities)
    found.extend(issue for script in scripts for issue in script.issues)
    found.extend(trial.not_tried if trial is not None else (say("etl.open.not_run"),))
    return tuple(found)
