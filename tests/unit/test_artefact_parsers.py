"""What the parsers of text artefacts read, with units and headings in two languages, and that nothing in a file makes them raise."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.artefacts import ConfigurationFacts, LogEventKind, LogFacts, ShuffleLog, SkewReport, SourceText, StageTable, TableMetadata
from contracts.bundles import Information
from contracts.code import ScriptFacts
from tests.support.campaign import sample
from tests.support.said import said
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.headings import FIELDS, MEANS, heading_of
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.artefacts.rows import rows_of
from workers.engines.artefacts.stage_table import sniff_stage_table
from workers.engines.artefacts.texts import decode
from workers.engines.artefacts.values import number_of

KINDS = load_kinds(())


def parsed(tmp_path: Path, kind: str, text: str | bytes, name: str = "artefact") -> Parsed:
    path = tmp_path / "blob"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return KINDS[kind].parse(ArtefactSource(name, path, path.stat().st_size))


def stages(tmp_path: Path, text: str) -> StageTable:
    (facts,) = parsed(tmp_path, "stage_table", text).facts
    assert isinstance(facts, StageTable)
    return facts


def test_a_stage_table_has_its_units_from_headings_and_cells(tmp_path: Path) -> None:
    table = stages(
        tmp_path,
        "Stage ID,Duration (s),Tasks,Max Task Time,Median task time [ms],Shuffle Read (MB),Shuffle Write,Spill (Disk),Mood\n"
        '3,"1,200",200,2 min 3 s,450,1.5,12.3 GiB,512m,good\n',
    )
    (row,) = table.rows

    assert (row.line, row.stage_id, row.duration_ms, row.tasks) == (2, 3, 1_200_000, 200)
    assert (row.task_max_ms, row.task_median_ms) == (123_000, 450)
    assert (row.shuffle_read_bytes, row.shuffle_write_bytes, row.disk_spill_bytes) == (1.5 * 2**20, 12.3 * 2**30, 512 * 2**20)
    assert table.columns_unread == ("Mood",)
    assert row.gc_ms is None


def test_a_chinese_stage_table_reads_like_an_english_one(tmp_path: Path) -> None:
    english = stages(tmp_path, "stage,duration (s),tasks,max task time (s),shuffle read (GB)\n3,120,200,90,2\n")
    chinese = stages(tmp_path, "阶段，".replace("，", ",") + "耗时（秒）,任务数,最大任务时间（秒）,Shuffle读取量（GB）\n3,120,200,90,2\n")

    assert chinese.rows == english.rows


def test_a_stage_table_of_json_reads_like_one_of_csv(tmp_path: Path) -> None:
    table = stages(tmp_path, json.dumps({"stages": [{"stageId": 3, "durationMs": 1200, "numTasks": 4, "shuffleReadBytes": 10}]}))

    assert [(row.line, row.stage_id, row.duration_ms, row.tasks, row.shuffle_read_bytes) for row in table.rows] == [(1, 3, 1200, 4, 10)]


def test_a_unit_that_is_not_told_is_said_to_be_assumed(tmp_path: Path) -> None:
    assert "read as milliseconds" in said(stages(tmp_path, "stage,duration,tasks\n3,1200,4\n").notes[0])
    assert stages(tmp_path, "stage,duration,tasks\n3,1.2 s,4\n").notes == ()


def test_a_stage_table_tells_only_what_is_in_it(tmp_path: Path) -> None:
    """T15, T16: provenance."""
    plain = parsed(tmp_path, "stage_table", "stage,duration (s),tasks\n3,120,200\n")
    rich = parsed(tmp_path, "stage_table", "stage,duration (s),tasks,shuffle read,max task bytes\n3,120,200,2 GB,1 GB\n")

    assert plain.tells == {Information.STAGE_RUNS}
    assert rich.tells == {Information.STAGE_RUNS, Information.SHUFFLE_STATISTICS, Information.DATA_DISTRIBUTION}


@pytest.mark.parametrize(
    "text",
    [
        "column,key,rows,share\ncustomer_id,-1,570000,38%\ncustomer_id,7,20,0.001%\n",
        '[{"column": "customer_id", "key": -1, "rows": 570000, "share": 0.38}]',
        "列名,键值,行数,占比\ncustomer_id,-1,570000,38%\n",
    ],
)
def test_a_skew_report_names_the_key(text: str, tmp_path: Path) -> None:
    found = parsed(tmp_path, "skew_report", text)
    (report,) = found.facts

    assert isinstance(report, SkewReport)
    hot = report.partitions[0]
    assert (hot.column, hot.key, hot.records, hot.share) == ("customer_id", "-1", 570_000, 0.38)
    assert found.tells == {Information.DATA_DISTRIBUTION, Information.HOT_KEYS}


def test_prose_about_skew_is_read_with_stage_and_line(tmp_path: Path) -> None:
    (report,) = parsed(
        tmp_path, "skew_report", "Skew report\nStage 3, column customer_id\n  key -1 carries 38 % of the rows\n  partition 7: 12 GB\n"
    ).facts

    assert isinstance(report, SkewReport)
    key, partition = report.partitions
    assert (key.line, key.stage_id, key.column, key.key, key.share) == (3, 3, "customer_id", "-1", 0.38)
    assert (partition.line, partition.partition, partition.key, partition.size_bytes) == (4, "7", None, 12 * 2**30)


def test_shares_of_partitions_follow_from_the_list(tmp_path: Path) -> None:
    (report,) = parsed(tmp_path, "skew_report", "stage,partition,rows\n3,0,90\n3,1,10\n").facts

    assert isinstance(report, SkewReport)
    assert [one.share for one in report.partitions] == [0.9, 0.1]
    assert [one.stage_id for one in report.partitions] == [3, 3]


@pytest.mark.parametrize(
    "text",
    [
        "stage,shuffle write,shuffle read\n3,12 GB,1 GB\n",
        '[{"stage": "3", "shuffleWriteBytes": 12884901888, "shuffleReadBytes": 1073741824}]',
        "Stage 3: shuffle write: 12 GB, shuffle read 1 GB\n",
        "阶段 3: shuffle写入 12 GB, shuffle读取 1 GB\n",
    ],
)
def test_a_shuffle_log_tells_volumes(text: str, tmp_path: Path) -> None:
    (log,) = parsed(tmp_path, "shuffle_log", text).facts

    assert isinstance(log, ShuffleLog)
    assert [(row.stage_id, row.write_bytes, row.read_bytes) for row in log.rows] == [(3, 12 * 2**30, 2**30)]


@pytest.mark.parametrize(
    "text",
    [
        "# ours\nspark.executor.memory   4g  # plenty\nspark.sql.shuffle.partitions 200\n",
        "spark.executor.memory=4g\nspark.sql.shuffle.partitions=200\n",
        "spark.executor.memory: '4g'\nspark.sql.shuffle.partitions: 200\n",
        "job:\n  spark:\n    executor:\n      memory: 4g\n    sql:\n      shuffle:\n        partitions: 200\n",
        '{"cluster": {"spark_conf": {"spark.executor.memory": "4g", "spark.sql.shuffle.partitions": 200}}}',
        '{"spark": {"executor": {"memory": "4g"}, "sql": {"shuffle": {"partitions": 200}}}}',
        '[["spark.executor.memory", "4g"], ["spark.sql.shuffle.partitions", "200"]]',
        "spark-submit --executor-memory 4g --conf spark.sql.shuffle.partitions=200 job.py\n",
        "spark-submit \\\n  --executor-memory=4g \\\n  --conf 'spark.sql.shuffle.partitions=200' \\\n  job.py\n",
    ],
)
def test_settings_are_read_in_every_usual_form(text: str, tmp_path: Path) -> None:
    found = parsed(tmp_path, "configuration", text)
    (facts,) = found.facts

    assert isinstance(facts, ConfigurationFacts)
    assert facts.settings == {"spark.executor.memory": "4g", "spark.sql.shuffle.partitions": "200"}
    assert found.tells == {Information.CONFIGURATION}


@pytest.mark.parametrize(
    "secret",
    [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.ssl.keyPassword",
        "spark.sql.mytoken",
        "spark.executor.credential",
        "spark.sql.db.password",
    ],
)
def test_secrets_are_never_kept(secret: str, tmp_path: Path) -> None:
    for text in (f"spark.executor.memory 4g\n{secret} hunter2\n", json.dumps({secret: "hunter2", "spark.executor.memory": "4g"})):
        found = parsed(tmp_path, "configuration", text)

        assert "hunter2" not in repr(found)
        assert found.facts[0].to_json()["left_out"] == 1


def test_a_plain_log_is_counted_with_lines(tmp_path: Path) -> None:
    found = parsed(
        tmp_path,
        "plain_log",
        "24/01/31 10:00:00 INFO DAGScheduler: up\n"
        "24/01/31 10:00:01 WARN HeartbeatReceiver: Removing executor 3 with no recent heartbeats: 130000 ms\n"
        "24/01/31 10:00:02 ERROR Executor: Exception in task 0.0\n"
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat a.b.C(C.scala:1)\n"
        "24/01/31 10:05:00 ERROR Executor: java.lang.OutOfMemoryError: Java heap space\n"
        "24/01/31 10:06:00 INFO Errors: no ERROR at all here\n",
    )
    (log,) = found.facts

    assert isinstance(log, LogFacts)
    assert (log.lines, log.errors, log.warnings) == (7, 2, 1)
    assert (log.first_at, log.last_at) == ("24/01/31 10:00:00", "24/01/31 10:06:00")
    assert [(event.kind, event.count, event.lines) for event in log.events] == [
        (LogEventKind.OUT_OF_MEMORY, 2, (4, 6)),
        (LogEventKind.HEARTBEAT, 1, (2,)),
    ]
    assert [(one.name, one.count, one.line) for one in log.exceptions] == [("java.lang.OutOfMemoryError", 2, 4)]
    assert found.tells == {Information.ERRORS, Information.WARNINGS}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (LogEventKind.OUT_OF_MEMORY, "java.lang.OutOfMemoryError: GC overhead limit exceeded"),
        (LogEventKind.OUT_OF_MEMORY, "Unable to acquire 65536 bytes of memory, got 0"),
        (LogEventKind.KILLED_FOR_MEMORY, "Container killed by YARN for exceeding memory limits. 10.5 GB of 10 GB physical memory used."),
        (LogEventKind.KILLED_FOR_MEMORY, "reason: OOMKilled"),
        (LogEventKind.KILLED_FOR_MEMORY, "Executor 4 gave Exit code is 137"),
        (LogEventKind.FETCH_FAILED, "FetchFailed(BlockManagerId(3, host, 7337, None), shuffleId=0)"),
        (LogEventKind.FETCH_FAILED, "MetadataFetchFailedException: Missing an output location for shuffle 0 partition 1"),
        (LogEventKind.EXECUTOR_LOST, "ERROR YarnScheduler: Lost executor 3 on host: Slave lost"),
        (LogEventKind.EXECUTOR_LOST, "Remote RPC client disassociated."),
        (LogEventKind.HEARTBEAT, "Removing executor 3 with no recent heartbeats: 130000 ms exceeds timeout 120000 ms"),
        (LogEventKind.CONNECTION_RESET, "java.io.IOException: Connection reset by peer"),
        (LogEventKind.CONNECTION_RESET, "java.io.IOException: Broken pipe"),
        (LogEventKind.DISK_FULL, "java.io.IOException: No space left on device"),
        (LogEventKind.BROADCAST_TIMEOUT, "Could not execute broadcast in 300 secs"),
        (LogEventKind.RESULT_TOO_LARGE, "Total size of results (1 GB) is bigger than spark.driver.maxResultSize (1 GB)"),
        (LogEventKind.STAGE_ABORTED, "Job aborted due to stage failure: see below"),
        (LogEventKind.TASK_FAILED, "WARN TaskSetManager: Lost task 3.0 in stage 2.0 (TID 7)"),
    ],
)
def test_a_line_of_a_log_tells_what_happened(kind: LogEventKind, line: str, tmp_path: Path) -> None:
    (log,) = parsed(tmp_path, "plain_log", f"24/01/31 10:00:00 ERROR {line}\n").facts

    assert isinstance(log, LogFacts)
    assert [event.kind for event in log.events] == [kind]


def test_a_log_without_faults_tells_of_none(tmp_path: Path) -> None:
    """T16: a word found in a text is no fact."""
    assert parsed(tmp_path, "plain_log", "24/01/31 10:00:00 INFO Main: 0 errors and no exception so far\n").tells == frozenset()


def test_table_metadata_of_csv_joins_rows_of_a_table(tmp_path: Path) -> None:
    (facts,) = parsed(
        tmp_path,
        "table_metadata",
        "table,column,type,rows,size_bytes,distinct,key,share\n"
        "orders,,,1000,50000,,,\norders,customer_id,bigint,,,10,,\norders,customer_id,,380,,,-1,\n",
    ).facts

    assert isinstance(facts, TableMetadata)
    (table,) = facts.tables
    assert (table.name, table.rows, table.size_bytes, table.columns) == ("orders", 1000, 50_000, {"customer_id": "bigint"})
    assert table.keys["customer_id"].distinct == 10
    assert [(key.value, key.rows, key.share) for key in table.keys["customer_id"].top] == [("-1", 380, 0.38)]


def test_a_script_comes_with_its_text(tmp_path: Path) -> None:
    found = parsed(tmp_path, "pyspark_script", "a = spark.read.parquet('/a')\r\na.join(a, 'k').show()\r\n", name="job.py")
    script, text = found.facts

    assert isinstance(script, ScriptFacts)
    assert isinstance(text, SourceText)
    assert (text.name, text.language, text.text) == ("job.py", "python", "a = spark.read.parquet('/a')\na.join(a, 'k').show()\n")
    assert Information.JOIN_DETAILS in found.tells


def test_a_script_that_is_broken_is_told_so_and_its_text_kept(tmp_path: Path) -> None:
    found = parsed(tmp_path, "pyspark_script", "from pyspark import (\n")

    assert "no Python" in said(found.problem)
    assert found.tells == frozenset()
    assert isinstance(found.facts[1], SourceText)


def test_a_long_script_is_cut_for_diffs(tmp_path: Path) -> None:
    _, text = parsed(tmp_path, "pyspark_script", "x = 1\n" * 50_000).facts

    assert isinstance(text, SourceText)
    assert text.is_cut
    assert len(text.text) == 200_000


@pytest.mark.parametrize(
    ("data", "text", "word"),
    [
        ("阶段".encode(), "阶段", ""),
        (b"\xef\xbb\xbf" + "阶段".encode(), "阶段", ""),
        ("阶段".encode("utf-16"), "阶段", ""),
        ("阶段 数据倾斜".encode("gb18030"), "阶段 数据倾斜", "gb18030"),
        ("café à la".encode("latin-1"), "café à la", "windows-1252"),
    ],
)
def test_text_is_decoded_by_what_fits(data: bytes, text: str, word: str) -> None:
    found = decode(data)

    assert found.text == text
    assert word in said(found.note)


def test_a_beginning_may_end_within_a_character() -> None:
    assert decode("阶段".encode()[:-1], is_whole=False).text == "阶"


@pytest.mark.parametrize(
    ("heading", "cell", "value"),
    [
        ("duration", "2 min 3 s", 123_000),
        ("duration (s)", "1.5", 1_500),
        ("duration_ms", 12, 12),
        ("duration", "1,5 s", 1_500),
        ("duration", "1.234,5 s", 1_234_500),
        ("duration", "0,125 s", 125),
        ("duration (s)", "2,75", 2_750),
        ("duration", "1,234 ms", 1_234),
        ("duration", "1,234.5 ms", 1_234.5),
        ("duration", "1,234,567 ms", 1_234_567),
        ("shuffle read", "1,2 GB", 1.2 * 2**30),
        ("durationSeconds", 12, 12_000),
        ("duration", "1.2 h", 4_320_000),
        ("max bytes", "2 GB", 2 * 2**30),
        ("shuffle read", "10.0 MiB / 200", 10 * 2**20),
        ("shuffle read (MB)", "1.5", 1.5 * 2**20),
        ("shuffle read", "512m", 512 * 2**20),
        ("tasks", "200 tasks", 200),
        ("tasks", "1.2万", 12_000),
        ("share", "38 %", 0.38),
        ("share", "0.38", 0.38),
        ("share (%)", "38", 0.38),
        ("duration", "-", None),
        ("duration", "", None),
        ("duration", "NaN", None),
        ("duration", "5 MB", None),
        ("duration", -3, None),
        ("duration", True, None),
        ("tasks", "1e400", None),
        ("tasks", None, None),
        ("tasks", [1], None),
    ],
)
def test_a_cell_is_a_number_in_the_unit_of_its_field(heading: str, cell: object, value: float | None) -> None:
    told = heading_of(heading)
    assert told is not None

    assert number_of(cell, told) == (pytest.approx(value) if value is not None else None)


def test_no_two_fields_share_a_heading() -> None:
    assert len(MEANS) == sum(len(known["en"]) + len(known.get("zh", ())) for known in FIELDS.values())


PIECES = [
    *("stage", "rows", "key", "3", "38 %", "1,2", "shuffle write: 3 GB", "spark.a.b", "=", ":", '"', "{", "[", "\x00", "阶段", "at ", "|"),
    *("2024-01-31 10:00:00 ERROR", "java.lang.OutOfMemoryError: x", "--conf", "'"),
]
LINE = st.lists(st.sampled_from(PIECES), max_size=8)
TEXT = st.lists(LINE.map(",".join), max_size=12).map("\n".join) | st.text(max_size=200)


@given(TEXT)
def test_nothing_in_a_text_makes_a_parser_raise(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for kind in KINDS.values():
        assert isinstance(kind.parse(ArtefactSource("a", path, path.stat().st_size)), Parsed)


NAMES = st.sampled_from(["stage", "key", "rows", "orders", "columns", "spark", "value", "name", "a.b"])
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=20)


@given(JSON)
def test_no_json_makes_a_parser_raise(tmp_path_factory: pytest.TempPathFactory, told: object) -> None:
    path = tmp_path_factory.getbasetemp() / "json"
    path.write_text(json.dumps(told))
    for name in ("table_metadata", "stage_table", "skew_report", "shuffle_log", "configuration"):
        assert isinstance(KINDS[name].parse(ArtefactSource("a", path, path.stat().st_size)), Parsed)


HEAVY = [
    "\n",
    " ",
    "/*",
    "--",
    "spark.a ",
    "spark.a\t",
    "a.b.",
    "A",
    "key ",
    "1",
    "{",
    '"',
    ",",
    "stage 3 ",
    "- ",
    "'",
    "import ",
    "(",
    "key 1 x ",
]


@pytest.mark.parametrize("piece", sample([*HEAVY], every=2))
def test_no_repetition_takes_longer_than_its_length_asks_for(piece: str, tmp_path: Path) -> None:
    """What is quadratic in its input would run for hours here."""
    for text in (piece * (300_000 // len(piece)), "spark.a.b" + piece * 19_000 + "\n", "24/01/31 10:00:00 ERROR " + piece * 20_000):
        head = text[: 1 << 16].encode()
        for kind in KINDS.values():
            assert 0 <= kind.sniff("a", head) <= 1
            if kind.name not in ("sql_script", "scala_script"):
                assert isinstance(parsed(tmp_path, kind.name, text), Parsed)


def test_deep_json_and_long_numbers_are_no_tables() -> None:
    for text in ("[" * 100_000, "[" + "9" * 10_000 + "]", '{"a":' * 100_000, "[{" * 50_000):
        assert rows_of(text).rows == ()


@pytest.mark.parametrize("piece", ['\\"', '\\"x', "[", '{"a":', ",", '","', "[],"])
def test_json_that_breaks_off_is_read_in_one_pass(piece: str) -> None:
    """What reads a place twice, or writes the brackets at each mark, would run for hours here."""
    for start in ('{"plan": "', '[{"stageId": 1}, {"plan": "', "[" * 190):
        assert len(rows_of(start + piece * 300_000).rows) <= 1


WHOLE_STAGES = '{"stageId": 1, "duration": 5}, {"stageId": 2, "duration": 6}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"stages": [{WHOLE_STAGES}, {{"stageId": 3, "name": "a, b',
        f'{{"stages": [{WHOLE_STAGES}, {{"stageId": 3, "name": "c", "more": {{"a": 1, "b": 2}}, "dur',
        f'[{WHOLE_STAGES}, {{"stageId": 3, "tasks": [{{"a": {{}}}}, {{"b": "',
        '{"1": {"stage": 1, "duration": 5}, "2": {"stage": 2, "duration": 6}, "3": {"stage": 3, "name": "d, e',
    ],
    ids=["a comma in a text", "an object within", "a list within", "objects of an object"],
)
def test_a_row_that_is_open_where_json_breaks_off_is_left_out(text: str) -> None:
    """It was a row without the fields that would have come."""
    assert [row.number("duration") for row in rows_of(text).rows] == [5, 6]


def test_the_only_row_of_json_that_breaks_off_is_read_so_far() -> None:
    """The beginning of a stage that lists its tasks tells what the file is."""
    (row,) = rows_of(
        '{"stages": [{"stageId": 1, "duration": 5, "name": "count, at',
    ).rows

    assert (row.text("stage"), row.number("duration")) == ("1", 5)


def test_what_is_no_text_says_so(tmp_path: Path) -> None:
    for kind in ("stage_table", "plain_log", "configuration", "pyspark_script"):
        assert "binary" in said(parsed(tmp_path, kind, bytes(range(256)) * 4).problem)


def test_an_event_of_a_log_is_its_message_without_what_the_logger_writes_before(tmp_path: Path) -> None:
    """T5: the time and the logger of the first line tell nobody what to do."""
    line = "26/11/28 09:33:42 WARN TaskSetManager: Lost task 3.0 in stage 0.0: java.lang.OutOfMemoryError: Java heap space"
    (log,) = parsed(tmp_path, "plain_log", f"{line}\n").facts
    assert [event.text for event in log.events] == ["Lost task 3.0 in stage 0.0: java.lang.OutOfMemoryError: Java heap space"]


FLINK_LOG = "2026-03-01 10:00:01,120 INFO  org.apache.flink.runtime.taskmanager.Task [] - Calc[8] (3/8)#0 switched to RUNNING.\n"
FLINK_SQL = (
    "CREATE TABLE seen (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka');\n"
    "INSERT INTO counted SELECT id, COUNT(*) FROM seen GROUP BY id;\n"
)
HIVE_LOG = "Hadoop job information for Stage-1: number of mappers: 1210\n2026-03-01 03:02:10,011 Stage-1 map = 0%,  reduce = 0%\n"


@pytest.mark.parametrize(
    ("kind", "text", "engine"),
    [
        ("plain_log", FLINK_LOG, "Flink"),
        ("plain_log", HIVE_LOG, "Hive on MapReduce"),
        ("plain_log", "24/01/31 10:00:00 INFO SparkContext: Submitted application: orders\n", ""),
        ("sql_script", FLINK_SQL, "Flink"),
        ("sql_script", "SET hive.exec.dynamic.partition.mode=nonstrict;\nINSERT INTO t SELECT id FROM s;\n", ""),
    ],
)
def test_a_log_or_a_script_shows_an_engine_that_is_not_judged(tmp_path: Path, kind: str, text: str, engine: str) -> None:
    """Settings of Hive are no sign: Spark takes them too."""
    facts = next(fact for fact in parsed(tmp_path, kind, text).facts if isinstance(fact, LogFacts | ScriptFacts))

    assert facts.engine == engine


def test_a_table_whose_columns_blanks_keep_apart_is_a_table_of_stages() -> None:
    """As it is copied into a file; a cell may be empty, and one that stands under no heading leaves its row out."""
    text = """Stages of the run
Stage Id  Description          Duration  Tasks: Succeeded/Total  Input     Shuffle Read  Shuffle Write
4         save at job.py:20    41 min    200/200                 88.4 GiB  1.2 GiB
3         count at job.py:12   38 min    700/700                 88.4 GiB                1.2 GiB
7         a description that is far wider than its column 3 min  200/200
"""

    table = rows_of(text)

    assert sniff_stage_table(table) >= 0.5
    assert [(row.text("stage"), row.number("duration"), row.text("shuffle_read")) for row in table.rows] == [
        ("4", 41 * 60_000, "1.2 GiB"),
        ("3", 38 * 60_000, ""),
    ]
    assert [said(note) for note in table.notes] == ["1 row does not stand under the headings clearly, and is left out."]
    assert not rows_of("Stage 4  took  long\nand  3  others").rows


def test_a_table_with_chinese_headings_is_read_as_it_is_shown() -> None:
    """A Chinese character is two places wide: figures stood under the wrong heading, or their rows were left out."""
    text = """阶段  描述                持续时间  输入      Shuffle 读取  溢写
4     保存订单 job.py:20  41 分钟   88.4 GiB  1.2 GiB
3     count at job.py:12  38 分钟                           3.1 GiB
5     写出 job.py:31      2 分钟    9.1 GiB
"""

    table = rows_of(text)

    assert [(row.text("shuffle_read"), row.text("disk_spill")) for row in table.rows] == [
        ("1.2 GiB", ""),
        ("", "3.1 GiB"),
        ("", ""),
    ]
    assert not table.notes
