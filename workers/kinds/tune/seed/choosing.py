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

NAMES_THE_PROBLEM = 1.2
OWN_TERMS: dict[str, tuple[str, ...]] = {"数据倾斜": ("倾斜", "分布", "热点"), "过多Shuffle": ("shuffle", "重分区", "stage")}
"""Of the repository's variant: a description with the problem's own terms weighs more."""

PRIORITY_BASE, PRIORITY_SCRIPT, PRIORITY_LOG, PRIORITY_CONFIGURATION, PRIORITY_TYPE = 0.5, 0.3, 0.2, 0.1, 0.2

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


def relevance_as_coded(description: str, missing: Sequence[str], problem_type: str) -> float:
    """As the document's repository has it: each type counts 1.0 at most, the sum is taken 1.2 times where the description names the
    problem's own terms, and is 1.0 at most."""
    total = sum(relevance(description, (need,)) for need in missing)
    if has_word(description, OWN_TERMS.get(problem_type, ())):
        total *= NAMES_THE_PROBLEM
    return round(min(total, MOST_RELEVANT), 4)


def priority(file: DescribedFile, problem_type: str) -> float:
    """Of the repository's variant: 0.5, and 0.3 for a script, 0.2 for a log, 0.1 for configuration, 0.2 for the problem's own terms;
    1.0 at most."""
    text = f"{file.name} {file.description}"
    total = PRIORITY_BASE
    total += PRIORITY_SCRIPT * has_word(text, ("脚本", "script"))
    total += PRIORITY_LOG * has_word(text, ("日志", "log"))
    total += PRIORITY_CONFIGURATION * has_word(text, ("配置", "config"))
    total += PRIORITY_TYPE * has_word(text, OWN_TERMS.get(problem_type, ()))
    return round(min(total, MOST_RELEVANT), 4)


def reason(description: str, missing: Sequence[str]) -> Statement:
    """Why a file is recommended: a sentence for each of three types of information, or that it may hold something."""
    parts = [reason for need in missing for wanted, words, reason in REASONS if need == wanted and has_word(description, words)]
    return joined(parts) if parts else say("tune.seed.file.anything")


def recommend(problem_type: str, files: Sequence[DescribedFile], analysis: str, *, as_coded: bool = False) -> tuple[Recommendation, ...]:
    """Every file that scores more than 0.3, the best first; what was read is not left out here. `as_coded`: by the repository's
    relevance, ties by its priority of files."""
    missing = missing_information(problem_type, analysis)
    scored: list[tuple[float, float, DescribedFile]] = []
    for file in files:
        if as_coded:
            scored.append((relevance_as_coded(file.description, missing, problem_type), priority(file, problem_type), file))
        else:
            scored.append((relevance(file.description, missing), 0.0, file))
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
        for value, _, file in sorted(scored, key=lambda item: (-item[0], -item[1]))
        if value > THRESHOLD
    )
