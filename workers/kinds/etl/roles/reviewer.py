"""The reviewer of `etl`: of the design before there is any SQL, and of the scripts, which it also runs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from contracts.base import Json
from contracts.etl.edits import DesignReviewEdit, DevelopmentReviewEdit
from contracts.pipelines.analysis import AnalysisResult, Origin
from contracts.pipelines.review import DesignRule, ReviewIssue, ReviewPart, ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import ScriptLayers, Workflow
from contracts.reports import Question, Remark, Report, asks, completed
from contracts.sql_review import Defect
from contracts.statements import Statement, as_value, count, passage, quote, say
from contracts.tables import TableDetail
from workers.engines.pipelines import Breach, NoBreach, find_breach
from workers.kinds.etl.playbook import ANALYSIS, SCRIPT, SCRIPTS, WORKFLOW
from workers.kinds.etl.roles.remarking import Remarks, Reviewed, kept_in_spite, remark_by_model
from workers.kinds.etl.rules.answers import LANGUAGES, LONGEST_REPLY
from workers.kinds.etl.rules.design_review import result_of, review_design
from workers.kinds.etl.rules.rounds import MOST_ROUNDS, ReviewChoice, chosen_role, last_reply, new_specification, rounds_of
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.shown import known_of
from workers.kinds.etl.work.trying import SEED, known_verdict, review_scripts, try_scripts
from workers.llm.client import ChatClient
from workers.roles.base import HeardRequest, StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.saying import text_of
from workers.saying.sql_review import example_lines, objection_text, rows_text

OF_CLAUSES = frozenset({Defect.ROWS_MISSING, Defect.ROWS_NOT_LEFT_OUT, Defect.ROWS_LEFT_OUT, Defect.TOTAL_DIFFERS})
"""They rest on `keeps_all`, `only` and `totals` of the analysis."""
MOST_TEXTS = 10
"""Objections, and as many warnings, that a question names."""
MOST_SHOWN = 3_000
"""Characters of the rows that show an objection, as who mends it reads them."""

NO_REPLIES: Mapping[str, str] = MappingProxyType({})
Target = Callable[[ReviewIssue], str]
"""Which stage can mend an issue."""

OF_ANALYSIS = frozenset({DesignRule.GRAIN, DesignRule.KEY, DesignRule.COLUMN, DesignRule.INPUT, DesignRule.LATE_DATA, DesignRule.RERUN})
"""Rules that only the analyst can mend."""


def review_workflow(ctx: StepContext) -> Report[ReviewResult]:
    """The design against the requirement and the catalogue. An operator may waive rules."""
    analysis, workflow = ctx.need(AnalysisResult, ANALYSIS), ctx.need(Workflow, WORKFLOW)
    if (handed_on := _handed_on(ctx, analysis)) is not None:
        return handed_on
    waived = DesignReviewEdit.model_validate(ctx.edit()).waive
    review = review_design(analysis, workflow, Floor(ctx).tables(analysis.source), waived)
    return _report(
        ctx, review, lambda issue: ANALYSIS if issue.rule in OF_ANALYSIS else WORKFLOW, spec=analysis.spec, is_own=bool(analysis.spec)
    )


def review_development(ctx: StepContext) -> Report[ReviewResult]:
    """Every script by counterexample, then all of them in the sandbox; the source plans them, where it is at hand. What the author of the
    only script has tried already is not tried again while nothing has changed."""
    analysis, workflow = ctx.need(AnalysisResult, ANALYSIS), ctx.need(Workflow, WORKFLOW)
    if (handed_on := _handed_on(ctx, analysis)) is not None:
        return handed_on
    layers = ctx.need(ScriptLayers, SCRIPT)
    stage_of = {job: stage for stage, job in layers.stages.items()}
    scripts = list(ctx.family(SqlScript, SCRIPTS).values())
    floor = Floor(ctx)
    tables = floor.tables(analysis.source)
    known = known_verdict(analysis, workflow, scripts, tables)
    found = known or review_scripts(analysis, workflow, scripts, tables)
    ctx.check_stopped()
    read = [table for table in tables if table.full_name in analysis.tables]
    edited = DevelopmentReviewEdit.model_validate(ctx.edit()).samples
    samples = floor.samples(analysis.source, read) if (analysis.samples if edited is None else edited) else []
    trial = known.trial if known is not None and not samples else None
    if trial is None:
        trial = try_scripts(analysis, workflow, scripts, tables, samples, floor.at_hand(analysis.source))
    failed = [ReviewIssue(text=check.text, job=check.job, check=check) for check in trial.failures]
    made = Reasoned(Remarks(), RULES)
    if not found.issues and trial.has_run and any(script.written_by is Origin.MODEL for script in scripts):
        made = _remarked(ctx, floor, Reviewed(analysis, workflow, scripts, found, _raised(ctx)), tables)
    review = result_of(
        ReviewPart.DEVELOPMENT,
        [*found.issues, *failed, *made.value.issues],
        [*found.warnings, *made.value.warnings],
        trial=trial,
        checked=found.checked,
        not_checked=found.not_checked,
    )
    last = layers.layers[-1][-1]
    is_alone = len(scripts) == 1  # the author of one of several has not tried to meet the clauses
    contested = {script.job for script in scripts if is_alone and script.written_by is analysis.read_by is Origin.MODEL}
    replies = {script.job: "\n".join(_said(text, ctx.language) for text in script.issues) for script in scripts}

    def target_of(issue: ReviewIssue) -> str:
        """Whose work it is. A model that wrote a script has tried to meet the review before it gave it: an objection that rests on a clause
        of the analysis goes to the analyst, who may be wrong."""
        if issue.finding is not None and issue.finding.defect in OF_CLAUSES and issue.job in contested:
            return ANALYSIS
        return stage_of.get(issue.job) or stage_of[last]

    is_own = bool(analysis.sql) and all(script.written_by is Origin.HUMAN for script in scripts)
    kept = frozenset(stage_of[script.job] for script in scripts if script.same_again)
    report = _report(ctx, review, target_of, replies, spec=analysis.spec, is_own=is_own, kept=kept)
    return report.model_copy(update={"engine": made.engine, "notes": (*report.notes, *made.notes)})


def _raised(ctx: StepContext) -> list[Json]:
    """The remarks of a model in earlier rounds of this review."""
    return [request.payload for request in ctx.requests if request.kind == "remark" and request.asker == ctx.stage and _phrase(request)]


def _phrase(request: HeardRequest) -> str:
    return str(request.payload.get("phrase", ""))


def _remarked(ctx: StepContext, floor: Floor, reviewed: Reviewed, tables: Sequence[TableDetail]) -> Reasoned[Remarks]:
    """What a model has against scripts that the rules let pass. Nothing without a model, and nothing new where the author has seen the
    earlier remarks and keeps the script."""
    kept = kept_in_spite(reviewed.raised, reviewed.scripts)
    if kept is not None:
        return Reasoned(Remarks(warnings=kept), RULES)
    analysis, workflow, scripts = reviewed.analysis, reviewed.workflow, reviewed.scripts

    def try_query(query: str) -> Breach | NoBreach:
        ctx.check_stopped()
        return find_breach(query, analysis, workflow, scripts, tables, dialect=workflow.dialect, seed=SEED)

    def by_model(chat: ChatClient) -> Remarks:
        known = known_of(floor, analysis.source, analysis.requirement, workflow.dialect)
        read = [table for table in tables if table.full_name in analysis.tables]
        ctx.tools.hold(floor.table_pointers(analysis.source, read))
        return remark_by_model(chat, reviewed, known, read, ctx.tools, try_query, ctx.language)

    return reason(ctx, by_model, Remarks)


def _handed_on(ctx: StepContext, analysis: AnalysisResult) -> Report[ReviewResult] | None:
    """Where somebody answered the question of this review with a specification, or with SQL: the analyst is to read it. What was judged is
    not judged again."""
    spec = new_specification(ctx, analysis) if ctx.draft is not None else ""
    if not spec:
        return None
    taken = text_of(say("etl.step.new_specification"), ctx.language)
    remark = Remark(text=taken, stage=ANALYSIS, payload={"spec": spec, "about": analysis.about})
    return completed(ReviewResult.model_validate(ctx.draft), taken, remarks=(remark,))


def _report(
    ctx: StepContext,
    review: ReviewResult,
    target_of: Target,
    replies: Mapping[str, str] = NO_REPLIES,
    *,
    spec: str,
    is_own: bool,
    kept: Collection[str] = (),
) -> Report[ReviewResult]:
    """Passed, or remarks to those who can mend it. The third round goes to the human, who says whose work it is. `replies`: what the author
    of each job's script said of it, in answer to earlier objections too. `is_own`: a person gave the specification or the SQL, which no
    role mends: they are asked for another at once. `kept`: stages whose author has given the same again, so that the human is asked in
    the place of another round."""
    summary = review.summary
    if review.passed:
        return completed(review, summary)
    chosen = None if is_own else chosen_role(ctx)
    is_kept = any(target_of(issue) in kept for issue in review.issues)
    if chosen is None and (is_own or is_kept or rounds_of(ctx) >= MOST_ROUNDS - 1) and ctx.may_ask:
        texts = [_text(issue, ctx.language) for issue in review.issues[: MOST_TEXTS if is_own else 3]]
        reasons = [reply for job in dict.fromkeys(issue.job for issue in review.issues[:3]) if (reply := replies.get(job, ""))]
        question = Question(
            text=_own(ctx) if is_own else say("etl.ask.same_again") if is_kept else say("etl.ask.whose", n=count(MOST_ROUNDS)),
            payload=ReviewChoice(part=review.part, issues=tuple(texts)).to_json(),
            choices=(say("etl.choice.again"),)
            if is_own
            else (say("etl.role.analyst"), say("etl.role.architect"), say("etl.role.developer")),
            guidance=_guidance(ctx, review, (*texts, *reasons), spec) if is_own else "\n".join((*texts, *reasons)),
        )
        return asks(question, summary, draft=review.to_json())
    return completed(review, summary, remarks=tuple(_remarks(ctx, review.issues, target_of, chosen, replies)))


def _own(ctx: StepContext) -> Statement:
    """The question to a person whose own SQL does not pass; with the answer that changed nothing."""
    question, reply = say("etl.ask.own"), last_reply(ctx).strip()
    unchanged = {text_of(say("etl.choice.again"), language).casefold() for language in LANGUAGES} | {"1", ""}
    if reply.casefold() in unchanged:
        return question
    return say("etl.ask.again", reply=quote(reply[:LONGEST_REPLY]), question=as_value(question))


def _guidance(ctx: StepContext, review: ReviewResult, texts: Sequence[str], spec: str) -> str:
    """What is wrong, the rows that show it, and the specification to edit."""
    edit = [text_of(say("etl.ask.specification_guidance", spec=passage(spec)), ctx.language)] if spec else []
    return "\n".join((*texts, *warned(review, ctx.language), *_shown(review, ctx.language), *edit))


def warned(review: ReviewResult, language: str) -> list[str]:
    """The warnings beside the objections: who mends the SQL is to know of them at once."""
    texts = dict.fromkeys(_text(issue, language) for issue in review.warnings[:MOST_TEXTS])
    return [text_of(say("etl.review.warnings"), language), *(f"- {text}" for text in texts)] if texts else []


def _remarks(
    ctx: StepContext, issues: Sequence[ReviewIssue], target_of: Target, chosen: str | None, replies: Mapping[str, str]
) -> list[Remark]:
    made: dict[tuple[str, str], Remark] = {}
    for issue in issues:
        stage = {"analyst": ANALYSIS, "architect": WORKFLOW}.get(chosen or "", target_of(issue))
        text = _text(issue, ctx.language)
        payload: Json = {"text": text, "advice": _said(issue.advice, ctx.language)}
        if reply := replies.get(issue.job, ""):
            payload["reply"] = reply
        if issue.phrase:
            payload |= {"phrase": issue.phrase, "job": issue.job}
        if issue.finding is not None and issue.finding.counterexample is not None:
            payload["shown"] = objection_text(issue.finding)[:MOST_SHOWN]
        elif issue.check is not None and (rows := [*issue.check.given, *issue.check.shown]):
            payload["shown"] = "\n".join((text, *(rows_text(item.name, item) for item in rows)))[:MOST_SHOWN]
        made.setdefault((stage, text), Remark(text=text, stage=stage, payload=payload))
    return list(made.values())


def _shown(review: ReviewResult, language: str) -> list[str]:
    """The rows on which the objections show."""
    findings = [item.finding for item in review.issues[:3] if item.finding is not None]
    shown = [line for finding in findings for line in example_lines(finding, language)]
    checks = [issue.check for issue in review.issues[:3] if issue.check is not None]
    return shown + [rows_text(table.name, table) for check in checks for table in (*check.given, *check.shown)]


def _text(issue: ReviewIssue, language: str) -> str:
    return _said(issue.text, language)


def _said(text: object, language: str) -> str:
    return text_of(text, language) if isinstance(text, Statement) else str(text)
