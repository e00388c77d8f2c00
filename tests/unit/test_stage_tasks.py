"""Tables with a row for each task, and stages that list their tasks: they were read as so many stages, or not at all."""

import json
from pathlib import Path

import pytest

from contracts.artefacts import StageTable
from contracts.verdicts import Severity, VerdictKind
from tests.support.said import said
from tests.unit.test_tuning_public_files import KINDS, found, kind_of, known_of
from workers.engines.artefacts.rows import rows_of
from workers.engines.artefacts.stage_table import is_of_tasks

HEADER = "jobId,stageId,index,launchTime,finishTime,duration,executorRunTime,recordsRead,bytesRead,shuffleTotalBytesRead,shuffleRecordsRead"


def task(stage: int, index: int, ms: int, megabytes: int) -> str:
    return f"0,{stage},{index},0,{ms},{ms},{ms - 100},0,0,{megabytes * 1_000_000},{megabytes * 12_000}"


SPARK_MEASURE = "\n".join([HEADER, *(task(2, at, 9_000 + at, 100) for at in range(39)), task(2, 39, 1_400_000, 16_000)])


def test_a_row_for_each_task_of_spark_measure_is_a_stage_with_its_spread(tmp_path: Path) -> None:
    known = known_of(tmp_path, part__csv=SPARK_MEASURE)
    (skew,) = found(known, VerdictKind.DATA_SKEW)

    assert (skew.severity, skew.stage_ids) == (Severity.PROBLEM, (2,))
    assert "14.9 GiB" in said(skew.summary)
    (table,) = [fact for each in known.reads for fact in each.facts if isinstance(fact, StageTable)]
    assert [row.tasks for row in table.rows] == [40]


RETRIED = "Index,Stage Id,Attempt,Duration (ms),Input (MB),Shuffle Read (MB)\n"


@pytest.mark.parametrize("stages", [(0, 1, 2, 2, 3, 4), (1, 1, 1, 2), (1, 1, 2, 2)], ids=["one retried", "one often", "both"])
def test_a_numbered_table_with_a_stage_that_was_tried_again_is_one_of_stages(stages: tuple[int, ...]) -> None:
    text = RETRIED + "".join(f"{at},{stage},{stages[:at].count(stage)},{9_000 + at},100,20\n" for at, stage in enumerate(stages))

    assert not is_of_tasks(rows_of(text))


def test_tasks_are_told_by_their_number_also_where_it_goes_on_over_all_stages() -> None:
    for heading in ("Task ID,Stage Id", "Stage Id,Index"):
        pairs = [(at, stage) if heading.startswith("Task") else (stage, at % 5) for at, stage in enumerate([3] * 5 + [4] * 5)]
        text = f"{heading},Duration (ms),Shuffle Read (MB)\n" + "".join(f"{one},{other},900,20\n" for one, other in pairs)
        assert is_of_tasks(rows_of(text))


def listed(index: int, ms: int, megabytes: int) -> dict[str, object]:
    read = {"remoteBytesRead": megabytes * 600_000, "localBytesRead": megabytes * 400_000, "recordsRead": megabytes * 12_000}
    metrics = {"executorRunTime": ms, "jvmGcTime": 5, "shuffleReadMetrics": read, "inputMetrics": {"bytesRead": 0, "recordsRead": 0}}
    return {"taskId": 600 + index, "index": index, "duration": ms, "status": "SUCCESS", "taskMetrics": metrics}


TASKS = [*(listed(at, 9_000 + at, 100) for at in range(59)), listed(59, 1_500_000, 18_000)]
STAGE = {
    "status": "COMPLETE", "stageId": 4, "numTasks": 60, "executorRunTime": 2_040_000, "shuffleReadBytes": 23_900_000_000,
    "submissionTime": "2026-03-02T01:04:11.000GMT", "completionTime": "2026-03-02T01:29:40.000GMT", "name": "save at R.scala:21",
}  # fmt: skip


def test_the_tasks_of_a_stage_of_the_history_server_show_its_skew(tmp_path: Path) -> None:
    text = json.dumps([STAGE | {"tasks": {str(task["taskId"]): task for task in TASKS * 4}}], indent=1)
    (skew,) = found(known_of(tmp_path, stage4__json=text), VerdictKind.DATA_SKEW)

    assert kind_of("stage4.json", text) == "stage_table"
    assert skew.stage_ids == (4,)
    assert "16.8 GiB" in said(skew.summary)


def test_the_task_list_of_one_stage_shows_its_skew(tmp_path: Path) -> None:
    (skew,) = found(known_of(tmp_path, tasks__json=json.dumps(TASKS)), VerdictKind.DATA_SKEW)

    assert "16.8 GiB" in said(skew.summary)


def test_a_document_that_breaks_off_within_an_object_is_read_so_far() -> None:
    """The kind of a file is told by its beginning: that of a long document ends anywhere."""
    whole = json.dumps([STAGE, STAGE | {"stageId": 5, "name": 'a "quoted, [name'}], indent=1)

    for end in range(len(whole) // 2, len(whole), 7):
        assert "stage" in rows_of(whole[:end]).fields
    assert KINDS["stage_table"].sniff("s.json", whole[: len(whole) - 60].encode()) > 0.5
