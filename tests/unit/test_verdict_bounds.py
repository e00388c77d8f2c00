"""The thresholds of verdicts, at and just below their values."""

import pytest

from contracts.artefacts import SkewReport, StageRow, StageTable, UnevenStage
from contracts.figures import FigureId
from contracts.scope import ScopeJobStatistics, ScopeStage, ScopeTask
from contracts.spark import RunFacts
from contracts.statements import name, say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from tests.support.tuning import run_of, stage_of
from workers.engines.scope.verdicts import judge_scope
from workers.engines.spark.verdicts import judge
from workers.engines.spark.verdicts.reports import judge_reports
from workers.engines.verdicts import figure, figure_of, heaviest_first
from workers.engines.verdicts import thresholds as at

MIB = 1 << 20


def found(run: RunFacts, kind: VerdictKind) -> Verdict | None:
    return next((verdict for verdict in judge(run) if verdict.kind is kind), None)


def skewed(
    *, took: int = 3_200, usual: int = 200, heavy: int = 200 * MIB, light: int = 3 * MIB, wall_ms: int = 8_000, count: int = 32
) -> RunFacts:
    """One task of the stage has `heavy` bytes and takes `took` ms."""
    times, sizes = [usual] * (count - 1) + [took], [light] * (count - 1) + [heavy]
    return run_of(stage_of(4, times, wall_ms=wall_ms, shuffle_read_bytes=sizes))


@pytest.mark.parametrize(("active_ms", "severity"), [(100_000, Severity.PROBLEM), (100_004, Severity.HINT)])
def test_skew_is_a_problem_from_three_hundredths_of_the_run_on(active_ms: int, severity: Severity) -> None:
    run = skewed().model_copy(update={"wall_ms": active_ms, "idle_ms": 0})

    verdict = found(run, VerdictKind.DATA_SKEW)

    assert at.HINT_SHARE == 0.03
    assert verdict is not None
    assert verdict.severity is severity


@pytest.mark.parametrize(("heavy", "is_skew"), [(12 * MIB, True), (12 * MIB - 1, False)])
def test_a_task_is_heavy_from_four_times_the_usual_data_on(heavy: int, *, is_skew: bool) -> None:
    assert (found(skewed(heavy=heavy), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("heavy", "is_skew"), [(MIB, True), (MIB - 1, False)])
def test_a_heavy_task_has_at_least_a_mebibyte(heavy: int, *, is_skew: bool) -> None:
    """Where it does not take seconds longer than the others."""
    assert (found(skewed(took=2_199, heavy=heavy, light=1_000), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("took", "is_skew"), [(2_200, True), (2_199, False)])
def test_a_heavy_task_of_less_than_a_mebibyte_takes_two_seconds_longer(took: int, *, is_skew: bool) -> None:
    assert (found(skewed(took=took, heavy=MIB - 1, light=1_000), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("heavy", "is_skew"), [(10_486, True), (10_485, False)])
def test_a_slow_task_of_less_than_a_hundredth_of_a_mebibyte_is_not_heavy(heavy: int, *, is_skew: bool) -> None:
    assert (found(skewed(heavy=heavy, light=1_000), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("took", "is_skew"), [(4_000, True), (3_999, False)])
def test_a_heavy_task_takes_at_least_twice_the_usual_time(took: int, *, is_skew: bool) -> None:
    assert (found(skewed(took=took, usual=2_000), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("took", "is_skew"), [(350, True), (349, False)])
def test_a_heavy_task_runs_at_least_a_quarter_of_a_second_longer(took: int, *, is_skew: bool) -> None:
    assert (found(skewed(took=took, usual=100, wall_ms=400), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("wall_ms", "is_skew"), [(20_000, True), (20_001, False)])
def test_a_stage_waits_for_a_heavy_task_from_fifteen_hundredths_of_its_time_on(wall_ms: int, *, is_skew: bool) -> None:
    assert (found(skewed(wall_ms=wall_ms), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(("count", "is_skew"), [(4, True), (3, False)])
def test_skew_needs_four_tasks(count: int, *, is_skew: bool) -> None:
    assert (found(skewed(count=count), VerdictKind.DATA_SKEW) is not None) == is_skew


@pytest.mark.parametrize(
    ("spilled", "read", "is_spill"),
    [(16 * MIB, MIB, True), (16 * MIB - 1, MIB, False), (20 * MIB, 200 * MIB, True), (20 * MIB, 200 * MIB + 10, False)],
)
def test_a_stage_spills_from_sixteen_mebibytes_and_a_tenth_of_what_it_reads_on(spilled: int, read: int, *, is_spill: bool) -> None:
    run = run_of(stage_of(4, [1_000] * 8, disk_spill_bytes=spilled, input_bytes=read))

    assert (found(run, VerdictKind.SPILL) is not None) == is_spill


@pytest.mark.parametrize(("gc_ms", "is_pressure"), [(1_000, True), (999, False)])
def test_garbage_collection_is_pressure_from_a_tenth_of_the_task_time_on(gc_ms: int, *, is_pressure: bool) -> None:
    run = run_of(stage_of(4, [2_500] * 4, gc_ms=gc_ms))

    assert (found(run, VerdictKind.GC_PRESSURE) is not None) == is_pressure


@pytest.mark.parametrize(("written", "is_much"), [(96 * MIB, True), (96 * MIB - 1, False)])
def test_a_run_shuffles_much_from_one_and_a_half_times_its_input_on(written: int, *, is_much: bool) -> None:
    run = run_of(stage_of(4, [1_000] * 4, shuffle_write_bytes=written, input_bytes=64 * MIB))

    assert (found(run, VerdictKind.SHUFFLE_VOLUME) is not None) == is_much


@pytest.mark.parametrize(("written", "is_much"), [(64 * MIB, True), (64 * MIB - 1, False)])
def test_a_run_shuffles_much_from_64_mebibytes_on(written: int, *, is_much: bool) -> None:
    run = run_of(stage_of(4, [1_000] * 4, shuffle_write_bytes=written, input_bytes=MIB))

    assert (found(run, VerdictKind.SHUFFLE_VOLUME) is not None) == is_much


@pytest.mark.parametrize(("excess_ms", "severity"), [(3_000, Severity.PROBLEM), (2_999, Severity.HINT)])
def test_skew_of_a_scope_job_is_a_problem_from_the_same_share_on(excess_ms: int, severity: Severity) -> None:
    task = ScopeTask(task_id="7", duration_ms=1_000 + excess_ms, read_bytes=8 * MIB)
    stage = ScopeStage(stage_id="3", tasks=100, duration_ms=50_000, usual_task_ms=1_000, usual_task_bytes=MIB, skewed_tasks=(task,))

    (verdict,) = judge_scope([ScopeJobStatistics(artefact="JobStatistics.xml", duration_ms=100_000, stages=(stage,))])

    assert (verdict.kind, verdict.severity) == (VerdictKind.DATA_SKEW, severity)


@pytest.mark.parametrize(("read_bytes", "kind"), [(2 * MIB, VerdictKind.DATA_SKEW), (2 * MIB - 1, VerdictKind.STRAGGLER)])
def test_a_skewed_task_of_a_scope_job_with_less_than_twice_the_usual_data_is_a_straggler(read_bytes: int, kind: VerdictKind) -> None:
    task = ScopeTask(task_id="7", duration_ms=9_000, read_bytes=read_bytes)
    stage = ScopeStage(stage_id="3", tasks=100, duration_ms=50_000, usual_task_ms=1_000, usual_task_bytes=MIB, skewed_tasks=(task,))

    (verdict,) = judge_scope([ScopeJobStatistics(artefact="JobStatistics.xml", duration_ms=100_000, stages=(stage,))])

    assert verdict.kind is kind


@pytest.mark.parametrize(("most", "is_skew"), [(4 * MIB, True), (4 * MIB - 1, False)])
def test_a_report_shows_skew_from_the_same_ratio_on(most: int, *, is_skew: bool) -> None:
    report = SkewReport(name="skew.csv", stages=(UnevenStage(line=2, stage="3", stage_id=3, max_bytes=most, median_bytes=MIB),))

    assert bool(judge_reports(skew_reports=[report])) == is_skew


@pytest.mark.parametrize(("spilled", "is_spill"), [(16 * MIB, True), (16 * MIB - 1, False)])
def test_a_table_of_stages_shows_spill_from_the_same_size_on(spilled: int, *, is_spill: bool) -> None:
    table = StageTable(name="stages.csv", rows=(StageRow(line=2, stage="3", stage_id=3, duration_ms=1_000, disk_spill_bytes=spilled),))

    assert bool(judge_reports([table])) == is_spill


def test_a_figure_is_found_by_its_id_whatever_it_is_called() -> None:

    called = say("verdicts.source.artefact", artefact=name("anything"))
    first = figure(FigureId.SHUFFLED, 1, Unit.BYTES, "x")
    second = figure(FigureId.HEAVIEST_TASK, 2, Unit.BYTES, "x", name=called)
    verdict = Verdict(kind=VerdictKind.DATA_SKEW, severity=Severity.PROBLEM, summary="x", figures=(first, second))

    assert figure_of(verdict, FigureId.HEAVIEST_TASK) == second
    assert figure_of(verdict, FigureId.USUAL_TASK) is None


def test_problems_come_first_and_the_heaviest_of_them_before_the_others() -> None:
    def made(severity: Severity, share: float) -> Verdict:
        return Verdict(kind=VerdictKind.SPILL, severity=severity, share=share, summary="x")

    given = [made(Severity.NOTE, 1), made(Severity.HINT, 0.9), made(Severity.PROBLEM, 0.1), made(Severity.PROBLEM, 0.5)]

    assert [(one.severity, one.share) for one in heaviest_first(given)] == [
        (Severity.PROBLEM, 0.5),
        (Severity.PROBLEM, 0.1),
        (Severity.HINT, 0.9),
        (Severity.NOTE, 1),
    ]
