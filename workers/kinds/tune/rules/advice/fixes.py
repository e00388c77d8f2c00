"""From a draft to the fix that a reader gets: its texts, its figures, and what it would bring."""

from collections.abc import Sequence

from contracts.spark import RunFacts
from contracts.statements import Statement, count, say, share
from contracts.tune.plan import Fix, FixKind
from contracts.tune.steps import Experience
from contracts.verdicts import Findings, Severity, TuningClass, Verdict
from contracts.whatif import Gain
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft
from workers.kinds.tune.rules.advice.failures import BY_EXECUTOR, CAUSES
from workers.kinds.tune.rules.advice.figures import evidence
from workers.kinds.tune.rules.advice.objections import Objection
from workers.kinds.tune.rules.advice.remedy_texts import remedy_list, remedy_text
from workers.kinds.tune.rules.advice.settings import cons_of, with_reason
from workers.kinds.tune.rules.advice.values import values_of
from workers.kinds.tune.rules.advice.votes import votes_for
from workers.kinds.tune.rules.classify import has_failed, is_unlogged
from workers.kinds.tune.rules.known_causes import CLASS_OF, UNFAMILIAR
from workers.kinds.tune.rules.saying import joined, stages_of, value_of

MOST_EXPERIENCE = 3

NOT_REWRITTEN = say("tune.fix.not_rewritten")
REWRITES = (FixKind.SPLIT_HOT_KEYS, FixKind.FILTER_SENTINEL, FixKind.SALT, FixKind.TWO_STAGE_AGGREGATION)
"""Fixes that change lines of a script, where these have a form that can be changed without knowing what they mean."""

UNSURE = say("tune.gate.kept")
NOT_PROVED = say("tune.gain.not_proved")


def fix_of(
    case: Case, draft: Draft, fix_id: str, gain: Gain | None, excludes: tuple[FixKind, ...], experience: Sequence[Experience]
) -> Fix:
    """The fix. What comes from the user is a value of our texts and never a template."""
    verdict = case.findings.verdicts[draft.place]
    values = {**values_of(case, verdict), **draft.values}
    experience = about_its_cause(draft, experience)
    votes = votes_for(draft.kind, experience)
    return Fix(
        fix_id=fix_id,
        kind=draft.kind,
        title=remedy_text(draft.remedy, "title", values),
        what=remedy_text(draft.remedy, "what", values),
        verdicts=(draft.place, *draft.also),
        evidence=evidence(case.findings, (draft.place, *draft.also)),
        pros=(*remedy_list(draft.remedy, "pro", values), *votes.pros()),
        cons=(
            *votes.cons(),
            *((UNSURE,) if draft.is_unsure else ()),
            *_by_hand(case, draft),
            *remedy_list(draft.remedy, "con", values),
            *cons_of(draft.settings),
        ),
        risk=draft.risk,
        risk_note=remedy_text(draft.remedy, "risk", values),
        artefact=draft.patch.artefact,
        diff=draft.patch.diff,
        configuration=tuple(map(with_reason, draft.settings)),
        verify=remedy_list(draft.remedy, "check", values),
        changes=draft.changes,
        gain=gain,
        gain_unknown="" if gain else gain_unknown(case, verdict, is_proved=draft.may_promise or not draft.changes),
        experience=experience_of(draft.kind, verdict, experience),
        cause=draft.remedy.removesuffix(BY_EXECUTOR) if draft.kind is FixKind.FIX_FAILURES else "",
        excludes=excludes,
    )


def _by_hand(case: Case, draft: Draft) -> tuple[Statement, ...]:
    """Why a script that is there has no changed lines here."""
    return (NOT_REWRITTEN,) if draft.kind in REWRITES and case.scripts and not draft.patch.diff else ()


def about_its_cause(draft: Draft, experience: Sequence[Experience]) -> Sequence[Experience]:
    """Of pieces on failures those that speak of what these came from; all for other remedies."""
    if draft.kind is not FixKind.FIX_FAILURES:
        return experience
    form = dict(CAUSES).get(draft.remedy.removesuffix(BY_EXECUTOR))
    return [piece for piece in experience if form is not None and form.search(piece.text)]


def gain_unknown(case: Case, verdict: Verdict, *, is_proved: bool = True) -> Statement:
    """Why nothing is promised of a fix of it."""
    if case.run is None and not (case.scope and case.scope.job_ms):
        return say("tune.gain.no_run")
    if has_failed(verdict):
        return say("tune.gain.failed")
    return say("tune.gain.no_replay") if is_proved else NOT_PROVED


def experience_of(kind: FixKind, verdict: Verdict, experience: Sequence[Experience]) -> tuple[str, ...]:
    """Ids of the pieces that describe this remedy, those about the same kind of verdict before others. Empty where no piece does: a
    word on the fix must not count for advice that it was not taken from."""
    described = [piece for piece in experience if kind.value in piece.remedies]
    same = [piece for piece in described if verdict.kind in piece.kinds]
    return tuple(piece.experience_id for piece in (same or described)[:MOST_EXPERIENCE])


def objected(fix: Fix, objections: Sequence[Objection]) -> Statement:
    """A fix that the reviewer took out, with the reasons."""
    reasons = joined([objection.text for objection in objections if objection.fix_id == fix.fix_id])
    return say("tune.objected", title=value_of(fix.title), reasons=reasons)


def nothing_advised(findings: Findings, run: RunFacts | None) -> tuple[Statement, ...]:
    """What was looked at in a run without a problem, and why nothing is advised."""
    stages = count(len(run.stages) if run else 0)
    best = max((score.score for score in findings.scores if score.tuning_class is not TuningClass.NONE), default=0.0)
    if run is None and not findings.verdicts:
        return (say("tune.nothing.measured"),)
    if best:
        why = say("tune.nothing.large", stages=stages, share=share(best))
    elif run is None:
        why = say("tune.nothing.worth")
    else:
        why = say("tune.nothing.found", stages=stages) if run.stages else say("tune.nothing.ran")
    lost = any(verdict.kind in UNFAMILIAR for verdict in findings.verdicts)
    why = say("tune.nothing.lost") if lost and run is not None else why
    why = say("tune.nothing.unlogged", stages=stages) if not lost and any(map(is_unlogged, findings.verdicts)) else why
    hints = [verdict for verdict in findings.verdicts if verdict.severity is Severity.HINT and verdict.kind in CLASS_OF]
    return (why, say("tune.nothing.hints", n=count(len(hints)), stages=stages_of(hints[0]))) if hints else (why,)
