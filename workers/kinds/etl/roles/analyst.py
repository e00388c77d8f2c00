"""The analyst of `etl`: a requirement as typed steps over the catalogue's tables, or a question."""

from collections.abc import Sequence

from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import CLARIFY_BELOW, Ambiguity, AnalysisResult, EtlClarification, Origin
from contracts.replies import Reply
from contracts.reports import ErrorInfo, Outcome, Question, Report, asks, completed
from contracts.stages import INPUT
from contracts.statements import Join, Sayable, Statement, as_value, count, listing, name, names, passage, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements import RequirementReading, open_envelope, read_requirement
from workers.engines.requirements.upstream import rank_upstream
from workers.engines.sql.trees import dialect_of
from workers.kinds.base import WrongSpec
from workers.kinds.etl.roles.by_model import Declined, analyse_by_model
from workers.kinds.etl.rules.answers import chosen_reading, with_answers
from workers.kinds.etl.rules.repeated import is_stuck, not_read
from workers.kinds.etl.rules.specification import analysis_of, faults_text, read_spec
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.shown import known_of
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import reason
from workers.saying import text_of

MOST_ROUNDS = 8
"""Questions to the human before the analyst gives up. A requirement has about five parts, and an answer that is not read is asked for
again. Each word of a human resets the boss's own caps."""


def analyse(ctx: StepContext) -> Report[AnalysisResult]:
    """Read the requirement, with what the human answered (E3, E4). What is open is asked, never guessed."""
    request, floor = ctx.need(EtlRequest, INPUT), Floor(ctx)
    language = request.language or ctx.language
    source = _source(request, floor)
    if source is None:
        return _ask_source(ctx, request, floor, language)
    tables = floor.tables(source)
    if not tables:
        return _fails(say("etl.error.no_tables", source=name(source)))
    if request.spec:
        return _specified(ctx, floor, request, source, tables, language)
    asked = ctx.dialogue(EtlClarification)
    edits = [str(edit) for edit in (ctx.edit().get("requirement"),) if edit]
    reading: list[RequirementReading] = []  # by rules, where they read

    def by_model(chat: ChatClient) -> AnalysisResult | None:
        return _by_model(ctx, floor, chat, edits[-1] if edits else request.requirement, source, asked, language)

    def by_rules() -> AnalysisResult | None:
        text = with_answers(request.requirement, asked, edits)
        reading.append(_read(ctx, floor, text, source, asked))
        return _analysis(reading[0], source, text, floor)

    try:
        made = reason(ctx, by_model, by_rules)
    except Declined as declined:
        return _fails(say("etl.error.declined", reason=passage(str(declined))))
    analysis = made.value.model_copy(update={"samples": request.samples}) if made.value is not None else None
    open_ = _to_ask(analysis) if ctx.may_ask and not asked else ()
    if analysis is None or open_:
        near = rank_upstream("", request.requirement, (), tables)[:5]
        return _ask(ctx, open_, reading[0] if reading else None, asked, tables, language, tuple(table.full_name for table, _ in near))
    summary = say("etl.step.analysed", n=count(len(analysis.steps)), table=name(analysis.target.table))
    return completed(analysis, text_of(summary, language), engine=made.engine, notes=made.notes)


def _specified(
    ctx: StepContext, floor: Floor, request: EtlRequest, source: str, tables: Sequence[TableDetail], language: str
) -> Report[AnalysisResult]:
    """A specification is taken as it is written; what is wrong in it is said with its line. No model is asked."""
    own = floor.dialect(source)
    try:
        analysis = analysis_of(read_spec(request.spec), source, dialect_of(own) or own, tables)
    except WrongSpec as wrong:
        return _fails(faults_text(wrong.faults))
    analysis = analysis.model_copy(update={"samples": request.samples, "requirement": request.requirement or analysis.requirement})
    summary = say("etl.step.analysed", n=count(len(analysis.steps)), table=name(analysis.target.table))
    return completed(analysis, text_of(summary, language))


def _by_model(
    ctx: StepContext,
    floor: Floor,
    chat: ChatClient,
    requirement: str,
    source: str,
    asked: Sequence[tuple[EtlClarification, str]],
    language: str,
) -> AnalysisResult:
    """A model's reading. The user's words and answers are shown to it as they were said."""
    heard = [
        Reply(
            question=_said(clarification.ambiguities[0].question, language),
            choices=tuple(_said(choice, language) for choice in clarification.ambiguities[0].choices),
            reply=reply,
        )
        for clarification, reply in asked
    ]
    remarks = [str(remark.get("text", "")) for remark in ctx.remarks()]
    known = known_of(floor, source, requirement)
    return analyse_by_model(chat, requirement, source, known, language=language, heard=heard, remarks=remarks)


def _said(text: Sayable, language: str) -> str:
    return text if isinstance(text, str) else text_of(text, language)


def _read(
    ctx: StepContext, floor: Floor, text: str, source: str, asked: Sequence[tuple[EtlClarification, str]]
) -> RequirementReading:  # fmt: skip
    tables = floor.tables(source)
    return read_requirement(
        text, tables, floor.joins(source, [table.full_name for table in tables]), floor.now,
        chosen=chosen_reading(asked), definitions=floor.definitions(text, source),
        settings=ctx.services.settings.times,
    )  # fmt: skip


def _to_ask(analysis: AnalysisResult | None) -> tuple[Ambiguity, ...]:
    """What a model leaves to the user: what it has no reading for, and all that is open where it is unsure."""
    if analysis is None or analysis.read_by is not Origin.MODEL:
        return ()
    if analysis.confidence < CLARIFY_BELOW:
        return analysis.ambiguities
    return tuple(item for item in analysis.ambiguities if not item.assumed)


def _source(request: EtlRequest, floor: Floor) -> str | None:
    """The source that the request or an answer names, or the only one."""
    answers = [str(response.get("text", "")).strip().lower() for _, response in floor.ctx.answers()]
    for wanted in [request.source, spec_source(request.spec), *reversed(answers)]:
        if wanted and wanted in floor.visible:
            return wanted
    return next(iter(floor.visible)) if request.source is None and len(floor.visible) == 1 else None


def spec_source(text: str) -> str | None:
    """The source that a specification names."""
    try:
        return read_spec(text).spec.source if text else None
    except WrongSpec:
        return None  # what is wrong is said when it is read


def _ask_source(ctx: StepContext, request: EtlRequest, floor: Floor, language: str) -> Report[AnalysisResult]:
    if not floor.visible or not ctx.may_ask:
        return _fails(say("etl.error.no_source", source=name(request.source or "-")))
    choices = tuple(say("etl.choice.name", name=name(source)) for source in floor.visible)
    text = say("etl.ask.source", source=name(request.source)) if request.source else say("etl.ask.which_source")
    return asks(Question(text=text, choices=choices), text_of(say("etl.step.asks"), language))


def _analysis(reading: RequirementReading, source: str, text: str, floor: Floor) -> AnalysisResult | None:
    """What the rules read; None where a word has no place, or the human has to choose."""
    if reading.target is None or reading.unread or reading.confidence < CLARIFY_BELOW:
        return None
    return AnalysisResult(
        source=source,
        summary=say("etl.summary", says=listing(*map(as_value, reading.says), join=Join.SENTENCES)),
        steps=reading.steps,
        target=reading.target.model_copy(update={"exists": _exists(reading.target.table, floor, source)}),
        tables=reading.tables,
        pointers=floor.pointers(text, source)[:10],
        ambiguities=reading.ambiguities,
        assumptions=(*reading.assumptions, *_observed(reading.tables, floor, source)),
        confidence=reading.confidence,
        schedule=open_envelope(text).schedule or "",
        requirement=text,
        left_out=reading.left_out,
    )


def _observed(tables: tuple[str, ...], floor: Floor, source: str) -> list[Sayable]:
    """The keys of the tables that nobody declared."""
    rows = {table.full_name: table.rows or 0 for table in floor.tables(source)}
    return [
        say("etl.assume.observed_key", column=name(key), table=name(table), n=count(rows[table]))
        for table, key in floor.observed(source).items()
        if table in tables
    ]


def _exists(table: str, floor: Floor, source: str) -> bool:
    return any(table.lower() in (known.name.lower(), known.full_name.lower()) for known in floor.tables(source))


def _ask(
    ctx: StepContext,
    open_: Sequence[Ambiguity],
    reading: RequirementReading | None,
    asked: Sequence[tuple[EtlClarification, str]],
    tables: Sequence[TableDetail],
    language: str,
    near: tuple[str, ...],
) -> Report[AnalysisResult]:
    """A question with choices; after several rounds, or where the boss allows no more, an honest end."""
    unread = reading.unread if reading is not None else ()
    if not ctx.may_ask or len(asked) >= MOST_ROUNDS:
        return _fails(say("etl.error.not_read", words=names(unread[:8] or ("?",))))
    ambiguities = tuple(open_) or (reading.ambiguities if reading is not None else ())
    if not ambiguities:
        words = unread[:8]
        text = say("etl.ask.unread", words=listing(*(quote(word) for word in words), join=Join.PLAIN))
        ambiguities = (Ambiguity(question=text, words=", ".join(words)[:500]),)
    first = ambiguities[0]
    form = EtlClarification(
        ambiguities=ambiguities,
        confidence=reading.confidence if reading is not None else 1.0,
        understood=reading.says if reading is not None else (),
    )
    guidance = None if first.choices else say("etl.ask.guidance", tables=names(near))
    if is_stuck(first, asked):
        guidance = say("etl.ask.another_way", tables=names(near))
    question = Question(
        text=not_read(first, asked, tables) or first.question, payload=form.to_json(), choices=first.choices, guidance=guidance
    )
    return asks(question, text_of(say("etl.step.asks"), language))


def _fails(message: Statement) -> Report[AnalysisResult]:
    return Report(outcome=Outcome.FAILED, summary=message, error=ErrorInfo(type="RequirementNotRead", message=message))
