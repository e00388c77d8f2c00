"""What a file is: by its content first, by its name where that says nothing; the kinds of entry points."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.bundles import Information
from tests.support.bundles import deployment
from tests.support.said import said
from workers.bundles import open_job_bundle
from workers.bundles.registry import GROUP, kind_of, load_kinds
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.errors import ConfigurationError

KINDS = load_kinds(())
EVENT = b'{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}\n'


def told(name: str, text: str | bytes) -> tuple[str, str]:
    kind, by = kind_of(name, text if isinstance(text, bytes) else text.encode(), KINDS)
    return kind.name, by


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("spark_event_log", EVENT.decode()),
        ("spark_event_log", "\ufeff" + EVENT.decode()),
        ("pyspark_script", "from pyspark.sql import SparkSession\nspark.sql('SELECT * FROM a JOIN b')\n"),
        ("pyspark_script", "import sys\ndf = spark.read.parquet('/a')\n"),
        ("scala_script", "import org.apache.spark.sql.SparkSession\nobject Job { val a = 1 }\n"),
        ("sql_script", "-- nightly\nINSERT OVERWRITE TABLE t SELECT a FROM b\n"),
        ("sql_script", "/* Länge */ with x as (select 1 from y) select * from x"),
        ("table_metadata", '{"orders": {"rows": 10, "columns": {"id": "bigint"}}}'),
        ("table_metadata", "table,rows,size_bytes\norders,10,2000\n"),
        ("table_metadata", "表名,行数,大小(MB)\n订单,10,2\n"),
        ("stage_table", "Stage Id,Duration,Tasks,Shuffle Read,Shuffle Write\n3,2 min,200,10 GB,1 GB\n"),
        ("stage_table", "阶段,耗时(秒),任务数,最大任务时间(秒)\n3,120,200,90\n"),
        ("stage_table", '[{"stageId": 3, "duration": 1200, "numTasks": 4}]'),
        ("stage_table", "# exported\n| Stage | Duration (s) | Tasks |\n|---|---|---|\n| 3 | 12 | 4 |\n"),
        ("skew_report", "column,key,rows,share\ncustomer_id,-1,570000,38%\n"),
        ("skew_report", "分区,行数,占比\n0,570000,38%\n1,10,0.1%\n"),
        ("skew_report", "stage,max rows,median rows,skew ratio\n3,1000,10,100\n"),
        ("skew_report", "Data skew in stage 3, column customer_id:\n  key -1 carries 38 % of the rows\n"),
        ("shuffle_log", "stage,shuffle write,shuffle read\n3,10 GB,9 GB\n"),
        ("shuffle_log", "Stage 3: shuffle write: 12.3 GB\nStage 4: shuffle read: 12.3 GB\n"),
        ("shuffle_log", "阶段 3 shuffle写入 3 GB\n"),
        ("configuration", "spark.executor.memory 4g\nspark.sql.shuffle.partitions=200\n"),
        ("configuration", "spark:\n  executor:\n    memory: 4g\n    cores: 2\n  sql:\n    shuffle:\n      partitions: 200\n"),
        ("configuration", '{"conf": {"spark.executor.memory": "4g"}}'),
        ("configuration", "#!/bin/sh\nspark-submit --conf spark.executor.memory=4g \\\n  --num-executors 10 job.py\n"),
        ("plain_log", "24/01/31 10:00:00 INFO DAGScheduler: up\n24/01/31 10:00:01 ERROR Executor: bad\n\tat a.b.C(C.scala:1)\n"),
        ("plain_log", "2024-01-31T10:00:00.123Z [main] WARN  Foo - slow\n"),
        ("unknown", "Dear colleagues, please find enclosed the minutes.\n"),
        ("unknown", "a,b,c\n1,2,3\n"),
        ("unknown", "{}"),
    ],
)
def test_content_tells_the_kind_whatever_the_file_is_called(kind: str, text: str) -> None:
    assert told("data.bin", text) == (kind, "content")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("spark_event_log", "eventlog"),
        ("spark_event_log", "application_1700000000000_0001_1"),
        ("pyspark_script", "job.py"),
        ("sql_script", "job.SQL"),
        ("scala_script", "src/Job.scala"),
        ("configuration", "conf/spark-defaults.conf"),
        ("plain_log", "logs/stderr"),
    ],
)
def test_a_name_tells_the_kind_where_the_content_says_nothing(kind: str, name: str) -> None:
    assert told(name, "nothing of note\n") == (kind, "name")


def test_content_wins_over_the_name() -> None:
    assert told("script.py", EVENT) == ("spark_event_log", "content")
    assert told("eventlog", "import pyspark\nspark.read.parquet('/a')\n") == ("pyspark_script", "content")
    assert told("job.py", "SELECT a FROM b") == ("sql_script", "content")


def test_a_binary_is_unknown() -> None:
    assert told("job.bin", bytes(range(256)) * 20) == ("unknown", "content")


def test_the_real_logs_are_all_told_apart(eval_data: Path, tmp_path: Path) -> None:
    settings = deployment(tmp_path, bundle_roots=(eval_data.resolve(),))
    found: dict[str, tuple[str, str]] = {}
    for folder in ("logs", "bad"):
        for artefact in open_job_bundle(str((eval_data / "spark" / folder).resolve()), settings).catalogue.artefacts:
            found |= dict.fromkeys(artefact.parts or (artefact.name,), (artefact.kind, artefact.told_by))

    assert len(found) == 49 + 5
    assert set(found.values()) == {("spark_event_log", "content")}


def test_the_generated_jobs_are_told_apart(eval_data: Path, tmp_path: Path) -> None:
    root = (eval_data / "spark_generated").resolve()
    settings = deployment(tmp_path, bundle_roots=(root,))

    found = [open_job_bundle(str(job), settings).catalogue.artefacts for job in sorted(root.iterdir()) if job.is_dir()]

    assert [[artefact.kind for artefact in artefacts] for artefacts in found] == [
        ["spark_event_log", "pyspark_script", "table_metadata"]
    ] * 16


@given(st.binary(max_size=500), st.text(max_size=30))
def test_no_beginning_of_a_file_raises(head: bytes, name: str) -> None:
    for kind in KINDS.values():
        assert 0.0 <= kind.sniff(name, head) <= 1.0


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_is_described_in_both_languages(kind: ArtefactKind) -> None:
    assert all(len(said(kind.description, language)) > 10 for language in ("en", "zh"))


def note_kind(name: str = "team_note", sniff: float = 0.9) -> ArtefactKind:
    return ArtefactKind(
        name=name,
        description="A note of our team.",
        tells=frozenset((Information.WARNINGS,)),
        sniff=lambda _name, head: sniff if b"TEAM NOTE" in head else 0.0,
        parse=lambda source: Parsed(summary=source.path.read_text()[:20], tells=frozenset((Information.WARNINGS,))),
        parser="team_note",
    )


ONE = note_kind()
NOT_A_KIND = 42


def several() -> list[ArtefactKind]:
    return [note_kind("team_one"), note_kind("team_two")]


def broken() -> ArtefactKind:
    raise RuntimeError("no licence")


def clash() -> ArtefactKind:
    return note_kind("sql_script")


def point(attribute: str, module: str = __name__) -> EntryPoint:
    return EntryPoint("ours", f"{module}:{attribute}", GROUP)


def test_an_entry_point_adds_a_kind_that_takes_part_in_all(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("TEAM NOTE: slow")
    kinds = load_kinds([point("ONE"), point("several")])

    kind, by = kind_of("note.txt", b"TEAM NOTE: slow", kinds)

    assert {"team_note", "team_one", "team_two"} <= set(kinds)
    assert (kind.name, by) == ("team_note", "content")
    assert kind.parse(ArtefactSource("note.txt", tmp_path / "note.txt", 15)).summary == "TEAM NOTE: slow"


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (point("broken"), "'ours'.*RuntimeError: no licence"),
        (point("missing"), "'ours'.*AttributeError"),
        (point("x", "no_such_module"), "'ours'.*ModuleNotFoundError"),
        (point("NOT_A_KIND"), "'ours'.*gives no ArtefactKind"),
        (point("clash"), "Two artefact kinds are named 'sql_script'"),
    ],
)
def test_a_broken_entry_point_is_named(entry: EntryPoint, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load_kinds([entry])


def test_a_kind_that_is_sure_by_the_name_alone_does_not_win_over_content() -> None:
    boastful = ArtefactKind(
        name="boastful", description=ONE.description, tells=frozenset(), sniff=lambda name, _head: 1.0 if name else 0.0, parse=ONE.parse
    )

    kind, by = kind_of("a.py", EVENT, {**KINDS, "boastful": boastful})

    assert (kind.name, by) == ("spark_event_log", "content")


def test_a_kind_whose_sniff_fails_does_not_know_the_file() -> None:
    def fails(_name: str, _head: bytes) -> float:
        raise IndexError

    failing = ArtefactKind(name="failing", description=ONE.description, tells=frozenset(), sniff=fails, parse=ONE.parse)

    assert kind_of("a.py", EVENT, {"failing": failing, **KINDS})[0].name == "spark_event_log"
