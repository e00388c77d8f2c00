"""The columns of a list in words, one after the other."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence

from workers.engines.requirements.prose.values import cuts

NAMED = re.compile(r"`?(?P<name>[A-Za-z_]\w*)`?\s*(?:[（(](?P<inside>.+)[)）]|\s*(?:=|:|：|＝)\s*(?P<behind>.+))?", re.DOTALL)
SEVERAL = re.compile(
    r"(?P<names>[A-Za-z_](?:(?![和与及])\w)*(?:\s*(?:,|，|、|\band\b|和|与|及)\s*[A-Za-z_](?:(?![和与及])\w)*)+)\s*[（(](?P<inside>.+)[)）]",
    re.DOTALL,
)
_PIVOT = re.compile(
    r"(?P<head>.+?),\s*(?:and )?(?P<pivot>(?:the )?[\w ]+? (?:of|for|by|per|in|with) each [\w ]+?,? as (?:the )?columns .+)",
    re.IGNORECASE | re.DOTALL,
)
_DIGITS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "twenty": 20,
           "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}  # fmt: skip


def number_of(word: str) -> int | None:
    """A small number, in figures or as a word."""
    return int(word) if word.isdigit() else _DIGITS.get(word.lower())


def split_columns(text: str) -> list[str]:
    """The columns of a list: at semicolons where there are any, else at commas and the last `and`, outside of brackets."""
    if found := _PIVOT.fullmatch(text.strip()):
        return [*split_columns(found["head"]), found["pivot"]]
    marks = ";；" if re.search(r"[;；]", _outside(text)) else ",，、"
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "(（") - (letter in ")）")
        if letter in marks and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    made: list[str] = []
    for part in _whole(parts):
        body = re.sub(r"^\s*(?:and\s+|以及\s*|和\s*)", "", part).strip(" .。")
        if marks != ";；":
            made.extend(_at_and(body))
        elif body:
            made.append(body)
    return [part for part in made if part]


def _whole(parts: Sequence[str]) -> list[str]:
    """Parts that begin with the name of a column; what does not is the rest of the definition before it."""
    made: list[str] = []
    for part in parts:
        body = re.sub(r"^\s*(?:and\s+|以及\s*|和\s*)", "", part).strip(" .。")
        starts = re.match(
            r"(?:the )?\w+(?:'s|’s) \w+$|(?:the |an? )?[A-Za-z][\w' /-]*\s\([A-Za-z_]\w*\s*[,)]|(?:the |an? )?[A-Za-z][\w' -]*\sas [A-Za-z_]\w*$|`?[A-Za-z_]\w*`?\s*(?:$|[（(=:：＝]|\s*and\b|\s*of\b|和|与|及)|[\u3400-\u9fff]+的?\s*[A-Za-z_]\w*\s*(?:$|[=＝:：（(])|`?[A-Za-z_]\w*`?\s+[\u3400-\u9fff]",
            body,
        ) or (re.fullmatch(r"[\u3400-\u9fff]{2,14}(?:[（(].+[)）])?", body) and re.search(r"[)）]\s*$", made[-1] if made else ""))
        if made and not starts and re.search(r"[=:：＝(（]", made[-1]):
            made[-1] += f", {part.strip()}"
        else:
            made.append(part)
    return made


def _outside(text: str) -> str:
    """The text without what is in brackets."""
    made, depth = "", 0
    for letter in text:
        depth += letter in "(（"
        made += letter if depth == 0 else ""
        depth -= letter in ")）"
    return made


def _at_and(body: str) -> list[str]:
    """`a and b (...)`: cut where there are names on both sides, unless one bracket belongs to both."""
    if SEVERAL.fullmatch(body) and re.search(r"respectively|分别|\bby\b", body):
        return [body]
    for left, right in cuts(body, r"\s+and\s+|\s*(?:以及|和|与|及)\s*"):
        if (
            NAMED.fullmatch(left.strip())
            and NAMED.fullmatch(right.strip())
            and re.match(r"`?[A-Za-z_]\w*`?\s*(?:$|[（(=:：]|\s+and\b|和|与|及)", right.strip())
        ):
            return [*_at_and(left.strip()), right.strip()]
    return [body] if body else []
