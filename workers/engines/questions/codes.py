"""English words for coded values in comments: `Species: D dog, C cat`, `1 = cash, 2 = card`, `returned (R)`, `1 if paid`."""

import re
from collections.abc import Collection, Iterator

_PARTS = re.compile(r"[,;|/\n，；、]")
_VALUE = r"(?P<value>[A-Za-z0-9_+-]{1,12})"
_WORD = r"(?P<word>[A-Za-z][A-Za-z'-]{1,20}(?: [A-Za-z'-]{2,20}){0,2})"
_SEPARATOR = r"\s*(?:=|:|-|–|->)\s*|\s+(?:is|means|stands for|for)\s+"
_HEAD = r"(?:.*[:：(\[]\s*)?"
_VALUE_FIRST = re.compile(rf"{_HEAD}['\"]?{_VALUE}['\"]?(?:{_SEPARATOR}|\s+){_WORD}[)\]. ]*")
_MARKED = re.compile(rf"{_HEAD}['\"]?{_VALUE}['\"]?(?:{_SEPARATOR}){_WORD}[)\]. ]*")
_WORD_FIRST = re.compile(rf"{_HEAD}{_WORD}\s*(?:=|:|\(|\[)\s*['\"]?{_VALUE}['\"]?[)\]. ]*")
_NO_WORDS = frozenset({"if", "when", "for", "to", "of", "or", "and", "the", "a", "an", "in", "is", "not", "per", "digit", "digits", "char"})
"""First words behind a value that begin a sentence about it rather than name it."""
_LONGEST_CODE = 3
"""Letters of a code; a longer value in small letters is a word, behind which others need a sign to be its meaning."""
_LEAST = 2
"""Values that a comment without signs between code and word must explain, to be a list of codes."""
_FLAG = re.compile(
    r"\b(?:1|[Yy](?:es)?|[Tt](?:rue)?)\s+(?:if|when|where|means|for)\s+(?:(?:it|they|this|the \w+|row)\s+)?(?:(?:is|was|has been|are)\s+)?"
    r"(?P<word>[a-z]{3,20})\b(?! (?:again|before|more than|twice|late|later|by|too|only)\b)"
)
_SET, _UNSET = ("1", "Y", "y", "T", "t"), ("0", "N", "n", "F", "f")


def english_glosses(comment: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Words for values that the column has, and the values. `known`: these values."""
    parts = [part.strip() for part in _PARTS.split(comment) if part.strip()]
    found = [pair for part in parts if (pair := _gloss(part, known)) is not None]
    if len({word for word, _ in found}) < len({value for _, value in found}):
        found = []  # `active subscription, cancelled subscription`
    is_marked = any(_MARKED.fullmatch(part) or _WORD_FIRST.fullmatch(part) for part in parts)
    if len({value for _, value in found}) >= (1 if is_marked and len(parts) > 1 else _LEAST):
        yield from found
    if match := _FLAG.search(comment):
        yield from _flag(match["word"], known)


def _gloss(part: str, known: Collection[str]) -> tuple[str, str] | None:
    for pattern in (_VALUE_FIRST, _WORD_FIRST):
        match = pattern.fullmatch(part)
        if not match or match["value"] not in known or match["word"] in known or match["word"].split()[0].lower() in _NO_WORDS:
            continue
        if len(match["value"]) <= _LONGEST_CODE or not match["value"].islower() or _MARKED.fullmatch(part) or pattern is _WORD_FIRST:
            return match["word"].lower(), match["value"]
    return None


def _flag(word: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """`1 if paid`: paid is 1, and unpaid is 0."""
    for is_set, unset in zip(_SET, _UNSET, strict=True):
        if {is_set, unset} & set(known):
            yield word, is_set
            yield f"un{word}", unset
            yield f"not {word}", unset
            return
