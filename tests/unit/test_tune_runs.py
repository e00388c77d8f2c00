"""Several runs in one bundle: their order, the jobs that became slower and why, and what belongs to which run."""

from pathlib import Path

import pytest

from contracts.bundles import Artefact, Catalogue
from contracts.spark import RunFacts, SqlExecution, SqlNode, StageStatus
from contracts.tune.runs import RunEnd, RunsCompared
from tests.support.said import said
from workers.engines.artefacts.kinds import Parsed
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.judged import judged
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.kinds.tune.rules.runs import RunProfile, compared, named_run, of_one_run, profile

FIXTURES = Path(__file__).parents[1] / "bench" / "spark_pairs" / "fixtures"
SKEWED, TINY, FAILING = (read_run(FIXTURES / f"{name}.zstd") for name in ("skewed_join", "tiny_tasks", "failing_tasks"))


def profiled(run: RunFacts, artefact: str) -> RunProfile:
    read = Artefact(name=artefact, kind="spark_event_log", size_bytes=1)
    known = Known((ReadFacts.of(read, Parsed(), lambda: (run,), reason="test", shapes=None),))
    return profile(artefact, run, judged(known))


def later(run: RunFacts, times: float, *, name: str | None = None, after_ms: int = 86_400_000) -> RunFacts:
    """The same run on another day, in which each stage took `times` as long."""
    start = (run.started_at or 0) + after_ms

    def at(moment: int | None) -> int | None:
        return None if moment is None else round(start + (moment - (run.started_at or 0)) * times)

    stages = tuple(
        stage.model_copy(update={"first_launch_at": at(stage.first_launch_at), "last_finish_at": at(stage.last_finish_at)})
        for stage in run.stages
    )
    changed = {"stages": stages, "started_at": start, "ended_at": at(run.ended_at), "wall_ms": round((run.wall_ms or 0) * times)}
    return run.model_copy(update={**changed, "app_name": name or run.app_name})


def slower(*runs: RunFacts) -> RunsCompared:
    return compared([profiled(run, f"log{number}") for number, run in enumerate(runs)], "", ())


def reasons(found: RunsCompared) -> str:
    return " ".join(said(reason) for reason in found.slower[0].reasons)


def test_the_worst_run_comes_first_and_is_the_one_that_is_reported() -> None:
    found = slower(TINY, SKEWED)

    assert [run.artefact for run in found.runs] == ["log1", "log0"]
    assert found.chosen == "log1"
    assert found.runs[0].lost_ms > found.runs[1].lost_ms > 0


def test_a_failed_run_comes_before_all_others() -> None:
    failed = TINY.model_copy(update={"jobs": tuple(job.model_copy(update={"status": StageStatus.FAILED}) for job in TINY.jobs)})

    found = slower(SKEWED, failed)

    assert [(run.artefact, run.end) for run in found.runs] == [("log1", RunEnd.FAILED), ("log0", RunEnd.SUCCEEDED)]
    assert found.runs[0].lost_ms == failed.wall_ms


def test_a_slower_run_of_a_job_is_found_with_where_the_time_went() -> None:
    found = slower(SKEWED, later(SKEWED, 2.0))

    assert [(job.before, job.after, job.earlier_runs) for job in found.slower] == [("log0", "log1", 1)]
    assert "so the data's size does not explain it" in reasons(found)
    assert "Stage" in reasons(found)


def test_runs_within_what_varies_from_day_to_day_are_not_slower() -> None:
    assert slower(SKEWED, later(SKEWED, 1.25)).slower == ()


def test_a_growth_of_moments_is_not_named() -> None:
    short = later(SKEWED, 0.1, after_ms=0)

    assert slower(short, later(short, 3.0)).slower == ()


def test_the_latest_run_is_compared_with_the_middle_one_of_the_earlier_ones() -> None:
    day = 86_400_000
    runs = [later(SKEWED, times, after_ms=number * day) for number, times in enumerate((1.0, 5.0, 1.1, 3.0))]

    found = slower(*runs).slower[0]

    assert (found.before, found.after, found.earlier_runs) == ("log2", "log3", 3)


def test_dates_in_names_do_not_part_the_runs_of_a_job_and_other_numbers_do() -> None:
    assert slower(later(SKEWED, 1, name="nightly 2026-01-30"), later(SKEWED, 2, name="nightly 2026-01-31")).slower
    assert not slower(later(SKEWED, 1, name="part-1"), later(SKEWED, 2, name="part-2")).slower


def test_sessions_without_a_name_of_their_own_are_no_job() -> None:
    assert not slower(later(SKEWED, 1, name="PySparkShell"), later(SKEWED, 2, name="PySparkShell")).slower


def test_more_data_another_join_and_other_settings_are_named() -> None:
    plan = SqlExecution(
        execution_id=0,
        nodes=(SqlNode(node=0, name="BroadcastHashJoin", simple_string="BroadcastHashJoin [a#1], [b#2], Inner, BuildRight"),),
    )
    settings = {**SKEWED.configuration, "spark.sql.shuffle.partitions": "200"}
    before = SKEWED.model_copy(update={"executions": (plan,), "configuration": settings})
    after = later(SKEWED, 2.5)
    grown = tuple(stage.model_copy(update={"input_bytes": stage.input_bytes * 2}) for stage in after.stages)

    found = reasons(slower(before, after.model_copy(update={"stages": grown, "slots": 1})))

    assert "(2 times)" in found
    assert "1 BroadcastHashJoin before" in found
    assert "`spark.sql.shuffle.partitions`: 200 before, 16 now" in found
    assert "It could run 1 task at a time, 8 before." in found


@pytest.mark.parametrize("wanted", ["app-7", "day/a/eventlog", "eventlog", "nightly"])
def test_a_run_is_named_by_its_application_its_log_or_its_name(wanted: str) -> None:
    line = profiled(SKEWED, "day/a/eventlog").line.model_copy(update={"app_id": "app-7", "app_name": "nightly"})

    assert named_run([line], wanted) == "day/a/eventlog"
    assert named_run([line], "nothing") is None


def test_files_in_another_runs_folder_belong_to_that_run() -> None:
    names = ("a/eventlog", "a/job.py", "b/eventlog", "b/job.py", "tables.json")
    kinds = {"eventlog": "spark_event_log", "job.py": "pyspark_script", "tables.json": "table_metadata"}
    artefacts = tuple(Artefact(name=name, kind=kinds[name.rpartition("/")[2]], size_bytes=1) for name in names)
    catalogue = Catalogue(bundle="x", content_hash="0", artefacts=artefacts)

    assert [artefact.name for artefact in of_one_run(catalogue, "a/eventlog").artefacts] == ["a/eventlog", "a/job.py", "tables.json"]
