"""One observation, one question: a text that names several things is split, because "yes" to two things is ambiguous."""

import re
from itertools import pairwise

_HARD = re.compile(r"[\n\r;；。•·]+|(?<=[^\d\s])\.\s+|(?:^|\s|(?<=[\s;；。•·]))(?:\(?\d{1,2}[.)、](?!\d)|\(?[a-d]\)|[-*])\s*")
"""These separate different things."""
_SOFT = re.compile(
    r"\s*[,，]\s*(?:and|or|plus|also|but)\s+|\s+(?:and(?:\s+also)?|or|plus|as well as|but also)\s+"
    r"|[,，、]\s*(?:以及|并且|而且|同时|或者?|和|且)?"
    r"|以及|并且|而且|同时|或者",
    re.IGNORECASE,
)
"""These may also join parts of one thing: "the lag between primary and standby"."""
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|shows?|exceeds?|reach(?:es|ed)?|stays?|contains?|reports?|grows?|grew|rises?|rose"
    r"|drops?|fell|falls?|waits?|fails?|failed|increases?d?|decreases?d?|runs?|spills?|uses?|holds?|blocks?|above|below|over|under"
    r"|high|low|full|slow|large|missing|saturated|exhausted)\b|[<>≥≤=]"
    r"|很|已|高|低|满|慢|大|多|少|超|增|降|升|出现|存在|没有|未|失败|异常|等待|阻塞|不足|缺|耗尽|膨胀|过期|中断|堆积|是|为|有|写入|超时|缓慢",
    re.IGNORECASE,
)
_EDGE = " \t,，、;；:：-–—*•·"
_LEAST = 4
"""Characters of a part that can be a thing of its own."""
_MOST = 6
"""Parts of one text that are looked at."""


def plain(text: str) -> str:
    """One line without list marks at its edges."""
    return " ".join(text.split()).strip(_EDGE)


def single_observations(text: str) -> tuple[str, ...]:
    """The things that a text names, each as a text of its own, in its order; none when it names nothing.

    Parted at line ends, semicolons, sentence ends and list marks; and at commas and "and" where each part says something
    of its own ("the CPU is high and the disk is full", "CPU 使用率很高，磁盘已满").
    """
    parts = [part for piece in _HARD.split(text) if (part := plain(piece)) and _says_something(part)]
    return tuple(dict.fromkeys(single for part in parts for single in _soft(part)))[:_MOST]


def _soft(text: str) -> list[str]:
    """The parts of one sentence, if each of them is a sentence; else the sentence."""
    cuts = [0, *(at for match in _SOFT.finditer(text) for at in match.span()), len(text)]
    parts = [plain(text[start:end]) for start, end in list(pairwise(cuts))[::2]]
    each = all(len(part) >= _LEAST and _PREDICATE.search(part) and _subject(part) for part in parts)
    return parts if len(parts) > 1 and each else [text]


def _subject(part: str) -> bool:
    """Whether the sentence has a subject: "grows without end" has none."""
    found = _PREDICATE.search(part)
    return found is not None and bool(part[: found.start()].strip(_EDGE))


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)
