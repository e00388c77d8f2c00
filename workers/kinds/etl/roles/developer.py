"""The developer of `etl`: a stage for each job, and in it the script, printed from the job's steps."""

from collections.abc import Sequence
from dataclasses import replace

from contracts.base import Json
from contracts.pipelines.analysis import AnalysisResult, Origin
from contracts.pipelines.script import CLARIFY_SCRIPT_BELOW, ScriptQuestion, SqlScript
from contracts.pipelines.workflow import ScriptLayers, Workflow
from contracts.reports import Delegation, Question, Report, asks, completed, delegates, refuses
from contracts.roles import RoleName
from contracts.stages import StageSpec
from contracts.statements import Join, Sayable, as_value, count, listing, name, say
from contracts.tables import TableDetail
from workers.engines.sql.trees import NotParsed
from workers.engines.steps import NotWritable
from workers.kinds.etl.playbook import ANALYSIS, SCRIPT, WORKFLOW
from workers.kinds.etl.roles.by_model import Judge, reads_of, write_by_model
from workers.kinds.etl.rules.answers import of_scripts
from workers.kinds.etl.rules.assignment import JobSpec, job_spec
from workers.kinds.etl.rules.writing import adapted_from, as_statements, problem_of, script_of, write_script
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.shown import known_of
from workers.kinds.etl.work.trying import Trials
from workers.llm.brief import replies_text
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.saying import text_of
from workers.saying.sql_review import objection_text, rows_text


def assign(ctx: StepContext) -> Report[ScriptLayers]:
    """A stage for each job; it waits for the jobs that its own depends on, so a failed layer stops the later ones. Without jobs the
    architect is asked for them (E3)."""
    analysis, workflow = ctx.need(AnalysisResult, ANALYSIS), ctx.need(Workflow, WORKFLOW)
    if not workflow.jobs and ctx.may_ask:
        return delegates(Delegation(stage=WORKFLOW, payload={"reason": "no_jobs"}), say("etl.step.lacks_jobs"))
    order = [job for layer in workflow.layers for job in layer]
    stage_of = {job: f"{SCRIPT}/{number}" for number, job in enumerate(order, 1)}
    jobs = {job.id: job for job in workflow.jobs}
    stages = tuple(
        StageSpec(
            name=stage_of[job],
            role=RoleName.DEVELOPER,
            task="etl.write",
            needs=(*(stage_of[before] for before in jobs[job].depends), *_tried_with(analysis, workflow)),
            params={"spec": job_spec(analysis, workflow, jobs[job]).to_json()},
        )
        for job in order
    )
    layers = ScriptLayers(stages={stage: job for job, stage in stage_of.items()}, layers=workflow.layers)
    return completed(layers, say("etl.step.assigned", n=count(len(order))), stages=stages)


def _tried_with(analysis: AnalysisResult, workflow: Workflow) -> tuple[str, ...]:
    """What a model's query is tried with before it is delivered: analysis and design, where it is the only job."""
    in_words = any(step.work is None for step in analysis.steps) and not analysis.sql
    return (ANALYSIS, WORKFLOW) if in_words and len(workflow.jobs) == 1 else ()


def write(ctx: StepContext) -> Report[SqlScript]:
    """The script of the stage's job (E4). An operator's edit is taken as it is, and reviewed like any other; once a reviewer has objected
    to it, the script is made from the design again."""
    spec, floor = JobSpec.model_validate(ctx.params["spec"]), Floor(ctx)
    tables = (*floor.tables(spec.source), *spec.left)
    edited = str(ctx.edit().get("sql") or "")
    if edited and not _objected(ctx):
        return _edited(ctx, edited, spec, tables)
    if spec.sql:
        return _specified(ctx, spec, tables)
    if all(step.work is not None for step in spec.steps):
        script = write_script(spec, tables)
        near = floor.queries(" ".join(script.reads) + " " + " ".join(column.name for column in spec.target.columns), spec.source)
        return _done(ctx, script.model_copy(update={"adapted": adapted_from(script, near, script.reads)}), RULES)
    problem = say("etl.script.words_only", job=name(spec.job))

    def by_model(chat: ChatClient) -> SqlScript | None:
        known = replace(known_of(floor, spec.source, spec.requirement, spec.dialect), tables=tables)
        trials, before = _trials(floor, spec, tables), _objected_statements(ctx)
        read = [table for table in floor.tables(spec.source) if table.full_name in reads_of(spec)]
        ctx.tools.hold(floor.table_pointers(spec.source, read))
        remarks = [*ctx.remarks(), *_unheard(ctx, spec)]
        script = write_by_model(chat, spec, known, remarks, judge=_judge(ctx, trials), tools=ctx.tools, before=before)
        if before and script.statements == before:
            script = script.model_copy(update={"same_again": True})
        return script if trials is None else trials.kept_in(script)

    made: Reasoned[SqlScript | None] = reason(ctx, by_model, lambda: None)
    if made.value is None:
        return _fails(problem)
    if made.value.confidence < CLARIFY_SCRIPT_BELOW and made.value.issues and ctx.may_ask and not ctx.dialogue(ScriptQuestion):
        return _ask(ctx, made.value)
    return _done(ctx, made.value, made.engine, made.notes)


def _unheard(ctx: StepContext, spec: JobSpec) -> list[Json]:
    """The answers that the analyst was not given, as the last release left them: the requirement holds all others."""
    replies = of_scripts(ctx.dialogue(ScriptQuestion), ctx.language)
    return [{"text": replies_text([item])} for item in replies if f"{item.question} {item.reply}" not in spec.requirement]


def _objected_statements(ctx: StepContext) -> tuple[str, ...]:
    """The statements of the last version, if a role has objected to it."""
    return SqlScript.model_validate(ctx.previous).statements if ctx.previous is not None and ctx.objections() else ()


def _trials(floor: Floor, spec: JobSpec, tables: Sequence[TableDetail]) -> Trials | None:
    """The review and the trial of the reviewer, for a script that is alone in its workflow."""
    ctx = floor.ctx
    if ANALYSIS not in ctx.needs or WORKFLOW not in ctx.needs:
        return None
    return Trials(ctx.need(AnalysisResult, ANALYSIS), ctx.need(Workflow, WORKFLOW), tables, floor.at_hand(spec.source))


def _judge(ctx: StepContext, trials: Trials | None) -> Judge:
    def judge(script: SqlScript) -> list[str]:
        ctx.check_stopped()
        if trials is None:
            return []
        verdict = trials.judge(script)
        found = [objection_text(issue.finding) if issue.finding else _said(issue.text) for issue in verdict.issues]
        return found + [
            "\n".join([_said(check.text), *(rows_text(item.name, item) for item in (*check.given, *check.shown))])
            for check in (verdict.trial.failures if verdict.trial is not None else ())
        ]

    return judge


def _said(text: Sayable) -> str:
    return text if isinstance(text, str) else text_of(text, "en")


def _specified(ctx: StepContext, spec: JobSpec, tables: Sequence[TableDetail]) -> Report[SqlScript]:
    """The query of a specification, in the target's mode; or its statements, as they are."""
    try:
        statements, temporary = as_statements(spec.sql, spec, tables)
    except (NotParsed, NotWritable) as error:
        return _fails(str(error))
    problem = problem_of(statements, spec)
    if problem is not None:
        return _fails(problem)
    says = (say("etl.script.specified"),)
    return _done(ctx, script_of(spec, statements, tables, temporary=temporary, says=says, written_by=Origin.HUMAN), RULES)


def _edited(ctx: StepContext, edited: str, spec: JobSpec, tables: Sequence[TableDetail]) -> Report[SqlScript]:
    try:
        statements, temporary = as_statements(edited, spec, tables)
    except NotParsed:
        statements, temporary = (edited,), ()
    except NotWritable as error:
        return _fails(str(error))
    problem = problem_of(statements, spec)
    if problem is not None:
        return _fails(problem)
    return _done(ctx, script_of(spec, statements, tables, temporary=temporary, says=(say("etl.script.edited"),)), RULES)


def _ask(ctx: StepContext, script: SqlScript) -> Report[SqlScript]:
    """What the author of a script is not sure of, once. The answer may change the target, so the boss sends it to the analyst, and the
    script is written again from what the analysis then says."""
    text = say("etl.ask.script", job=name(script.job), issues=listing(*map(as_value, script.issues), join=Join.SENTENCES))
    form = ScriptQuestion(job=script.job, issues=script.issues, confidence=script.confidence)
    return asks(Question(text=text, payload=form.to_json(), also=(ANALYSIS,)), say("etl.step.asks"))


def _objected(ctx: StepContext) -> bool:
    """A remark came behind the newest edit."""
    heard = [request.kind for request in ctx.requests if request.target == ctx.stage and request.kind in ("replay", "remark")]
    return bool(heard) and heard[-1] == "remark"


def _done(ctx: StepContext, script: SqlScript, engine: str, notes: tuple[Sayable, ...] = ()) -> Report[SqlScript]:
    summary = say("etl.step.written", job=name(script.job), n=count(len(script.statements)))
    return completed(script, summary, engine=engine, notes=notes)


def _fails(problem: Sayable) -> Report[SqlScript]:
    return refuses("ScriptRefused", problem)
