"""Which twin a text names."""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from contracts.network import ScenarioCard, ScenarioMatch

SHORTEST_WORD = 4
"""Letters of a Latin word that may stand for a name of several words: `expo` for Expo Centre."""

ALIKE = 0.84
"""Similarity of a mistyped name: a letter wrong in seven."""
_ENUMERATES = re.compile(r"\b(?:and|or|versus|vs|both)\b")
LONG_NAME = 6
"""Shorter names are not guessed from mistyped ones."""


def match(text: str, cards: Sequence[ScenarioCard]) -> ScenarioMatch | None:
    """The twins whose longest name is in the text; all that fit equally well are candidates. None: no name is."""
    plain = _plain(text)
    found = {card.digitaltwinsId: _longest(plain, card) for card in cards}
    best = max((len(name) for name in found.values()), default=0)
    if best == 0:
        found = {card.digitaltwinsId: _word(plain, card, cards) or _mistyped(plain, card) for card in cards}
        best = max((len(name) for name in found.values()), default=0)
    if best == 0:
        return None
    chosen = tuple(card for card in cards if len(found[card.digitaltwinsId]) == best)
    named = found[chosen[0].digitaltwinsId]
    also = _named_besides(plain.replace(named, " ", 1), chosen, cards)
    return _candidates(tuple(card for card in cards if card in chosen or card in also), named)


def _named_besides(rest: str, chosen: Sequence[ScenarioCard], cards: Sequence[ScenarioCard]) -> list[ScenarioCard]:
    """Twins that the rest of the text names too; by a word of their name only in an enumeration. The user means one of them, or several
    that cannot be analysed at once."""
    own = {word for card in chosen for name in _names(card) for word in name.split()}
    words = (
        {word for word in rest.split() if len(word) >= SHORTEST_WORD and word.isascii()} - own if _ENUMERATES.search(rest) else set[str]()
    )
    others = [card for card in cards if card not in chosen]
    return [card for card in others if _longest(rest, card) or words & {word for name in _names(card) for word in name.split()}]


def every(cards: Sequence[ScenarioCard]) -> ScenarioMatch | None:
    """All twins, for a user who has named none. None: there are none."""
    return _candidates(cards, "") if cards else None


def _candidates(chosen: Sequence[ScenarioCard], matched: str) -> ScenarioMatch:
    return ScenarioMatch(
        digitaltwinsId=chosen[0].digitaltwinsId if len(chosen) == 1 else None,
        candidates=tuple(card.digitaltwinsId for card in chosen),
        scenarios=tuple(chosen),
        matched=matched,
    )


def _names(card: ScenarioCard) -> tuple[str, ...]:
    return tuple(name for name in {_plain(name) for name in (card.digitaltwinsId, card.name_zh, card.name_en, *card.aliases)} if name)


def _longest(text: str, card: ScenarioCard) -> str:
    return max((name for name in _names(card) if _has(text, name)), key=len, default="")


def _has(text: str, name: str) -> bool:
    """Whether the name is in the text; a Latin one as whole words."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        begins = start == 0 or not (_is_latin(text[start - 1]) and _is_latin(name[0]))
        if begins and (end == len(text) or not (_is_latin(text[end]) and _is_latin(name[-1]))):
            return True
        start = text.find(name, start + 1)
    return False


def _word(text: str, card: ScenarioCard, cards: Sequence[ScenarioCard]) -> str:
    """A word of the name that the text has and no other twin's name has."""
    others = {word for other in cards if other is not card for name in _names(other) for word in name.split()}
    words = {word for name in _names(card) for word in name.split() if len(word) >= SHORTEST_WORD and word.isascii()}
    return max((word for word in words - others if word in text.split()), key=len, default="")


def _mistyped(text: str, card: ScenarioCard) -> str:
    """A piece of the text that is nearly a Latin name."""
    words = text.split()
    for name in _names(card):
        count = len(name.split())
        if len(name) < LONG_NAME or not name.isascii() or any(letter.isdigit() for letter in name):
            continue
        for start in range(len(words) - count + 1):
            piece = " ".join(words[start : start + count])
            if SequenceMatcher(None, piece, name).ratio() >= ALIKE:
                return piece
    return ""


def _plain(text: str) -> str:
    """Lower case, without punctuation and repeated spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(letter if letter.isalnum() or letter in "-_." else " " for letter in folded).replace("'s ", " ").split()).strip(
        "."
    )


def _is_latin(letter: str) -> bool:
    return letter.isalnum() and letter.isascii()
