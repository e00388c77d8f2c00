"""The `seed` profile's choice of files: a sum over words that the file's description shares with what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.bundles import Catalogue
from contracts.statements import Statement, say
from contracts.tune.steps import Recommendation
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.rules.saying import joined
from workers.kinds.tune.seed.vocabulary import OFFERED_BY, REQUIRED, has_word
from workers.saying import text_of

CHINESE = "zh"
"""The language of the words that the profile looks for."""

PER_WORD = 0.2
THRESHOLD = 0.3
"""A file has to score more. One word scores 0.2, so a file that is described by one fitting word is never recommended."""
MOST_RELEVANT = 1.0

REASONS: tuple[tuple[str, tuple[str, ...], Statement], ...] = (
    ("用户脚本逻辑", ("脚本", "代码"), say("tune.seed.file.script")),
    ("Stage运行情况", ("stage", "运行"), say("tune.seed.file.stages")),
    ("数据分布情况", ("分布", "倾斜"), say("tune.seed.file.distribution")),
)
"""(Type of information, words of the description, what is said of it)."""


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A file as the profile knows it: by a sentence about what such files hold."""

    name: str
    description: str
    parser: str | None = None
    kind: str = "unknown"


def files_of(catalogue: Catalogue, kinds: Mapping[str, ArtefactKind]) -> tuple[DescribedFile, ...]:
    """The files of a bundle with their kinds' Chinese descriptions; of an unknown kind the description is empty."""
    found: list[DescribedFile] = []
    for artefact in catalogue.artefacts:
        kind = kinds.get(artefact.kind)
        description = text_of(kind.description, CHINESE) if kind else ""
        found.append(DescribedFile(artefact.name, description, kind.parser if kind else None, artefact.kind))
    return tuple(found)


def missing_information(problem_type: str, analysis: str) -> tuple[str, ...]:
    """The required types that the analysis does not have. The document leaves open how that is seen; here by the words that offer
    them, so a type without words is always missing."""
    return tuple(need for need in REQUIRED.get(problem_type, ()) if not has_word(analysis, OFFERED_BY.get(need, ())))


def relevance(description: str, missing: Sequence[str]) -> float:
    """0.2 for each word of a missing type that the description has, 1.0 at most."""
    words = [word for need in missing for word in OFFERED_BY.get(need, ()) if word.lower() in description.lower()]
    return round(min(PER_WORD * len(words), MOST_RELEVANT), 4)


def reason(description: str, missing: Sequence[str]) -> Statement:
    """Why a file is recommended: a sentence for each of three types of information, or that it may hold something."""
    parts = [reason for need in missing for wanted, words, reason in REASONS if need == wanted and has_word(description, words)]
    return joined(parts) if parts else say("tune.seed.file.anything")


def recommend(problem_type: str, files: Sequence[DescribedFile], analysis: str) -> tuple[Recommendation, ...]:
    """Every file that scores more than 0.3, the best first; what was read is not left out here."""
    missing = missing_information(problem_type, analysis)
    scored = [(relevance(file.description, missing), file) for file in files]
    return tuple(
        Recommendation(
            name=file.name,
            kind=file.kind,
            content_description=file.description,
            relevance=value,
            reason=reason(file.description, missing),
            requires_parser=file.parser is not None,
            parser=file.parser,
        )
        for value, file in sorted(scored, key=lambda item: -item[0])
        if value > THRESHOLD
    )
