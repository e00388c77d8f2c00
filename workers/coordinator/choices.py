"""The choices of the boss's own questions: stable words, which a human may also say in their own language."""

import re
from collections.abc import Sequence

from contracts.statements import Term, Value, name, term
from workers.coordinator.decision import CONTINUE, IGNORE, KEEP, REDO, STOP

_FIRST_WORD = re.compile(r"[^\s，。：；！、]+")


def choice_words() -> dict[str, Term]:
    """Choice → its word in the reader's language."""
    return {
        KEEP: term("fleet.choice.keep"),
        REDO: term("fleet.choice.redo"),
        IGNORE: term("fleet.choice.ignore"),
        CONTINUE: term("fleet.choice.continue"),
        STOP: term("fleet.choice.stop"),
    }


def shown_choice(choice: str) -> Value:
    """A choice as a reader sees it: the word of their language, or the name of a stage."""
    return choice_words().get(choice) or name(choice)


def find_choice(choices: Sequence[str], answer: str) -> str | None:
    """The choice that an answer begins with, as it is or as a word of any language; None: it begins with another word."""
    first = _FIRST_WORD.search(answer)
    word = first[0].strip(".,:;!").lower() if first else ""
    own = next((choice for choice in choices if choice.lower() == word), None)
    return own or next((choice for choice in choices if word in _words_of(choice)), None)


def _words_of(choice: str) -> set[str]:
    """The words for a choice in all languages; empty for a stage, which has only a name."""
    from workers.saying import INSTALLED, text_of  # loads locale data, which only an answer needs

    word = choice_words().get(choice)
    return set() if word is None else {text_of(word, language).lower() for language in INSTALLED.languages()}
