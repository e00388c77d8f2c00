"""Whether words deny: "not", "none", 没有. What they deny is not read here."""

import re

_NOT = re.compile(r"\b(not?|never|none|without|cannot|neither|nor)\b|n't\b|没有|没|未|无(?!线)|并非|不(?!到|足|同|断|少于|低于|超过|高于)")
_ASKED = re.compile(r"(\w)[不没]\1")
"""是不是, 有没有: a question has both, and denies nothing."""


def denies(text: str) -> bool:
    """Whether a text has a word of denial."""
    return _NOT.search(text.casefold()) is not None


def denies_or_asks(text: str) -> bool:
    """The same, where the text may be a question."""
    return denies(_ASKED.sub(" ", text.replace("’", "'")))
