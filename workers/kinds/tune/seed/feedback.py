"""The `seed` profile's judgement of what was read: the analysis, with the content of the files in it, is searched for words."""

from collections.abc import Sequence

from contracts.statements import Statement, say
from contracts.tune.request import RecommenderProfile
from contracts.tune.steps import InformationCheck, Need
from workers.kinds.tune.seed.choosing import DescribedFile, recommend
from workers.kinds.tune.seed.vocabulary import (
    AS_INFORMATION,
    ASPECTS,
    OTHER_ASPECTS,
    PRESENT_BY,
    SUFFICIENT_FROM,
    SUFFICIENT_FROM_OTHER,
    SUFFICIENT_WITH,
    has_word,
)

MOST_NEXT = 3
WORDS = "analysis text"
"""Where information is present by this profile: in no artefact, but in the words of the analysis."""


def judge(
    problem_type: str,
    analysis: str,
    files: Sequence[DescribedFile],
    read: Sequence[str],
    content: str = "",
) -> InformationCheck:
    """Sufficiency, progress and the next files, by the words of the analysis; key findings by those of the last file's content."""
    required = SUFFICIENT_WITH.get(problem_type, ())
    present = [need for need in required if has_word(analysis, PRESENT_BY.get(need, ()))]
    score = len(present) / len(required) if required else 1.0
    sufficient = score >= SUFFICIENT_FROM.get(problem_type, SUFFICIENT_FROM_OTHER)
    following = [] if sufficient else [file for file in recommend(problem_type, files, analysis) if file.name not in read]
    return InformationCheck(
        sufficient=sufficient,
        score=round(score, 4),
        needs=tuple(
            Need(information=AS_INFORMATION[need], weight=1 / len(required), present_in=(WORDS,) if need in present else ())
            for need in required
        ),
        recommended=tuple(following[:MOST_NEXT]),
        progress=progress(problem_type, analysis),
        key_findings=key_findings(problem_type, content),
        profile=RecommenderProfile.SEED,
    )


def progress(problem_type: str, analysis: str) -> dict[str, float]:
    """An aspect of the work counts as done when its name appears in the analysis; the document leaves open how to see it."""
    return {aspect: float(aspect in analysis) for aspect in ASPECTS.get(problem_type, OTHER_ASPECTS)}


def key_findings(problem_type: str, content: str) -> tuple[Statement, ...]:
    """What a file's words let suppose, for the two named types."""
    asked: dict[str, tuple[tuple[tuple[str, ...], Statement], ...]] = {
        "数据倾斜": ((("join",), say("tune.seed.found.join")), (("倾斜", "热点", "不均匀"), say("tune.seed.found.uneven"))),
        "过多Shuffle": ((("shuffle", "重分区"), say("tune.seed.found.shuffle")), (("stage",), say("tune.seed.found.stages"))),
    }
    return tuple(focus for words, focus in asked.get(problem_type, ()) if has_word(content, words))
