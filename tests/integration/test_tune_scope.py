"""Whole `tune` jobs over SCOPE bundles: what the product says is what the engine finds, with diffs, gains and explained code."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.tune.plan import FixKind, TuningReport
from contracts.verdicts import Severity, VerdictKind
from tests.support.said import said
from tests.support.scope import sample
from tests.support.tune_jobs import SAMPLES, own_services, report_of, tune
from workers.app.services import ProcessServices
from workers.engines.scope.script import read_scope
from workers.kinds.base import ShowOptions
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.scope_findings import find_scope
from workers.kinds.tune.view import show_result
from workers.saying.document import texts_in

CODE = """namespace ScopeGeneratedClasses
{
    public sealed class ScopeHashCombiner_1 : Combiner
    {
    }
    public class Row_7 : Row
    {
    }
}
"""


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


@pytest.mark.parametrize("name", ["scope_skew", "scope_shuffle"])
def test_the_problems_of_the_samples_are_those_that_the_engine_finds_in_all_files(services: ProcessServices, name: str) -> None:
    """T19, T20, T25: reading goes on until the plan and the statistics are read, and the report says what was read and why."""
    report = report_of(services, tune(services, [SAMPLES / name]))

    engine = find_scope(*sample(name))
    problems = [verdict for verdict in engine.verdicts if verdict.severity is Severity.PROBLEM]
    own = [verdict for verdict in report.verdicts if verdict.severity is Severity.PROBLEM]
    assert [(found.kind, found.stage_ids, found.figures) for found in own] == [(one.kind, one.stage_ids, one.figures) for one in problems]
    assert {verdict.kind for verdict in report.verdicts} == {verdict.kind for verdict in engine.verdicts}
    assert all(said(artefact.reason) for artefact in report.read)


@pytest.mark.parametrize("name", ["scope_skew", "scope_shuffle"])
def test_every_diff_has_a_gain_and_is_a_valid_script(services: ProcessServices, name: str) -> None:
    """T28, T29: each diff applies, and the language's parser reads the new script."""
    report = report_of(services, tune(services, [SAMPLES / name]))

    script = (SAMPLES / name / "scope.script").read_text()
    diffs = [fix.diff for fix in report.fixes if fix.diff]
    assert all(fix.gain is not None and fix.gain.saved_share > 0 for fix in report.fixes if fix.diff)
    assert all(fix.gain_unknown for fix in report.fixes if fix.gain is None)
    assert report.fixes[0].diff
    for diff in diffs:
        new = apply_diff(diff, script)
        assert new is not None
        assert not read_scope(new).unread
    assert len(diffs) == {"scope_skew": 1, "scope_shuffle": 3}[name]


def test_a_failed_job_says_so_first(services: ProcessServices, tmp_path: Path) -> None:
    """T31: the error leads, with the fix for it, whatever else is slow."""
    report = report_of(services, tune(services, [failed(tmp_path)]))

    assert report.fixes[0].kind is FixKind.FIX_FAILURES
    assert report.fixes[0].gain is None
    assert any(verdict.kind is VerdictKind.JOB_ERROR and verdict.severity is Severity.PROBLEM for verdict in report.verdicts)
    assert said(report.headline).startswith("Failed: ")
    assert "E_RUNTIME_USER_SSTREAM" in said(report.headline)


def test_the_generated_code_is_explained(services: ProcessServices, tmp_path: Path) -> None:
    """T8: a class of the generated code, the operator, the stage with its share, and the script's line."""
    folder = Path(shutil.copytree(SAMPLES / "scope_skew", tmp_path / "bundle"))
    (folder / "__ScopeCodeGen__.dll.cs").write_text(CODE)

    report = report_of(services, tune(services, [folder]))

    assert [(part.name, part.line, part.stage, part.script_line) for part in report.generated] == [
        ("ScopeHashCombiner_1", 3, "SV3_Combine", 19)
    ]
    assert report.generated[0].share > 0.7
    texts = details(report)
    assert "Generated code" in texts
    assert any("class ScopeHashCombiner_1: joins two inputs" in text and "line 19" in text for text in texts)


def test_what_the_bundle_lacks_is_asked_for_with_the_files_that_would_have_it(services: ProcessServices, tmp_path: Path) -> None:
    """T10: a request for files, with its grounds."""
    folder = Path(shutil.copytree(SAMPLES / "scope_skew", tmp_path / "bundle"))
    (folder / "tables.json").unlink()

    report = report_of(services, tune(services, [folder]))

    (asked,) = [text for text in map(said, report.not_known) if "no file of the bundle has it" in text]
    assert asked == "Which keys are heavy: no file of the bundle has it. If you can, add: a report of skew or table metadata (tables.json)."


def failed(tmp_path: Path) -> Path:
    """The sample as a job that failed because an input was gone."""
    folder = Path(shutil.copytree(SAMPLES / "scope_shuffle", tmp_path / "failed"))
    (folder / "Error").write_text(
        '{"diagnosticCode": 195887146, "severity": "Error", "component": "RUNTIME", "source": "User", "errorId": "E_RUNTIME_USER_SSTREAM",'
        ' "message": "The stream /shares/shop/events_2026-10-04.ss expired while it was read."}'
    )
    job_info = folder / "JobInfo.xml"
    job_info.write_text(job_info.read_text().replace("CompletedSuccess", "CompletedFailure"))
    return folder


def details(report: TuningReport) -> list[str]:
    document = show_result(report.to_json(), ShowOptions(details=True))
    assert document is not None
    return [said(text) for text in texts_in(document)]
