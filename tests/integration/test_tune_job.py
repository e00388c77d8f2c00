"""A whole `tune` job over real Postgres, its steps run in this process: from the files to the report."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from backports import zstd

from contracts.jobs import SubmitJob
from contracts.tune.plan import FixKind
from contracts.tune.steps import Evidence, InformationCheck, Standing
from contracts.verdicts import TuningClass
from tests.support.explained import BY_RANGE
from tests.support.said import kept
from tests.support.said import said as shown
from tests.support.tune_jobs import SAMPLES, content, own_services, report_of, requests, tune
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.bundles import opening
from workers.bundles.registry import load_kinds
from workers.coordinator.intake import accept
from workers.reading.lists import files_of, list_jobs

SKEWED = SAMPLES / "spark_skew"

APP_START = b'{"Event":"SparkListenerApplicationStart","App Name":"other","App ID":"local-2","Timestamp":1,"User":"etl"}\n'


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


def job_row(services: ProcessServices, job_id: object) -> dict[str, object]:
    row = services.database.row("SELECT status, error FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    return row


def test_a_skewed_job_gets_its_class_its_line_its_key_and_fixes_that_answer_it(services: ProcessServices) -> None:
    """T1 to T7, T31: script, log and metadata in; class, place and ranked fixes out."""
    job_id = tune(services, [SKEWED])
    report = report_of(services, job_id)

    (line,) = list_jobs(services.database).jobs
    assert line.about == "nightly-engagement, nightly_engagement.py"  # without words, its application and script
    assert "eventlog.zstd" in files_of(services.database, job_id)
    assert report.classification.tuning_class is TuningClass.DATA_SKEW
    blame = report.verdicts[0].blame
    assert [spot.line for spot in blame.spots][:1] == [12]
    assert ("page_views", "visitor_id") in [(one.table, one.column) for one in blame.columns]
    assert (blame.keys[0].value, blame.keys[0].rows) == ("0", 1_618_262)
    assert report.fixes[0].kind in (FixKind.FILTER_SENTINEL, FixKind.SPLIT_HOT_KEYS, FixKind.BROADCAST_JOIN)
    assert any(fix.diff for fix in report.fixes)
    assert all(fix.evidence and fix.verify and fix.pros for fix in report.fixes)


def test_what_is_missing_is_asked_for_and_counts_from_its_artefact_alone(services: ProcessServices) -> None:
    """T9, T10, T22: the class is known from the log; the hot key is in the metadata, which the check asks for."""
    job_id = tune(services, [SKEWED])

    asked = [payload for asker, target, payload in requests(services, job_id) if (asker, target) == ("information_check", "evidence")]
    evidence = Evidence.model_validate(content(services, job_id, "evidence"))
    check = InformationCheck.model_validate(content(services, job_id, "information_check"))
    assert [one["name"] for payload in asked for one in payload["read"]] == ["tables.json"]
    assert {one.name: one.round for one in evidence.read} == {"eventlog.zstd": 0, "nightly_engagement.py": 0, "tables.json": 1}
    assert check.sufficient
    assert {need.information: need.present_in for need in check.needs}["hot_keys"] == ("tables.json",)
    assert "spark-defaults.conf" in report_of(services, job_id).not_read


def test_a_hypothesis_says_what_the_evidence_says_of_it(services: ProcessServices) -> None:
    """T29."""
    report = report_of(services, tune(services, [SKEWED], description="I think it is the garbage collection"))

    said = {one.hypothesis_id: one for one in report.standings}
    by_kind = {one.kind: said[one.hypothesis_id] for one in report.hypotheses}
    assert by_kind["data_skew"].standing is Standing.SUPPORTED
    assert by_kind["gc_pressure"].standing is Standing.REFUTED
    assert all(one.how_to_verify for one in report.hypotheses)


def test_the_report_is_in_the_users_language(services: ProcessServices) -> None:
    report = report_of(services, tune(services, [SKEWED], description="这个作业每晚都很慢，最后一个任务一直跑不完"))

    assert report.language == "zh"
    for said in (report.headline, report.fixes[0].title, report.fixes[0].what, report.hypotheses[0].statement, report.read[0].reason):
        assert any("\u4e00" <= character <= "\u9fff" for character in shown(said, "zh")), said


def test_a_script_alone_gets_a_preliminary_class_and_no_fix_that_rests_on_nothing(services: ProcessServices, tmp_path: Path) -> None:
    """T2, T33: nothing measured, nothing claimed."""
    (tmp_path / "job").mkdir()
    shutil.copy(SKEWED / "nightly_engagement.py", tmp_path / "job")

    report = report_of(services, tune(services, [tmp_path / "job"], description="the join has data skew"))

    assert report.classification.is_preliminary
    assert report.classification.tuning_class is TuningClass.DATA_SKEW
    assert report.fixes == ()
    assert report.not_known


def test_a_path_that_no_setting_allows_is_refused(services: ProcessServices, tmp_path: Path) -> None:
    """A producer may not make the fleet read any file of its machines."""
    (tmp_path / "secret").write_text("x")
    request = SubmitJob(job={"kind": "tune", "bundle": str(tmp_path / "secret")})
    job_id = accept(services.database, request, owner_cap=100).job_id
    run_all(services)

    row = job_row(services, job_id)
    assert row["status"] == "failed"
    assert "BULLPEN_BUNDLE_ROOTS" in kept(row["error"])


def test_of_two_applications_the_report_says_which_one_it_is_about(services: ProcessServices, tmp_path: Path) -> None:
    """The other one is in the overview, and not silently taken for a file that nobody needs."""
    other = zstd.compress(b'{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}\n' + APP_START)
    (tmp_path / "other.zstd").write_bytes(other)

    report = report_of(services, tune(services, [SKEWED / "eventlog.zstd", tmp_path / "other.zstd"]))

    assert report.classification.tuning_class is TuningClass.DATA_SKEW
    assert report.runs.chosen == "eventlog.zstd"
    assert [run.artefact for run in report.runs.runs] == ["eventlog.zstd", "other.zstd"]


def test_a_replayed_job_reads_nothing_twice(services: ProcessServices) -> None:
    """What was parsed is kept by the artefact's hash, whichever job it came with."""
    tune(services, [SKEWED])
    before = services.database.row("SELECT count(*) AS rows FROM artefact_facts", {})

    tune(services, [SKEWED], description="again")

    assert services.database.row("SELECT count(*) AS rows FROM artefact_facts", {}) == before


def test_a_kind_that_only_another_worker_knows_is_said_and_the_rest_goes_on(
    services: ProcessServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package that offers it is installed where the catalogue is made, and nowhere else."""
    known = load_kinds()
    theirs = replace(known["plain_log"], name="acme_report", sniff=lambda name, head: 1.0 if head.startswith(b"ACME") else 0.0)
    monkeypatch.setattr(opening, "kinds_here", lambda: {**known, theirs.name: theirs})
    (tmp_path / "nightly.txt").write_text("ACME NIGHTLY REPORT\n")

    report = report_of(services, tune(services, [*SKEWED.iterdir(), tmp_path / "nightly.txt"]))

    assert report.classification.tuning_class is TuningClass.DATA_SKEW
    assert "nightly.txt" in report.not_read
    (said,) = [text for text in map(shown, report.not_known) if text.startswith("nightly.txt: ")]
    assert "not every worker knows its kind, acme_report" in said


def test_a_plan_without_files_is_judged_and_says_what_only_a_log_tells(services: ProcessServices) -> None:
    """It was refused: the bundle was missing."""
    wanted = SubmitJob(job={"kind": "tune", "description": BY_RANGE})
    job_id = accept(services.database, wanted, owner_cap=100, has_model=False).job_id
    run_all(services)
    report = report_of(services, job_id)

    assert shown(report.headline).startswith("A cross join: ")
    assert "only the event log of a run tells" in shown(report.not_known[0])
    assert [read.name for read in report.read] == ["pasted.txt"]
