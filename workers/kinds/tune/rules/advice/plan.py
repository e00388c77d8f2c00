"""From findings to the plan: which verdicts get advice, what each remedy would save, and in which order the fixes are shown."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.code import TableFacts
from contracts.spark import RunFacts, SqlExecution
from contracts.statements import Statement, name, say
from contracts.tune.plan import Fix, FixKind, Risk, TuningPlan
from contracts.tune.steps import Experience
from contracts.verdicts import Findings, Severity, TuningClass
from contracts.whatif import Change, Gain
from workers.engines.scope.job import ScopeJob
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.alternatives import first_of_each_problem, with_alternatives
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.fixes import about_its_cause, fix_of, nothing_advised, objected
from workers.kinds.tune.rules.advice.gate import BY_CHANCE, LEAST_GAIN, ONLY_SMALL, PAID, dropped, objection_to
from workers.kinds.tune.rules.advice.objections import Objection
from workers.kinds.tune.rules.advice.pairs import against_each_other
from workers.kinds.tune.rules.advice.remedies import drafts
from workers.kinds.tune.rules.advice.votes import Votes, votes_for
from workers.kinds.tune.rules.classify import has_failed, is_symptom
from workers.kinds.tune.rules.known_causes import CLASS_OF, UNFAMILIAR

Estimate = Callable[[tuple[Change, ...]], Gain | None]
"""The gain of changes to the run; None where they cannot be replayed."""

MOST_FIXES = 12
OF_FAILURE, OF_THE_CLASS, OF_OTHERS = range(3)
RISKS = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)
AS_MUCH = 0.9
"""Of the other's gain: closer than that two estimates do not differ."""

HINT_WEIGHT = 0.5
"""Of a hint's share: it is true, and less certain to be a gain."""


@dataclass(frozen=True)
class Candidate:
    """A draft with what it would bring."""

    draft: Draft
    gain: Gain | None
    score: float
    rank: int
    """0: of what made a job fail; 1: of the run's class; 2: of another problem."""
    by_votes: float = 1.0
    """By which users' feedback on earlier jobs multiplied the score."""


def advise(
    findings: Findings,
    run: RunFacts | None,
    scripts: Sequence[NamedScript],
    tables: tuple[TableFacts, ...] = (),
    *,
    experience: Sequence[Experience] = (),
    estimate: Estimate | None = None,
    objections: Sequence[Objection] = (),
    order: Sequence[str] = (),
    scope: ScopeJob | None = None,
    without: Collection[FixKind] = (),
    settings: Mapping[str, str] | None = None,
    plans: Sequence[SqlExecution] = (),
) -> TuningPlan:
    """The plan. First come the fixes for what made the job fail, then those for the class of the findings, the best first, then those for
    problems that no other problem explains. A fix that an objection names is left out. `order`: ids as a model ranks the fixes for the
    class; the fixes keep their ids. `run` is None where no run was measured; `scope` is what was read of a SCOPE job.
    `without`: kinds of fixes that an operator does not want. `settings`: those of files of configuration.
    `plans`: of a text of `EXPLAIN`, where no run was measured."""
    case = Case(findings, run, scripts, tables, scope, settings or {}, plans)
    if findings.tuning_class is TuningClass.NONE:
        return TuningPlan(left_out=nothing_advised(findings, run))
    found = held_to_the_largest([(place, draft) for place in _answered(findings) for draft in drafts(case, place)], findings)
    wanted = [draft for _, draft in found if isinstance(draft, Draft) and draft.kind not in without]
    unwanted = {draft.kind for _, draft in found if isinstance(draft, Draft) and draft.kind in without}
    candidates = [_candidate(case, draft, estimate, votes_for(draft.kind, about_its_cause(draft, experience))) for draft in wanted]
    ranked = cheapest_first(sorted(_once_each(case, candidates), key=_order))
    ranked, stopped = _through_the_gate(case, ranked, experience)
    drafted = with_alternatives(_written(case, ranked, experience))
    clashes = {objection.fix_id: objection for objection in against_each_other(drafted)}
    ranked = [candidate for candidate, fix in zip(ranked, drafted, strict=True) if fix.fix_id not in clashes][:MOST_FIXES]
    fixes = _written(case, ranked, experience, as_promised=True)
    refused = {objection.fix_id for objection in objections}
    kept = _in_order([(candidate, fix) for candidate, fix in zip(ranked, fixes, strict=True) if fix.fix_id not in refused], order)
    planned = with_alternatives(fix for _, fix in _with_moves(kept))
    return TuningPlan(
        fixes=planned,
        combined=combined(case, planned, estimate),
        left_out=(
            *dict.fromkeys(draft.why for _, draft in found if isinstance(draft, NotAdvised)),
            *stopped,
            *(objected(fix, [clashes[fix.fix_id]]) for fix in drafted if fix.fix_id in clashes),
            *(objected(fix, objections) for fix in fixes if fix.fix_id in refused),
            *map(_unwanted, sorted(unwanted)),
            *(() if planned else _only_lost(findings)),
        ),
    )


def _only_lost(findings: Findings) -> tuple[Statement, ...]:
    """Why nothing is advised where time is lost in a way that no family knows."""
    lost = any(verdict.kind in UNFAMILIAR and verdict.severity is Severity.PROBLEM for verdict in findings.verdicts)
    return (say("tune.nothing.lost"),) if lost else ()


def _unwanted(kind: FixKind) -> Statement:
    return say("tune.unwanted", kind=name(kind))


def without_kinds(plan: TuningPlan, kinds: Collection[FixKind]) -> TuningPlan:
    """The plan without the fixes of a model that are of kinds that an operator does not want."""
    own = [fix for fix in plan.fixes if fix.kind in kinds]
    reasons = (_unwanted(kind) for kind in sorted({fix.kind for fix in own}))
    kept = with_alternatives(fix for fix in plan.fixes if fix.kind not in kinds)
    return plan.model_copy(update={"fixes": kept, "left_out": tuple(dict.fromkeys((*plan.left_out, *reasons)))}) if own else plan


def _through_the_gate(
    case: Case, ranked: Sequence[Candidate], experience: Sequence[Experience]
) -> tuple[list[Candidate], tuple[Statement, ...]]:
    """(those that may be advised, the others with their reasons)."""
    written = list(zip(ranked, _written(case, ranked, experience), strict=True))
    reasons = [objection_to(fix, tuple(case.findings.verdicts[place] for place in fix.verdicts)) for _, fix in written]
    kept = [candidate for (candidate, _), reason in zip(written, reasons, strict=True) if reason is None]
    best = None if kept else next((place for place, reason in enumerate(reasons) if _is_best_there_is(case, ranked[place], reason)), None)
    if best is not None:
        kept = [replace(ranked[best], draft=replace(ranked[best].draft, is_unsure=True))]
    stopped = [
        dropped(fix, reason) for place, ((_, fix), reason) in enumerate(zip(written, reasons, strict=True)) if reason and place != best
    ]
    return kept, tuple(dict.fromkeys(stopped))


def _is_best_there_is(case: Case, candidate: Candidate, reason: Statement | None) -> bool:
    """A small gain for the run's main problem, which would stay without a word otherwise. Never one that may cost time."""
    verdict = case.findings.verdicts[candidate.draft.place]
    if candidate.draft.kind in BY_CHANCE or any(setting.name in PAID for setting in candidate.draft.settings):
        return False  # both are paid for, whether or not they help
    is_main = candidate.rank == OF_THE_CLASS and verdict.severity is Severity.PROBLEM and verdict.run_share >= LEAST_GAIN
    return is_main and reason is not None and reason.code in ONLY_SMALL


def cheapest_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """A setting goes before a rewrite of the same problem that saves as much and is no safer."""
    found = list(ranked)
    for at in range(1, len(found)):
        place = at
        while place and _is_cheaper(found[place], found[place - 1]):
            found[place - 1], found[place] = found[place], found[place - 1]
            place -= 1
    return found


def _is_cheaper(candidate: Candidate, before: Candidate) -> bool:
    draft, other = candidate.draft, before.draft
    is_setting = bool(draft.settings) and not draft.patch.diff
    same = draft.place == other.place and candidate.rank == before.rank and draft.is_alternative and other.is_alternative
    if not (is_setting and same) or bool(other.settings and not other.patch.diff) or candidate.gain is None or before.gain is None:
        return False
    return RISKS.index(draft.risk) <= RISKS.index(other.risk) and candidate.gain.saved_share >= AS_MUCH * before.gain.saved_share > 0


def _written(case: Case, ranked: Sequence[Candidate], experience: Sequence[Experience], *, as_promised: bool = False) -> tuple[Fix, ...]:
    """The fixes; `as_promised` with the gains that may be shown alone, the gate and the order know all of them."""
    return tuple(
        fix_of(
            case,
            candidate.draft,
            f"F{number}",
            candidate.gain if candidate.draft.may_promise or not as_promised else None,
            _others(candidate, ranked),
            experience,
        )
        for number, candidate in enumerate(ranked, start=1)
    )


def _in_order(kept: Sequence[tuple[Candidate, Fix]], order: Sequence[str]) -> list[tuple[Candidate, Fix]]:
    """Those for the class as ranked, those that are not named behind them, and then the others as they were."""
    rank = {fix_id: place for place, fix_id in enumerate(dict.fromkeys(order))}
    return sorted(kept, key=lambda pair: (pair[0].rank, rank.get(pair[1].fix_id, len(rank)) if pair[0].rank == OF_THE_CLASS else 0))


def _answered(findings: Findings) -> Iterator[int]:
    """The verdicts that get advice: of the class all, hints included; of others the problems that no other one explains."""
    for place, verdict in enumerate(findings.verdicts):
        if verdict.severity is Severity.HINT and not verdict.share:
            continue  # nobody knows how much of a run it takes
        if verdict.severity is Severity.NOTE or is_symptom(verdict, findings.verdicts):
            continue
        if CLASS_OF.get(verdict.kind) is findings.tuning_class or verdict.severity is Severity.PROBLEM:
            yield place


def held_to_the_largest(found: list[tuple[int, Draft | NotAdvised]], findings: Findings) -> list[tuple[int, Draft | NotAdvised]]:
    """A rewritten line changes every execution that comes from it: a join whose small side is too large in one of them is
    broadcast in none."""
    too_large = {_line_of(findings, place) for place, draft in found if isinstance(draft, NotAdvised) and draft.forbids_broadcast} - {None}
    return [
        (place, draft)
        for place, draft in found
        if not (isinstance(draft, Draft) and draft.kind is FixKind.BROADCAST_JOIN and _line_of(findings, place) in too_large)
    ]


def _line_of(findings: Findings, place: int) -> tuple[str, int, int] | None:
    spots = findings.verdicts[place].blame.spots
    return (spots[0].artefact, spots[0].line, spots[0].column) if spots else None


def _candidate(case: Case, draft: Draft, estimate: Estimate | None, votes: Votes) -> Candidate:
    verdict = case.findings.verdicts[draft.place]
    is_over = has_failed(verdict)
    gain = estimate(draft.changes) if estimate and draft.changes and not is_over else None
    weight = 1.0 if verdict.severity is Severity.PROBLEM else HINT_WEIGHT
    saved = max(0.0, gain.saved_share) if gain else (verdict.run_share or verdict.share) * draft.saves
    is_own = CLASS_OF.get(verdict.kind) is case.findings.tuning_class
    rank = OF_FAILURE if is_over else OF_THE_CLASS if is_own else OF_OTHERS
    return Candidate(draft, gain, saved * draft.confidence * weight * votes.factor, rank, votes.factor)


def _with_moves(kept: Sequence[tuple[Candidate, Fix]]) -> list[tuple[Candidate, Fix]]:
    """Each fix whose place users' feedback changed, with the place that it would have without."""
    if all(candidate.by_votes == 1 for candidate, _ in kept):
        return list(kept)
    ranked = cheapest_first(sorted((replace(candidate, score=candidate.score / candidate.by_votes) for candidate, _ in kept), key=_order))
    before = {id(candidate.draft): place for place, candidate in enumerate(ranked, start=1)}
    return [
        (candidate, fix.model_copy(update={"moved_from": before[id(candidate.draft)]} if before[id(candidate.draft)] != place else {}))
        for place, (candidate, fix) in enumerate(kept, start=1)
    ]


def _order(candidate: Candidate) -> tuple[int, float, int, int]:
    return candidate.rank, -round(candidate.score, 3), RISKS.index(candidate.draft.risk), candidate.draft.place


def _once_each(case: Case, candidates: list[Candidate]) -> Iterator[Candidate]:
    """Merge the drafts of the same remedy into the draft for the heaviest verdict: several verdicts are often stages of one cause."""
    found: dict[tuple[object, ...], list[Candidate]] = {}
    for candidate in sorted(candidates, key=_order):
        found.setdefault(_same_remedy(case, candidate.draft), []).append(candidate)
    for first, *others in found.values():
        also = dict.fromkeys(
            (*first.draft.also, *(place for candidate in others for place in (candidate.draft.place, *candidate.draft.also)))
        )
        yield replace(first, draft=replace(first.draft, also=tuple(place for place in also if place != first.draft.place)))


def _same_remedy(case: Case, draft: Draft) -> tuple[object, ...]:
    """What two drafts have in common that ask for the same: the remedy, the lines or the place in the script, the settings."""
    blame = case.findings.verdicts[draft.place].blame
    where = draft.patch.diff or tuple((spot.line, spot.column) for spot in blame.spots[:1]) or blame.columns
    return draft.remedy, where, tuple((setting.name, setting.value) for setting in draft.settings)


def _others(candidate: Candidate, ranked: Sequence[Candidate]) -> tuple[FixKind, ...]:
    """The other ways of the same verdict, if one of them is enough."""
    if not candidate.draft.is_alternative:
        return ()
    kinds = (
        other.draft.kind
        for other in ranked
        if other is not candidate and other.draft.is_alternative and other.draft.place == candidate.draft.place
    )
    return tuple(dict.fromkeys(kinds))


def combined(case: Case, planned: Sequence[Fix], estimate: Estimate | None) -> Gain | None:
    """Of the first fix of each problem, made together; none of them is instead of another."""
    changes = tuple(change for fix in first_of_each_problem(planned) if fix.gain is not None for change in fix.changes)
    return estimate(changes) if estimate and changes else None
