"""Two phenomena may share every word but one, and that one decides: "above 90 %" and "below 20 %", "wait event tuple" and
"wait event SyncRep". An observation that says something else than a phenomenon is never taken for it, however alike the
two look: a phenomenon confirmed by mistake costs a wrong diagnosis, one that is overlooked costs a question."""

import re
from dataclasses import dataclass
from functools import lru_cache

from workers.engines.denials import denies
from workers.engines.language import latin_share
from workers.retrieval.tokens import tokens

_UP = re.compile(
    r"\b(more|above|exceed(s|ed|ing)?|over|larger|greater|higher|high|many|long|slow|grow(s|n|ing)?|increas\w*|rises?|full)\b|[>≥]"
    r"|超过|高于|大于|多于|以上|过高|过多|过大|升高|增长|增加|上升|很高|很多|不少于|不低于"
)
_DOWN = re.compile(
    r"\b(less|below|under|smaller|lower|low|few|fewer|short|fast|shrink\w*|decreas\w*|drops?|falls?|empty)\b|[<≤]"
    r"|不到|低于|小于|少于|以下|过低|过少|过小|下降|减少|降低|很低|很少|不足|不超过|不高于"
)


_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.]+")
_NAME = re.compile(r"[A-Za-z]+[a-z][A-Z]|[A-Z]{2}|[A-Za-z0-9][_.][A-Za-z0-9]|[A-Za-z][0-9]")
_KEPT_CHARACTERS = 500
"""Phenomena are compared with every observation; 2,048 of them, read once, are some 5 MB."""

_UNIT = frozenset({"KB", "MB", "GB", "TB", "KiB", "MiB", "GiB"})


def contradict(text: str, other: str) -> bool:
    """Whether one text says more where the other says less, denies what it states, or names other things."""
    return opposed(text, other) or name_other_things(text, other)


def name_other_things(text: str, other: str) -> bool:
    """Whether either text names things (views, settings, wait events, error texts) of which the other contains none."""
    mine, theirs = _said(text), _said(other)
    compared = ((mine.names, theirs.words), (theirs.names, mine.words))
    return any(names and names.isdisjoint(words) for names, words in compared)


def _names(text: str) -> set[str]:
    """Words that are names: any Latin word in a Chinese text; elsewhere those with an inner capital, `_`, `.` or digit."""
    words = [word.rstrip(".") for word in _LATIN_WORD.findall(text)]
    chinese = latin_share(text) < 0.9
    chosen = [word for word in words if word not in _UNIT and (chinese or _NAME.search(word))]
    return {token for word in chosen for token in tokens(word)[:1]}  # the whole name: WALSync is not SyncRep


def opposed(text: str, other: str) -> bool:
    """Whether one of two similar texts says more where the other says less, or denies what the other states."""
    mine, theirs = _said(text), _said(other)
    return {mine.direction, theirs.direction} == {1, -1} or mine.denies != theirs.denies


def states(text: str, other: str) -> bool:
    """Whether a text has each word of another, and neither says less nor denies it."""
    words = _said(other).words
    return bool(words) and words <= _said(text).words and not opposed(text, other)


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a text that decide whether it contradicts another."""

    names: frozenset[str]
    words: frozenset[str]
    direction: int
    denies: bool


def _said(text: str) -> _Said:
    return _kept(text) if len(text) <= _KEPT_CHARACTERS else _read(text)


@lru_cache(2_048)
def _kept(text: str) -> _Said:
    return _read(text)


def _read(text: str) -> _Said:
    return _Said(frozenset(_names(text)), frozenset(tokens(text)), _direction(text), denies(text))


def _direction(text: str) -> int:
    text = text.casefold()
    down = _DOWN.findall(text)
    up = _UP.findall(_DOWN.sub(" ", text))
    return (len(up) > len(down)) - (len(down) > len(up))
