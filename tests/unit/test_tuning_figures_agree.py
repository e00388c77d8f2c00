"""One report says one value of one quantity: its figures, its account of the time and its gains rest on the same sums."""

from collections import defaultdict
from pathlib import Path

import pytest

from contracts.figures import FigureId
from contracts.spark import RunFacts
from contracts.spark_time import TimeAccount, TimePart
from contracts.verdicts import Findings, VerdictKind
from tests.support.said import said
from tests.support.tuning import START, run_of, stage_of
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.lost_time import seconds_of
from workers.engines.spark.time_account import ms_by_stage, time_account
from workers.engines.spark.verdicts.sources import TASK_METRICS
from workers.engines.spark.whatif import Replay
from workers.engines.verdicts import figure_of
from workers.errors import UnreadableLog
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.findings import find

TESTS = Path(__file__).parents[1]
KEPT = sorted([*(TESTS / "bench" / "spark_jobs" / "library_logs").glob("*.zstd"), *(TESTS / "support" / "logs").glob("*.zstd")])


def check(run: RunFacts) -> None:
    """Raises where two places of a report would differ."""
    findings, account = find(run), time_account(run)
    if account is None:
        return
    parts = {part.part: part.ms for part in account.slices}
    assert sum(parts.values()) == pytest.approx(account.wall_ms, abs=5 + account.wall_ms / 1_000)
    assert account.wall_ms == run.wall_ms
    for part in account.slices:
        assert part.share == pytest.approx(min(1.0, part.ms / account.wall_ms), abs=1e-3)
    _verdicts(run, findings, account, parts)
    _figures(findings)
    seconds = seconds_of(run)
    assert seconds is not None
    assert sum(loss.ms for loss in seconds.losses.values()) <= seconds.wall_ms + 5
    for fix in advise(findings, run, [], estimate=Replay(run).gain).fixes:
        assert fix.gain is None or fix.gain.before_ms == run.wall_ms, fix.kind


def _verdicts(run: RunFacts, findings: Findings, account: TimeAccount, parts: dict[TimePart, float]) -> None:
    for verdict in findings.verdicts:
        of_run = figure_of(verdict, FigureId.SHARE_OF_RUN)
        assert of_run is None or of_run.value == pytest.approx(verdict.run_share or verdict.share, abs=0.006), verdict.kind
        match verdict.kind:
            case VerdictKind.PYTHON_UDF:
                waited = figure_of(verdict, FigureId.WAITED_FOR_PYTHON)
                by_stage = ms_by_stage(run, TimePart.PYTHON)
                assert waited is not None
                assert waited.value == pytest.approx(sum(by_stage[stage] for stage in verdict.stage_ids), abs=1)
                assert waited.value <= parts[TimePart.PYTHON] + 1
            case VerdictKind.GC_PRESSURE:
                collected = figure_of(verdict, FigureId.COLLECTION_ON_THE_CLOCK)
                assert collected is not None
                assert collected.value == pytest.approx(parts[TimePart.GC], abs=1)
                assert verdict.run_share == pytest.approx(parts[TimePart.GC] / account.wall_ms, abs=1e-3)
            case VerdictKind.RECOMPUTATION:
                again = figure_of(verdict, FigureId.COMPUTED_AGAIN)
                assert again is not None
                assert again.value == account.recomputed_ms
            case VerdictKind.DRIVER_WORK:
                lost = figure_of(verdict, FigureId.TIME_LOST)
                assert lost is not None
                assert lost.value <= parts.get(TimePart.DRIVER, 0) + parts.get(TimePart.START, 0) + 1
            case _:
                pass


def _figures(findings: Findings) -> None:
    """A figure of one stage, by its name and its source, has one value in all verdicts on that stage."""
    seen: dict[tuple[str, str, str], set[float]] = defaultdict(set)
    for verdict in findings.verdicts:
        for figure in verdict.figures:
            if figure.source == TASK_METRICS or len(verdict.stage_ids) != 1 or verdict.kind in OF_ONE_TASK:
                continue
            seen[str(verdict.stage_ids), said(figure.name), said(figure.source)].add(figure.value)
    assert {key: values for key, values in seen.items() if len(values) > 1} == {}


OF_ONE_TASK = (VerdictKind.DATA_SKEW, VerdictKind.STRAGGLER, VerdictKind.WARM_UP, VerdictKind.BROADCASTABLE_JOIN)
"""Their figures are about a task or a join of the stage, each about its own."""


@pytest.mark.parametrize("log", KEPT, ids=lambda path: path.stem)
def test_the_figures_of_a_report_on_a_real_run_agree(log: Path) -> None:
    check(read_run(log))


def test_the_figures_of_the_reports_on_public_logs_agree(eval_data: Path) -> None:
    looked_at = 0
    for log in sorted((eval_data / "spark" / "logs").iterdir()):
        try:
            run = read_run(log)
        except UnreadableLog:
            continue
        check(run)
        looked_at += 1
    assert looked_at > 40


def test_the_wait_for_python_of_more_stages_than_the_account_names_is_all_of_it() -> None:
    """Three stages are named of a part of the time, and a sum was taken over these: 73 s beside 84 s."""
    stages = [stage_of(number, [4_000] * 2, cpu_ms=0, input_records=40_000, operators=("PythonRDD",)) for number in range(5)]
    begun = [START + 4_000 * number for number in range(5)]
    placed = [
        stage.model_copy(update={"first_launch_at": at, "last_finish_at": at + 4_000}) for stage, at in zip(stages, begun, strict=True)
    ]
    run = run_of(*placed, wall_ms=20_000, ended_at=START + 20_000)
    waited = next(verdict for verdict in find(run).verdicts if verdict.kind is VerdictKind.PYTHON_UDF)

    assert (figure_of(waited, FigureId.WAITED_FOR_PYTHON) or waited.figures[0]).value == pytest.approx(20_000, abs=50)
    check(run)
