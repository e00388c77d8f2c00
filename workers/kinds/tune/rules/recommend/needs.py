"""What has to be known for a class and its hypotheses, by weight, and how much of it is known. Only the artefacts that were read count,
never a word in some text."""

from collections.abc import Iterable, Mapping, Sequence

from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.tune.steps import Hypothesis, Need
from contracts.verdicts import TuningClass
from workers.engines.artefacts.kinds import ArtefactKind

BY_CLASS: dict[TuningClass, dict[Information, float]] = {
    TuningClass.DATA_SKEW: {
        Information.DATA_DISTRIBUTION: 0.25,
        Information.RUN_METRICS: 0.15,
        Information.SCRIPT_LOGIC: 0.15,
        Information.JOIN_DETAILS: 0.15,
        Information.HOT_KEYS: 0.2,
        Information.PARTITIONING: 0.1,
    },
    TuningClass.EXCESS_SHUFFLE: {
        Information.SHUFFLE_STATISTICS: 0.25,
        Information.OPERATORS: 0.2,
        Information.SCRIPT_LOGIC: 0.15,
        Information.DATA_FLOW: 0.15,
        Information.STAGE_RUNS: 0.15,
        Information.DATA_VOLUME: 0.1,
    },
}
"""Six kinds of information for each named class; what tells the class itself weighs most, then what its remedies have to name."""

CLASS_PART = 0.8
"""Share of the weight for the needs of the class; the rest is for the hypotheses, which may look beyond the class."""

OTHERS: dict[Information, float] = {Information.SCRIPT_LOGIC: 1.0}
"""The other classes need what their hypotheses need, and the code that a remedy would change."""

NO_PROBLEM: dict[Information, float] = {
    Information.SCRIPT_LOGIC: 0.4,
    Information.DATA_DISTRIBUTION: 0.3,
    Information.SHUFFLE_STATISTICS: 0.3,
}
"""That nothing is wrong may be said only of a run whose spread and shuffles were looked at."""

OTHERS_PART = 0.2


def needs_of(tuning_class: TuningClass, hypotheses: Sequence[Hypothesis], read: Sequence[ArtefactRead]) -> tuple[Need, ...]:
    """The needs, heaviest first; their weights sum to one."""
    own = NO_PROBLEM if tuning_class is TuningClass.NONE else BY_CLASS.get(tuning_class, OTHERS)
    asked = _asked(hypotheses)
    part = 1.0 if not asked else CLASS_PART if tuning_class in BY_CLASS else OTHERS_PART
    weights = {information: part * own.get(information, 0) + (1 - part) * asked.get(information, 0) for information in Information}
    return tuple(
        Need(
            information=information,
            weight=round(weight, 4),
            present_in=tuple(dict.fromkeys(artefact.name for artefact in read if information in artefact.tells)),
        )
        for information, weight in sorted(weights.items(), key=lambda item: -item[1])
        if weight > 0
    )


def score(needs: Iterable[Need]) -> float:
    """The weights of what is present, of all."""
    needs = tuple(needs)
    return min(1.0, round(sum(need.weight for need in needs if need.present_in) / sum(need.weight for need in needs), 4))


def unread(catalogue: Catalogue, read: Sequence[ArtefactRead]) -> tuple[Artefact, ...]:
    """What was not read yet, in the catalogue's order. What was read in vain is not read again."""
    names = {artefact.name for artefact in read}
    return tuple(artefact for artefact in catalogue.artefacts if artefact.name not in names)


def can_tell(artefact: Artefact, kinds: Mapping[str, ArtefactKind]) -> frozenset[Information]:
    """What such an artefact tells at best; nothing for an unknown kind, an empty file, or one that is too large to be read."""
    kind = kinds.get(artefact.kind)
    return kind.tells if kind is not None and 0 < artefact.size_bytes <= kind.max_bytes else frozenset()


def _asked(hypotheses: Sequence[Hypothesis]) -> dict[Information, float]:
    """The hypotheses' needs by how likely they are, each hypothesis's prior parted among its needs."""
    found: dict[Information, float] = {}
    for hypothesis in hypotheses:
        for need in hypothesis.needs:
            found[need] = found.get(need, 0) + hypothesis.prior / len(hypothesis.needs)
    total = sum(found.values())
    return {information: weight / total for information, weight in found.items()} if total else {}
