"""When two wordings are one thing: phenomena and root causes are merged by equal normalised text, and their ids say so.

Near duplicates ("CPU at 95 %", "CPU above 90 %") stay apart: merging them needs a judgement, merging these does not.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_ALWAYS_MEANS = r"%<>=≤≥≠+|~^$±→°"
_FOLDED = re.compile(rf"(?!-\d)(?!!=)[^\w\s{_ALWAYS_MEANS}]+?|_")
_SPACE = re.compile(r"\s+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_SPACE_AT_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")


def normalise(text: str) -> str:
    """One spelling for wordings that differ in case, width, spacing or punctuation only. Comparisons, signs and
    percentages stay: "CPU > 90%" is not "CPU < 90%". Never empty for a text that is not blank."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = _SPACE.sub(" ", _FOLDED.sub(" ", folded)).strip()
    return _SPACE_AT_CJK.sub("", spaced) or _SPACE.sub(" ", folded).strip() or text


def phenomenon_id(description: str) -> str:
    """The id of the phenomenon that a wording says: the same in every database, in whatever order tickets arrive."""
    return "P-" + _digest(description)


def cause_id(root_cause: str) -> str:
    """The id of the cause that a wording says, as `phenomenon_id`."""
    return "C-" + _digest(root_cause)


def symptoms_of(description: str, anomalies: Iterable[str]) -> str:
    """What a ticket's symptoms are compared by: its description and phenomena. Never the root cause, the solution or why
    a phenomenon was relevant: those are the answer, and a search that has seen them measures nothing."""
    return "\n".join([description, *anomalies])


def _digest(text: str) -> str:
    return hashlib.sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()[:12]
