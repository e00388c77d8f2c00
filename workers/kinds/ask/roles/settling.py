"""What the user answered when they were asked what a word means: taken for this job, and kept for the jobs to come."""

from dataclasses import dataclass

from contracts.ask.steps import DefinitionChoice, SettledWord
from contracts.questions import Meaning, OpenWord
from workers.catalogue.chosen import keep_choice
from workers.engines.questions.names import phrase_of
from workers.kinds.ask.roles.conversation import choice_in, in_whole, says_more
from workers.kinds.ask.work.choices import meanings_of
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.reading import reader_of
from workers.roles.base import StepContext


@dataclass(frozen=True, slots=True)
class Settling:
    """The replies of a job, sorted."""

    words: tuple[SettledWord, ...] = ()
    """What words mean, the latest answer first."""
    to_write: OpenWord | None = None
    """The word that means something else: its formula is asked next."""
    others: tuple[str, ...] = ()
    """The replies to other questions, and those that say no meaning, in the order of the questions."""


def settle(ctx: StepContext, floor: Floor, language: str) -> Settling:
    """What the replies say that words mean; each is kept for the owner. Keeping it again changes nothing."""
    words: list[SettledWord] = []
    others: list[str] = []
    to_write: OpenWord | None = None
    given = ctx.answers()
    for place, (payload, response) in enumerate(given):
        reply = in_whole(payload, str(response.get("text", "")).strip())
        to_write = None  # only the last question is open
        if payload.get("kind") != DefinitionChoice.model_fields["kind"].default:
            is_asked_again = place < len(given) - 1 and says_more(payload, reply, language)
            others += [reply] if reply and not is_asked_again else []
            continue
        word = DefinitionChoice.model_validate(payload["detail"]).word
        chosen = choice_in(reply, meanings_of(word), language)
        number = 0 if chosen.rest else chosen.number
        if number == len(word.meanings) + 1:
            to_write = word.model_copy(update={"meanings": ()})
            continue
        meaning = word.meanings[number - 1] if number else _written(floor, word, reply)
        if meaning is None:
            others += [reply] if reply and not chosen.rest else []
            continue
        words.insert(0, SettledWord(source=word.source, name=word.name, meaning=meaning, place=word.place))
        keep_choice(ctx.services.database, word.source, word.name, word.digest, meaning, owner=ctx.owner)
    return Settling(tuple(words), to_write, tuple(others))


def _written(floor: Floor, word: OpenWord, reply: str) -> Meaning | None:
    """A formula that the user wrote for a word, with its name or without; None: the reply is another text."""
    name, sign, formula = reply.partition("=")
    if not sign or phrase_of(name) != phrase_of(word.name):
        formula = reply
    made = f"{word.name} = {formula.strip()}"
    return Meaning(formula=formula.strip()) if formula.strip() and reader_of(floor, word.source, [made]).has_term(word.name) else None
