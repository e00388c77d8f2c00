"""The analyst of `etl`: a requirement in the closed form as typed steps, a specification as it is written, and any other by a model.

Without a model the user is given a specification that search has filled in, to edit and to answer with.
"""

from collections.abc import Sequence
from dataclasses import replace

from contracts.etl.request import EtlRequest
from contracts.jobs import EngineChoice
from contracts.pipelines.analysis import CLARIFY_BELOW, MOST_QUESTIONS, Ambiguity, AnalysisResult, EtlClarification, OpenPart, Origin
from contracts.pipelines.script import ScriptQuestion
from contracts.replies import Reply
from contracts.reports import Question, Report, asks, completed, refuses
from contracts.stages import INPUT
from contracts.statements import Join, Sayable, Statement, as_value, count, lines, listing, name, passage, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements import RequirementReading, closed_form, read_closed
from workers.engines.sql.names import KnownTables
from workers.engines.sql.trees import dialect_of
from workers.kinds.base import WrongSpec
from workers.kinds.etl.roles.by_model import Declined, analyse_by_model
from workers.kinds.etl.rules.answers import LONGEST_REPLY, Answered, answered, heard, is_specification, of_scripts, place_of, text_in
from workers.kinds.etl.rules.drafting import drafted, unread_in
from workers.kinds.etl.rules.specification import analysis_of, faults_text, read_spec
from workers.kinds.etl.work.floor import Floor
from workers.kinds.etl.work.shown import known_of
from workers.llm.client import ChatClient, Tools
from workers.roles.base import StepContext
from workers.roles.reasoning import Reasoned, reason

MOST_ROUNDS = 8
"""Questions to the human before the analyst gives up: a specification may need a few corrections. Each word of a human resets the boss's
own caps."""
Asked = Sequence[tuple[EtlClarification, str]]
"""The questions so far, each with its answer."""


def analyse(ctx: StepContext) -> Report[AnalysisResult]:
    """Read the requirement, with what the human answered (E3, E4). What is open is asked, never guessed."""
    request, floor = ctx.need(EtlRequest, INPUT), Floor(ctx)
    language = request.language or ctx.language
    source = _source(request, floor)
    if source is None:
        return _ask_source(ctx, request, floor)
    tables = floor.tables(source)
    if not tables:
        return _fails(say("etl.error.no_tables", source=name(source)))
    edit = str(ctx.edit().get("requirement") or "")
    asked, words = heard(ctx.requests, ctx.stage), edit or request.requirement
    spec = edit if is_specification(edit) else "" if edit else request.spec
    given = answered(words, asked, spec)
    if given.spec:
        return _answered_by_specification(ctx, floor, request, source, tables, given, asked, language)
    if spec and given.requirement == words:
        return _specified(floor, request, spec, source, tables, given, language)
    if (left := _left(asked, given)) and ctx.may_ask:
        return _ask(ctx, left, given, asked, language)
    reading = _read(ctx, floor, given, source)
    analysis = _analysis(reading, source, given.requirement, floor) if reading is not None else None
    if analysis is not None and ctx.engine != EngineChoice.LLM:
        return _done(analysis, request, language)

    def by_model(chat: ChatClient) -> AnalysisResult | None:
        return _by_model(ctx, floor, chat, words, source, asked, language)

    try:
        made: Reasoned[AnalysisResult | None] = reason(ctx, by_model, lambda: None)
    except Declined as declined:
        return _fails(say("etl.error.declined", reason=passage(str(declined))))
    about = [item for item in asked if item[0].requirement in ("", given.about)]
    open_ = _to_ask(made.value, about) if ctx.may_ask else ()
    if made.value is not None and not open_:
        return _done(made.value, request, language, made)
    if not open_ and reading is not None:
        open_ = tuple(item for item in reading.ambiguities if item.choices)
    if open_:
        return _ask(ctx, open_, given, asked, language, reading, made.notes)
    draft = drafted(given.requirement, tables, lambda found: floor.joins(source, found), (source, floor.dialect(source)))
    not_read = unread_in(given.requirement, tables) if reading is None else ()
    return _ask_specification(ctx, say("etl.ask.specification"), draft, given, asked, language, reading, made.notes, not_read)


def _done(
    analysis: AnalysisResult, request: EtlRequest, language: str, made: Reasoned[AnalysisResult | None] | None = None
) -> Report[AnalysisResult]:
    analysis = analysis.model_copy(update={"samples": request.samples})
    summary = say("etl.step.analysed", n=count(len(analysis.steps)), table=name(analysis.target.table))
    return completed(analysis, summary) if made is None else completed(analysis, summary, engine=made.engine, notes=made.notes)


def _specified(
    floor: Floor, request: EtlRequest, text: str, source: str, tables: Sequence[TableDetail], given: Answered, language: str
) -> Report[AnalysisResult]:
    """A specification is taken as it is written; what is wrong in it is given with its line. No model is asked."""
    try:
        return _done(_analysis_in(floor, request, text, source, tables, given), request, language)
    except WrongSpec as wrong:
        return _fails(lines(say("etl.error.specification"), faults_text(wrong.faults), say("etl.error.submit_again")))


def _analysis_in(
    floor: Floor, request: EtlRequest, text: str, source: str, tables: Sequence[TableDetail], given: Answered
) -> AnalysisResult:
    """A specification as an analysis. Raises `WrongSpec`."""
    own = floor.dialect(source)
    analysis = analysis_of(read_spec(text), source, dialect_of(own) or own, tables)
    return analysis.model_copy(update={"requirement": request.requirement or analysis.requirement, "spec": text, "about": given.about})


def _answered_by_specification(
    ctx: StepContext,
    floor: Floor,
    request: EtlRequest,
    source: str,
    tables: Sequence[TableDetail],
    given: Answered,
    asked: Asked,
    language: str,
) -> Report[AnalysisResult]:
    """The specification that the user answered with. What is wrong in it is asked back with its line."""
    try:
        return _done(_analysis_in(floor, request, given.spec, source, tables, given), request, language)
    except WrongSpec as wrong:
        question = say("etl.ask.specification_again", faults=faults_text(wrong.faults))
        return _ask_specification(ctx, question, given.spec, given, asked, language)


def _by_model(
    ctx: StepContext,
    floor: Floor,
    chat: ChatClient,
    requirement: str,
    source: str,
    asked: Asked,
    language: str,
) -> AnalysisResult:
    """A model's reading. The user's words and answers are shown to it as they were given."""
    heard = [
        Reply(
            question=text_in(clarification.ambiguities[0].question, language),
            choices=tuple(text_in(choice, language) for choice in clarification.ambiguities[0].choices),
            reply=reply,
        )
        for clarification, reply in asked
    ]
    answers = of_scripts(ctx.dialogue(ScriptQuestion), language)
    remarks, before = ctx.remarks(), ctx.previous
    earlier = AnalysisResult.model_validate(before) if before and (remarks or answers) else None
    known = known_of(floor, source, requirement)

    def open_tables(tables: Sequence[TableDetail]) -> Tools:
        ctx.tools.hold(floor.table_pointers(source, tables))
        return ctx.tools

    return analyse_by_model(
        chat, requirement, source, known, language=language, heard=[*heard, *answers], remarks=remarks, earlier=earlier,
        open_tables=open_tables,
    )  # fmt: skip


def _read(ctx: StepContext, floor: Floor, given: Answered, source: str) -> RequirementReading | None:
    """The requirement, where it is in the closed form."""
    form = closed_form(given.requirement)
    if form is None:
        return None
    tables = floor.tables(source)
    return read_closed(
        replace(form, partition_by=tuple(given.partitions.get(column, column) for column in form.partition_by)),
        tables, floor.joins(source, [table.full_name for table in tables]), floor.now,
        chosen=given.reading, definitions=floor.formulas(source), synonyms=floor.synonyms(source), settings=ctx.services.settings.times,
    )  # fmt: skip


def _to_ask(analysis: AnalysisResult | None, asked: Asked) -> tuple[Ambiguity, ...]:
    """What a model leaves to the user: what it has no reading for, and, where it is unsure and nobody was asked yet, the first of all."""
    if analysis is None or analysis.read_by is not Origin.MODEL:
        return ()
    before = [clarification.ambiguities[0].question for clarification, _ in asked]
    open_ = [item for item in analysis.ambiguities if not item.assumed and item.question not in before]
    if not open_ and not asked and analysis.confidence < CLARIFY_BELOW:
        open_ = analysis.ambiguities[:1]
    return tuple(open_[: max(0, MOST_QUESTIONS - len(before))])


def _left(asked: Asked, given: Answered) -> tuple[Ambiguity, ...]:
    """What a model left to the user together with what was asked last: it is asked before the model reads the answers."""
    if not asked or asked[-1][0].requirement != given.about:
        return ()
    return tuple(item for item in asked[-1][0].ambiguities[1:] if item.part is None)


def _source(request: EtlRequest, floor: Floor) -> str | None:
    """The source that the request or an answer names, or the only one."""
    sources = list(floor.visible)
    for wanted in (request.source, spec_source(request.spec)):
        if wanted and wanted in floor.visible:
            return wanted
    for payload, response in reversed(list(floor.ctx.answers())):
        place = None if payload.get("detail") else place_of(sources, str(response.get("text", "")))  # only that for the source has no form
        if place is not None:
            return sources[place]
    return next(iter(floor.visible)) if request.source is None and len(floor.visible) == 1 else None


def spec_source(text: str) -> str | None:
    """The source that a specification names."""
    try:
        return read_spec(text).spec.source if text else None
    except WrongSpec:
        return None  # what is wrong is given when it is read


def _ask_source(ctx: StepContext, request: EtlRequest, floor: Floor) -> Report[AnalysisResult]:
    if not floor.visible or not ctx.may_ask:
        return _fails(say("etl.error.no_source", source=name(request.source or "-")))
    choices = tuple(say("etl.choice.name", name=name(source)) for source in floor.visible)
    text = say("etl.ask.source", source=name(request.source)) if request.source else say("etl.ask.which_source")
    return asks(Question(text=text, choices=choices), say("etl.step.asks"))


def _analysis(reading: RequirementReading, source: str, text: str, floor: Floor) -> AnalysisResult | None:
    """What was read in the closed form; None where a word has no place, or the human has to choose."""
    if reading.target is None or reading.ambiguities:
        return None
    return AnalysisResult(
        source=source,
        summary=say("etl.summary", says=listing(*map(as_value, reading.says), join=Join.SENTENCES)),
        steps=reading.steps,
        target=reading.target.model_copy(update={"exists": _exists(reading.target.table, floor, source)}),
        tables=reading.tables,
        pointers=floor.pointers(text, source)[:10],
        assumptions=(*reading.assumptions, *_observed(reading.tables, floor, source)),
        confidence=reading.confidence,
        schedule=reading.schedule,
        requirement=text,
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
    return KnownTables(floor.tables(source)).made_as(table) is not None


def _ask(
    ctx: StepContext,
    open_: Sequence[Ambiguity],
    given: Answered,
    asked: Asked,
    language: str,
    reading: RequirementReading | None = None,
    notes: Sequence[Sayable] = (),
) -> Report[AnalysisResult]:
    """A question with its choices; the others that a model has come after it."""
    first, more = open_[0], len(open_) - 1
    form = EtlClarification(
        ambiguities=tuple(open_),
        confidence=reading.confidence if reading is not None else 1.0,
        understood=reading.says if reading is not None else (),
        requirement=given.about,
    )
    text = _again(first.question, given)
    if first.part is None and more:
        text = say("etl.ask.more", question=as_value(text), n=count(more))
    return _asked(ctx, Question(text=text, payload=form.to_json(), choices=first.choices), asked, language, notes)


def _ask_specification(
    ctx: StepContext,
    question: Statement,
    spec: str,
    given: Answered,
    asked: Asked,
    language: str,
    reading: RequirementReading | None = None,
    notes: Sequence[Sayable] = (),
    not_read: Sequence[str] = (),
) -> Report[AnalysisResult]:
    """The question for a specification, with one to edit. Words of a closed form that have no place are named; of other requirements
    `not_read`, which the draft leaves out."""
    unread = reading.unread[:8] if reading is not None else ()
    if unread or not_read:
        words = listing(*(quote(word) for word in unread or not_read), join=Join.PLAIN)
        question = (
            say("etl.ask.unread", words=words, question=question) if unread else say("etl.ask.not_read", words=words, question=question)
        )
    point = Ambiguity(question=question, part=OpenPart.SPECIFICATION, words=", ".join(unread)[:500])
    form = EtlClarification(ambiguities=(point,), confidence=0.0, requirement=given.about, spec=spec)
    guidance = say("etl.ask.specification_guidance", spec=passage(spec))
    return _asked(ctx, Question(text=_again(question, given), payload=form.to_json(), guidance=guidance), asked, language, notes)


def _again(question: Sayable, given: Answered) -> Sayable:
    """The question, with the answer that changed nothing."""
    return say("etl.ask.again", reply=quote(given.unread[:LONGEST_REPLY]), question=as_value(question)) if given.unread else question


def _asked(ctx: StepContext, question: Question, asked: Asked, language: str, notes: Sequence[Sayable]) -> Report[AnalysisResult]:
    """The question; after several rounds, or where the boss allows no more, an honest end."""
    if not ctx.may_ask or len(asked) >= MOST_ROUNDS:
        return _fails(say("etl.error.not_read", question=as_value(question.text)))
    return asks(question, say("etl.step.asks"), notes=tuple(notes))


def _fails(message: Statement) -> Report[AnalysisResult]:
    return refuses("RequirementNotRead", message)
