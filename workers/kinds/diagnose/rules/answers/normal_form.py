"""The normal form of a reply before it is read: "the first two" become numbers, a word corrected in the same breath is dropped.

Only what has a single reading is rewritten. Every pattern is bounded, so that hostile text takes linear time.
"""

import re

_ORNAMENT = re.compile("[\ufe0f\u200d\U0001f3fb-\U0001f3ff]")
"""Variation selectors, joiners and skin tones: ✔ with one is still ✔."""
_MARKS = re.compile(r"([?？])[?？!！]{1,40}")
_TYPO = re.compile(r"\bnto\b", re.IGNORECASE)
_COUNTS = {word: n for n, words in ((2, "two 2 两 二"), (3, "three 3 三"), (4, "four 4 四")) for word in words.split()}
_FIRST = re.compile(
    r"\b(?:the )?first (two|three|four|[234])\b(?: of them| items?| ones)?(?! (?!yes\b)\w+s\b)|前([两二三四])[个项条]", re.IGNORECASE
)
_FINAL = re.compile(
    r"\b(?:the )?last (two|three|four|[234])\b(?: of them| items?| ones)?(?! (?!yes\b)\w+s\b)|后([两二三四])[个项条]", re.IGNORECASE
)
_NEITHER = re.compile(r"\bneither (?:item )?([1-9]) nor (?:item )?([1-9])\b", re.IGNORECASE)
_ONLY_BEHIND = re.compile(r"^\s{0,9}#?([1-9]) (?:only|alone)[ .!]{0,9}$", re.IGNORECASE)
_AND_FOR = re.compile(r"\b([1-9]) (and|or) (?:for|on|about|to) (?=[1-9]\b)", re.IGNORECASE)
_FIFTY = re.compile(r"\b50 ?[/:-] ?50\b")
_USED_TO = re.compile(r"\b([1-9]) used to [^,;.\n]{1,30},? (?:but )?(?:not any ?more|no longer|no more)\b", re.IGNORECASE)
_VERDICT = r"(?:yes|yep|no|nope|y|n)\b"
_REPAIRED = re.compile(
    rf"\b([1-9][ :.)=-]{{0,3}}(?:is )?){_VERDICT}[ ,.;…-]{{1,5}}(?:(?:oh|no|ah|oops),? )?(?:wait|sorry|actually|i mean|correction)"
    rf"[ ,.;:…!-]{{1,5}}(?={_VERDICT})"
    r"|([1-9][ :：.、]{0,3})(?:没有|不是|有|是|没|否)[ ,，.。…]{0,5}"
    r"(?:不对|哦不|啊不|等等|说错了|错了)[ ,，.。…]{1,5}(?:应该)?(?=没|不是|有|是|否)",
    re.IGNORECASE,
)


def normal_form(text: str, size: int) -> str:
    """The text in its normal form; `size`: how many items were asked."""
    text = _TYPO.sub("not", _MARKS.sub(r"\1", _ORNAMENT.sub("", text)))
    text = _FIFTY.sub("maybe", text)
    if size < 2:
        return text
    text = _USED_TO.sub(r"\1 no", text)
    text = _REPAIRED.sub(lambda match: match[1] or match[2], text)
    text = _NEITHER.sub(r"\1 no, \2 no", _ONLY_BEHIND.sub(r"only \1", _AND_FOR.sub(r"\1 \2 ", text)))
    text = _FIRST.sub(lambda match: _range(match, 1, _count(match)) if _count(match) <= size else match[0], text)
    return _FINAL.sub(lambda match: _range(match, size - _count(match) + 1, size) if _count(match) <= size else match[0], text)


def _count(match: re.Match[str]) -> int:
    return _COUNTS[(match[1] or match[2]).lower()]


def _range(match: re.Match[str], first: int, last: int) -> str:
    return f"{first}-{last}" if match[1] else f"{first}到{last}"
