"""Where the conversation is: the state that the last answer of the session left, and what the user replied to our questions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.ask.request import AskRequest
from contracts.ask.results import Understood
from contracts.ask.steps import AskPlan, Carried, DefinitionChoice, HalfChosen, ReadingChoice
from contracts.base import Json
from contracts.statements import Quote, Sayable, Statement
from workers.engines.closed_answers import holds, plain_words
from workers.errors import NotFound
from workers.kinds.ask.rules.messages import Command, command_in
from workers.kinds.ask.work.choices import meanings_of
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
    return [text for payload, response in ctx.answers() if (text := in_whole(payload, str(response.get("text", "")).strip()))]


def in_whole(payload: Json, reply: str) -> str:
    """A reply to a question with this payload: where it names a question that was offered, and says nothing else, that question."""
    if payload.get("kind") != ReadingChoice.model_fields["kind"].default:
        return reply
    offers = ReadingChoice.model_validate(payload["detail"]).offers
    found = choice_in(reply, offers, "")
    return offers[found.number - 1] if found.number and not found.rest else reply


def chosen_reading(ctx: StepContext, language: str) -> Understood | None:
    """The reading that the last reply names by its number, its words or the only value in them, or to which, as the only one, it says yes;
    None when it says something else, or more."""
    asked = ctx.dialogue(ReadingChoice)
    if not asked:
        return None
    choice, reply = asked[-1]
    found = _choosing(choice, reply, language)
    return choice.candidates[found.number - 1] if found.number and not found.rest else None


def half_chosen(ctx: StepContext, language: str) -> HalfChosen | None:
    """What the last reply chose, if it names a choice and says more."""
    given = ctx.answers()
    if not given:
        return None
    payload, response = given[-1]
    reply = str(response.get("text", "")).strip()
    if payload.get("kind") == ReadingChoice.model_fields["kind"].default:
        choice = ReadingChoice.model_validate(payload["detail"])
        found = _choosing(choice, reply, language)
        return HalfChosen(number=found.number, rest=found.rest, candidates=choice.candidates) if found.rest else None
    if payload.get("kind") == DefinitionChoice.model_fields["kind"].default:
        word = DefinitionChoice.model_validate(payload["detail"]).word
        found = choice_in(reply, meanings_of(word), language)
        return HalfChosen(number=found.number, rest=found.rest, word=word) if found.rest else None
    return None


def says_more(payload: Json, reply: str, language: str) -> bool:
    """Whether a reply to a choice between readings says more than the choice."""
    is_choice = payload.get("kind") == ReadingChoice.model_fields["kind"].default
    return is_choice and bool(_choosing(ReadingChoice.model_validate(payload["detail"]), reply, language).rest)


def _choosing(choice: ReadingChoice, reply: str, language: str) -> "Choosing":
    found = choice_in(reply, [each.label for each in choice.candidates], language)
    if found.number:
        return found
    for words, rest in ((reply, ""), parted(reply)):
        agreed = [
            number
            for number, each in enumerate(choice.candidates, 1)
            if command_in(words) is Command.RUN or plain_words(words) in map(plain_words, _quoted(each.label))
        ]
        if len(agreed) == 1:
            return Choosing(agreed[0], rest)
    return found


def _quoted(label: Sayable) -> list[str]:
    return [each.text for each in label.values.values() if isinstance(each, Quote)] if isinstance(label, Statement) else []


_ORDINALS = (("first", "1st", "一"), ("second", "2nd", "二"), ("third", "3rd", "三"), ("fourth", "4th", "四"))
_CHOICE = re.compile(
    r"^(?:(?:the|option|number|no\.?|choice|reading|take|i mean|please)\s*)*(?P<which>[a-z\d]+?)"
    r"(?:\s+(?:one|option|reading|choice|please))*$"
    r"|^(?:选|我选|要|就)?(?:第)?(?P<zh>[一二三四\d])(?:个|种|项|条|款)?(?:吧|理解|读法)?$"
)


_MARKS = ",.;:，。．、；：)）"


@dataclass(frozen=True, slots=True)
class Choosing:
    """What a reply chooses."""

    number: int = 0
    """Of the choice, from 1; 0: it names none."""
    rest: str = ""
    """What it says beside the choice."""


def choice_in(reply: str, labels: Sequence[Sayable], language: str) -> Choosing:
    """The choice that a reply names by its number or its words. A number with words of its choice behind it is a choice as it was shown."""
    for words, rest in ((reply, ""), parted(reply)):
        for number, label in enumerate(labels, 1):
            if _names(words, number, label, language):
                is_of_label = any(holds(plain_words(each), plain_words(rest)) for each in _spoken(label, language))
                return Choosing(number, "" if is_of_label else rest)
    return Choosing()


def parted(reply: str) -> tuple[str, str]:
    """A reply before and behind its first mark, which is no point of a number; ("", "") where a side is empty."""
    for place, mark in enumerate(reply):
        if mark in _MARKS and not reply[place + 1 : place + 2].isdigit():
            before, behind = reply[:place].strip(), reply[place + 1 :].strip(_MARKS + " ")
            return (before, behind) if before and behind else ("", "")
    return "", ""


def _names(reply: str, number: int, label: Sayable, language: str) -> bool:
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
