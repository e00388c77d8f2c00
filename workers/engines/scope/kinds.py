"""The kinds of artefact that a SCOPE or U-SQL job leaves behind, for the registry."""

from collections.abc import Callable, Iterable

from contracts.bundles import Information
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.engines.scope.compilation import parse_command_line, parse_compile_output, parse_compiler_timers
from workers.engines.scope.counters import PROFILE_BYTES, parse_internal_info, parse_profile
from workers.engines.scope.descriptions import DESCRIPTIONS
from workers.engines.scope.errors import parse_error
from workers.engines.scope.flow import parse_data_flow
from workers.engines.scope.generated import LIBRARY_BYTES, parse_generated_code
from workers.engines.scope.job_info import parse_job_info
from workers.engines.scope.messages import parse_diagnostics, parse_warnings
from workers.engines.scope.plan import parse_algebra, parse_vertex_definition
from workers.engines.scope.runtime import parse_runtime_statistics
from workers.engines.scope.script_artefact import parse_script
from workers.engines.scope.sniffing import Sniff, by_name, marked, sniff_script
from workers.engines.scope.statistics import parse_job_statistics
from workers.engines.scope.streams import parse_stream_info
from workers.engines.scope.text import DEFAULT_BYTES

GENERATED_NAMES = ("scopecodegen__.dll", "scopecodegen__.dll.cs", "scopecodegenengine__.dll", "scopecodegenengine__.dll.cpp")
CODE_MARKS = marked(GENERATED_NAMES, r"namespace\s+Scope\w*Generated", r"\bScopeRuntime\b", r"class\s+Scope\w*\s*:\s*ScopeRuntime")


def scope_kinds() -> tuple[ArtefactKind, ...]:
    """All of them. Error, script, runtime statistics, warnings and job statistics are read at the beginning of a job."""
    info = Information
    return (
        _kind(
            "scope_script",
            parse_script,
            sniff_script,
            (info.SCRIPT_LOGIC, info.JOIN_DETAILS, info.PARTITIONING),
            reads_first=True,
            version=2,  # the facts say that the language is SCOPE
        ),
        _kind(
            "scope_job_statistics",
            parse_job_statistics,
            marked(("jobstatistics.xml", "jobstatistics.json"), r"<JobStatistics\b", r"<StageStatistics\b", r"\"StageStatistics\"\s*:"),
            (info.STAGE_RUNS, info.DATA_DISTRIBUTION, info.RUN_METRICS),
            reads_first=True,
        ),
        _kind(
            "scope_runtime_statistics",
            parse_runtime_statistics,
            marked(
                ("scoperuntimestatistics__.xml", "scoperuntimestatistics.xml"),
                r"<(?:Scope)?RuntimeStatistics\b",
                r"<AggregatedStats\b",
                r"<SV\d+_[A-Za-z]",
            ),
            (info.RUN_METRICS, info.STAGE_RUNS, info.DATA_VOLUME),
            reads_first=True,
        ),
        _kind(
            "scope_job_info",
            parse_job_info,
            marked(("jobinfo.xml", "jobinfo.json"), r"<JobInfo\b"),
            (info.RUN_METRICS, info.CONFIGURATION, info.DATA_VOLUME),
        ),
        _kind(
            "scope_algebra",
            parse_algebra,
            marked(("algebra.xml",), r"<(?:Scope)?Algebra\b"),
            (info.OPERATORS, info.JOIN_DETAILS, info.PARTITIONING),
        ),
        _kind(
            "scope_vertex_definition",
            parse_vertex_definition,
            marked(("scopevertexdef.xml",), r"<ScopeVert(?:ices|ex)\b"),
            (info.OPERATORS, info.JOIN_DETAILS, info.PARTITIONING),
        ),
        _kind(
            "scope_error",
            parse_error,
            marked(
                ("error", "error.xml", "error.json", "errors.xml"),
                r"\"?diagnosticCode\"?\s*[:>]",
                r"<(?:Job)?Errors?>\s*<(?:Error|Diagnostic|Code|Component|Message)",
                r"\bE_(?:CSC|CQO|RUNTIME|STORE|JM)_(?:USER|SYSTEM)_\w+",
            ),
            (info.ERRORS,),
            reads_first=True,
        ),
        _kind(
            "scope_warnings", parse_warnings, marked(("warnings__.xml", "warnings.xml"), r"<Warnings\b"), (info.WARNINGS,), reads_first=True
        ),
        _kind(
            "scope_diagnostics",
            parse_diagnostics,
            marked(("diagnosticsjson", "diagnostics.json"), r"\"diagnostics\"\s*:\s*\["),
            (info.WARNINGS, info.ERRORS),
        ),
        _kind(
            "scope_data_flow",
            parse_data_flow,
            marked(
                ("datamapdfg__.json", "datamapdfg.json"),
                r"\"(?:edges|links|channels)\"\s*:\s*\[",
                all_of=(r"\"(?:vertices|nodes)\"\s*:\s*\[",),
            ),
            (info.DATA_FLOW, info.SHUFFLE_STATISTICS, info.DATA_VOLUME),
        ),
        _kind(
            "scope_compile_output",
            parse_compile_output,
            marked(
                (
                    "scopecodegencompileoutput__.txt",
                    "scopecodegencompileoptions__.txt",
                    "scopecodegencompileoutput",
                    "scopecodegencompileoptions",
                ),
                r"\*{3} (?:Entering compilation|Done with C# compilation)",
                r"^#CPP ",
            ),
            (info.ERRORS, info.WARNINGS, info.CONFIGURATION),
        ),
        _kind("scope_compiler_timers", parse_compiler_timers, marked(("compilertimers.xml",), r"<CompilerTimers\b"), ()),
        _kind("scope_generated_code", parse_generated_code, _sniff_code, (), max_bytes=LIBRARY_BYTES),
        _kind(
            "scope_stream_info",
            parse_stream_info,
            marked(("sstreaminfo__.xml", "sstreaminfo.xml", "streaminfo.xml"), r"<(?:S?StreamInfo|StreamsetInfo|StatisticsInfo)\b"),
            (info.DATA_VOLUME, info.PARTITIONING),
        ),
        _kind("scope_profile", parse_profile, marked(("profile", "profile_system"), r"(?!)"), (info.RUN_METRICS,), max_bytes=PROFILE_BYTES),
        _kind(
            "scope_internal_info",
            parse_internal_info,
            marked(
                ("scopeinternalinfo__.xml", "scopeinternalinfo.xml", "systeminternalinfo__.xml", "scopediagnosisinfo__.xml"),
                r"<(?:CSSRelatedInfo|ScopeInternalInfo|OptimizerPlanInfo|ScopeCounters|OperatorPhyMapping)\b",
            ),
            (info.OPERATORS, info.JOIN_DETAILS, info.RUN_METRICS),
        ),
        _kind(
            "scope_command_line",
            parse_command_line,
            marked(
                ("nebulacommandline.txt", "nebulacommandline"),
                r"\bscope(?:\.exe)?\b[^\n]{0,500}\s-(?:submit|vc|tokens|vcPercentAllocation)\b",
            ),
            (info.CONFIGURATION,),
        ),
    )


def _kind(
    name: str,
    parse: Callable[[ArtefactSource], Parsed],
    sniff: Sniff,
    tells: Iterable[Information],
    *,
    max_bytes: int = DEFAULT_BYTES,
    reads_first: bool = False,
    version: int = 1,
) -> ArtefactKind:
    return ArtefactKind(
        name=name,
        description=DESCRIPTIONS[name],
        tells=frozenset(tells),
        sniff=sniff,
        parse=parse,
        parser=parse.__name__,
        max_bytes=max_bytes,
        reads_first=reads_first,
        version=version,
    )


def _sniff_code(name: str, head: bytes) -> float:
    """A compiled library by its name alone, since it holds no text."""
    return by_name(name, GENERATED_NAMES) if head.startswith(b"MZ") else CODE_MARKS(name, head)
