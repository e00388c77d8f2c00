"""The analyst of `etl`: a requirement as typed steps over the catalogue's tables, or a question."""

from collections.abc import Sequence

from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import CLARIFY_BELOW, Ambiguity, AnalysisResult, EtlClarification
from contracts.reports import ErrorInfo, Outcome, Question, Report, asks, completed
from contracts.stages import INPUT
from contracts.statements import Join, Sayable, Statement, as_value, count, listing, name, names, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements import RequirementReading, open_envelope, read_requirement
from workers.engines.requirements.upstream import rank_upstream
from workers.kinds.etl.roles.by_model import analyse_by_model
from workers.kinds.etl.rules.answers import chosen_reading, with_answers
from workers.kinds.etl.rules.repeated import is_stuck, not_read
from workers.kinds.etl.work.floor import Floor
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
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
    asked = ctx.dialogue(EtlClarification)
    text = with_answers(request.requirement, asked, [str(edit) for edit in (ctx.edit().get("requirement"),) if edit])
    tables = floor.tables(source)
    if not tables:
        return _fails(say("etl.error.no_tables", source=name(source)))
    reading = read_requirement(
        text, tables, floor.joins(source, [table.full_name for table in tables]), floor.now,
        chosen=chosen_reading(asked), definitions=floor.definitions(text, source),
        settings=ctx.services.settings.times,
    )  # fmt: skip
    by_rules = _analysis(reading, source, text, floor)
    if by_rules is not None:
        by_rules = by_rules.model_copy(update={"samples": request.samples})
    made: Reasoned[AnalysisResult | None] = Reasoned(by_rules, RULES)
    if by_rules is None:  # the rules read word for word or not at all; a model is asked for what they cannot read

        def by_model(chat: ChatClient) -> AnalysisResult | None:
            return analyse_by_model(chat, text, source, tables, floor.pointers(text, source), language)

        made = reason(ctx, by_model, lambda: None)
    is_unsure = made.value is not None and made.value.confidence < CLARIFY_BELOW and bool(made.value.ambiguities)
    if made.value is None or (is_unsure and ctx.may_ask and not asked):
        near = rank_upstream(open_envelope(text).table, text, (), tables)[:5]
        return _ask(ctx, made.value, reading, asked, tables, language, tuple(table.full_name for table, _ in near))
    summary = say("etl.step.analysed", n=count(len(made.value.steps)), table=name(made.value.target.table))
    return completed(made.value, text_of(summary, language), engine=made.engine, notes=made.notes)


def _source(request: EtlRequest, floor: Floor) -> str | None:
    """The source that the request or an answer names, or the only one."""
    answers = [str(response.get("text", "")).strip().lower() for _, response in floor.ctx.answers()]
    for wanted in [request.source, *reversed(answers)]:
        if wanted and wanted in floor.visible:
            return wanted
    return next(iter(floor.visible)) if request.source is None and len(floor.visible) == 1 else None


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
    made: AnalysisResult | None,
    reading: RequirementReading,
    asked: Sequence[tuple[EtlClarification, str]],
    tables: Sequence[TableDetail],
    language: str,
    near: tuple[str, ...],
) -> Report[AnalysisResult]:
    """A question with choices; after several rounds, or where the boss allows no more, an honest end."""
    if not ctx.may_ask or len(asked) >= MOST_ROUNDS:
        return _fails(say("etl.error.not_read", words=names(reading.unread[:8] or ("?",))))
    ambiguities = made.ambiguities if made is not None else reading.ambiguities
    if not ambiguities:
        words = reading.unread[:8]
        text = say("etl.ask.unread", words=listing(*(quote(word) for word in words), join=Join.PLAIN))
        ambiguities = (Ambiguity(question=text, words=", ".join(words)[:500]),)
    first = ambiguities[0]
    form = EtlClarification(ambiguities=ambiguities, confidence=reading.confidence, understood=reading.says)
    guidance = None if first.choices else say("etl.ask.guidance", tables=names(near))
    if is_stuck(first, asked):
        guidance = say("etl.ask.another_way", tables=names(near))
    question = Question(
        text=not_read(first, asked, tables) or first.question, payload=form.to_json(), choices=first.choices, guidance=guidance
    )
    return asks(question, text_of(say("etl.step.asks"), language))


def _fails(message: Statement) -> Report[AnalysisResult]:
    return Report(outcome=Outcome.FAILED, summary=message, error=ErrorInfo(type="RequirementNotRead", message=message))
