"""The first sentences of a report: what failed, what the run suffers from, and where; they speak of what the first fix answers."""

from collections.abc import Iterator, Sequence

from contracts.spark_time import TimeAccount, TimePart
from contracts.statements import Join, Statement, Target, Term, Value, code, listing, name, ref, say, share
from contracts.tune.plan import Fix
from contracts.tune.steps import Classification
from contracts.verdicts import Findings, Severity, TuningClass, Verdict, VerdictKind
from workers.kinds.tune.rules.classify import LOST_SHARE, has_failed, is_symptom, is_unlogged
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.known import PLAN_ALONE, TASKS_NOT_SEEN
from workers.kinds.tune.rules.known_causes import CLASS_OF, UNFAMILIAR
from workers.kinds.tune.rules.saying import class_term, joined, key_value, kind_term, line_name, quotes, shown_name, text_of_spot, value_of

WITHOUT_STAGE = (TimePart.START, TimePart.DRIVER)
MOST_OF_IT = 0.5
FAR_MORE = 2
"""Times the share of what the first fix answers: the first sentence is about where most of the run is lost."""

LEAST_OTHER = 0.03
"""Share of the run: a smaller problem beside the first fix's own is no news."""


def preliminary(classification: Classification, findings: Findings, engine: str = "") -> Statement:
    """Nothing measured was read: what is supposed, and that it is no more; and what the script alone shows, if it shows something.
    `engine`: of the job, if it is one that is not judged."""
    if engine:
        return say("tune.other_engine", engine=name(engine))
    supposed = classification.tuning_class
    is_open = supposed is TuningClass.NONE
    has_stages = TASKS_NOT_SEEN in findings.not_known
    unmeasured = say("tune.headline.tasks_not_seen") if has_stages else say("tune.headline.unmeasured")
    first = unmeasured if is_open else say("tune.headline.supposed", kind=class_term(supposed))
    hints = [verdict for verdict in findings.verdicts if verdict.severity is Severity.HINT]
    by_script = [verdict for verdict in hints if verdict.kind is VerdictKind.REPEATED_PLANS]
    if not is_open or PLAN_ALONE not in findings.not_known:
        return joined([first, say("tune.headline.by_script_kinds", kinds=_kinds(by_script))]) if by_script else first
    return say("tune.headline.by_plan_kinds", kinds=_kinds(hints)) if hints else say("tune.headline.plan_shows_nothing")


def _kinds(verdicts: Sequence[Verdict]) -> Value:
    """Each once; their sentences are in the list of what was found."""
    return listing(*map(kind_term, dict.fromkeys(verdict.kind for verdict in verdicts)), join=Join.PLAIN)


def headline(findings: Findings, fixes: Sequence[Fix], time: TimeAccount | None = None) -> Statement:
    """What is wrong: of a run that still waits for a task that first. Where no stage was running most of the `time`, and no problem takes
    more of it, that as well."""
    idle = sum(part.share for part in time.slices if part.part in WITHOUT_STAGE) if time else 0.0
    sentences = [_wrong(findings, fixes)]
    largest = max((_of_run(verdict) for verdict in findings.verdicts), default=0.0)
    if idle >= MOST_OF_IT and largest < idle:
        sentences.append(say("tune.headline.no_stage", share=share(min(1.0, idle))))
    hanging = next((verdict for verdict in findings.verdicts if verdict.kind is VerdictKind.HANGING_TASK), None)
    waits = hanging.summary if hanging is not None else None
    if hanging is not None and isinstance(waits, Statement) and not _holds(sentences[0], waits):
        sentences.insert(0 if hanging.severity is Severity.PROBLEM else len(sentences), waits)
    if not fixes and any(verdict.kind is VerdictKind.INCOMPLETE_LOG and not verdict.share for verdict in findings.verdicts):
        sentences.append(say("tune.headline.incomplete"))
    return joined(sentences) if len(sentences) > 1 else sentences[0]


def _holds(sentence: Statement, finding: Statement) -> bool:
    return finding.model_dump_json() in sentence.model_dump_json()


def _wrong(findings: Findings, fixes: Sequence[Fix]) -> Statement:
    """What failed, else what the first fix answers: class, place and figure; and what touches more time, if anything does. Where no
    fix answers the class, the heaviest verdict of it."""
    carried = _carried(findings)
    if findings.tuning_class is TuningClass.NONE or not carried:
        lost = next((verdict for verdict in findings.verdicts if verdict.kind in UNFAMILIAR and _of_run(verdict) >= LOST_SHARE), None)
        if lost is not None:
            return say("tune.headline.lost", finding=value_of(lost.summary))
        unlogged = next((verdict for verdict in findings.verdicts if is_unlogged(verdict)), None)
        if unlogged is not None:
            return say("tune.headline.unlogged", finding=value_of(unlogged.summary))
        best = max((score.score for score in findings.scores if score.tuning_class is not TuningClass.NONE), default=0.0)
        return say("tune.headline.small", share=share(best)) if best else say("tune.headline.nothing")
    failed = next((verdict for verdict in findings.verdicts if has_failed(verdict)), None)
    if failed is not None:
        return joined(
            [say("tune.headline.failed", finding=value_of(failed.summary)), *_error(failed), *_slow(findings, carried, failed, fixes)]
        )
    lead = _leading(findings, carried, fixes)
    verdict = findings.verdicts[lead]
    problem = say("tune.headline.problem", kind=_kind(verdict, findings), finding=value_of(verdict.summary))
    return joined([problem, *_place(verdict), *_why_not(findings, carried, lead, fixes)])


def _slow(findings: Findings, carried: Sequence[int], failed: Verdict, fixes: Sequence[Fix]) -> Iterator[Statement]:
    """What the run suffers from besides."""
    others = [place for place in carried if not has_failed(findings.verdicts[place])]
    if others:
        slow = findings.verdicts[_leading(findings, others, [fix for fix in fixes if _of(findings, fix) is not failed])]
        yield say("tune.headline.slow", finding=value_of(slow.summary))


def _carried(findings: Findings) -> list[int]:
    return next((list(score.carried_by) for score in findings.scores if score.tuning_class is findings.tuning_class), list[int]())


def _of(findings: Findings, fix: Fix) -> Verdict | None:
    return next((findings.verdicts[place] for place in fix.verdicts[:1] if place < len(findings.verdicts)), None)


def _leading(findings: Findings, carried: Sequence[int], fixes: Sequence[Fix]) -> int:
    """What the first fix answers, if it is of the class and nothing takes far more of the run; else the heaviest of the class."""
    first = answered_first(findings.verdicts, findings.tuning_class, fixes)
    return max(carried, key=lambda place: _of_run(findings.verdicts[place])) if first is None else first


def answered_first(verdicts: Sequence[Verdict], tuning_class: TuningClass, fixes: Sequence[Fix]) -> int | None:
    """The place of the verdict that title and first sentence speak of: the one that the first fix answers. None if it is of another class,
    or if another problem of the class takes much of the run, and far more of it."""
    places = (place for fix in fixes[:1] for place in fix.verdicts[:1] if place < len(verdicts))
    first = next((place for place in places if CLASS_OF.get(verdicts[place].kind) is tuning_class), None)
    if first is None:
        return None
    of_class = [
        verdict
        for verdict in verdicts
        if CLASS_OF.get(verdict.kind) is tuning_class and verdict.severity is Severity.PROBLEM and not is_symptom(verdict, tuple(verdicts))
    ]
    largest = max(map(_of_run, of_class), default=0.0)
    return None if largest >= max(LOST_SHARE, FAR_MORE * _of_run(verdicts[first])) else first


def _why_not(findings: Findings, carried: Sequence[int], lead: int, fixes: Sequence[Fix]) -> Iterator[Statement]:
    """Why the sentences before speak of something else than the first fix, or than what touches the most time."""
    first = next(iter(fixes), None)
    answered = _of(findings, first) if first else None
    if first is not None and answered is not None and first.verdicts[0] != lead:
        values: dict[str, Value] = {"fix": ref(Target.FIX, first.fix_id), "kind": kind_term(answered.kind)}
        own = next((fix for fix in fixes if lead in fix.verdicts), None)
        later = say("tune.headline.own_is_later", **values, own=ref(Target.FIX, own.fix_id)) if own else None
        yield later or say("tune.headline.first_is_other", **values)
        return
    heaviest = findings.verdicts[max(carried, key=lambda place: _of_run(findings.verdicts[place]))]
    least = max(_of_run(findings.verdicts[lead]), LEAST_OTHER)
    if first is None or _of_run(heaviest) <= least or heaviest.kind is findings.verdicts[lead].kind:
        return
    own = next((fix for fix in fixes if _of(findings, fix) is heaviest), None)
    yield say("tune.headline.larger", kind=kind_term(heaviest.kind), share=share(_of_run(heaviest)), why=_why_later(own, first))


def _of_run(verdict: Verdict) -> float:
    """Its share of the run, the basis of the gains."""
    return verdict.run_share or verdict.share


def _why_later(own: Fix | None, first: Fix) -> Statement:
    """Why the fix of the heaviest problem is not the first one."""
    if own is None:
        return say("tune.headline.no_fix")
    fix = ref(Target.FIX, own.fix_id)
    gains_less = own.gain is not None and first.gain is not None and own.gain.saved_share <= first.gain.saved_share
    return say("tune.headline.gains_less", fix=fix) if gains_less else say("tune.headline.sure_less", fix=fix)


def _error(failed: Verdict) -> Iterator[Statement]:
    """Unless its sentence has it already."""
    error = clipped(failed.error)
    if error and not quotes(failed.summary, error):
        yield say("tune.headline.error", error=code(error))


def _kind(verdict: Verdict, findings: Findings) -> Term:
    """The class, where that says what it is."""
    return kind_term(verdict.kind) if findings.tuning_class is TuningClass.OTHER else class_term(findings.tuning_class)


def _place(verdict: Verdict) -> Iterator[Statement]:
    for spot in verdict.blame.spots[:1]:
        yield say("tune.headline.line", line=line_name(spot), text=text_of_spot(spot))
    for key in verdict.blame.keys[:1]:
        yield say(
            "tune.headline.key",
            table=shown_name(key.column.table),
            column=shown_name(key.column.column),
            value=shown_name(key_value(key)),
            share=share(key.share),
        )
