"""Attempts that failed: by what the error says, the outside system, memory, lost shuffle files, lost executors, or the user's code."""

import re
from collections.abc import Iterator

from contracts.artefacts import LogEventKind
from contracts.figures import FigureId
from contracts.spark import FailureKind, StageStatus
from contracts.statements import Statement, Value, code, count, say, term
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.spark.verdicts.error_lines import FRAME, heaviest
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.container_memory import memory_advice, more_overhead
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.settings import changed, lowered, raised
from workers.kinds.tune.rules.advice.values import values_of, where_of
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import quotes, stages_of

OWN_ERROR, PASSING_ERROR, UNKNOWN_END = "own_error", "passing_error", "unknown_end"
"""The remedies for an error that comes back, for one that passed, and where nothing says which of both it is."""

EXECUTORS_LOST = "executors_lost"
BY_EXECUTOR = "_by_executor"
"""How the remedies end that speak of executors rather than of attempts."""

CONTAINER = "overhead_out_of_memory"
"""The remedy where the cluster ended an executor for its memory."""

CAUSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "gpu_out_of_memory",
        re.compile(r"\bGpu\w*OOM|GpuRetryOOM|SplitAndRetryOOM|CudaException|cudaError|cudf|\bRMM\b|CUDA out of memory|device memory", re.I),
    ),
    ("broadcast_too_large", re.compile(r"Not enough memory to build and broadcast|Cannot broadcast the table", re.I)),
    (
        "driver_out_of_memory",
        re.compile(r'in thread "(?:main|dag-scheduler|broadcast-exchange|spark-listener)[^"\n]{0,40}" java\.lang\.OutOfMemoryError', re.I),
    ),
    ("result_too_large", re.compile(r"maxResultSize|bigger than spark\.driver", re.I)),
    (
        CONTAINER,
        re.compile(
            r"memory limit|memoryOverhead|exit (?:code|status)(?: is)?:? ?137\b|killed by YARN|OOMKilled|possible container OOM"
            r"|exceeding (?:physical|virtual) memory",
            re.I,
        ),
    ),
    ("python_out_of_memory", re.compile(r"\bMemoryError\b|Python worker exited unexpectedly", re.I)),
    (
        "out_of_memory",
        re.compile(r"OutOfMemory|heap space|GC overhead", re.I),
    ),
    ("disk_full", re.compile(r"No space left on device|DiskSpace|quota exceeded", re.I)),
    ("fetch_failed", re.compile(r"FetchFailed|shuffle block", re.I)),
    ("missing_data", re.compile(r"FileNotFound|does not exist|REFRESH TABLE|NoSuchKey|NoSuchFile", re.I)),
    (
        "outside_system",
        re.compile(
            r"connection (?:reset|refused|closed|aborted|timed out)|broken pipe|ConnectionError|ConnectException|SocketTimeout"
            r"|SocketException|timed? ?out|unreachable|too many (?:connections|requests)|throttl|SlowDown|\b(?:429|502|503|504)\b"
            r"|NoRouteToHost|UnknownHost",
            re.I,
        ),
    ),
    (EXECUTORS_LOST, re.compile(r"ExecutorLost|Resubmitted|preempt|decommission|heartbeat|node (?:lost|failed)", re.I)),
)
"""What to do → how the error reads. The first that fits is taken; an error in none is the user's own."""

BY_EVENT: dict[str, str] = {
    LogEventKind.OUT_OF_MEMORY: "out_of_memory",
    LogEventKind.KILLED_FOR_MEMORY: CONTAINER,
    LogEventKind.RESULT_TOO_LARGE: "result_too_large",
    LogEventKind.DISK_FULL: "disk_full",
    LogEventKind.FETCH_FAILED: "fetch_failed",
    LogEventKind.CONNECTION_RESET: "outside_system",
    LogEventKind.BROADCAST_TIMEOUT: "outside_system",
    LogEventKind.EXECUTOR_LOST: EXECUTORS_LOST,
    LogEventKind.HEARTBEAT: EXECUTORS_LOST,
}
"""What to do → by the event of a plain log that a figure counts."""

GPU_TASKS = "spark.rapids.sql.concurrentGpuTasks"

SETTINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "fetch_failed": (("spark.shuffle.io.maxRetries", "10"), ("spark.shuffle.io.retryWait", "15s"), ("spark.network.timeout", "300s")),
    "gpu_out_of_memory": ((GPU_TASKS, "1"), ("spark.rapids.sql.batchSizeBytes", "268435456")),
    EXECUTORS_LOST: (("spark.task.maxFailures", "8"),),
}
LOWERED = frozenset({"gpu_out_of_memory"})
"""Causes that less of something helps against; more helps against the others."""


_OF_TASK = re.compile(r"^.{0,300}?\(TID \d+\)(?: \([^)]{0,120}\))?:\s*")
"""Which task it was, before the error itself."""


_TELLING = 60
"""Characters of an error by which it is known in a text."""


def fix_failures(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """One remedy for the most frequent error."""
    kinds = _kinds(case, verdict)
    text = " ".join(f"{kind.reason} {kind.error} {kind.message}" for kind in kinds[:1])
    text = (
        text or " ".join(stage.failure or "" for stage in (case.run.stages if case.run else ()) if stage.failure)[:2_000] or verdict.error
    )
    cause = next((name for name, form in CAUSES if form.search(text)), None) or _event(verdict)
    if cause == EXECUTORS_LOST and _ended_for_memory(case, verdict):
        cause = CONTAINER
    elif cause == OWN_ERROR and not (case.value(verdict, FigureId.FAILED_JOBS) or case.value(verdict, FigureId.FAILED_QUERIES)):
        cause = _of_other_errors(case, verdict)
    values = {**values_of(case, verdict), **_where_it_ended(case, verdict)}
    if verdict.error and quotes(verdict.summary, clipped(verdict.error)[:_TELLING]):
        values["finding"] = term("tune.fix.attempts_fail")  # the finding's own sentence, above, has the error
    error = code(clipped(_OF_TASK.sub("", verdict.error))) if verdict.error else values["finding"]
    failed = case.value(verdict, FigureId.FAILED_ATTEMPTS) or (verdict.figures[0].value if verdict.figures else 0)
    yield Draft(
        kind=FixKind.FIX_FAILURES,
        remedy=cause,
        risk=Risk.MEDIUM if cause in ("outside_system", OWN_ERROR, PASSING_ERROR, UNKNOWN_END) else Risk.LOW,
        confidence=0.85,
        saves=1.0,
        values={
            **values,
            "error": error,
            "where": where_of(values, *_place(case, verdict, kinds)),
            "failed": count(int(failed)),
            "memory": memory_advice(case, verdict),
            "taken": _taken(case, verdict),
            "fewer": say("tune.gpu.one_task") if case.setting(GPU_TASKS) == "1" else say("tune.gpu.fewer_tasks"),
        },
        settings=settings_for(case, cause, text),
        changes=(Change(kind=ChangeKind.NO_RETRIES, stage_ids=verdict.stage_ids),),
        is_alternative=False,
    )


def _taken(case: Case, verdict: Verdict) -> Statement:
    """Where rows go to the driver."""
    taken = next((spot for spot in verdict.blame.spots if spot.text), None)
    return say("tune.result.taken", place=values_of(case, verdict)["place"]) if taken else say("tune.result.look")


def _ended_for_memory(case: Case, verdict: Verdict) -> bool:
    """A log counts executors that were ended for their memory, or the run names that reason for one."""
    by_log = any(figure.id == LogEventKind.KILLED_FOR_MEMORY and figure.value for figure in verdict.figures)
    return by_log or any(reason_of_memory(executor.removed_reason) for executor in (case.run.executors if case.run else ()))


def reason_of_memory(reason: str) -> bool:
    """The cluster ended an executor because its container used too much."""
    return any(name == CONTAINER and form.search(reason) for name, form in CAUSES)


def _of_other_errors(case: Case, verdict: Verdict) -> str:
    """The remedy for an error of no known cause that no job of an event log failed of: it passed if the stages were done after it, it is
    the user's own if Spark gave up; otherwise nothing is known of what came after it."""
    if case.run is not None and verdict.stage_ids:
        ends = [stage.status for number in verdict.stage_ids if (stage := case.stage(number))]
        return PASSING_ERROR if ends and all(end is StageStatus.SUCCEEDED for end in ends) else UNKNOWN_END
    gave_up = any(figure.id == LogEventKind.STAGE_ABORTED and figure.value for figure in verdict.figures)
    return OWN_ERROR if gave_up else UNKNOWN_END


def _event(verdict: Verdict) -> str:
    """The remedy for an event of a plain log, by its figures."""
    found = (BY_EVENT.get(figure.id) for figure in verdict.figures if figure.value)
    return next((cause for cause in found if cause is not None), OWN_ERROR)


def _where_it_ended(case: Case, verdict: Verdict) -> dict[str, Value]:
    """The aborted stages, where there are any, and not those whose attempts were made again."""
    aborted = int(case.value(verdict, FigureId.ABORTED_STAGES) or 0)
    if not aborted:
        return {}
    stages = stages_of(verdict.model_copy(update={"stage_ids": verdict.stage_ids[:aborted]}))
    return {"stages": stages} if verdict.blame.spots or verdict.blame.operator else {"stages": stages, "place": stages}


def _kinds(case: Case, verdict: Verdict) -> list[FailureKind]:
    """The kinds of failure of the verdict's first stage that has any. Aborted stages come before others."""
    stages = {stage.stage_id: stage for stage in (case.run.stages if case.run else ()) if stage.failures}
    of_stages = (heaviest(stages[number].failures) for number in verdict.stage_ids if number in stages)
    return next((kinds for kinds in of_stages if kinds), list[FailureKind]())


def _place(case: Case, verdict: Verdict, kinds: list[FailureKind]) -> tuple[str, str]:
    """(the user's function, the line) that the trace ends in; the function alone where the trace has no line of the script."""
    own = {name for script in case.scripts for name in script.facts.functions}
    frames = [found for kind in kinds for found in FRAME.finditer(kind.message) if found[2] in own]
    if frames:
        return frames[-1][2], frames[-1][1]
    name = next(iter(verdict.blame.functions), "")
    return name, str(_defined_at(case, name) or "")


def _defined_at(case: Case, name: str) -> int | None:
    found = (source.function(name) for script in case.scripts if (source := case.source(script)))
    return next((function.lineno for function in found if function), None)


def settings_for(case: Case, cause: str, error: str) -> tuple[Setting, ...]:
    """Those that help against a cause, without those that the run had already. `error` may say how much memory a container had."""
    wanted = list(SETTINGS.get(cause, ()))
    if cause == CONTAINER:
        wanted += more_overhead(case, error)
    settings = tuple((lowered if cause in LOWERED else raised)(case, *wanted))
    if cause == "fetch_failed" and case.run is not None and case.run.platform in ("yarn", "standalone"):
        settings = (*settings, *changed(case, ("spark.shuffle.service.enabled", "true")))
    return settings
