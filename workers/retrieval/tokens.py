"""Words for full text, made by the application because Postgres' own parsers do not know Chinese.

A run of CJK characters becomes its overlapping pairs (a lone character stays one), a word is lowercased and loses its
plural, an identifier is kept whole and in its parts: `pg_stat_activity` is found by "activity", `maxConnections` by
"connections". The same function makes the words of a stored text and of a query, so the two always fit.
"""

import re
import unicodedata

from contracts.base import clean_text
from workers.engines.language import CJK

MAX_TOKENS = 3_000
"""Distinct words kept of one text: a tsvector may hold 1 MB, and a pasted log needs no more to be found."""

_MAX_LENGTH = 64
_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\W{CJK}]+(?:\.[^\W{CJK}]+)*)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_A-Za-z]+")
_PARTICLE = re.compile("[的了吗呢吧啊]+")

_ENGLISH = (
    "a about after all also an and any are as at be been before but by can could did do does for from get had has have he "
    "her his how i if in into is it its just me my of on or our she should so some than that the their them then there "
    "these they this those to us very was we were what when where which while who why will with would you your"
)
_CHINESE = "可以 一个 我们 你们 他们 这个 那个 什么 怎么 因为 所以 如果 以及 或者 进行 这样 那么 请问 一下 已经 其中"
_STOP_WORDS = frozenset(f"{_ENGLISH} {_CHINESE}".split())


def tokens(text: str, limit: int = MAX_TOKENS) -> list[str]:
    """The distinct words of a text in the order of their first appearance, at most `limit`, none empty."""
    found: dict[str, None] = {}
    for run in _RUN.finditer(unicodedata.normalize("NFKC", clean_text(text))):
        words = _cjk_words(run["cjk"]) if run["cjk"] else _word_and_parts(run["word"])
        for word in words:
            if word and word not in _STOP_WORDS:
                found[word] = None
        if len(found) >= limit:
            break
    return list(found)[:limit]


def lexeme(token: str) -> str:
    """A token as the text of a tsquery that matches only this token, for any characters."""
    return "'" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _cjk_words(run: str) -> list[str]:
    words: list[str] = []
    for piece in _PARTICLE.split(run):
        words += [piece[i : i + 2] for i in range(len(piece) - 1)] if len(piece) > 1 else [piece]
    return words


def _word_and_parts(word: str) -> list[str]:
    word = word.strip("_")
    whole = word.casefold()[:_MAX_LENGTH]
    parts = [part.casefold()[:_MAX_LENGTH] for part in _PART.findall(word)] if not word.isdigit() else []
    if len(parts) < 2:
        return [_singular(whole)] if _worth_keeping(whole) else []
    return [whole, *(_singular(part) for part in parts if _worth_keeping(part))]


def _worth_keeping(word: str) -> bool:
    """A single letter says nothing; a single digit may be a version or a node."""
    return len(word) > 1 or word.isdigit()


def _singular(word: str) -> str:
    """Harman's S-stemmer (1991), and -es after a hissing sound: the plural of English nouns, and no other ending."""
    if len(word) < 4 or not word.isascii() or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
    if word.endswith(("xes", "sses", "shes", "tches")):
        return word[:-2]
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
