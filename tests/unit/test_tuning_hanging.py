"""A log that goes on: the tasks that it has the start of and no end."""

from pathlib import Path
from typing import Any

import pytest

from contracts.spark import RunFacts
from contracts.verdicts import Findings, Severity, TuningClass, Verdict, VerdictKind
from tests.support.eventlog import START, app_end, app_start, executor_added, job_start, log_start, stage_event, task_end, to_bytes
from tests.support.said import said
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.headline import headline

REAL = Path(__file__).parents[1] / "support" / "logs" / "letters_in_progress.zstd"
"""Of Spark 3.5.9 while its task 15 slept: fourteen tasks of stage 3 have ended, and the last line breaks off."""


def begun(task_id: int, launched: int, executor: str = "1", stage: int = 0) -> dict[str, Any]:
    info = task_end(stage, task_id, 0, launched=launched, executor=executor)["Task Info"]
    return {"Event": "SparkListenerTaskStart", "Stage ID": stage, "Stage Attempt ID": 0, "Task Info": info | {"Finish Time": 0}}


def going_on(path: Path, *more: dict[str, Any], tasks: int = 8, last: int = 80_000) -> RunFacts:
    """All but the last task of a stage have ended after ten seconds, the last of them `last` ms after the start."""
    events = [log_start(), app_start(), executor_added("1", 2), executor_added("7", 2), job_start(0, [0]), stage_event(0, tasks, START)]
    for task in range(tasks - 1):
        launched = START + last - 10_000 if task == tasks - 2 else START + 1_000
        events += [begun(task, launched), task_end(0, task, 10_000, launched=launched)]
    events.insert(6, begun(tasks - 1, START + 2_000, "7"))
    log = path / "app-1.inprogress"
    log.write_bytes(to_bytes([*events, *more]))
    return read_run(log)


def hanging(findings: Findings) -> list[Verdict]:
    return [verdict for verdict in findings.verdicts if verdict.kind is VerdictKind.HANGING_TASK]


def test_the_task_that_a_run_waits_for_is_named_with_its_host_and_since_when(tmp_path: Path) -> None:
    findings = find(going_on(tmp_path))
    found = hanging(findings)[0]
    first = said(headline(findings, []))

    assert found.severity is Severity.PROBLEM
    assert findings.tuning_class is TuningClass.OTHER
    assert found.stage_ids == (0,)
    assert first.startswith("A task that does not end: Stage 0 waits for 1 task that began and had not ended when the log did")
    assert "task 7 (partition 7) on executor 7, host host-7, since Nov 14, 2023, 10:13:22 PM UTC, for 78 s" in first.replace("\u202f", " ")
    assert "7 of 8 tasks have ended, the median one after 10 s" in first


def test_what_has_run_no_longer_than_others_is_a_hint_and_named_all_the_same(tmp_path: Path) -> None:
    """The log of a task that hangs in the last wave ends when the others have ended."""
    findings = find(going_on(tmp_path, last=12_000))

    assert [found.severity for found in hanging(findings)] == [Severity.HINT]
    assert "task 7 (partition 7) on executor 7" in said(headline(findings, []))


def test_a_log_in_the_middle_of_a_stage_waits_for_no_task(tmp_path: Path) -> None:
    """Two tasks that had run for 300 ms were what the run waited for."""
    events = [log_start(), app_start(), executor_added("1", 2), job_start(0, [0]), stage_event(0, 100, START)]
    for task in range(40):
        launched = START + 1_000 + task // 2 * 10_000
        events += [begun(task, launched), task_end(0, task, 10_000, launched=launched)]
    log = tmp_path / "app-1.inprogress"
    log.write_bytes(to_bytes([*events, begun(40, START + 200_700), begun(41, START + 200_800)]))
    run = read_run(log)

    assert len(run.running) == 2
    assert hanging(find(run)) == []
    log.write_bytes(to_bytes([*events, begun(40, START + 100_700), begun(41, START + 200_800)]))
    assert [found.severity for found in hanging(find(read_run(log)))] == [Severity.PROBLEM]


@pytest.mark.parametrize(
    "more",
    [
        (app_end(START + 90_000),),
        (stage_event(0, 8, START, START + 81_000),),
        ({"Event": "SparkListenerExecutorRemoved", "Executor ID": "7", "Timestamp": START + 81_000, "Removed Reason": "lost"},),
        (task_end(0, 7, 79_000, launched=START + 2_000, executor="7"),),
    ],
)
def test_a_run_a_stage_an_executor_or_a_task_that_has_ended_leaves_no_hanging_task(
    tmp_path: Path, more: tuple[dict[str, Any], ...]
) -> None:
    assert hanging(find(going_on(tmp_path, *more))) == []


def test_a_stage_without_an_ended_task_has_no_median(tmp_path: Path) -> None:
    log = tmp_path / "app-1.inprogress"
    log.write_bytes(
        to_bytes(
            [log_start(), app_start(), job_start(0, [0, 1]), stage_event(0, 1, START), begun(0, START), stage_event(1, 1, START + 700_000)]
        )
    )
    found = hanging(find(read_run(log)))[0]

    assert found.severity is Severity.PROBLEM
    assert "median" not in said(found.summary)


def test_a_real_log_in_progress_names_the_task_that_sleeps() -> None:
    run = read_run(REAL)

    assert run.running[0].task_id == 15
    assert "task 15 (partition 12) on executor driver" in said(headline(find(run), []))


def test_the_report_of_a_run_that_waits_begins_with_what_it_waits_for(tmp_path: Path) -> None:
    """It stood behind what takes more of the time so far."""
    found = find(going_on(tmp_path))
    heavier = find(read_run(REAL)).verdicts[0].model_copy(update={"share": 0.9, "run_share": 0.9})
    scores = tuple(score.model_copy(update={"carried_by": (0, *(place + 1 for place in score.carried_by))}) for score in found.scores)
    both = found.model_copy(update={"verdicts": (heavier, *found.verdicts), "scores": scores})

    first = said(headline(both, []))

    assert first.index("Stage 0 waits for 1 task") < first.index("go to a Python process")
