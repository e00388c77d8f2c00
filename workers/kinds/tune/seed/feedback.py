"""The `seed` profile's rounds: a file's content is added to the analysis, and the analysis is searched for words again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

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
SUMMARY_CHARS = 100
WORDS = "analysis text"
"""Where information is present by this profile: in no artefact, but in the words of the analysis."""

NOTHING_READ = "尚未读取任何文件"


@dataclass(frozen=True, slots=True)
class FileRead:
    """An entry of the history."""

    name: str
    summary: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Feedback:
    """What came of reading a file."""

    history: tuple[FileRead, ...]
    analysis: str
    check: InformationCheck


def after_reading(
    history: Sequence[FileRead],
    file: FileRead,
    content: str,
    *,
    problem_type: str,
    analysis: str,
    files: Sequence[DescribedFile],
) -> Feedback:
    """The history and the analysis with this file in them, and what follows."""
    grown = (*history, file)
    text = f"{analysis}\n\n【{file.name}】\n{content}"
    return Feedback(grown, text, judge(problem_type, text, files, [file.name for file in grown], content))


def judge(
    problem_type: str,
    analysis: str,
    files: Sequence[DescribedFile],
    read: Sequence[str],
    content: str = "",
    *,
    as_coded: bool = False,
) -> InformationCheck:
    """Sufficiency, progress and the next files, by the words of the analysis; key findings by those of the last file's content."""
    required = SUFFICIENT_WITH.get(problem_type, ())
    present = [need for need in required if has_word(analysis, PRESENT_BY.get(need, ()))]
    score = len(present) / len(required) if required else 1.0
    sufficient = score >= SUFFICIENT_FROM.get(problem_type, SUFFICIENT_FROM_OTHER)
    following = (
        [] if sufficient else [file for file in recommend(problem_type, files, analysis, as_coded=as_coded) if file.name not in read]
    )
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
    """Each aspect of the work is done when its name stands in the analysis; the document leaves open how it is seen."""
    return {aspect: float(aspect in analysis) for aspect in ASPECTS.get(problem_type, OTHER_ASPECTS)}


def key_findings(problem_type: str, content: str) -> tuple[Statement, ...]:
    """What a file's words let suppose, for the two named types."""
    asked: dict[str, tuple[tuple[tuple[str, ...], Statement], ...]] = {
        "数据倾斜": ((("join",), say("tune.seed.found.join")), (("倾斜", "热点", "不均匀"), say("tune.seed.found.uneven"))),
        "过多Shuffle": ((("shuffle", "重分区"), say("tune.seed.found.shuffle")), (("stage",), say("tune.seed.found.stages"))),
    }
    return tuple(focus for words, focus in asked.get(problem_type, ()) if has_word(content, words))


def summary_of(content: str) -> str:
    """The first line that is not blank, cut to 100 characters; the document leaves open what a summary is."""
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    return line[:SUMMARY_CHARS]


def reading_summary(history: Sequence[FileRead]) -> str:
    """What was read so far, a line each."""
    if not history:
        return NOTHING_READ
    return f"已读取{len(history)}个文件：\n" + "".join(f"- {file.name}: {file.summary}\n" for file in history)
