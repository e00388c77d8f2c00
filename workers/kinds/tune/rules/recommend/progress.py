"""How far the work is, and what it has found so far: by class."""

from collections.abc import Sequence

from contracts.bundles import Information
from contracts.code import OperationKind
from contracts.statements import Sayable, Value, code, listing, name, say
from contracts.tune.steps import Aspect, Evidence, KeyCode, KeySpot, Standing
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from workers.engines.spark.call_sites import SHUFFLING
from workers.kinds.tune.rules.known_causes import CLASS_OF, MEASURED
from workers.kinds.tune.rules.saying import names, shown_name, value_of
from workers.kinds.tune.rules.standing import present

ASPECTS = (Aspect.SCRIPT_UNDERSTOOD, Aspect.PROBLEM_LOCATED, Aspect.CAUSE_EXPLAINED, Aspect.READY_FOR_PLAN)
"""In the order of the work, for a class whose remedies have to name a place."""

MOST = 6
"""Findings that are shown."""

PLACES = 4
TEXT_CHARS = 60


def progress(tuning_class: TuningClass, evidence: Evidence, sufficient: bool) -> dict[str, float]:
    """Aspect → share done, in the order of the work. Half of locating a problem is the stage, the other half the line."""
    known = present(evidence.read)
    own = [
        verdict
        for verdict in evidence.findings.verdicts
        if verdict.severity is Severity.PROBLEM and CLASS_OF.get(verdict.kind) is tuning_class
    ]
    located = max((0.5 + 0.5 * bool(verdict.blame.spots) for verdict in own), default=0.0)
    settled = [hypothesis.standing is not Standing.OPEN for hypothesis in evidence.hypotheses]
    explained = sum(settled) / len(settled) if settled else 0.0
    if tuning_class not in (TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE):
        measured = float(bool(MEASURED & known))
        return {Aspect.BASIC_ANALYSIS.value: round((measured + explained) / 2, 4)}
    done = (float(Information.SCRIPT_LOGIC in known), located, explained, float(sufficient))
    return {aspect.value: round(share, 4) for aspect, share in zip(ASPECTS, done, strict=True)}


def key_findings(tuning_class: TuningClass, evidence: Evidence, key_code: KeyCode) -> tuple[Sayable, ...]:
    """Of data skew the joins and how data is spread, of excess shuffle the shuffles and how the stages ran, else the problems: each
    from what was read, none from words."""
    if tuning_class is TuningClass.DATA_SKEW:
        return _skew(evidence, key_code)[:MOST]
    if tuning_class is TuningClass.EXCESS_SHUFFLE:
        return _shuffle(evidence, key_code)[:MOST]
    return tuple(verdict.summary for verdict in evidence.findings.verdicts if verdict.severity is Severity.PROBLEM)[:MOST]


def _skew(evidence: Evidence, key_code: KeyCode) -> tuple[Sayable, ...]:
    joins = [spot for spot in key_code.spots if spot.operation == OperationKind.JOIN.value]
    found: list[Sayable] = [say("tune.found.joins", places=_places(joins))] if joins else []
    uneven = _problems(evidence, {VerdictKind.DATA_SKEW})
    found += [say("tune.found.uneven", finding=value_of(verdict.summary)) for verdict in uneven]
    if not uneven and Information.DATA_DISTRIBUTION in present(evidence.read):
        found.append(say("tune.found.even"))
    return tuple(found)


def _shuffle(evidence: Evidence, key_code: KeyCode) -> tuple[Sayable, ...]:
    shuffles = [spot for spot in key_code.spots if spot.operation in SHUFFLING]
    found: list[Sayable] = [say("tune.found.shuffles", places=_places(shuffles))] if shuffles else []
    own = {kind for kind, owner in CLASS_OF.items() if owner is TuningClass.EXCESS_SHUFFLE}
    found += [say("tune.found.shuffled", finding=value_of(case.summary)) for case in _problems(evidence, own)]
    telling = [artefact.name for artefact in evidence.read if Information.STAGE_RUNS in artefact.tells]
    if telling:
        found.append(say("tune.found.stages", artefacts=names(telling[:PLACES])))
    return tuple(found)


def _problems(evidence: Evidence, kinds: set[VerdictKind]) -> list[Verdict]:
    return [verdict for verdict in evidence.findings.verdicts if verdict.severity is Severity.PROBLEM and verdict.kind in kinds]


def _places(spots: Sequence[KeySpot]) -> Value:
    return listing(
        *(
            say("tune.place", text=code(spot.text[:TEXT_CHARS]), line=name(spot.line), script=shown_name(spot.artefact))
            for spot in spots[:PLACES]
        )
    )
