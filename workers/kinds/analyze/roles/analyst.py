"""The analyst of `analyze`: takes the step of the procedure that is due, and writes the answer."""

from contracts.analyze.answer import AnalyzeAnswer
from contracts.analyze.edits import AnswerEdit
from contracts.analyze.request import AnalyzeRequest
from contracts.analyze.steps import Act, ActOutcome, HeldSkill, ParamsRequest, SkillChosen, Understanding
from contracts.base import Json
from contracts.procedures import AskStep, CallStep, ChartStep, CompareStep, FindStep, GateStep, SayStep, Step, in_language
from contracts.reports import Question, Report, asks, completed
from contracts.stages import INPUT
from contracts.statements import Join, Statement, Value, code, listing, member_term, name, names, passage, quote, say, term
from workers.engines.procedures.computing import NoThreshold, compare_tables, draw, find_problems, lacking_all, rows_of
from workers.engines.procedures.expressions import search
from workers.errors import InvalidInput
from workers.kinds.analyze.playbook import ACTS, SKILL, UNDERSTAND, act_stage
from workers.kinds.analyze.rules.findings import Wording, say_no_column, say_no_number
from workers.kinds.analyze.rules.forms import form_of, in_message, is_cancelled, labels_of, read_reply
from workers.kinds.analyze.rules.leaving import since_left
from workers.kinds.analyze.rules.progress import Standing, standing
from workers.kinds.analyze.work.answering import Answering, write_answer
from workers.kinds.analyze.work.calling import call_tool
from workers.kinds.analyze.work.drawing import as_chart, undrawn
from workers.kinds.analyze.work.following import follow
from workers.kinds.analyze.work.library import installed
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned
from workers.saying import text_of

MOST_ASKED = 3
"""Times that a form is shown; an answer that fills it in no way ends the work."""


def act(ctx: StepContext) -> Report[Act]:
    """The step of the procedure that is due: nothing else can be done here, with a model or without."""
    understood, chosen = ctx.need(Understanding, UNDERSTAND), ctx.need(SkillChosen, SKILL)
    if chosen.skill is None:
        raise InvalidInput.of(say("analyze.refused.no_skill"))
    earlier = list(ctx.family(Act, ACTS).values())
    number = int(ctx.params["number"])
    place = standing(chosen, chosen.skill, earlier, understood.language)
    if place is None:
        made = follow(ctx, understood, chosen, number)
        return _reported(made, _summary(made.value, None, understood.language), stages=())
    step = place.due.step
    if step is None:
        raise InvalidInput.of(say("analyze.refused.none_due", stage=name(ctx.stage)))
    if isinstance(step, AskStep):
        return _ask(ctx, step, place, number, understood, chosen.skill, chosen, earlier)
    if isinstance(step, CallStep):
        made = call_tool(ctx, step, place, number, understood.question)
    else:
        try:
            made = _by_rules(step, place, number)
        except NoThreshold as lack:
            given = quote(str(lack.value)) if lack.value is not None else term("analyze.nothing")
            why = say("analyze.no_threshold", expression=code(lack.expression[:100]), value=given)
            made = _failed(step, place, number, why)
    return _with_next(made, step, chosen, chosen.skill, earlier, understood)


def _by_rules(step: Step, place: Standing, number: int) -> Reasoned[Act]:
    vocabulary = place.procedure.vocabulary
    match step:
        case FindStep():
            lack = lacking_all(step.find, place.scope)
            if isinstance(lack, str):
                rows = rows_of(search(step.find.rows, place.scope))
                return _failed(step, place, number, say_no_column(lack, dict.fromkeys(column for row in rows for column in row)))
            if lack is not None:
                return _failed(step, place, number, say_no_number(lack, Wording(vocabulary, place.scope["language"])))
            found = find_problems(step.find, vocabulary, place.scope, place.procedure.let)
            done = Act(number=number, step=step.id, kind="find", result=found.to_json())
        case CompareStep():
            compared = compare_tables(step.compare, vocabulary, place.scope, place.procedure.let)
            done = Act(number=number, step=step.id, kind="compare", result=compared.to_json())
        case ChartStep():
            drawn = draw(step.chart, place.scope, vocabulary, place.procedure.let)
            done = Act(
                number=number,
                step=step.id,
                kind="chart",
                result=drawn.to_json(),
                chart=as_chart(drawn, vocabulary, place.scope["language"]),
                says=undrawn(drawn, vocabulary, place.scope["language"]),
            )
        case GateStep():
            done = Act(number=number, step=step.id, kind="gate", says=(in_language(step.gate, place.scope["language"]),))
        case SayStep():
            done = Act(number=number, step=step.id, kind="say", says=(in_language(step.say, place.scope["language"]),))
        case _:
            raise InvalidInput.of(say("analyze.refused.step", step=name(step.id)))
    return Reasoned(done, RULES)


def _failed(step: Step, place: Standing, number: int, why: Statement) -> Reasoned[Act]:
    kind = "find" if isinstance(step, FindStep) else "compare"
    message = text_of(why, place.scope["language"])
    return Reasoned(Act(number=number, step=step.id, kind=kind, outcome=ActOutcome.FAILED, message=message), RULES)


def _ask(
    ctx: StepContext, step: AskStep, place: Standing, number: int, understood: Understanding, skill: HeldSkill, chosen: SkillChosen,
    earlier: list[Act],
) -> Report[Act]:  # fmt: skip
    form = form_of(step, place.scope, place.progress.params, understood.language)
    _, since = since_left(ctx.dialogue(ParamsRequest), installed(ctx.services.settings))
    replies = [(asked, reply) for asked, reply in since if asked.step == step.id]
    taken = in_message(form, understood.words, place.procedure)
    faults: tuple[Statement, ...] = ()
    given = {**form.known_params, **taken}
    for asked, reply in replies:
        filling = read_reply(asked, reply)
        given, faults = given | filling.params, filling.faults
    given |= dict(ctx.edit().get("params") or {})
    done: Act | None = None
    if replies and is_cancelled(replies[-1][1]):
        done = Act(number=number, step=step.id, kind="ask", outcome=ActOutcome.CANCELLED)
    elif all(param in given for param in form.missing_params):
        params = {param: given[param] for param in form.missing_params}
        done = Act(number=number, step=step.id, kind="ask", params=params, says=_from_message(form, taken, params))
    elif not ctx.may_ask or len(replies) >= MOST_ASKED:
        missing = ", ".join(labels_of(form))
        message = text_of(say("analyze.form.not_filled", missing=passage(missing)), understood.language)
        done = Act(number=number, step=step.id, kind="ask", outcome=ActOutcome.FAILED, message=message)
    if done is not None:
        return _with_next(Reasoned(done, RULES), step, chosen, skill, earlier, understood)
    open_ones = tuple(param for param in form.missing_params if param not in given)
    form = form.model_copy(update={"missing_params": open_ones, "known_params": given})
    options = next((found for found in form.options.values()), ()) if len(form.missing_params) == 1 else ()
    labels = names(labels_of(form))
    text = in_language(step.ask, understood.language)
    if replies:
        reasons = listing(*faults, join=Join.CLAUSES)
        text = text_of(say("analyze.form.not_taken", reasons=reasons, ask=passage(text)), understood.language)
    question = Question(
        text=text,
        payload=form.to_json(),
        choices=tuple(f"{option.value} {option.label}".strip() for option in options),
        guidance=_guidance(step, form, labels),
        also=(UNDERSTAND,),
    )
    return asks(question, say("analyze.step.asks", missing=labels))


def _from_message(form: ParamsRequest, taken: Json, params: Json) -> tuple[Statement, ...]:
    """What was taken from the question, so that the user sees what the form did not ask."""
    kept = {param: value for param, value in taken.items() if params.get(param) == value}
    values = [passage(f"{form.labels.get(param) or param} = {value}") for param, value in kept.items()]
    return (say("analyze.form.from_message", values=listing(*values, join=Join.PLAIN)),) if values else ()


def _guidance(step: AskStep, form: ParamsRequest, labels: Value) -> Statement:
    """How the form is answered: by the names of its parameters where there are several."""
    if len(form.missing_params) == 1:
        return say("analyze.form.guidance", tool=name(step.tool), missing=labels)
    example = " ".join(f"{param}={_EXAMPLES[form.types.get(param, 'text')]}" for param in form.missing_params)
    return say("analyze.form.guidance_several", tool=name(step.tool), missing=labels, example=code(example))


_EXAMPLES = {"text": "…", "number": "2.5", "date": "2026-11-30"}


def _with_next(
    made: Reasoned[Act], step: Step, chosen: SkillChosen, skill: HeldSkill, earlier: list[Act], understood: Understanding
) -> Report[Act]:
    """The report of a step, with the stage of the next one if a step is due after it."""
    after = standing(chosen, skill, [*earlier, made.value], understood.language)
    goes_on = after is not None and after.due.step is not None
    stages = (act_stage(made.value.number + 1),) if goes_on else ()
    return _reported(made, _summary(made.value, step, understood.language), stages=stages)


def _reported(made: Reasoned[Act], summary: Statement, *, stages: tuple[object, ...]) -> Report[Act]:
    return completed(made.value, summary, stages=stages, engine=made.engine, notes=made.notes)


def _summary(done: Act, step: Step | None, language: str) -> Statement:
    title = (in_language(step.title, language) if step is not None else "") or done.step
    if done.outcome is ActOutcome.FAILED:
        return say("analyze.step.failed", step=passage(title))
    if done.call is not None:
        return say("analyze.step.called", step=passage(title), tool=name(done.call.tool))
    return say("analyze.step.done", step=passage(title))


def answer(ctx: StepContext) -> Report[AnalyzeAnswer]:
    """What the user gets: findings with figures, tables, charts, the skill's sentences, suggestions. An operator may want another
    language."""
    request, understood = ctx.need(AnalyzeRequest, INPUT), ctx.need(Understanding, UNDERSTAND)
    edited = AnswerEdit.model_validate(ctx.edit()).language
    work = Answering(
        request=request,
        understood=understood.model_copy(update={"language": edited}) if edited else understood,
        chosen=ctx.need(SkillChosen, SKILL),
        acts=tuple(ctx.family(Act, ACTS).values()),
    )
    made = write_answer(ctx, work)
    summary = say("analyze.step.answered", ending=member_term("analyze.ending", made.value.ending))
    return completed(made.value, summary, engine=made.engine, notes=made.notes)
