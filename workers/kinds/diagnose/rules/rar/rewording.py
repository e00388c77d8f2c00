"""When a recommendation asks what was asked before in other words. Wider than what makes two phenomena one, on purpose:
a thing wrongly taken for asked costs one question, a thing asked twice costs the user's patience."""

import re
import unicodedata

from workers.kinds.diagnose.rules.likeness import Wording
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.terms import in_english

SHARED_WORDS = 0.60
"""Part of the meaning words of both texts (Dice of words, Chinese by pairs of characters) from which they ask the same."""
SHARED_TERMS = 2
"""And how many of them, where one text is Chinese and the other is not: only the terms of databases are compared then."""

_WORD = re.compile(r"[a-z_][a-z0-9_]*|[0-9]+(?:\.[0-9]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_STEM = 5
_EMPTY = frozenset(
    """a an the of on in at to by for with from is are was were be been being it its this that these those there and or as has
    have had do does very quite rather seen shown observed shows show can could may some any all which than then please check
    whether if you see your database server host currently now during above below over under exceed more less high higher low
    lower percent""".split()  # noqa: SIM905 a list of words reads best as words
)
_EMPTY_HAN = re.compile(
    r"请|检查|确认|查看|是否|有没有|出现|存在|目前|当前|现在|情况|数据库|主机|服务器"
    r"|超过|高于|大于|低于|小于|以上|以下|的|了|是|在|数量|大量|很多|较多|许多"
)
_SAME_WORDS: dict[str, str] = {"utilisation": "usage", "utilization": "usage", "load": "usage"}
_SAME_HAN = re.compile(r"使用率|占用率|利用率")


def _stem(word: str) -> str:
    return (_SAME_WORDS.get(word) or word)[:_STEM]


def _meaning(text: str) -> frozenset[str]:
    """Stems of the Latin words that carry meaning, and pairs of Chinese characters."""
    plain = _SAME_HAN.sub("占用", unicodedata.normalize("NFKC", text).casefold())
    words = {_stem(word) for word in _WORD.findall(plain) if word not in _EMPTY and not word[0].isdigit()}
    for run in _HAN.findall(_EMPTY_HAN.sub(" ", plain)):
        words.update(run[at : at + 2] for at in range(max(len(run) - 1, 1)))
    return frozenset(words)


def _figures(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()) if word[0].isdigit())


def rewords(text: Wording, other: Wording) -> bool:
    """Whether one text asks what the other asks: nearly equal letters, or mostly the same meaning words. Not when one
    speaks of more and the other of less, or of an absence, or their figures differ."""
    if text.asks_the_same(other, OURS.wording_bar):
        return True
    across = bool(_HAN.search(text.text)) != bool(_HAN.search(other.text))
    mine, theirs = (_meaning(in_english(words) if across else words) for words in (text.text, other.text))
    if not mine or not theirs or text.contradicts(other) or (across and len(mine & theirs) < SHARED_TERMS):
        return False
    figures, others = _figures(text.text), _figures(other.text)
    if figures and others and figures != others:
        return False
    return 2 * len(mine & theirs) >= SHARED_WORDS * (len(mine) + len(theirs))
