"""Bundles made by hand for the recommender: kinds of artefacts without parsers, and cases that reveal what was read of them."""

from collections.abc import Sequence

from contracts.bundles import Artefact, ArtefactRead, Catalogue, Information
from contracts.verdicts import Blame, Figure, Findings, Severity, TuningClass, Unit, Verdict, VerdictKind
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.kinds.tune.evaluation.reads import ReadCase, Revealed
from workers.kinds.tune.rules.classify import classify

I = Information  # noqa: E741 short, for the table below

LOG_TELLS = (
    I.STAGE_RUNS,
    I.RUN_METRICS,
    I.DATA_DISTRIBUTION,
    I.SHUFFLE_STATISTICS,
    I.OPERATORS,
    I.DATA_FLOW,
    I.JOIN_DETAILS,
    I.PARTITIONING,
    I.CONFIGURATION,
)

_KINDS: dict[str, tuple[str, str, tuple[Information, ...], bool]] = {
    "spark_event_log": ("event log of a run", "Spark 事件日志：各 Stage 的运行情况与 Shuffle 统计", LOG_TELLS, True),
    "pyspark_script": ("the user's script", "用户原始脚本", (I.SCRIPT_LOGIC, I.PARTITIONING), True),
    "table_metadata": ("rows and keys of tables", "表的行数与键的分布", (I.DATA_VOLUME, I.HOT_KEYS), False),
    "plain_log": ("a driver's or executor's log", "运行日志", (I.ERRORS, I.WARNINGS), False),
    "configuration": ("settings", "配置参数", (I.CONFIGURATION,), False),
    "skew_report": ("rows per key", "数据倾斜统计报告", (I.DATA_DISTRIBUTION, I.HOT_KEYS), False),
    "shuffle_log": ("volume of each shuffle", "Shuffle操作性能日志", (I.SHUFFLE_STATISTICS,), False),
    "scope_script": ("the user's script", "用户原始脚本", (I.SCRIPT_LOGIC, I.PARTITIONING), True),
    "scope_job_statistics": (
        "what each stage took",
        "DAG中每个stage的运行情况",
        (I.STAGE_RUNS, I.DATA_DISTRIBUTION, I.RUN_METRICS, I.SHUFFLE_STATISTICS),
        True,
    ),
    "scope_runtime_statistics": ("vertices by memory and time", "顶点的内存与耗时", (I.RUN_METRICS, I.STAGE_RUNS), True),
    "scope_algebra": ("the compiled plan", "编译后的执行计划", (I.OPERATORS, I.PARTITIONING, I.JOIN_DETAILS), False),
    "scope_data_flow": ("which vertex feeds which", "顶点之间的数据流", (I.DATA_FLOW, I.SHUFFLE_STATISTICS), False),
    "scope_error": ("the job's error", "作业的错误信息", (I.ERRORS,), True),
    "scope_warnings": ("warnings", "告警", (I.WARNINGS,), True),
    "scope_stream_info": ("inputs and their sizes", "输入流的大小与行数", (I.DATA_VOLUME,), False),
    "scope_compile_output": ("what the compiler said", "编译输出", (I.WARNINGS,), False),
    "scope_compiler_timers": ("what compiling took", "编译耗时", (), False),
    "scope_generated_code": ("C# made by the compiler", "生成的代码", (), False),
    "scope_internal_info": ("internals", "内部信息", (), False),
    "unknown": ("something else", "未知文件", (), False),
}
"""Name → English, Chinese, what it tells, whether it is read first."""


def _no_sniff(name: str, head: bytes) -> float:
    return 0.0


def _no_parse(source: ArtefactSource) -> Parsed:
    return Parsed()


KINDS = {
    name: ArtefactKind(
        name=name,
        description=chinese,
        tells=frozenset(tells),
        sniff=_no_sniff,
        parse=_no_parse,
        parser=None if name.endswith("script") else f"parse_{name}",
        reads_first=first,
        max_bytes=10 << 30,
    )
    for name, (_, chinese, tells, first) in _KINDS.items()
}
"""Like the registry's, as far as the recommender looks at them."""


def catalogue_of(*artefacts: tuple[str, str] | tuple[str, str, int]) -> Catalogue:
    """From (name, kind) or (name, kind, bytes), ordered by name as a catalogue is."""
    found = [Artefact(name=item[0], kind=item[1], size_bytes=item[2] if len(item) > 2 else 10_000) for item in artefacts]
    return Catalogue(bundle="test", content_hash="0", artefacts=tuple(sorted(found, key=lambda item: item.name)))


def read_of(name: str, kind: str, *tells: Information) -> ArtefactRead:
    """Read in the first round; by default with everything that the kind can contain."""
    return ArtefactRead(name=name, kind=kind, round=0, reason="test", tells=tells or tuple(sorted(KINDS[kind].tells)))


def verdict_of(kind: VerdictKind, share: float = 0.4, severity: Severity = Severity.PROBLEM, blame: Blame | None = None) -> Verdict:
    """A verdict on stage 4 with one figure."""
    return Verdict(
        kind=kind,
        severity=severity,
        stage_ids=(4,),
        share=share,
        summary=f"Stage 4 has {kind.value}.",
        figures=(Figure(name="share", value=share, unit=Unit.SHARE, source="event log, stage 4"),),
        blame=blame or Blame(),
    )


def findings_of(*verdicts: Verdict) -> Findings:
    return classify(verdicts)


def case_of(
    name: str,
    catalogue: Catalogue,
    right: TuningClass,
    verdicts: Sequence[Verdict],
    needs: frozenset[Information],
    description: str = "the nightly job is slow",
) -> ReadCase:
    """A case whose verdicts appear only when everything in `needs` is known."""
    kind_of = {item.name: item.kind for item in catalogue.artefacts}

    def reveal(names: tuple[str, ...]) -> Revealed:
        read = tuple(read_of(item, kind_of[item], *sorted(KINDS[kind_of[item]].tells)) for item in names)
        known = frozenset(item for artefact in read for item in artefact.tells)
        findings = findings_of(*(verdicts if needs <= known else ()))
        texts = {item: str(KINDS[kind_of[item]].description) for item in names}
        return Revealed(read=read, findings=findings, texts=texts)

    return ReadCase(name=name, description=description, catalogue=catalogue, right=right, reveal=reveal)
