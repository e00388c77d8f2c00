"""How far the work is, and what it has found so far: by class."""

from collections.abc import Sequence

from contracts.bundles import Information
from contracts.code import OperationKind
from contracts.tune.steps import Evidence, KeyCode, KeySpot, Standing
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from workers.engines.language import Lang
from workers.engines.spark.call_sites import SHUFFLING
from workers.kinds.tune.rules.causes_wording import listed
from workers.kinds.tune.rules.classify import CLASS_OF
from workers.kinds.tune.rules.known_causes import MEASURED
from workers.kinds.tune.rules.recommend.wording import ASPECTS, SENTENCES
from workers.kinds.tune.rules.standing import present
from workers.kinds.tune.rules.wording import summary

MOST = 6
"""Findings that are told."""

PLACES = 4
TEXT_CHARS = 60


def progress(tuning_class: TuningClass, evidence: Evidence, sufficient: bool, language: Lang) -> dict[str, float]:
    """Aspect → share done, in the order of the work. Half of locating a problem is the stage, the other half the line."""
    known = present(evidence.read)
    own = [one for one in evidence.findings.verdicts if one.severity is Severity.PROBLEM and CLASS_OF.get(one.kind) is tuning_class]
    located = max((0.5 + 0.5 * bool(one.blame.spots) for one in own), default=0.0)
    settled = [one.standing is not Standing.OPEN for one in evidence.hypotheses]
    explained = sum(settled) / len(settled) if settled else 0.0
    aspects = ASPECTS[language][tuning_class]
    if len(aspects) == 1:
        measured = float(bool(MEASURED & known))
        return {aspects[0]: round((measured + explained) / 2, 4)}
    done = (float(Information.SCRIPT_LOGIC in known), located, explained, float(sufficient))
    return {aspect: round(share, 4) for aspect, share in zip(aspects, done, strict=True)}


def key_findings(tuning_class: TuningClass, evidence: Evidence, key_code: KeyCode, language: Lang) -> tuple[str, ...]:
    """Of data skew the joins and how data is spread, of excess shuffle the shuffles and how the stages ran, else the problems: each
    from what was read, none from words."""
    if tuning_class is TuningClass.DATA_SKEW:
        return _skew(evidence, key_code, language)[:MOST]
    if tuning_class is TuningClass.EXCESS_SHUFFLE:
        return _shuffle(evidence, key_code, language)[:MOST]
    return tuple(summary(one, language) for one in evidence.findings.verdicts if one.severity is Severity.PROBLEM)[:MOST]


def _skew(evidence: Evidence, key_code: KeyCode, language: Lang) -> tuple[str, ...]:
    sentences = SENTENCES[language]
    joins = [one for one in key_code.spots if one.operation == OperationKind.JOIN.value]
    found = [sentences["joins"].format(places=_places(joins, language))] if joins else []
    uneven = _problems(evidence, {VerdictKind.DATA_SKEW})
    found += [sentences["uneven"].format(verdict=summary(one, language)) for one in uneven]
    if not uneven and Information.DATA_DISTRIBUTION in present(evidence.read):
        found.append(sentences["even"])
    return tuple(found)


def _shuffle(evidence: Evidence, key_code: KeyCode, language: Lang) -> tuple[str, ...]:
    sentences = SENTENCES[language]
    shuffles = [one for one in key_code.spots if one.operation in SHUFFLING]
    found = [sentences["shuffles"].format(places=_places(shuffles, language))] if shuffles else []
    own = {kind for kind, owner in CLASS_OF.items() if owner is TuningClass.EXCESS_SHUFFLE}
    found += [sentences["shuffled"].format(verdict=summary(one, language)) for one in _problems(evidence, own)]
    names = [one.name for one in evidence.read if Information.STAGE_RUNS in one.tells]
    if names:
        found.append(sentences["stages"].format(names=listed(names[:PLACES], language)))
    return tuple(found)


def _problems(evidence: Evidence, kinds: set[VerdictKind]) -> list[Verdict]:
    return [one for one in evidence.findings.verdicts if one.severity is Severity.PROBLEM and one.kind in kinds]


def _places(spots: Sequence[KeySpot], language: Lang) -> str:
    place = SENTENCES[language]["place"]
    return listed([place.format(name=one.artefact, line=one.line, text=one.text[:TEXT_CHARS]) for one in spots[:PLACES]], language)
