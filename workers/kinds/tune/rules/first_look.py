"""The class of a run: first by the user's words and code alone, then by what was measured, which beats words.

A class by words is preliminary. What the words bear adds up for each class; a part of one is left for `none`, so that a single weak
hint decides nothing."""

from collections.abc import Iterable, Sequence
from itertools import islice

from contracts.bundles import ArtefactRead, Catalogue
from contracts.statements import Sayable, code, name, quote, say
from contracts.tune.steps import Classification
from contracts.verdicts import ClassScore, Findings, Severity, TuningClass, VerdictKind
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.classify import CLASS_OF
from workers.kinds.tune.rules.code_leads import heavier_first, speaks_for
from workers.kinds.tune.rules.known_causes import MEASURED
from workers.kinds.tune.rules.mentions import Mention, is_class_name, lists_all_classes, mentions
from workers.kinds.tune.rules.saying import kind_term, kinds_named, shown_name

PROBLEMS = (TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER)

UNSAID = 0.4
"""Mass of `none`: what one clear word has to outweigh."""

LEAD = 1.25
"""A class by words has to bear so many times what the next one does."""

CODE_MOST = 0.3
"""Code adds at most so much to a class: every job joins and groups."""

REASONS = 6
QUOTED_CHARS = 60

KEPT_FOR: dict[str, dict[VerdictKind, float]] = {
    "skew_report": {VerdictKind.DATA_SKEW: 0.2},
    "scope_error": {VerdictKind.JOB_ERROR: 0.2},
}
"""Files that somebody keeps for one purpose."""


def classify_by_words(description: str, scripts: Sequence[NamedScript], catalogue: Catalogue) -> Classification:
    """The preliminary class; `none` where nothing points anywhere, or at several classes alike. The scores sum to one."""
    said = mentions(description)
    options = lists_all_classes(description)
    by_word = {one: _said_for(one, said, options) for one in PROBLEMS}
    by_code = {one: _code_for(one, scripts, catalogue) for one in PROBLEMS}
    mass = {one: by_word[one] + min(CODE_MOST, by_code[one]) for one in PROBLEMS}
    ranked = sorted(PROBLEMS, key=lambda one: -mass[one])
    leads = mass[ranked[0]] > UNSAID and mass[ranked[0]] >= LEAD * mass[ranked[1]]
    total = sum(mass.values()) + UNSAID
    scores = [ClassScore(tuning_class=one, score=round(mass[one] / total, 4)) for one in ranked]
    scores.append(ClassScore(tuning_class=TuningClass.NONE, score=round(UNSAID / total, 4)))
    return Classification(
        tuning_class=ranked[0] if leads else TuningClass.NONE,
        scores=tuple(sorted(scores, key=lambda one: -one.score)),
        reasons=_reasons(said, scripts, catalogue, options, leads),
        is_preliminary=True,
    )


def classification(
    findings: Findings | None,
    preliminary: Classification,
    read: Sequence[ArtefactRead],
) -> Classification:
    """The class by what was read so far: the findings' once anything was measured, else the one before. `corrected_from` names a class
    that the evidence contradicts; not having known one corrects nothing."""
    if findings is None or not is_measured(findings, read):
        return preliminary.model_copy(update={"read": tuple(read)})
    carried = [findings.verdicts[place] for score in findings.scores for place in score.carried_by]
    own = [one for one in carried if CLASS_OF.get(one.kind) is findings.tuning_class]
    reasons = [one.summary for one in own[:REASONS]] or [say("tune.reason.no_problem")]
    return Classification(
        tuning_class=findings.tuning_class,
        scores=findings.scores,
        reasons=tuple(reasons),
        kinds=tuple(dict.fromkeys(one.kind for one in findings.verdicts if one.severity is Severity.PROBLEM)),
        read=tuple(read),
        corrected_from=_corrected_from(preliminary, findings.tuning_class),
    )


def is_measured(findings: Findings, read: Iterable[ArtefactRead]) -> bool:
    """Something of the run itself was read: numbers, or an error that is a problem by itself."""
    told = any(MEASURED & set(one.tells) for one in read)
    return told or any(one.severity is Severity.PROBLEM for one in findings.verdicts)


def _corrected_from(before: Classification, now: TuningClass) -> TuningClass | None:
    if before.tuning_class is now:
        return before.corrected_from
    if before.tuning_class is TuningClass.NONE:
        return before.corrected_from if before.corrected_from is not now else None
    return before.tuning_class


def _said_for(wanted: TuningClass, said: Sequence[Mention], options: bool) -> float:
    """What the words bear for a class: of each mention what it bears most, once for all mentions of the same meaning. A denied problem
    bears nothing, whatever else is said for it."""
    counted = [one for one in said if not (options and is_class_name(one))]
    denied = {one.meaning for one in counted if one.is_denied}
    heaviest: dict[VerdictKind, float] = {}
    for one in counted:
        own = max((weight for kind, weight in one.speaks_for.items() if CLASS_OF[kind] is wanted and kind not in denied), default=0.0)
        if not one.is_denied:
            heaviest[one.meaning] = max(heaviest.get(one.meaning, 0), own)
    return sum(heaviest.values())


def _code_for(wanted: TuningClass, scripts: Sequence[NamedScript], catalogue: Catalogue) -> float:
    weights = [speaks_for(operation) for _, facts, _ in scripts for operation in facts.operations]
    weights += [KEPT_FOR[one.kind] for one in catalogue.artefacts if one.kind in KEPT_FOR and one.size_bytes]
    return sum(max((weight for kind, weight in one.items() if CLASS_OF[kind] is wanted), default=0) for one in weights)


def _reasons(
    said: Sequence[Mention],
    scripts: Sequence[NamedScript],
    catalogue: Catalogue,
    options: bool,
    leads: bool,
) -> tuple[Sayable, ...]:
    found: list[Sayable] = [say("tune.reason.options")] if options else []
    for mention in said:
        if options and is_class_name(mention):
            continue
        words, kind = quote(mention.text[:QUOTED_CHARS]), kind_term(mention.meaning)
        found.append(say("tune.reason.denied", words=words) if mention.is_denied else say("tune.reason.said", words=words, kind=kind))
    for script, _, operation, _ in islice(heavier_first(scripts), REASONS):
        text, kinds = code(operation.text[:QUOTED_CHARS]), kinds_named(speaks_for(operation))
        found.append(say("tune.reason.code", script=shown_name(script), line=name(operation.line), text=text, kinds=kinds))
    kept = [one.name for one in catalogue.artefacts if one.kind in KEPT_FOR and one.size_bytes]
    found += [say("tune.reason.kept", artefact=shown_name(artefact)) for artefact in kept]
    if not leads:
        found.insert(0, say("tune.reason.even") if found else say("tune.reason.nothing"))
    return tuple(dict.fromkeys(found))[:REASONS]
