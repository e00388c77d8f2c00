"""The choices of the boss's own questions: stable words, which a human may also say in their own language."""

import re
from collections.abc import Sequence
from typing import Any, cast

from contracts.base import Json
from contracts.statements import Term, term
from workers.coordinator.decision import CONTINUE, IGNORE, KEEP, REDO, STOP

_MOST_DIGITS = 2
_NUMBER = re.compile(
    rf"(?:(?:option|number|no\.?|choice|item)\s*|选|选择|第)?\s*(\d{{1,{_MOST_DIGITS}}})\s*(?:个|项|条)?(?:[.)）。]|是|有|yes)?",
    re.IGNORECASE,
)
"""An answer that is the number of a choice, and nothing else."""
_FIGURE = re.compile(r"(?<![\w.])\d+(?![\w.])")
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


def number_beyond(choices: Sequence[Any], answer: str) -> int | None:
    """The number that an answer names of a list of choices, if the list is shorter; None: it says something else, or a choice is itself a
    figure, so that the number may be an answer in its own right."""
    found = _NUMBER.fullmatch(answer.strip())
    if found is None or not choices or 0 < int(found[1]) <= len(choices):
        return None
    shown = [_text(choice) for choice in choices]
    return None if any(_FIGURE.search(text) for text in shown) else int(found[1])


def _text(choice: Any) -> str:
    """The words of a choice as it is stored, without its own number."""
    values: Any = cast("Json", choice).get("values", {}) if isinstance(choice, dict) else choice
    if isinstance(values, dict):
        values = {key: value for key, value in cast("Json", values).items() if key != "number"}
    return str(values)
