"""Which language a user writes in, and so is answered in; how much of a text is Chinese, Japanese or Korean."""

import re
from functools import lru_cache
from typing import Literal

Lang = Literal["en", "zh"]

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese, Japanese and Korean characters, as the inside of a character class of a regular expression."""

# Compiled when they are first used: to compile such classes takes longer than what most commands do with them.
_CJK_CHARACTER = rf"[{CJK}]"
_LETTER = rf"[^\W\d_{CJK}]"
_CHINESE = r"[\u3400-\u9fff]"
_LATIN_WORD = r"[A-Za-z]{2,}"


@lru_cache(2_048)
def language_of(text: str) -> Lang:
    """Chinese when at least a fifth of its words are: a Chinese sentence with a pasted log line stays Chinese.

    A Chinese word is counted as two characters. Text in any other language is answered in English.
    """
    if text.isascii():
        return "en"
    latin = len(re.findall(_LATIN_WORD, text))
    if not latin:
        return "zh" if re.search(_CHINESE, text) else "en"
    chinese = len(re.findall(_CHINESE, text)) / 2
    return "zh" if chinese and chinese >= 0.2 * (chinese + latin) else "en"


def latin_share(text: str) -> float:
    """Share of a text's letters that are not CJK, between 0 and 1; 1 for a text without letters. A CJK character says
    about as much as two letters and counts so."""
    other = len(re.findall(_LETTER, text))
    cjk = 2 * len(re.findall(_CJK_CHARACTER, text))
    return other / (other + cjk) if other + cjk else 1.0
