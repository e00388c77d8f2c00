"""Chinese reports of whole jobs: nothing that we write ourselves is left in English."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.spark import RunFacts
from contracts.tune.plan import TuningReport
from tests.support.tune_jobs import SAMPLES, own_services, report_of, tune
from workers.app.services import ProcessServices
from workers.cli import tuning
from workers.cli.display import SafeConsole
from workers.cli.tuning import print_report
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.advice.settings import KNOWN

WORD = re.compile(r"[A-Za-z][A-Za-z]{2,}")

FIELD = frozenset(
    [
        "AQE",
        "COL",
        "PySpark",
        "DataFrame",
        "Exchange",
        "Executor",
        "GiB",
        "HASH",
        "Java",
        "Join",
        "KiB",
        "Kryo",
        "MiB",
        "OPTION",
        "PARTITIONED",
        "Python",
        "RDD",
        "SCOPE",
        "SQL",
        "Shuffle",
        "Spark",
        "Stage",
        "Task",
        "UNION",
        "ALL",
        "WHERE",
        "REDUCE",
        "CLUSTERED",
        "BROADCAST",
        "BROADCASTLEFT",
        "BROADCASTRIGHT",
        "IsRecursive",
        "SKEWFACTOR",
        "SqlUserDefinedReducer",
        "Algebra",
        "UseG",
        "OOM",
        "AQEShuffleRead",
        "BroadcastExchange",
        "BroadcastHashJoin",
        "HashAggregate",
        "REPARTITION",
        "RoundRobinPartitioning",
        "SortMergeJoin",
        "rangepartitioning",
        "broadcast",
        "coalesce",
        "coalesced",
        "collect",
        "count",
        "disk",
        "distinct",
        "driver",
        "executor",
        "false",
        "first",
        "job",
        "join",
        "last",
        "map",
        "memory",
        "merge",
        "null",
        "orderBy",
        "partial",
        "approx",
        "percentile",
        "reducer",
        "processor",
        "repartition",
        "select",
        "shuffle",
        "skew",
        "skewJoin",
        "sort",
        "spill",
        "stage",
        "task",
        "true",
        "union",
        "unpersist",
        "vertex",
        "yarn",
        "dataproc",
        "databricks",
        "bullpen",
        "show",
        "details",
        "feedback",
        "adopted",
        "ignored",
    ]
)
"""Spark's, SCOPE's and our program's own words, which a Chinese text on them keeps."""

EXPERIENCE = "来自经验"
"""Behind it stand ids of sections in the skill packs."""


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


def words_of(folder: Path) -> set[str]:
    """What stands in the user's own files and names; of an event log its operators, settings and errors alone."""
    texts = [path.name for path in folder.iterdir()]
    for path in folder.iterdir():
        if path.name.startswith("eventlog"):
            texts += of_run(read_run(path))
        elif path.suffix != ".md":
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return set(WORD.findall(" ".join(texts)))


def of_run(run: RunFacts) -> list[str]:
    return [
        *(node.name for execution in run.executions for node in execution.nodes),
        *(f"{name} {value}" for name, value in run.configuration.items()),
        *(f"{kind.error} {kind.message}" for stage in run.stages for kind in stage.failures),
        *(name for execution in run.executions for name in execution.configuration),
    ]


def printed(report: TuningReport, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    with (tmp_path / "printed").open("w", encoding="utf-8") as out:
        monkeypatch.setattr(tuning, "console", SafeConsole(file=out, highlight=False, emoji=False, width=200))
        for details in (False, True):
            print_report(report, details=details)
    return (tmp_path / "printed").read_text(encoding="utf-8").splitlines()


def of_diffs(report: TuningReport) -> set[str]:
    """The user's script as it is rewritten."""
    return set(WORD.findall(" ".join(fix.diff for fix in report.fixes)))


def foreign(lines: list[str], own: set[str]) -> set[str]:
    """Words that are neither the user's nor Spark's."""
    known = own | FIELD | set(WORD.findall(" ".join(KNOWN)))
    return {word for line in lines if EXPERIENCE not in line for word in WORD.findall(line) if word not in known}


def test_a_word_of_ours_in_english_is_found() -> None:
    """The test of the test."""
    assert foreign(["读到 3 lines，orders 表", "来自经验：tune-skew/salt-join"], {"orders"}) == {"lines"}


@pytest.mark.parametrize("folder", sorted(path for path in SAMPLES.iterdir() if path.is_dir()), ids=lambda path: path.name)
def test_a_chinese_report_of_a_sample_has_no_english_of_ours(
    services: ProcessServices, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """T27."""
    report = report_of(services, tune(services, [folder], language="zh"))

    assert foreign(printed(report, monkeypatch, tmp_path), words_of(folder) | of_diffs(report)) == set()


def test_a_chinese_report_of_a_generated_job_has_no_english_of_ours(
    services: ProcessServices, eval_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """T27: every kind of problem there is a real run of."""
    left: dict[str, set[str]] = {}
    for line in (eval_data / "spark_generated" / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        folder = eval_data / "spark_generated" / json.loads(line)["id"]
        report = report_of(services, tune(services, [folder], language="zh"))
        left[folder.name] = foreign(printed(report, monkeypatch, tmp_path), words_of(folder) | of_diffs(report))

    assert {name: words for name, words in left.items() if words} == {}
