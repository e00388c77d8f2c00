"""Where the conversation is: the state that the last answer of the session left, and what the user replied to our questions."""

import re

from contracts.ask.request import AskRequest
from contracts.ask.results import Understood
from contracts.ask.steps import AskPlan, Carried, ReadingChoice
from contracts.statements import Quote, Sayable, Statement
from workers.engines.closed_answers import plain_words
from workers.errors import NotFound
from workers.kinds.ask.rules.messages import Command, command_in
from workers.roles.base import StepContext
from workers.saying import text_of

KIND = "ask"


def language_of_answer(ctx: StepContext, request: AskRequest) -> str:
    """The language in which the user is answered."""
    return request.language or ctx.language


def carried_from(ctx: StepContext) -> Carried | None:
    """The state after the newest answered question of the session. What retention has removed is passed over."""
    for earlier in ctx.session.earlier():
        if earlier.kind != KIND:
            continue
        try:
            plan = ctx.session.read(AskPlan, earlier)
        except NotFound:
            continue
        if plan.answer is not None:
            return plan.answer.state
    return None


def replies(ctx: StepContext) -> list[str]:
    """What the user answered to the questions of this job, in the order of the questions."""
    return [text for _, response in ctx.answers() if (text := str(response.get("text", "")).strip())]


def chosen_reading(ctx: StepContext, language: str) -> Understood | None:
    """The reading that the last reply names by its number, its words or the only value in them, or to which, as the only one, it says yes;
    None when it says something else."""
    asked = ctx.dialogue(ReadingChoice)
    if not asked:
        return None
    choice, reply = asked[-1]
    candidates = choice.candidates
    named = [each for number, each in enumerate(candidates, 1) if names_choice(reply, number, each.label, language)]
    valued = [each for each in candidates if plain_words(reply) in map(plain_words, _quoted(each.label))]
    if named:
        return named[0]
    agreed = candidates if command_in(reply) is Command.RUN else valued
    return agreed[0] if len(agreed) == 1 else None


def _quoted(label: Sayable) -> list[str]:
    return [each.text for each in label.values.values() if isinstance(each, Quote)] if isinstance(label, Statement) else []


_NUMBERED = re.compile(r"(?P<number>\d)[.．、)]\s*(?!\d)\S")
_ORDINALS = (("first", "1st", "一"), ("second", "2nd", "二"), ("third", "3rd", "三"), ("fourth", "4th", "四"))
_CHOICE = re.compile(
    r"^(?:(?:the|option|number|no\.?|choice|reading|take|i mean|please)\s*)*(?P<which>[a-z\d]+?)"
    r"(?:\s+(?:one|option|reading|choice|please))*$"
    r"|^(?:选|我选|要|就)?(?:第)?(?P<zh>[一二三四\d])(?:个|种|项|条|款)?(?:吧|理解|读法)?$"
)


def names_choice(reply: str, number: int, label: Sayable, language: str) -> bool:
    """Whether a reply names the choice of this number, from 1, by the number or by the words of its label."""
    if numbered := _NUMBERED.match(reply.strip()):  # a choice as it was shown
        return numbered["number"] == str(number)
    words = _bare(reply)
    if words in map(_bare, _spoken(label, language)):
        return True
    match = _CHOICE.match(words)
    which = (match["which"] or match["zh"]) if match else None
    return which in {str(number), *(_ORDINALS[number - 1] if number <= len(_ORDINALS) else ())}


def _bare(text: str) -> str:
    return text.strip().strip(".。)）(（!！").casefold()


def _spoken(label: Sayable, language: str) -> set[str]:
    return {text_of(label, each) for each in (language, "en", "zh")} if isinstance(label, Statement) else {label}
