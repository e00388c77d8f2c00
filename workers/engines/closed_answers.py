"""Answers that are a yes, a no or another phrase of a list as a whole: what only begins like one, or has more in it, is none."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import yaml

MOST_CHARACTERS = 120
"""Of a message that may be such an answer."""
_PUNCTUATION = str.maketrans(dict.fromkeys(',.!?;:，。！？；：、…"“”()（）', " "))


@cache
def answer_words(part: str) -> Mapping[str, Sequence[str]]:
    """The words of a list, `yes`, `no` or `beside`: by language, and those that count only `alone`."""
    known: Mapping[str, Mapping[str, Sequence[str]]] = yaml.load(
        Path(__file__).with_name("closed_answers.yaml").read_text("utf-8"),
        Loader=yaml.BaseLoader,  # noqa: S506 it reads text only
    )
    return known[part]


def both(words: Mapping[str, Sequence[str]]) -> list[str]:
    """The words of both languages."""
    return [*words.get("en", ()), *words.get("zh", ())]


def is_only(words: str, phrases: Sequence[str], beside: Sequence[str], alone: Iterable[str] = ()) -> bool:
    """Whether a text holds nothing but phrases and what may go with any of them. Those of `alone` count only between marks or blanks."""
    plain = plain_words(words)
    if not plain or len(plain) > MOST_CHARACTERS:
        return False
    lonely = frozenset(alone)
    reached = {0: False}
    """Place → whether the text before it has one of the phrases, and not only what goes with them."""
    for place in range(len(plain)):
        if place not in reached:
            continue
        if plain[place] == " ":
            reached[place + 1] = reached.get(place + 1, False) or reached[place]
            continue
        for own, some in ((True, (*phrases, *lonely)), (False, beside)):
            for phrase in some:
                stop = place + len(phrase)
                if not plain.startswith(phrase, place) or not (_begins_word(plain, place) and ends_word(plain, stop)):
                    continue
                if own and phrase in lonely and (plain[:place] or " ")[-1] + (plain[stop:] or " ")[0] != "  ":
                    continue
                reached[stop] = reached.get(stop, False) or reached[place] or own
    return reached.get(len(plain), False)


@lru_cache(32)
def plain_words(words: str) -> str:
    """The words as they are compared: without case and marks, with one blank between them."""
    return " ".join(words.casefold().replace("’", "'").translate(_PUNCTUATION).split())


def holds(plain: str, phrase: str) -> bool:
    """Whether plain words have a phrase, at its first place, as words of their own."""
    place = plain.find(phrase)
    return place >= 0 and _begins_word(plain, place) and ends_word(plain, place + len(phrase))


def _begins_word(text: str, place: int) -> bool:
    return place == 0 or not (text[place - 1].isascii() and text[place - 1].isalnum() and text[place].isascii())


def ends_word(text: str, place: int) -> bool:
    """Whether no Latin word goes on at a place of plain words."""
    return place == len(text) or not (text[place].isascii() and text[place].isalnum() and text[place - 1].isascii())
