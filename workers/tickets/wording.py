"""When two wordings mean the same: phenomena and root causes are merged if their normalised texts are equal, and their ids are
computed from that text. A cause that its tickets name by a code is identified by the code, independent of its wording and language.

Near duplicates ("CPU at 95 %", "CPU above 90 %") stay separate, because merging them needs a judgement.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

_ALWAYS_MEANS = r"%<>=≤≥≠+|~^$±→°"
_FOLDED = re.compile(rf"(?!-\d)(?!!=)[^\w\s{_ALWAYS_MEANS}]+?|_")
_SPACE = re.compile(r"\s+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
MAX_CODE = 200
"""The largest number of characters of a cause's code. Longer text is not a code."""

_CODE_MARK = "\x00code\x00"
"""A prefix of codes from which ids are made. No text contains NUL, so no wording has the id of a code."""

_SPACE_AT_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")


def normalise(text: str) -> str:
    """One spelling for wordings that differ in case, width, spacing or punctuation only. Comparisons, signs and
    percentages stay: "CPU > 90%" is not "CPU < 90%". Never empty for a text that is not blank."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = _SPACE.sub(" ", _FOLDED.sub(" ", folded)).strip()
    return _SPACE_AT_CJK.sub("", spaced) or _SPACE.sub(" ", folded).strip() or text


def phenomenon_id(description: str) -> str:
    """The id of the phenomenon that a wording describes. It is the same in every database, independent of the order of imports."""
    return "P-" + _digest(description)


def cause_id(root_cause: str, metadata: Mapping[str, Any] | None = None) -> str:
    """The id of a ticket's cause: by its code in `metadata.cause_id` if it has one, else by its wording."""
    code = cause_code(metadata or {})
    return "C-" + (_digest(root_cause) if code is None else _sha(_CODE_MARK + code))


def cause_code(metadata: Mapping[str, Any]) -> str | None:
    """The code that a ticket names its cause by; None: it has none, or none that can be one."""
    code = metadata.get("cause_id")
    code = code.strip() if isinstance(code, str) else ""
    return code if 0 < len(code) <= MAX_CODE else None


def symptoms_of(description: str, anomalies: Iterable[str]) -> str:
    """What a ticket's symptoms are compared by: its description and phenomena. Never the root cause, the solution or why
    a phenomenon was relevant: those are the answer, and a search that has seen them measures nothing."""
    return "\n".join([description, *anomalies])


def _digest(text: str) -> str:
    return _sha(normalise(text))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
