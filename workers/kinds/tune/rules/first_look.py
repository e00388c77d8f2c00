"""The class of a run: first by the user's words and code alone, then by what was measured, which beats words.

A class by words is preliminary. What the words bear adds up for each class; a part of one is left for `none`, so that a single weak
hint decides nothing."""

from collections.abc import Iterable, Sequence
from itertools import islice

from contracts.bundles import ArtefactRead, Catalogue
from contracts.statements import Sayable, Statement, code, quote, say
from contracts.tune.steps import Classification
from contracts.verdicts import ClassScore, Findings, Severity, TuningClass, VerdictKind
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.code_leads import heavier_first, speaks_for
from workers.kinds.tune.rules.known import NOTHING_MEASURED, PLAN_ALONE, TASKS_NOT_SEEN
from workers.kinds.tune.rules.known_causes import CLASS_OF, MEASURED
from workers.kinds.tune.rules.mentions import Mention, is_class_name, lists_all_classes, mentions
from workers.kinds.tune.rules.saying import kind_term, kinds_named, line_name, shown_name

PROBLEMS = (TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER)

UNSAID = 0.4
"""Mass of `none`: what one clear word has to outweigh."""

LEAD = 1.25
"""A class by words needs this many times the weight of the next class."""

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
    mentioned = mentions(description)
    options = lists_all_classes(description)
    by_word = {tuning_class: _said_for(tuning_class, mentioned, options) for tuning_class in PROBLEMS}
    by_code = {tuning_class: _code_for(tuning_class, scripts, catalogue) for tuning_class in PROBLEMS}
    mass = {tuning_class: by_word[tuning_class] + min(CODE_MOST, by_code[tuning_class]) for tuning_class in PROBLEMS}
    ranked = sorted(PROBLEMS, key=lambda tuning_class: -mass[tuning_class])
    leads = mass[ranked[0]] > UNSAID and mass[ranked[0]] >= LEAD * mass[ranked[1]]
    total = sum(mass.values()) + UNSAID
    scores = [ClassScore(tuning_class=candidate, score=round(mass[candidate] / total, 4)) for candidate in ranked]
    scores.append(ClassScore(tuning_class=TuningClass.NONE, score=round(UNSAID / total, 4)))
    return Classification(
        tuning_class=ranked[0] if leads else TuningClass.NONE,
        scores=tuple(sorted(scores, key=lambda score: -score.score)),
        reasons=_reasons(mentioned, scripts, catalogue, options, leads),
        is_preliminary=True,
    )


def classification(
    findings: Findings | None,
    preliminary: Classification,
    read: Sequence[ArtefactRead],
) -> Classification:
    """The class by what was read so far: the findings' once anything was measured, else the one before. `corrected_from` names a class
    that the evidence contradicts; not having known one corrects nothing."""
    if findings is None or not is_measured(findings, read) or (findings.tuning_class is TuningClass.NONE and _is_blind(findings)):
        return preliminary.model_copy(update={"read": tuple(read)})
    carried = [findings.verdicts[place] for score in findings.scores for place in score.carried_by]
    own = [verdict for verdict in carried if CLASS_OF.get(verdict.kind) is findings.tuning_class]
    reasons = [verdict.summary for verdict in own[:REASONS]] or [say("tune.reason.no_problem")]
    return Classification(
        tuning_class=findings.tuning_class,
        scores=findings.scores,
        reasons=tuple(reasons),
        kinds=tuple(dict.fromkeys(verdict.kind for verdict in findings.verdicts if verdict.severity is Severity.PROBLEM)),
        read=tuple(read),
        corrected_from=_corrected_from(preliminary, findings.tuning_class),
    )


def by_operator(found: Classification, named: TuningClass) -> Classification:
    """The class that an operator names, with what was read."""
    scores = sorted(TuningClass, key=lambda each: each is not named)
    return found.model_copy(
        update={
            "tuning_class": named,
            "scores": tuple(ClassScore(tuning_class=each, score=float(each is named)) for each in scores),
            "reasons": (say("tune.reason.operator"), *found.reasons),
            "is_by_operator": True,
            "corrected_from": None,
        }
    )


def is_measured(findings: Findings, read: Iterable[ArtefactRead]) -> bool:
    """Something of the run itself was read: numbers, or an error that is a problem by itself."""
    has_measurements = any(MEASURED & set(artefact.tells) for artefact in read)
    return has_measurements or any(verdict.severity is Severity.PROBLEM for verdict in findings.verdicts)


def _is_blind(findings: Findings) -> bool:
    """Whether nothing that was read could have shown a problem, so that having found none says nothing."""
    return not {NOTHING_MEASURED.code, TASKS_NOT_SEEN.code, PLAN_ALONE.code}.isdisjoint(
        text.code for text in findings.not_known if isinstance(text, Statement)
    )


def _corrected_from(before: Classification, now: TuningClass) -> TuningClass | None:
    if before.tuning_class is now:
        return before.corrected_from
    if before.tuning_class is TuningClass.NONE:
        return before.corrected_from if before.corrected_from is not now else None
    return before.tuning_class


def _said_for(wanted: TuningClass, mentioned: Sequence[Mention], options: bool) -> float:
    """The weight of the words for a class: the highest weight of each meaning, however often it is mentioned. A denied problem has no
    weight, even if other words point to it."""
    counted = [mention for mention in mentioned if not (options and is_class_name(mention))]
    denied = {mention.meaning for mention in counted if mention.is_denied}
    heaviest: dict[VerdictKind, float] = {}
    for mention in counted:
        own = max((weight for kind, weight in mention.speaks_for.items() if CLASS_OF[kind] is wanted and kind not in denied), default=0.0)
        if not mention.is_denied:
            heaviest[mention.meaning] = max(heaviest.get(mention.meaning, 0), own)
    return sum(heaviest.values())


def _code_for(wanted: TuningClass, scripts: Sequence[NamedScript], catalogue: Catalogue) -> float:
    weights = [speaks_for(operation, facts.language) for _, facts, _ in scripts for operation in facts.operations]
    weights += [KEPT_FOR[artefact.kind] for artefact in catalogue.artefacts if artefact.kind in KEPT_FOR and artefact.size_bytes]
    return sum(max((weight for kind, weight in by_kind.items() if CLASS_OF[kind] is wanted), default=0) for by_kind in weights)


def _reasons(
    mentioned: Sequence[Mention],
    scripts: Sequence[NamedScript],
    catalogue: Catalogue,
    options: bool,
    leads: bool,
) -> tuple[Sayable, ...]:
    found: list[Sayable] = [say("tune.reason.options")] if options else []
    for mention in mentioned:
        if options and is_class_name(mention):
            continue
        words, kind = quote(mention.text[:QUOTED_CHARS]), kind_term(mention.meaning)
        found.append(say("tune.reason.denied", words=words) if mention.is_denied else say("tune.reason.said", words=words, kind=kind))
    languages = {script: facts.language for script, facts, _ in scripts}
    for script, _, operation, _ in islice(heavier_first(scripts), REASONS):
        text, kinds = code(operation.text[:QUOTED_CHARS]), kinds_named(speaks_for(operation, languages[script]))
        found.append(say("tune.reason.code", script=shown_name(script), line=line_name(operation), text=text, kinds=kinds))
    kept = [artefact.name for artefact in catalogue.artefacts if artefact.kind in KEPT_FOR and artefact.size_bytes]
    found += [say("tune.reason.kept", artefact=shown_name(artefact)) for artefact in kept]
    if not leads:
        found.insert(0, say("tune.reason.even") if found else say("tune.reason.nothing"))
    return tuple(dict.fromkeys(found))[:REASONS]
