"""A skill without a procedure: a model follows its text with tools; without a model, its steps are a checklist for the user."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from contracts.analyze.steps import Act, ActOutcome, CheckItem, HeldSkill, Move, SkillChosen, ToolUse, Understanding
from contracts.base import Contract, Json, Text
from contracts.statements import name, names, passage, say
from contracts.tools import CallOutcome, Effect, ToolAnswer, ToolOffer
from contracts.wire import NotJson, read_json_text
from workers.engines.procedures.checklist import steps_in
from workers.engines.stray_figures import stray_figures
from workers.errors import InvalidInput, ToolFailed
from workers.kinds.analyze.rules.replies import yes_with
from workers.kinds.analyze.rules.tabular import table_in
from workers.kinds.analyze.rules.walking import walk
from workers.llm.brief import Brief, today_text
from workers.llm.checked import LookedUp
from workers.llm.client import ChatClient, Tools
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.saying import message_of, text_of
from workers.saying.numbers import language_name

STEP = "follow"
MOST_SHOWN = 20_000
"""Characters of a result that a checklist shows."""

_CALL = re.compile(r"^\s*(?:call|调用)\s+(?P<tool>[a-z][a-z0-9_.-]*)\s*(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_ARGUMENT = re.compile(
    r"(?<!\w)(?P<name>[a-zA-Z_]\w{0,63})\s{0,8}[=：:]\s{0,8}"
    r"(?P<value>\"[^\"]*\"|'[^']*'|(?:(?!\s{1,8}[a-zA-Z_]\w{0,63}\s{0,8}[=：:]).)+)",
    re.DOTALL,
)
_MOST_TYPED = 4_000
"""Characters of a call that somebody types."""


class Followed(Contract):
    """What a model found by following a skill."""

    answer: Text = Field(min_length=1, max_length=20_000)
    """In the user's language, with the figures that the tools gave."""


@dataclass
class AskingFirst:
    """The tools of a step without those that change something outside: these wait for the user's yes."""

    tools: Tools
    held_back: list[ToolUse] = field(default_factory=list[ToolUse])
    calls: list[ToolUse] = field(default_factory=list[ToolUse])

    def offers(self) -> tuple[ToolOffer, ...]:
        """Every tool, with a remark at those that need a yes."""
        return tuple(
            offer.model_copy(
                update={"description": f"{offer.description} It is called only after the user's yes: calling it asks the user."}
            )
            if offer.effect is Effect.WRITE
            else offer
            for offer in self.tools.offers()
        )

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Call a tool that changes nothing; keep the call of another for the user."""
        writes = any(offer.name == name and offer.effect is Effect.WRITE for offer in self.tools.offers())
        self.calls.append(ToolUse(tool=name[:64], arguments=arguments))
        if not writes:
            return self.tools.call(name, arguments)
        self.held_back.append(ToolUse(tool=name[:64], arguments=arguments))
        text = "Not called: it changes something outside, so the user is asked first. Give the final value now."
        return ToolAnswer(number=0, tool=name[:64], outcome=CallOutcome.REFUSED, message=text)


def follow(ctx: StepContext, understood: Understanding, chosen: SkillChosen, number: int) -> Reasoned[Act]:
    """One round of work on a skill's text."""
    skill, carried = chosen.skill, understood.carried
    if skill is None:
        raise InvalidInput.of(say("analyze.refused.no_skill"))
    if carried is not None and carried.pending_call is not None and understood.move is Move.YES:
        return Reasoned(_confirmed(ctx, carried.pending_call, understood, number), RULES)
    walks = understood.move in (Move.CHECK, Move.STAY) and carried is not None and bool(carried.checklist)
    items = carried.checklist if walks and carried else _items(ctx, skill)
    if walks or understood.move is Move.CHECK:
        return Reasoned(_walked(ctx, understood, items, number), RULES)
    return reason(
        ctx,
        lambda chat: _by_model(ctx, chat, understood, skill, number),
        lambda: Act(number=number, step=STEP, kind="check", checklist=items, pending_call=_held_on(understood)),
    )


def _held_on(understood: Understanding) -> ToolUse | None:
    """The call that goes on waiting, since the message was neither a yes nor a no."""
    return understood.carried.pending_call if understood.carried is not None and understood.move is Move.STAY else None


def _confirmed(ctx: StepContext, pending: ToolUse, understood: Understanding, number: int) -> Act:
    """The call that waited, after a yes; with the values that the user gave in place of its own. Where they cannot be read it waits on."""
    given = yes_with(understood.words) or {}
    known = _known(ctx, pending.tool)
    if not given.keys() <= known.keys():
        says = (say("analyze.check.arguments", tool=name(pending.tool), names=names(known)),)
        return Act(number=number, step=STEP, kind="check", pending_call=pending, says=says)
    return _called(ctx, ToolUse(tool=pending.tool, arguments={**pending.arguments, **given}), number, ())


def _known(ctx: StepContext, tool: str) -> Json:
    """The arguments of a tool."""
    offer = next((offer for offer in ctx.tools.offers() if offer.name == tool), None)
    return offer.arguments.get("properties", {}) if offer is not None else {}


def _items(ctx: StepContext, skill: HeldSkill) -> tuple[CheckItem, ...]:
    tools = [offer.name for offer in ctx.tools.offers()]
    return tuple(CheckItem(text=step.text, detail=step.detail, tools=step.tools) for step in steps_in(skill.text, tools))


SHARE_SKILL, SHARE_WORDS = 0.4, 0.1
"""Shares of the model's window; the rest is for the results of tools."""
MOST_TRIES = 2
"""Times that a model answers. The second time its prompt names the figures that no tool gave."""


def _by_model(ctx: StepContext, chat: ChatClient, understood: Understanding, skill: HeldSkill, number: int) -> Act:
    tools = AskingFirst(ctx.tools)
    kept, brief = LookedUp(tools), Brief.of(chat)
    shown: dict[str, Any] = {
        "skill": brief.text("skill", skill.text, SHARE_SKILL),
        "question": brief.text("question", understood.question, SHARE_WORDS),
        "words": brief.text("message", understood.words, SHARE_WORDS),
        "sources": brief.items("sources", [f"{place}: {name}" for place, name in ctx.tools.dialects().items()], SHARE_WORDS),
        "session": brief.text("session", ctx.session.context(), SHARE_WORDS),
    }
    known, answer, stray = [understood.question, understood.words, skill.text], "", set[str]()
    try:
        for _ in range(MOST_TRIES):
            looked_up = kept.shown(brief)
            worked = chat.work(
                Followed, tools=kept, prompt="analyst/follow", **shown, looked_up=looked_up, prompt_cuts=brief.cut_rows(),
                today=today_text(ctx.now, ctx.services.settings.times), language=language_name(understood.language),
                stray=sorted(stray), say_field="answer",
            )  # fmt: skip
            known += [json.dumps(call.result, ensure_ascii=False) for call in worked.calls if call.result is not None]
            answer, stray = worked.value.answer, stray_figures(worked.value.answer, known)
            if not stray:
                break
    except ToolFailed as error:
        return Act(number=number, step=STEP, kind="follow", outcome=ActOutcome.FAILED, calls=tuple(tools.calls), message=str(error))
    return Act(
        number=number,
        step=STEP,
        kind="follow",
        answer="\n".join(line for line in answer.splitlines() if not stray_figures(line, known)),
        calls=tuple(tools.calls),
        pending_call=tools.held_back[0] if tools.held_back else None,
        says=(say("analyze.follow.stray", figures=names(sorted(stray)[:5])),) if stray else (),
    )


def _walked(ctx: StepContext, understood: Understanding, items: tuple[CheckItem, ...], number: int) -> Act:
    """The checklist after a message: a call that the user wants, or the next item. Words that ask for neither tick nothing."""
    words, language = understood.words, understood.language
    wanted = _CALL.match(words)
    if wanted is not None:
        try:
            use = _use(ctx, wanted["tool"], wanted["rest"].strip())
        except InvalidInput as error:
            return Act(number=number, step=STEP, kind="check", checklist=items, says=(message_of(error, language),))
        offer = next((offer for offer in ctx.tools.offers() if offer.name == use.tool), None)
        if offer is not None and offer.effect is Effect.WRITE:
            return Act(number=number, step=STEP, kind="check", checklist=items, pending_call=use)
        return _called(ctx, use, number, items)
    if understood.move is Move.STAY:
        says = (text_of(say("analyze.check.how"), language),)
        return Act(number=number, step=STEP, kind="check", checklist=items, says=says, pending_call=_held_on(understood))
    walked = walk(items, words)
    says = (text_of(walked.text, language),)
    return Act(number=number, step=STEP, kind="check", checklist=walked.items, answer=walked.detail, says=says)


def _use(ctx: StepContext, tool: str, rest: str) -> ToolUse:
    """A call as the user typed it: arguments as JSON, as `name=value` parts, or the text of the only argument that is needed. What the
    user cannot know, the place of the only card that the tool opens, is filled in. Raises `InvalidInput` with what was not understood."""
    offer = next((offer for offer in ctx.tools.offers() if offer.name == tool.lower()), None)
    known = _known(ctx, tool.lower())
    required: list[str] = offer.arguments.get("required", []) if offer is not None else []
    filled = ctx.tools.only_place(tool.lower())
    if rest.startswith("{"):
        given = _json_of(rest)
    else:
        typed = {found["name"]: found["value"].strip().strip("\"'") for found in _ARGUMENT.finditer(rest[:_MOST_TYPED])}
        given = {argument: value for argument, value in typed.items() if argument in known}
        open_ones = [name for name in required if name not in filled]
        if not given and len(open_ones) == 1 and rest:
            given = {open_ones[0]: rest}
        elif not given and rest and known:
            raise InvalidInput.of(say("analyze.check.arguments", tool=name(tool), names=names(known)))
    return ToolUse(tool=tool.lower(), arguments={**filled, **given})


def _json_of(text: str) -> Json:
    try:
        read: Any = read_json_text(text)
    except NotJson as error:
        raise InvalidInput.of(say("analyze.check.not_json", error=passage(str(error)[:200].rstrip(".")))) from None
    return read if isinstance(read, dict) else {}  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _called(ctx: StepContext, use: ToolUse, number: int, items: tuple[CheckItem, ...]) -> Act:
    answer = ctx.tools.call(use.tool, use.arguments)
    if answer.outcome is not CallOutcome.ANSWERED or answer.result is None:
        failed = ActOutcome.FAILED
        return Act(number=number, step=STEP, kind="check", outcome=failed, call=use, message=answer.message, checklist=items)
    table, rest = table_in(answer.result, STEP)
    shown = json.dumps(rest, ensure_ascii=False, indent=1)[:MOST_SHOWN] if rest else ""
    return Act(number=number, step=STEP, kind="check", call=use, result=answer.result, table=table, answer=shown, checklist=items)
