"""What a user's description mentions of possible problems, and what it denies: `no skew, but the shuffle is huge`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.verdicts import TuningClass, VerdictKind
from workers.kinds.tune.rules.symptom_words import ALMOST_DONE, FLAGS, NAMES, PROGRESS, SYMPTOMS

CHARS = 20_000
"""As long as a request's description may be; what lies beyond is not looked at."""

MOST = 200
"""Mentions: a text that has more repeats itself, or is a log."""

STUCK: dict[VerdictKind, float] = {VerdictKind.DATA_SKEW: 0.6, VerdictKind.STRAGGLER: 0.35}
"""`199/200`: a stage that waits for its last task."""

_CLAUSES = re.compile(
    r"[.;:!?,，。；：！？\n]|\b(?:but|because|since|however|although|while|due to|caused by|thanks to)\b|因为|由于|但是?|而是|不过|可是"
    r"|(?<=[\u3400-\u9fff])\s",
    FLAGS,
)
"""Where a denial ends. A point inside a number parts nothing that matters."""

_SENTENCES = re.compile(r"[.;!。；！\n]")

_NO_DENIAL = re.compile(
    r"\bno doubt\b|\bno idea\b|\bnot (?:only|just|sure|clear|known|certain)\b|\b(?:do not|don['’]t|does not|doesn['’]t) (?:only|know)\b"
    r"|不仅|不只|不但|不光|不知道|不确定|不清楚|毫无疑问|无疑|是不是|有没有|不得不",
    FLAGS,
)
"""Words that deny, in turns of phrase that do not."""

_DENIED_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|without|neither|nor|hardly|cannot be|can['’]t be|free of|rather than|instead of|rules? out|ruled out|excluded?)"
    r"|n['’]t)(?:[^\w]+[\w']+){0,5}[^\w]*$"
    r"|(?:不是|不像|不属于|不存在|并非|并不|没有|没见|没看到|没发现|未见|未发现|未出现|未发生|已?排除了?|而非|不算).{0,8}$"
    r"|(?:非|无|不|没|毫无|无明显|无显著)$",
    FLAGS,
)
_DENIED_AFTER = re.compile(
    r"^\W*(?:is|was|are|were)(?:n['’]t| not) (?:the|a|an|our) (?:problem|issue|cause|reason|case)"
    r"|^\W*(?:(?:is|was|has been|can be|could be|already) ){0,2}(?:ruled out|excluded|unlikely)"
    r"|^的?(?:问题|现象|情况)?(?:已经?|可以|可)?(?:被)?排除|^的?(?:问题|现象|情况)?(?:并)?不(?:是(?:问题|原因|主因)|存在|明显|严重)|^(?:没有|没)问题|^正常",
    FLAGS,
)
_LINK = re.compile(r"^[\s,]*(?:or|nor|/|、|或者?|和|以及)[\s]*(?:any |the |a )?$", FLAGS)
"""Between two mentions: what is said of the first holds for the second."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place of the description that names a problem or what it looks like."""

    text: str
    start: int
    speaks_for: dict[VerdictKind, float]
    is_denied: bool

    @property
    def meaning(self) -> VerdictKind:
        """What it speaks for most."""
        return max(self.speaks_for, key=lambda kind: self.speaks_for[kind])


def mentions(description: str) -> tuple[Mention, ...]:
    """In the order of the text. Overlapping words of several meanings each count."""
    text = description[:CHARS]
    found = sorted(_hits(text), key=lambda hit: (hit[0], -hit[1]))[:MOST]
    result: list[Mention] = []
    ended, denied = 0, False
    for start, end, speaks_for, is_remedy in found:
        linked = denied and ended <= start and bool(_LINK.match(text[ended:start]))
        denied = not is_remedy and (linked or _is_denied(text, start, end))
        ended = end
        result.append(Mention(text[start:end], start, speaks_for, denied))
    return tuple(result)


def lists_all_classes(description: str) -> bool:
    """A sentence of it has the names of all three classes, as a question does that offers them as options."""
    return any(all(name.search(sentence) for name in NAMES.values()) for sentence in _SENTENCES.split(description[:CHARS]))


def is_class_name(mention: Mention) -> bool:
    """It is no more than the name of a class."""
    return any(name.fullmatch(mention.text) for name in (NAMES[TuningClass.DATA_SKEW], NAMES[TuningClass.EXCESS_SHUFFLE]))


def _hits(text: str) -> Iterator[tuple[int, int, dict[VerdictKind, float], bool]]:
    for symptom in SYMPTOMS:
        for found in symptom.words.finditer(text):
            yield found.start(), found.end(), symptom.speaks_for, symptom.is_remedy
    for found in PROGRESS.finditer(text):
        done, of = int(found[1]), int(found[2])
        if ALMOST_DONE * of <= done < of:
            yield found.start(), found.end(), STUCK, False


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether words before a mention, or right after it in the same clause, deny it."""
    begin, rest = max(0, start - 80), text[end : end + 60]
    before = _NO_DENIAL.sub(" ~ ", _CLAUSES.split(text[begin:start])[-1])
    return bool(_DENIED_BEFORE.search(before) or _DENIED_AFTER.match(_CLAUSES.split(rest)[0]))
