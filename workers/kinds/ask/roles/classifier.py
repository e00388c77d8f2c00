"""The classifier of `ask`: what the question means with its conversation, and what is called next until it is answered."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from contracts.ask.edits import PlanEdit, UnderstandingEdit
from contracts.ask.request import AskRequest, Strategy
from contracts.ask.results import SqlMade, ToolResult
from contracts.ask.steps import AskAnswer, AskPlan, Carried, DefinitionChoice, ReadingChoice, Understanding
from contracts.ask.tools import BY_THE_BOSS, ROLES, Tool, ToolCall, call_of
from contracts.jobs import EngineChoice
from contracts.reports import Question, Report, asks, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.statements import Sayable, Statement, as_value, code, count, lines, member_term, name, names, quote, say, term
from workers.errors import InvalidInput
from workers.kinds.ask.building import understood_built
from workers.kinds.ask.playbook import UNDERSTAND
from workers.kinds.ask.roles.conversation import carried_from, chosen_reading, half_chosen, language_of_answer, parted, replies
from workers.kinds.ask.roles.settling import Settling, settle
from workers.kinds.ask.rules.agents import agent_of
from workers.kinds.ask.rules.background import with_background
from workers.kinds.ask.rules.following import rewritten
from workers.kinds.ask.rules.intents import judge
from workers.kinds.ask.rules.messages import Command, command_in
from workers.kinds.ask.rules.planning import Ask, Call, Finish, Move, allowed_tools, next_move, refuse
from workers.kinds.ask.rules.states import state_after
from workers.kinds.ask.settings import AskSettings
from workers.kinds.ask.work.changing import change_last
from workers.kinds.ask.work.choices import meanings_of
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.grounds import grounds
from workers.kinds.ask.work.log_search import is_search_here
from workers.kinds.ask.work.reading import is_another_question, source_named, without_unread
from workers.kinds.ask.work.scope import scope_of
from workers.kinds.ask.work.supervising import supervise
from workers.llm import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason

MOST_ROUNDS = 8
"""Rounds of a plan. The longest useful one has four: tables, SQL, its repair, its execution."""

_RESULT: TypeAdapter[ToolResult] = TypeAdapter(ToolResult)


def understand(ctx: StepContext) -> Report[Understanding]:
    """The question without its conversation, and what its user is after. An operator may put it in other words."""
    request = ctx.need(AskRequest, INPUT)
    language = language_of_answer(ctx, request)
    carried = carried_from(ctx)
    within = scope_of(request, carried)
    floor = Floor(ctx, within)
    settling = settle(ctx, floor, language)
    edited = UnderstandingEdit.model_validate(ctx.edit()).question
    asked = request.model_copy(update={"question": edited, "built": None}) if edited else request

    def by_model(chat: ChatClient) -> Understanding:
        return supervise(ctx, floor, asked, carried, chat)

    def by_rules() -> Understanding:
        return _read(ctx, floor, request, carried, settling.others)

    if request.is_change and not edited:
        return _understood(floor, Reasoned(change_last(floor, request, carried), RULES), request, carried, settling)
    built = understood_built(floor, asked, carried)
    is_closed = built is not None or request.agent is not None or _goes_on(asked, carried) or _searches(ctx, floor, asked, carried)
    is_closed = is_closed or _without_source(floor, request) is not None  # no model can answer it
    reasoned = Reasoned(built or by_rules(), RULES) if is_closed else reason(ctx, by_model, by_rules)
    return _understood(floor, reasoned, asked, carried, settling)


def _understood(
    floor: Floor, reasoned: Reasoned[Understanding], request: AskRequest, carried: Carried | None, settling: Settling
) -> Report[Understanding]:
    understood = _in_its_source(floor, request, reasoned.value, carried)
    understood = understood.model_copy(update={"settled": settling.words, "open_word": settling.to_write, "within": tuple(floor.within)})
    stage = plan_stage(1, [])
    summary = say("ask.step.understood", tool=agent_of(understood.final_intent))
    return completed(understood, summary, stages=(stage,), engine=reasoned.engine, notes=reasoned.notes)


def _in_its_source(floor: Floor, request: AskRequest, understood: Understanding, carried: Carried | None) -> Understanding:
    """The understanding with the source that the user chose, in this message or earlier in the conversation."""
    named = None if understood.by_model else source_named(floor, understood.words)
    chosen = request.source or (understood.chosen.source if understood.chosen is not None else named)
    kept = carried.source if carried is not None and carried.keeps_source and carried.source in floor.visible else None
    keeps = chosen is not None or kept is not None
    return understood.model_copy(update={"source": chosen or understood.source or kept, "keeps_source": keeps})


def _goes_on(request: AskRequest, carried: Carried | None) -> bool:
    """Whether the message is nothing but a yes to what was offered: it names no other statement, and asks for nothing else."""
    offered_sql = carried is not None and carried.awaits is not None and bool(carried.sql)
    return offered_sql and not request.sql and command_in(request.question) is Command.RUN


def _searches(ctx: StepContext, floor: Floor, request: AskRequest, carried: Carried | None) -> bool:
    """Whether the message is a search of a log, all of it: no model has to read it, unless the job wants one."""
    words = "\n".join([request.question, *replies(ctx)])
    is_open = ctx.engine is EngineChoice.LLM or request.source is not None or request.sql is not None
    return not is_open and is_search_here(floor, request.logs, words, carried)


def _read(ctx: StepContext, floor: Floor, request: AskRequest, carried: Carried | None, answered: Sequence[str]) -> Understanding:
    """The understanding by rules. `answered`: the replies to its questions, without those that say what a word means."""
    language = language_of_answer(ctx, request)
    chosen, half = chosen_reading(ctx, language), half_chosen(ctx, language)
    edited = UnderstandingEdit.model_validate(ctx.edit()).question
    if edited:
        request, chosen, half, answered = request.model_copy(update={"question": edited}), None, None, ()
    about = request.background if request.background is not None else carried.background if carried else ""
    sources, left = list(floor.asked(request.source)), ""
    if half is not None and is_another_question(floor, sources, request.question, answered[-1] if answered else half.rest):
        half = None
    if half is not None:
        answered = ()
    first = _behind_yes(request.question, carried)
    parts = [first] if chosen else without_unread(floor, sources, [first, *answered], carried)
    if len(parts) > 1 and is_another_question(floor, sources, "\n".join(parts[:-1]), parts[-1]):
        parts, left = parts[-1:], request.question
    words = with_background("\n".join(parts), about)
    intent = judge(request, words, carried, lambda: grounds(floor, request, words, carried))
    understood = rewritten(request, words, intent, carried, language)
    return understood.model_copy(update={"chosen": chosen, "half": half, "background": about, "instead_of": left})


def _behind_yes(message: str, carried: Carried | None) -> str:
    """What a message says behind a yes to the answer before it: a change of the question, whose SQL is offered or run again."""
    yes, more = parted(message)
    return more if carried is not None and command_in(yes) is Command.RUN else message


def plan_stage(number: int, earlier: list[ToolCall]) -> StageSpec:
    """A round of the plan: it needs the understanding, the rounds before it and what their calls yielded."""
    before = [f"plan/{round_}" for round_ in range(1, number)]
    needs = (INPUT, UNDERSTAND, *before, *(call.stage for call in earlier))
    return StageSpec(name=f"plan/{number}", role=RoleName.CLASSIFIER, task="ask.plan", needs=needs, params={"round": number})


def plan_next(ctx: StepContext) -> Report[AskPlan]:
    """The next call, a question to the user, or the answer."""
    request, understanding = ctx.need(AskRequest, INPUT), ctx.need(Understanding, UNDERSTAND)
    number = int(ctx.params["round"])
    edited = PlanEdit.model_validate({name: value for name, value in ctx.edit().items() if name in PlanEdit.model_fields})
    strategy = edited.strategy or request.strategy or ctx.settings(AskSettings).ask_strategy
    calls = [call for plan in ctx.family(AskPlan, "plan/*").values() for call in plan.calls]
    done = [_RESULT.validate_python(ctx.needs[call.stage]) for call in calls]
    floor = Floor(ctx)
    move = (
        _without_source(floor, request)
        or (_unknown(floor, request, understanding) if number == 1 else None)
        or _edited(ctx, request, understanding, edited, done)
        or _asked_again(understanding)
        or next_move(understanding, strategy, done, may_choose=ctx.may_ask and not ctx.answers())
    )
    if isinstance(move, Call) and number > MOST_ROUNDS:
        move = refuse(say("ask.refuse.too_long"))
    if isinstance(move, Ask) and not ctx.may_ask:
        move = refuse(lines(move.text, *(_numbered(move.choices) if move.word is None else move.choices[:-1])))
    match move:
        case Ask():
            report = _ask(move)
        case Call():
            report = _call(move, number, understanding, calls)
        case Finish():
            report = _finish(move, number, understanding, calls, done)
    is_early = edited.strategy is not None and not any(isinstance(result, SqlMade) for result in done)
    early = (say("ask.note.strategy_is_early"),) if is_early else ()
    return report.model_copy(update={"engine": RULES, "notes": (*report.notes, *early)})


def _without_source(floor: Floor, request: AskRequest) -> Move | None:
    """The refusal of a question about a source that its owner does not have. Its documents and other sources are not what was asked."""
    if request.source is None or request.source in floor.visible:
        return None
    known = names(sorted(floor.visible)) if floor.visible else term("ask.no_source_yet")
    return refuse(say("ask.refuse.no_such_source", source=name(request.source), known=known))


_OF_TABLES = frozenset({Tool.REJECT, Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE})


def _unknown(floor: Floor, request: AskRequest, understanding: Understanding) -> Move | None:
    """The refusal of tables, schemas and tags that there are not, of a question about a source whose tables nobody has imported, or of one
    that nothing answers while there is such a source. A statement is run without the catalogue."""
    if understanding.is_closing or understanding.statement is not None or understanding.intent not in _OF_TABLES:
        return None
    if outside := floor.unknown_within(floor.asked(request.source)):  # without them a question would be about all tables, or about none
        return refuse(say("ask.refuse.no_such_scope", given=names(outside), command=code("bullpen catalogue search")))
    if request.source is not None:
        unknown = [] if floor.tables(request.source) else [request.source]
    elif understanding.intent is Tool.REJECT:
        unknown = sorted(source for source in floor.visible if not floor.catalogue.knows(source))
    else:
        unknown = []
    if not unknown:
        return None
    if request.source is not None or not understanding.reason:
        return refuse(say("ask.refuse.not_imported", source=name(unknown[0])))
    return refuse(say("ask.refuse.nor_imported", reason=as_value(understanding.reason), source=name(unknown[0])))


def _edited(ctx: StepContext, request: AskRequest, understanding: Understanding, edited: PlanEdit, done: list[ToolResult]) -> Move | None:
    """The call that an operator wants. Raises `InvalidInput` for a tool that may not be called after what has been done."""
    if edited.tool is None:
        return None
    if edited.tool is Tool.ASK_HUMAN:
        return Ask(say("ask.understand.what"))
    if edited.tool is Tool.REJECT:
        return refuse(say("ask.refuse.out_of_scope"))
    allowed = allowed_tools(understanding, Strategy.DIRECT, done, grounds(Floor(ctx), request, understanding.words, understanding.carried))
    if edited.tool not in allowed:
        raise InvalidInput.of(say("ask.error.tool_not_now", tool=name(edited.tool.value), tools=names(sorted(allowed))))
    return Call(edited.tool)


def _asked_again(understanding: Understanding) -> Ask | None:
    """The choice once more, with what of the answer was read and what was not."""
    half = understanding.half
    if half is None:
        return None
    choices = tuple(each.label for each in half.candidates) if half.word is None else meanings_of(half.word)
    text = say("ask.question.half", number=count(half.number, exact=True), rest=quote(half.rest[:300]))
    return Ask(text, choices, half.candidates, word=half.word)


def _numbered(choices: Sequence[Sayable]) -> tuple[Statement, ...]:
    return tuple(
        say("ask.choice", number=count(place), reading=choice if isinstance(choice, Statement) else quote(choice))
        for place, choice in enumerate(choices, 1)
    )


def _ask(move: Ask) -> Report[AskPlan]:
    form = ReadingChoice(candidates=move.candidates, offers=move.offers) if move.word is None else DefinitionChoice(word=move.word)
    choices = _numbered(move.choices)
    guidance = move.guidance or (say("ask.question.by_number") if choices else None)
    question = Question(text=move.text, payload=form.to_json(), choices=choices, guidance=guidance, also=(UNDERSTAND,))
    return asks(question, say("ask.step.asks"))


def _call(move: Call, number: int, understanding: Understanding, calls: list[ToolCall]) -> Report[AskPlan]:
    stage = f"tool/{len(calls) + 1}"
    move = _with_origin(move, calls)
    call = call_of(move.tool, stage, move.arguments)
    role, task = ROLES[move.tool]
    earlier = tuple(previous.stage for previous in calls)
    worker = StageSpec(
        name=stage, role=role, task=task, needs=(INPUT, UNDERSTAND, *earlier), params={"call": call.id, "arguments": move.arguments}
    )
    plan = AskPlan(
        round=number, question=understanding.question, final_intent=understanding.final_intent, calls=(call,),
        route=(*(previous.tool for previous in calls), move.tool),
    )  # fmt: skip
    summary = say("ask.step.calls", tool=agent_of(move.tool))
    return completed(plan, summary, stages=(worker, plan_stage(number + 1, [*calls, call])))


def _with_origin(move: Call, calls: list[ToolCall]) -> Call:
    """The call of SQL names the discovery on which it rests, an execution the call that made its SQL (S35)."""
    if move.tool is not Tool.GENERATE_SQL:
        return move
    origin = next((call.id for call in reversed(calls) if call.tool is Tool.DATA_DISCOVERY), None)
    return Call(move.tool, {**move.arguments, "found_by": origin}) if origin else move


def _finish(move: Finish, number: int, understanding: Understanding, calls: list[ToolCall], done: list[ToolResult]) -> Report[AskPlan]:
    route = tuple(call.tool for call in calls)
    by_the_boss = understanding.intent in BY_THE_BOSS and not understanding.is_closing
    if by_the_boss or (move.results and move.results[-1].kind == "refused"):
        route = (*route, Tool.REJECT)
    answer = AskAnswer(ends_with=move.ends_with, results=move.results, state=state_after(understanding, done))
    plan = AskPlan(
        round=number, question=understanding.question, final_intent=understanding.final_intent, route=route, answer=answer,
        instead_of=understanding.instead_of,
    )  # fmt: skip
    return completed(plan, say("ask.step.answers", ending=member_term("ask.ending", move.ends_with)))
