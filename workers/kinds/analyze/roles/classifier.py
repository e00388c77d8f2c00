"""The classifier of `analyze`: what a message is in its conversation, and the skill that guides the work."""

from contracts.analyze.edits import SkillEdit, UnderstandingEdit
from contracts.analyze.request import AnalyzeRequest
from contracts.analyze.steps import HeldSkill, Move, ParamsRequest, SkillChosen, State, Understanding
from contracts.pointers import AnyPointer
from contracts.procedure_results import Progress, Wishes
from contracts.procedures import Procedure
from contracts.refusals import near
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import Statement, code, member_term, name, names, quote, say
from contracts.tools import ActiveSkill
from workers.engines.procedures import draws, first_asked
from workers.engines.procedures.words import asked_together, has_subject, read_wishes
from workers.errors import InvalidInput
from workers.kinds.analyze.playbook import UNDERSTAND, act_stage
from workers.kinds.analyze.roles.conversation import carried_from, language_of_answer
from workers.kinds.analyze.rules.leaving import since_left
from workers.kinds.analyze.rules.moves import asks_to_analyse, closed_gate, judge
from workers.kinds.analyze.rules.progress import standing
from workers.kinds.analyze.work.choosing import by_trigger, choose_skill
from workers.kinds.analyze.work.library import held, installed, title_of
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned
from workers.skills import Library, Skill
from workers.skills.choosing import State as Followed
from workers.skills.choosing import may_select, read_wish
from workers.skills.keeping import keep_version

_GOES_ON = frozenset({Move.YES, Move.NO, Move.HELD, Move.WISH, Move.CHECK, Move.STAY})
"""Moves that belong to the work that the conversation is at."""


def understand(ctx: StepContext) -> Report[Understanding]:
    """The message in its conversation. An operator may put it in other words."""
    request = ctx.need(AnalyzeRequest, INPUT)
    language = language_of_answer(ctx, request)
    carried = carried_from(ctx)
    library = installed(ctx.services.settings)
    left, _ = since_left(ctx.dialogue(ParamsRequest), library)
    words = UnderstandingEdit.model_validate(ctx.edit()).question or left or request.question
    judged = judge(words, carried)
    wished = bool(request.skill and not left) or _wishes_another(library, words, carried)
    move = Move.SWITCH if wished and judged.move not in (Move.YES, Move.NO) else judged.move
    if move is Move.STAY and carried is not None and not carried.is_pending and by_trigger(library, words) is not None:
        move = Move.START
    goes_on = carried is not None and move in _GOES_ON
    understood = Understanding(
        words=words,
        question=carried.question if carried and (goes_on or move is Move.AGAIN) else _subject(words, carried),
        move=move,
        language=language,
        carried=carried,
        chosen=judged.chosen,
        params=judged.params,
        offers_skills=move is Move.SWITCH or may_select(library, _followed(carried), message=words),
    )
    return completed(understood, say("analyze.step.understood", move=member_term("analyze.move", move)))


def _followed(carried: State | None) -> Followed:
    """The conversation as the choice of skills sees it."""
    if carried is None or carried.skill is None:
        return Followed()
    return Followed(carried.skill.name, carried.skill.hash, carried.is_pending)


def _wishes_another(library: Library, words: str, carried: State | None) -> bool:
    """Whether the message asks for another skill by name, or for no skill."""
    wish = read_wish(library, words)
    if wish is None or wish.unknown:
        return False
    current = carried.skill.name if carried and carried.skill else ""
    return wish.is_default or (wish.skill is not None and wish.skill.name != current)


def _subject(words: str, carried: State | None) -> str:
    """What is to be analysed: the message, with the one before it when it does not say what it is about."""
    procedure = carried.skill.procedure if carried and carried.skill else None
    if carried is None or procedure is None or not carried.question or has_subject(words, procedure.vocabulary):
        return words
    return f"{words} ({carried.question})"


def choose(ctx: StepContext) -> Report[SkillChosen]:
    """The skill, its text by its hash, and the first step that is due."""
    request, understood = ctx.need(AnalyzeRequest, INPUT), ctx.need(Understanding, UNDERSTAND)
    library = installed(ctx.services.settings)
    available = tuple(title_of(skill, understood.language) for skill in library.skills)
    made = _skill(ctx, request, understood, library)
    found, reason, pointers = made.value
    if found is None:
        chosen = SkillChosen(reason=reason, available=available, subject=understood.question)
        summary = say("analyze.step.no_skill")
        return completed(chosen, summary, engine=made.engine, notes=made.notes)
    begun = _begin(understood, found, reason)
    kept = understood.carried.pointers if understood.carried and not pointers else pointers
    chosen = begun.model_copy(update={"available": available, "pointers": kept})
    stages = (act_stage(1),) if _has_work(chosen, found, understood) else ()
    summary = say("analyze.step.skill", skill=name(found.name))
    notes = (*made.notes, found.left_out) if found.left_out is not None else made.notes
    return completed(chosen, summary, stages=stages, engine=made.engine, notes=notes)


Selected = tuple[HeldSkill | None, Statement, tuple[AnyPointer, ...]]


def _skill(ctx: StepContext, request: AnalyzeRequest, understood: Understanding, library: Library) -> Reasoned[Selected]:
    """The skill of the conversation while its work goes on or waits; else the one that fits the message (K6 to K11, K25)."""
    carried = understood.carried.skill if understood.carried else None
    pending = understood.carried is not None and understood.carried.is_pending
    is_first = understood.words == request.question
    edited = SkillEdit.model_validate(ctx.edit()).skill
    wish = edited or (request.skill if request.skill and is_first and understood.move not in (Move.YES, Move.NO) else None)
    if wish:
        wished = library.get(wish)
        if wished is None:
            known = names([skill.name for skill in library.skills] or ["-"])
            wished, listed = quote(wish[:80]), code("bullpen skills list")
            if meant := near(wish, [skill.name for skill in library.skills]):
                says = say("analyze.refused.skill_perhaps", skill=wished, meant=name(meant), known=known, command=listed)
            else:
                says = say("analyze.refused.skill", skill=wished, known=known, command=listed)
            raise InvalidInput.of(says)
        return Reasoned(_taken(ctx, wished, say("analyze.reason.wished"), understood.language), RULES)
    if carried is not None and (understood.move in (*_GOES_ON, Move.AGAIN) or (pending and understood.move is not Move.SWITCH)):
        return Reasoned((carried, say("analyze.reason.goes_on"), ()), RULES)
    if understood.move is Move.SMALL_TALK:
        return Reasoned((None, say("analyze.reason.small_talk"), ()), RULES)
    made = choose_skill(ctx, library, understood.words)
    skill, reason = made.value
    if skill is not None:
        return Reasoned(_taken(ctx, skill, reason, understood.language), made.engine, made.notes)
    if carried is not None and understood.move is not Move.SWITCH:
        return Reasoned((carried, say("analyze.reason.goes_on"), ()), made.engine, made.notes)
    return Reasoned((None, reason, ()), made.engine, made.notes)


def _taken(ctx: StepContext, skill: Skill, reason: Statement, language: str) -> Selected:
    """The skill as the job keeps it, with the pointer that opens its references."""
    return held(skill, language), reason, (keep_version(ctx.services.database, skill),)


def _begin(understood: Understanding, skill: HeldSkill, reason: Statement | None) -> SkillChosen:
    """Where the procedure begins: afresh for a new question, else where the conversation left it."""
    carried = understood.carried
    goes_on = carried is not None and understood.move in _GOES_ON
    progress = carried.progress if goes_on and carried else Progress()
    gate = carried.gate or closed_gate(carried) if carried else None
    if goes_on and gate is not None and understood.move in (Move.YES, Move.NO):
        progress = progress.model_copy(update={"gates": {**progress.gates, gate: understood.move is Move.YES}})
    is_again = carried is not None and understood.move is Move.AGAIN
    if is_again and carried:
        progress = Progress(params={**carried.progress.params, **understood.params})
    wishes = Wishes()
    if skill.procedure is not None:
        before = carried.topic if carried and (goes_on or is_again) else ""
        wishes = read_wishes(skill.procedure, understood.words, before=before)
        wishes = _of_a_follow_up(wishes, understood, before, skill.procedure) if goes_on else _of_a_beginning(wishes, skill.procedure)
    return SkillChosen(
        active_skill=ActiveSkill(name=skill.name, allowed_tools=skill.allowed_tools),
        skill=skill,
        reason=reason,
        subject=understood.question,
        wishes=wishes,
        progress=progress,
    )


def _of_a_follow_up(wishes: Wishes, understood: Understanding, before: str, procedure: Procedure) -> Wishes:
    """A follow-up stays with its topic. It asks for a step only if it was judged to be such a wish."""
    asked: tuple[str, ...] = ()
    if understood.move is Move.WISH:
        taken = tuple(item.step for item in understood.chosen if item.step is not None)
        drawn = [step.id for step in procedure.steps if step.asked and draws(step)]
        first = tuple(drawn or (step.id for step in procedure.steps if step.asked))[:1]  # only the type of a chart was named
        asked = asked_together(procedure.steps, taken or wishes.asked or first)
    alone = bool(asked) and set(asked) <= {step.id for step in first_asked(procedure)}
    return wishes.model_copy(update={"topic": before or wishes.topic, "wanted": (), "unknown": (), "asked": asked, "asked_alone": alone})


def _of_a_beginning(wishes: Wishes, procedure: Procedure) -> Wishes:
    """A message that asks for a step before the main line, for the meaning of a word say, asks for no analysis."""
    asked = tuple(step for step in wishes.asked if step in {step.id for step in first_asked(procedure)})
    is_alone = bool(asked) and not asks_to_analyse(wishes.words)
    return wishes.model_copy(update={"asked": asked, "asked_alone": True}) if is_alone else wishes


def _has_work(chosen: SkillChosen, skill: HeldSkill, understood: Understanding) -> bool:
    """Whether there is a step to take for this message."""
    if skill.procedure is None:
        return understood.move in (Move.START, Move.SWITCH, Move.CHECK, Move.YES, Move.STAY)
    if understood.move in (Move.HELD, Move.NO, Move.STAY, Move.SMALL_TALK):
        return False
    place = standing(chosen, skill, (), understood.language)
    return place is not None and place.due.step is not None
