"""What a model words: questions in the user's language, and the conclusion in short. It says nothing that the rules did not.

A question is worded where the ticket's text is in another language than the user's, or long; the ticket's own words are beside it. Words
are left out where they are in another language, have a figure or a name in program text that the material has not, lose one that a
question needs, or say the opposite of what they word. So a text in a ticket that speaks to the model gets no command in front of a user.
"""

import re
from collections.abc import Iterable, Mapping

from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion, WordedQuestion
from workers.engines.language import Lang, language_of
from workers.engines.stray_figures import stray_figures
from workers.tickets.contradiction import opposed

_LONG = 90
"""Characters of a ticket's text from which a question in plain words is easier to read."""
_MOST_CHARACTERS = 220
"""Of one question."""
_CODE = re.compile(
    r"""(?<![\w.])(?:
        --?[A-Za-z][\w-]*                       # an option
      | [A-Za-z_$./\\][\w$]*(?:[._/\\:=@$*+-][\w$]+)*[_/\\=@$*][\w$./\\:=@*+-]*   # names with signs, paths, assignments
      | [A-Za-z][\w]*(?:[.:][A-Za-z_][\w]*)+    # dotted names, addresses
      | [A-Za-z]*[a-z][A-Z]\w*                  # names with inner capitals
      | [A-Za-z]+\d\w*                          # names with figures
      | [A-Z]{2,}[A-Z0-9]*                      # abbreviations, words of SQL
    )""",
    re.VERBOSE,
)
_SHELL = re.compile(r"[`|<>;{}\\$]|\bhttps?:")
"""Signs of commands and addresses."""


def wants_words(item: PhenomenonItem, lang: Lang) -> bool:
    """Whether the ticket's text of an item is hard to read for this user."""
    return language_of(item.description) != lang or len(item.description) > _LONG


def worded_question(question: PhenomenonQuestion, answer: WordedQuestion, lang: Lang) -> PhenomenonQuestion:
    """The question with the words of the model that can be borne; the other items keep the ticket's text alone."""
    words: Mapping[int, str] = {each.number: " ".join(each.text.split()) for each in reversed(answer.items)}
    items = tuple(
        item.model_copy(update={"asked_as": words[item.number]})
        if item.number in words and wants_words(item, lang) and asks_the_same(words[item.number], item.description, lang)
        else item
        for item in question.items
    )
    return question.model_copy(update={"items": items})


def asks_the_same(words: str, text: str, lang: Lang) -> bool:
    """Whether words may stand for a ticket's text in a question: its names, no others, no figure of their own, and not the opposite."""
    if not words or len(words) > _MOST_CHARACTERS or not may_be_shown(words, (text,), lang):
        return False
    return _names(text) <= _names(words) and not opposed(words, text)


def may_be_shown(words: str, material: Iterable[str], lang: Lang) -> bool:
    """Whether words are in the user's language and hold no figure, name or command that the material has not."""
    known = list(material)
    signs = {sign for text in known for sign in _SHELL.findall(text)}
    names = {name for text in known for name in _names(text)}
    return (
        language_of(words) == lang
        and not stray_figures(words, known)
        and _names(words) <= names
        and signs.issuperset(_SHELL.findall(words))
    )


def _names(text: str) -> set[str]:
    """Names in program text: what no translation changes."""
    return {found.casefold().rstrip(".:") for found in _CODE.findall(text)}
