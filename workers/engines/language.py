"""Which language a user writes in, and so is answered in."""

import re
from functools import lru_cache
from typing import Literal

Lang = Literal["en", "zh"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


@lru_cache(2_048)
def language_of(text: str) -> Lang:
    """Chinese when at least a fifth of its words are: a Chinese sentence with a pasted log line stays Chinese.

    A Chinese word is counted as two characters. Text in any other language is answered in English.
    """
    if text.isascii():
        return "en"
    latin = len(_LATIN_WORD.findall(text))
    if not latin:
        return "zh" if _CHINESE.search(text) else "en"
    chinese = len(_CHINESE.findall(text)) / 2
    return "zh" if chinese and chinese >= 0.2 * (chinese + latin) else "en"
