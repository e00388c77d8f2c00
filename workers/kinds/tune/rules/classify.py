"""From verdicts to the class of a run: what would save the most of its time, if that is much."""

from contracts.artefacts import LogEventKind
from contracts.figures import FigureId
from contracts.statements import Sayable
from contracts.verdicts import ClassScore, Findings, Severity, TuningClass, Verdict, VerdictKind
from workers.kinds.tune.rules.known_causes import CLASS_OF

ENOUGH = 0.03
"""Of the run's time: a class needs a problem that touches as much, or no problem dominates the run. What each verdict takes for a
problem is stricter where its share is an upper bound."""

LOST_SHARE = 0.15
"""Of the run: with as much lost, or missing in the log, a run is not called one without a problem."""

FATAL_FIGURES = frozenset(
    {FigureId.FAILED_JOBS.value, FigureId.FAILED_QUERIES.value, FigureId.ABORTED_STAGES.value, LogEventKind.STAGE_ABORTED.value}
)
"""Figures of a failure that show that the run did not do its work: of an event log or a table of stages; the last is of a plain log."""

SYMPTOMS: dict[VerdictKind, frozenset[VerdictKind]] = {
    VerdictKind.SPILL: frozenset({VerdictKind.DATA_SKEW, VerdictKind.SINGLE_TASK}),
    VerdictKind.GC_PRESSURE: frozenset({VerdictKind.DATA_SKEW, VerdictKind.SINGLE_TASK, VerdictKind.DRIVER_COLLECT}),
    VerdictKind.FAILURES: frozenset({VerdictKind.LOST_EXECUTORS}),
    VerdictKind.TOO_FEW_TASKS: frozenset({VerdictKind.DATA_SKEW, VerdictKind.SINGLE_TASK}),
    VerdictKind.TINY_TASKS: frozenset({VerdictKind.SMALL_FILES}),
    VerdictKind.SMALL_FILES: frozenset({VerdictKind.TINY_TASKS}),
    VerdictKind.BROADCASTABLE_JOIN: frozenset({VerdictKind.DATA_SKEW, VerdictKind.TINY_TASKS, VerdictKind.REPEATED_PLANS}),
    VerdictKind.PYTHON_UDF: frozenset({VerdictKind.FAILURES, VerdictKind.STRAGGLER}),
}
"""What another problem of the same stages brings about: a task with too much data spills and fills the heap, while the others are done;
many small files make many small tasks; tiny tasks of more stages than the last one write its many small files, and make what a join
shuffles seem dear; attempts end with their executor; a function that fails or waits for somebody holds up its tasks
in Python; a join whose heavy key makes one task late is slow by that key, also where a small side could be sent to all."""


def is_unlogged(verdict: Verdict) -> bool:
    """Much of the run is not in its log, so that nobody knows whether there was a problem."""
    return verdict.kind is VerdictKind.INCOMPLETE_LOG and verdict.share >= LOST_SHARE


def classify(verdicts: tuple[Verdict, ...], not_known: tuple[Sayable, ...] = ()) -> Findings:
    """The class with the highest score, `none` when no class has enough; every class with its score and what carried it."""
    scores = [_score(tuning_class, verdicts) for tuning_class in (TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER)]
    best = max(score.score for score in scores)
    scores.append(ClassScore(tuning_class=TuningClass.NONE, score=round(max(0.0, 1 - best / ENOUGH), 4)))
    ranked = tuple(sorted(scores, key=lambda score: -score.score))
    top = max(scores[:3], key=lambda score: score.score)
    chosen = top.tuning_class if top.score >= ENOUGH else TuningClass.NONE
    return Findings(tuning_class=chosen, scores=ranked, verdicts=verdicts, not_known=not_known)


def _score(wanted: TuningClass, verdicts: tuple[Verdict, ...]) -> ClassScore:
    carried_by = [
        place
        for place, verdict in enumerate(verdicts)
        if CLASS_OF.get(verdict.kind) is wanted and verdict.severity is Severity.PROBLEM and not is_symptom(verdict, verdicts)
    ]
    of_stages: dict[tuple[VerdictKind, tuple[int, ...]], float] = {}
    for place in carried_by:  # several joins of the same stages speak of the same time
        key = (verdicts[place].kind, verdicts[place].stage_ids or (-1 - place,))
        of_stages[key] = max(of_stages.get(key, 0.0), _of_run(verdicts[place]))
    shares: dict[VerdictKind, float] = {}
    for (kind, _), of_run in of_stages.items():  # several stages add up; two kinds may speak of the same time
        shares[kind] = shares.get(kind, 0.0) + of_run
    score = min(1.0, round(max(shares.values(), default=0), 4))
    if any(has_failed(verdicts[place]) for place in carried_by):
        score = max(score, ENOUGH)  # however short it was
    return ClassScore(tuning_class=wanted, score=score, carried_by=tuple(carried_by))


def _of_run(verdict: Verdict) -> float:
    """Its share of the run's wall clock, where that is known: two per cent of a run name no class."""
    return min(verdict.share, verdict.run_share) if verdict.run_share else verdict.share


def has_failed(verdict: Verdict) -> bool:
    """A job ended in an error, so that the run did not do its work: more than attempts that were made again."""
    if verdict.severity is not Severity.PROBLEM:
        return False
    ended = verdict.kind is VerdictKind.FAILURES and any(figure.id in FATAL_FIGURES and figure.value for figure in verdict.figures)
    return ended or verdict.kind is VerdictKind.JOB_ERROR


def is_symptom(verdict: Verdict, verdicts: tuple[Verdict, ...]) -> bool:
    """Another problem of its stages explains it."""
    causes = SYMPTOMS.get(verdict.kind)
    if not causes or not verdict.stage_ids or has_failed(verdict):
        return False
    least = ENOUGH if verdict.kind is VerdictKind.BROADCASTABLE_JOIN else 0.0
    own = set(verdict.stage_ids)
    explained = {
        stage
        for other in verdicts
        if other.kind in causes and other.severity is Severity.PROBLEM and other.share >= least
        if not (other.kind is VerdictKind.TINY_TASKS and own >= set(other.stage_ids))
        for stage in other.stage_ids
    }
    return own <= explained
