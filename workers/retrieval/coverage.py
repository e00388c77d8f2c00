"""How much of a Chinese question a text has in the same words.

Words of a search are pairs of characters, of which half cross the border between two words. So what counts here are the characters: one
is covered where it is part of a pair that the text has too.
"""

import re

from workers.engines.language import CJK

_CHARACTER = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[A-Za-z0-9][\w.-]*")
_ASKING = frozenset(
    "什么怎样如何多少几谁哪可以能会要需不没还再就都也和与或在是有的了吗呢吧啊我你他她它们这那个些为因所把被给对从到向后前时候上下里中"
    "办做请问想应该必须久每次只又很最更将已"
)
"""Characters that ask, count or join. They say nothing about what is asked."""


def covered_part(question: str, text: str) -> float:
    """The part of the question's characters, 0 to 1, that the text has in the same pairs; 1.0 where nothing but asking is left. A
    word in Latin letters or digits counts as two characters."""
    held = whole = 0
    for index, character in enumerate(question):
        if not _CHARACTER.match(character) or character in _ASKING:
            continue
        whole += 1
        pairs = (question[index - 1 : index + 1] if index else "", question[index : index + 2])
        held += any(len(pair) == 2 and all(map(_CHARACTER.match, pair)) and pair in text for pair in pairs)
    folded = text.casefold()
    for word in _LATIN.findall(question):
        whole += 2
        held += 2 * (word.casefold() in folded)
    return held / whole if whole else 1.0
