"""Corrections that name both: `not 5 but 3`, `2025, not 2026`, 不是5个，是3个."""

import re

from workers.engines.squeezing import squeezed

_CORRECTIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:(?:no|sorry|actually|well|oh)\W+)*(?:i (?:said|meant|mean) )?not (?P<old>.+?)[,;\s]+(?:but|rather) (?P<new>.+?)\W*$",
        r"^\W*(?:(?:no|sorry|actually|well|oh)\W+)*(?:i (?:said|meant|mean) )?(?P<new>[^,;]+?)(?:[,;]\s*|\s+and )not (?P<old>.+?)\W*$",
        r"^\W*(?:(?:no|sorry|actually|well|oh)\W+)*(?P<new>.+?) (?:instead of|rather than) (?P<old>.+?)\W*$",
        r"^\W*(?:不对|错了|抱歉|不好意思)?\W*(?:我说的|我要的|我指的|应该)?不(?:是|要)(?P<old>[^，,；;。]+?)[，,；;\s]*(?:而是|应该是|是|而要|要)(?P<new>.+?)\W*$",
        r"^\W*(?:不对|错了|抱歉|不好意思)?\W*(?:我说的|我要的|我指的|应该)?是(?P<new>[^，,；;。]+?)[，,；;\s]*(?:而)?不是(?P<old>.+?)\W*$",
    )
)
_MOST_CHARACTERS = 500
"""Characters of such a correction."""


def corrected(before: str, words: str) -> str | None:
    """The question before with what was wrong replaced by what is right. None where the words are no such correction, or where the wrong is
    not in the question, or is in it twice."""
    words = squeezed(words)
    if len(words) > _MOST_CHARACTERS:
        return None
    for pattern in _CORRECTIONS:
        if (match := pattern.match(words)) is None:
            continue
        places = [found.start() for found in re.finditer(_whole(match["old"]), before, re.IGNORECASE)]
        if len(places) == 1:
            return f"{before[: places[0]]}{match['new']}{before[places[0] + len(match['old']) :]}"
    return None


def _whole(words: str) -> str:
    """The words where they do not go on: not the 5 of 15."""
    begin = r"(?<![A-Za-z0-9.])" if re.match(r"[A-Za-z0-9]", words) else ""
    end = r"(?![A-Za-z0-9])" if re.search(r"[A-Za-z0-9]$", words) else ""
    return f"{begin}{re.escape(words)}{end}"
