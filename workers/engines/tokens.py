"""How many tokens a text will take, estimated from above, for models whose tokenizer we do not have."""

import re
from collections.abc import Callable

CountTokens = Callable[[str], int]
"""A text in, its tokens out."""

_WORD = re.compile(r"[A-Za-z]?[a-z]+")
_BLANKS = re.compile(r"[ \t]+")
_LETTERS_PER_TOKEN = 3
_HAN = (range(0x2E80, 0xA000), range(0xF900, 0xFB00), range(0xFF00, 0xFFF0))
"""Chinese characters, kana, and their punctuation."""
_PER_HAN = 2


def estimate_tokens(text: str) -> int:
    """One for each three letters of a Latin word begun, each capital and other ASCII character, and each run of blanks;
    two for a Chinese character; the UTF-8 bytes of any other; and one for the beginning.

    The documents' "one a Chinese character" is too few for models with a Western vocabulary: Llama 2 needs up to 2.1.
    """
    words = sum(-(-len(word) // _LETTERS_PER_TOKEN) for word in _WORD.findall(text))
    return 1 + words + sum(_of_character(character) for character in _BLANKS.sub(" ", _WORD.sub("", text)))


def _of_character(character: str) -> int:
    if character.isascii():
        return 1
    if any(ord(character) in block for block in _HAN):
        return _PER_HAN
    return len(character.encode("utf-8", "replace"))


def clip_to(text: str, tokens: int, count: CountTokens = estimate_tokens) -> str:
    """The longest beginning of a text that takes at most `tokens` tokens, with an ellipsis when something is missing."""
    if count(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle] + "…") <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…" if low else ""
