"""The artefacts of a SCOPE job: each parser on good, odd and broken files. Nothing here ever ran: we wrote it all."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.bundles import Information
from contracts.scope import (
    PlanOperatorKind,
    ScopeCompilation,
    ScopeCounters,
    ScopeDataFlow,
    ScopeErrors,
    ScopeGeneratedCode,
    ScopeJobInfo,
    ScopeJobStatistics,
    ScopeMessages,
    ScopePlan,
    ScopeRuntimeStatistics,
    ScopeStreamInfo,
)
from tests.support.said import said
from tests.support.scope import KINDS, SAMPLES, kind_of, parsed, sample, source
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.scope.text import DEFAULT_BYTES
from workers.engines.scope.tree import MAX_DEPTH, read_tree

BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;">]><JobStatistics><JobId>&y;</JobId></JobStatistics>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Warnings><Warning id="1"><message>&x;</message></Warning></Warnings>'
STATISTICS = """<JobStatistics><JobId>j</JobId><OverallStatistics><TotalDuration>1h 10m</TotalDuration></OverallStatistics>
<StageStatistics><Stage><StageId>3</StageId><StageName>SV3_Combine</StageName><Duration>00:58:20</Duration><TaskCount>400</TaskCount>
<SkewedTasks><Task><TaskId>137</TaskId><SkewReason>60.8 GB against 317 MB</SkewReason></Task></SkewedTasks></Stage></StageStatistics>
<PerformanceMetrics><Metric><Name>SkewRatio</Name><Value>196.4</Value><Status>Exceeded</Status></Metric>
<Metric><Name>Tokens</Name><Value>12</Value><Status>Normal</Status></Metric></PerformanceMetrics></JobStatistics>"""


def test_job_statistics_tell_stages_skewed_tasks_and_exceeded_metrics(tmp_path: Path) -> None:
    """T18."""
    read = parsed(tmp_path, "job_statistics", STATISTICS)
    facts = read.facts[0]

    assert isinstance(facts, ScopeJobStatistics)
    assert (facts.duration_ms, facts.stages[0].name, facts.stages[0].duration_ms) == (4_200_000, "SV3_Combine", 3_500_000)
    assert [(task.task_id, task.reason) for task in facts.stages[0].skewed_tasks] == [("137", "60.8 GB against 317 MB")]
    assert [(metric.name, metric.number, metric.is_exceeded) for metric in facts.metrics] == [
        ("SkewRatio", 196.4, True),
        ("Tokens", 12, False),
    ]
    assert read.problem is None
    assert read.tells == {Information.STAGE_RUNS, Information.DATA_DISTRIBUTION, Information.RUN_METRICS}


def test_the_same_statistics_are_read_as_attributes_and_as_json(tmp_path: Path) -> None:
    """T18: nobody outside has a schema, so names may be attributes, and the file JSON."""
    attributes = (
        '<JobStatistics totalDuration="4200000"><stage id="3" name="SV3_Combine" durationMs="3500000" taskCount="400"/></JobStatistics>'
    )
    as_json = (
        '{"TotalDuration": "1h 10m", "StageStatistics": {"Stage": [{"StageId": 3, "StageName": "SV3_Combine", "Duration": "00:58:20"}]}}'
    )

    for text in (attributes, as_json):
        facts = parsed(tmp_path, "job_statistics", text).facts[0]
        assert isinstance(facts, ScopeJobStatistics)
        assert (facts.duration_ms, facts.stages[0].stage_id, facts.stages[0].duration_ms) == (4_200_000, "3", 3_500_000)


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """T18."""
    read = parsed(tmp_path, "job_statistics", STATISTICS[: STATISTICS.index("<PerformanceMetrics>") + 30])
    facts = read.facts[0]

    assert isinstance(facts, ScopeJobStatistics)
    assert len(facts.stages) == 1
    assert read.problem is not None
    assert said(read.problem).startswith("Broken XML in line 4")


RUNTIME = '<SV1_Extract maxOverallMemoryPeakSize="500"><Time elapsedTime="90"/><InputStatistics totalBytes="7"/></SV1_Extract>'
OTHER = '<SV2_Combine maxOverallMemoryPeakSize="900"><Time elapsedTime="20"/><InputStatistics totalBytes="70"/></SV2_Combine>'


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        (f"<AggregatedStats>{RUNTIME}{OTHER}</AggregatedStats>", "xml"),
        (f'<?xml version="1.0"?>{RUNTIME}{OTHER}', "wrapped"),
        (f"<AggregatedStats>{RUNTIME}<oops>{OTHER}</AggregatedStats>", "pattern"),
        (
            "SV1_Extract: elapsedTime=90 peakMemory=500 inputBytes=7\nSV2_Combine\n  elapsedTime=20\n  peakMemory=900\n  inputBytes=70",
            "lines",
        ),
    ],
)
def test_runtime_statistics_degrade_from_xml_to_a_root_of_ours_to_patterns_to_lines(tmp_path: Path, text: str, read_as: str) -> None:
    """T18."""
    read = parsed(tmp_path, "runtime_statistics", text)
    facts = read.facts[0]

    assert isinstance(facts, ScopeRuntimeStatistics)
    assert facts.read_as == read_as
    assert [(one.vertex, one.elapsed_ms, one.peak_memory_bytes, one.input_bytes) for one in facts.vertices] == [
        ("SV1_Extract", 90, 500, 7),
        ("SV2_Combine", 20, 900, 70),
    ]
    assert (facts.top_time[0], facts.top_memory[0], facts.top_bytes[0]) == ("SV1_Extract", "SV2_Combine", "SV2_Combine")
    assert (read.problem is None) is (read_as == "xml") or read_as == "lines"


def test_runtime_statistics_name_the_five_heaviest_vertices(tmp_path: Path) -> None:
    """T18."""
    vertices = "".join(f'<SV{at}_Extract maxOverallMemoryPeakSize="{at}"><Time elapsedTime="{at}"/></SV{at}_Extract>' for at in range(1, 9))
    facts = parsed(tmp_path, "runtime_statistics", f"<AggregatedStats>{vertices}</AggregatedStats>").facts[0]

    assert isinstance(facts, ScopeRuntimeStatistics)
    assert facts.top_time == facts.top_memory == tuple(f"SV{at}_Extract" for at in range(8, 3, -1))


ERROR = {
    "json": '{"diagnosticCode": 195, "component": "RUNTIME", "errorId": "VERTEX_TIMEOUT_ERROR", "message": "Vertex timed out.", '
    '"resolution": "Fix the skew.", "internalDiagnostics": "Failed vertex: SV3_Combine[137]\\nmore"}',
    "xml": "<Errors><Error><DiagnosticCode>195</DiagnosticCode><Component>RUNTIME</Component><ErrorId>VERTEX_TIMEOUT_ERROR</ErrorId>"
    "<Message>Vertex timed out.</Message><Resolution>Fix the skew.</Resolution>"
    "<InternalDiagnostics>Failed vertex: SV3_Combine[137]</InternalDiagnostics></Error></Errors>",
    "text": "Job failed.\nVERTEX_TIMEOUT: vertex SV3_Combine[137] ran too long",
}


@pytest.mark.parametrize("form", ERROR)
def test_an_error_is_read_from_json_xml_and_text_with_the_vertex_that_timed_out(tmp_path: Path, form: str) -> None:
    """T18."""
    facts = parsed(tmp_path, "error", ERROR[form]).facts[0]

    assert isinstance(facts, ScopeErrors)
    assert len(facts.errors) == 1
    assert facts.errors[0].is_timeout
    assert facts.errors[0].vertex == "SV3_Combine[137]"
    if form != "text":
        assert (facts.errors[0].code, facts.errors[0].component, facts.errors[0].resolution) == ("195", "RUNTIME", "Fix the skew.")


def test_an_empty_error_file_says_that_the_job_ended_well(tmp_path: Path) -> None:
    """T18."""
    read = parsed(tmp_path, "error", "")

    assert read.facts == (ScopeErrors(artefact="error"),)
    assert read.tells == {Information.ERRORS}
    assert read.problem is None


def test_job_info_tells_state_and_times_from_ticks_and_nothing_of_its_user(tmp_path: Path) -> None:
    """T18."""
    text = (
        "<JobInfo><Id>j</Id><Name>n</Name><State>Failed</State><UserName>somebody</UserName><RunTimeTicks>42800000000</RunTimeTicks>"
        "<QueuedTime>00:02:30</QueuedTime><Priority>500</Priority><InputTables><Table><Name>clicks</Name><Size>2 GB</Size>"
        "<RowCount>1,000</RowCount></Table></InputTables></JobInfo>"
    )
    facts = parsed(tmp_path, "job_info", text).facts[0]

    assert isinstance(facts, ScopeJobInfo)
    assert (facts.state, facts.run_ms, facts.queued_ms, facts.resources) == ("Failed", 4_280_000, 150_000, {"Priority": "500"})
    assert [(one.name, one.size_bytes, one.rows) for one in facts.inputs] == [("clicks", 2 << 30, 1_000)]
    assert "somebody" not in facts.model_dump_json()


def test_a_vertex_definition_tells_operators_keys_and_memory(tmp_path: Path) -> None:
    """T18."""
    text = """<ScopeVertices><ScopeVertex id="SV3_Combine"><EstimatedLimitMemory>6442450944</EstimatedLimitMemory>
<operator id="Process_2" className="ScopeHashGrouper_1" args="-keys Ticker ASC, Day -x 1"><input id="Extract_0_Data0"/>
<output id="Process_2_Data0"/></operator>
<operator id="Extract_0" className="Vendor.Interfaces.IExtractor"/></ScopeVertex></ScopeVertices>"""
    plan = parsed(tmp_path, "vertex_definition", text).facts[0]

    assert isinstance(plan, ScopePlan)
    assert plan.memory_limits == {"SV3_Combine": 6_442_450_944}
    assert [(one.kind, one.columns, one.inputs, one.outputs, one.stage) for one in plan.operators] == [
        (PlanOperatorKind.AGGREGATE, ("Ticker", "Day"), ("Extract_0_Data0",), ("Process_2_Data0",), "SV3_Combine"),
        (PlanOperatorKind.EXTRACT, (), (), (), "SV3_Combine"),
    ]


def test_internal_information_tells_the_optimised_tree_and_not_the_one_before(tmp_path: Path) -> None:
    """T18."""
    text = """<CSSRelatedInfo><OptimizerTrees><InputTree><LogOp Id="LogOp_GbAgg" By="a"/></InputTree><OutputTree>
<PhyOp Id="PhyOp_StreamGbAgg" On="Ticker ASC"><OpInfo><TableGroupProperties Card="2517.8"/></OpInfo>
<PhyOp Id="PhyOp_Extract" Table="C:\\data\\prices.csv"/></PhyOp></OutputTree></OptimizerTrees>
<ScopeCounters><Counter Name="Overall" Value="21.5" Unit="second"/></ScopeCounters></CSSRelatedInfo>"""
    counters, plan = parsed(tmp_path, "internal_info", text).facts

    assert isinstance(counters, ScopeCounters)
    assert isinstance(plan, ScopePlan)
    assert counters.counters == {"Overall": 21.5}
    assert [(one.kind, one.columns, one.rows) for one in plan.operators] == [
        (PlanOperatorKind.AGGREGATE, ("Ticker",), 2517.8),
        (PlanOperatorKind.EXTRACT, (), None),
    ]
    assert plan.operators[0].inputs == (plan.operators[1].operator_id,)


def test_a_data_flow_tells_volumes_between_stages_apart_from_what_is_read(tmp_path: Path) -> None:
    """T18."""
    text = (
        '{"nodes": [{"id": "i", "type": "InputStream"}, {"id": "a"}, {"id": "b"}], "links": [{"from": "i", "to": "a", "size": "2 GB"}, '
        '{"from": "a", "to": "b", "bytes": 3221225472}, {"from": "b", "to": "a", "bytes": 5, "kind": "Pipeline"}, {"from": "a"}]}'
    )
    read = parsed(tmp_path, "data_flow", text)

    assert isinstance(read.facts[0], ScopeDataFlow)
    assert said(read.summary) == "3 vertices, 3 edges, 3 GiB go from stage to stage, 2 GiB are read."
    assert Information.SHUFFLE_STATISTICS in read.tells


def test_warnings_are_told_once_with_their_lines(tmp_path: Path) -> None:
    """T18: code and text may stand in the id together."""
    text = (
        '<Warnings><Warning id="132The operation is not deterministic." location="line 17" severity="Warning" occurrences="2"/>'
        '<Warning id="118" location="(30,4)"><message>User code.</message><solution>None.</solution></Warning>'
        '<Warning id="118" location="(30,4)"><message>User code.</message></Warning></Warnings>'
    )
    facts = parsed(tmp_path, "warnings", text).facts[0]

    assert isinstance(facts, ScopeMessages)
    assert [(one.code, one.message, one.line, one.occurrences) for one in facts.messages] == [
        ("132", "The operation is not deterministic.", 17, 2),
        ("118", "User code.", 30, 2),
    ]


def test_diagnostics_are_read_from_json(tmp_path: Path) -> None:
    """T18."""
    read = parsed(
        tmp_path, "diagnostics", '{"diagnostics": [{"severity": "Error", "code": "E1", "message": "Bad."}, {"message": "Slow."}]}'
    )

    assert isinstance(read.facts[0], ScopeMessages)
    assert [one.message for one in read.facts[0].messages] == ["Bad.", "Slow."]
    assert Information.ERRORS in read.tells


def test_compile_output_timers_and_command_line_are_read_without_secrets(tmp_path: Path) -> None:
    """T18."""
    output = (
        "*** Entering compilation, time elapsed until this point: 00:00:05.88\n"
        "*** Done with C# compilation, time elapsed until this point: 00:00:07\n"
        "code.cs(12,4): error CS0103: The name does not exist\nTotal Function Count: 156\n"
    )
    compiled = parsed(tmp_path, "compile_output", output).facts[0]
    timers = parsed(
        tmp_path, "compiler_timers", '<CompilerTimers><Timer name="Optimizer" elapsedMs="820"/><Parse>00:00:01</Parse></CompilerTimers>'
    )
    command = parsed(tmp_path, "command_line", 'C:\\tools\\Scope.exe -submit -tokens 200 -accessToken abc123 -params "day=1"').facts[0]

    assert isinstance(compiled, ScopeCompilation)
    assert isinstance(timers.facts[0], ScopeCompilation)
    assert isinstance(command, ScopeCompilation)
    assert [(one.severity, one.code, one.line) for one in compiled.messages] == [("error", "CS0103", 12)]
    assert (list(compiled.timers_ms.values()), compiled.functions) == ([5880, 7000], 156)
    assert timers.facts[0].timers_ms == {"Optimizer": 820, "Parse": 1000}
    assert command.options == {"submit": "", "tokens": "200", "accessToken": "", "params": "day=1"}
    assert command.command == "Scope.exe"


def test_streams_are_told_with_size_rows_and_partitions(tmp_path: Path) -> None:
    """T18: -1 means not known."""
    text = (
        '<StatisticsInfo><StreamsetInfo CosmosName="/a.ss" Length="221566" ExtentCount="1"/><StreamsetInfo CosmosName="/o.ss" Length="-1"/>'
        '<Outputs><Stream name="/o2.ss" rowCount="5"/></Outputs></StatisticsInfo>'
    )
    facts = parsed(tmp_path, "stream_info", text).facts[0]

    assert isinstance(facts, ScopeStreamInfo)
    assert [(one.name, one.size_bytes, one.partitions) for one in facts.inputs] == [("/a.ss", 221_566, 1)]
    assert [(one.name, one.rows) for one in facts.outputs] == [("/o2.ss", 5)]


def test_generated_code_and_profiles_are_read_and_a_library_is_refused_with_a_word(tmp_path: Path) -> None:
    """T18."""
    code = parsed(tmp_path, "generated_code", "namespace ScopeGeneratedClasses {\n  public sealed class SqlFilter_3 : Row\n  {").facts[0]
    profile = parsed(tmp_path, "profile", "PeakWorkingSet: 1,234 KB\ncpu.user = 12.5 %\ncpu.user = 40 %\nnothing here\n").facts[0]
    library = KINDS["scope_generated_code"].parse(source(tmp_path, b"MZ\x90\x00" + bytes(2_000), "__ScopeCodeGen__.dll"))

    assert isinstance(code, ScopeGeneratedCode)
    assert isinstance(profile, ScopeCounters)
    assert [(one.name, one.base, one.line) for one in code.classes] == [("SqlFilter_3", "Row", 2)]
    assert profile.counters == {"PeakWorkingSet [KB]": 1_234, "cpu.user [%]": 40}
    assert library.facts == ()
    assert said(library.problem) == "It is a compiled library or program and holds no text to read."


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01\x02" * 100,
        b"<a><b></a>",
        b"<Nothing/>",
        b"[1, 2",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        "乱码".encode("gbk"),
        BOMB.encode(),
    ],
    ids=["empty", "binary", "mismatched", "other root", "broken json", "deep json", "bom", "gbk", "bomb"],
)
def test_no_file_breaks_a_parser_and_what_is_not_read_is_told(tmp_path: Path, kind: str, content: bytes) -> None:
    """T18."""
    read = KINDS[kind].parse(source(tmp_path, content))

    assert read.facts or read.problem
    assert read.tells <= KINDS[kind].tells


@pytest.mark.parametrize(("kind", "text"), [("job_statistics", BOMB), ("warnings", OUTSIDE)])
def test_entities_are_never_expanded_and_nothing_outside_is_opened(tmp_path: Path, kind: str, text: str) -> None:
    """T18."""
    read = parsed(tmp_path, kind, text)

    assert read.facts == ()
    assert read.problem is not None
    assert "declares a document type or entities" in said(read.problem)


def test_xml_is_read_to_a_bounded_depth() -> None:
    """T18."""
    found = read_tree("<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1))

    assert said(found.problem) == f"The XML has more than {MAX_DEPTH} levels; the rest was left out."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_the_encodings_of_its_platforms_are_read(tmp_path: Path, encoding: str) -> None:
    """T18: Windows writes UTF-16, Chinese systems GBK, whatever the declaration says."""
    warning = '<Warning id="7" location="第 3 行"><message>数据倾斜</message></Warning>'
    text = f'<?xml version="1.0" encoding="gb2312"?><Warnings>{warning}</Warnings>'

    facts = parsed(tmp_path, "warnings", text.encode(encoding)).facts[0]

    assert isinstance(facts, ScopeMessages)
    assert [(one.message, one.line) for one in facts.messages] == [("数据倾斜", 3)]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """T18: 5 MiB, of generated code 10, of a profile 20, of a library 50."""
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(20 << 30)

    read = KINDS["scope_job_info"].parse(ArtefactSource("JobInfo.xml", path, path.stat().st_size))

    assert said(read.problem) == "It is 20 GiB; at most 5 MiB of this kind are read."
    assert {name: kind.max_bytes >> 20 for name, kind in KINDS.items() if kind.max_bytes != DEFAULT_BYTES} == {
        "scope_generated_code": 50,
        "scope_profile": 20,
    }


@given(text=st.text(alphabet='<>/="SV1_abc :{}[],0127.\n', max_size=300), kind=st.sampled_from(sorted(KINDS)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_a_parser(tmp_path: Path, text: str, kind: str) -> None:
    """T18."""
    KINDS[kind].parse(source(tmp_path, text))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_described_in_both_languages(kind: str) -> None:
    """T12."""
    assert said(KINDS[kind].description).isascii()
    assert any("\u4e00" <= character <= "\u9fff" for character in said(KINDS[kind].description, "zh"))


def test_error_script_runtime_statistics_warnings_and_job_statistics_are_read_first() -> None:
    """T26."""
    first = {name for name, kind in KINDS.items() if kind.reads_first}

    assert first == {"scope_error", "scope_script", "scope_runtime_statistics", "scope_warnings", "scope_job_statistics"}


@pytest.mark.parametrize("folder", ["scope_skew", "scope_shuffle"])
def test_every_file_of_a_sample_is_told_by_its_content_and_read_without_a_problem(folder: str) -> None:
    """T12."""
    facts, _ = sample(folder)
    for path in sorted((SAMPLES / folder).iterdir()):
        kind = kind_of("file.bin" if path.stat().st_size else path.name, path.read_bytes())
        if path.name in ("README.md", "tables.json"):
            assert kind is None
            continue
        assert kind is not None, path.name
        assert kind.parse(ArtefactSource(path.name, path, path.stat().st_size)).problem is None

    assert len(facts) >= 9


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("job.py", b'x = spark.sql("SELECT a FROM b")\n@udf\ndef f(x):\n    return x\n'),
        ("q.sql", b"INSERT INTO t SELECT a FROM b JOIN c ON b.k = c.k; SELECT EXTRACT(YEAR FROM d) FROM t;"),
        ("Job.scala", b'object Job extends App { val df = spark.read.parquet(p); df.groupBy($"k").count() }'),
        ("pom.xml", b"<project><modelVersion>4.0.0</modelVersion></project>"),
        ("app.log", b"26/10/04 01:00:00 ERROR Executor: Exception in task 0.0\n"),
        ("spark", b'{"Event":"SparkListenerLogStart","Spark Version":"3.5.0"}\n'),
    ],
)
def test_files_of_other_platforms_are_no_scope_artefacts(name: str, content: bytes) -> None:
    """T12."""
    assert kind_of(name, content) is None


def test_the_docs_name_every_kind_and_which_are_read_first() -> None:
    """T12."""
    rows = [
        line.split("|") for line in (Path(__file__).parents[2] / "docs" / "scope.md").read_text("utf-8").splitlines() if "| `scope_" in line
    ]

    assert {row[1].strip(" `"): "yes" in row[3] for row in rows} == {name: kind.reads_first for name, kind in KINDS.items()}
