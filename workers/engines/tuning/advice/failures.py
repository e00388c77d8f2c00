"""Attempts that failed: by what the error says, the outside system, memory, lost shuffle files, lost executors, or the user's code."""

import ast
import re
from collections.abc import Iterator

from contracts.tuning import FailureKind
from contracts.tuning_plan import Change, ChangeKind, FixKind, Risk, Setting
from contracts.tuning_verdicts import Verdict
from workers.engines.tuning.advice.case import Case
from workers.engines.tuning.advice.draft import Draft, NotAdvised
from workers.engines.tuning.advice.settings import changed
from workers.engines.tuning.verdicts.reports import FIRST_IN_LINE

CAUSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "out_of_memory",
        re.compile(r"OutOfMemory|memory limits|exit (?:code|status):? 137|heap space|GC overhead|MemoryError|memoryOverhead", re.I),
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
    ("executors_lost", re.compile(r"ExecutorLost|preempt|decommission|heartbeat|node (?:lost|failed)", re.I)),
)
"""What to do → how the error reads. The first that fits is taken; an error in none is the user's own."""

FRAME = re.compile(r'File "[^"\n]{1,300}", line (\d{1,7}), in (\w+)')
LAST_LINE_CHARS = 160

SETTINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "fetch_failed": (("spark.shuffle.io.maxRetries", "10"), ("spark.shuffle.io.retryWait", "15s"), ("spark.network.timeout", "300s")),
    "executors_lost": (("spark.task.maxFailures", "8"),),
}
FROM_VALUE = {"spark.shuffle.io.maxRetries": 10, "spark.task.maxFailures": 8}
"""Not to be made smaller than they are."""


def fix_failures(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """One remedy for the most frequent error."""
    kinds = _kinds(case, verdict)
    told = " ".join(f"{kind.reason} {kind.error} {kind.message}" for kind in kinds[:1])
    told = (
        told or " ".join(stage.failure or "" for stage in (case.run.stages if case.run else ()) if stage.failure)[:2_000] or verdict.summary
    )
    cause = next((name for name, form in CAUSES if form.search(told)), "own_error")
    if cause == "own_error" and not case.value(verdict, "failed jobs"):
        cause = "passing_error"  # the attempt after it went well
    where = _place(case, verdict, kinds)
    yield Draft(
        kind=FixKind.FIX_FAILURES,
        words=cause,
        place=place,
        risk=Risk.MEDIUM if cause in ("outside_system", "own_error", "passing_error") else Risk.LOW,
        confidence=0.85,
        saves=1.0,
        told={
            "error": _error(kinds, verdict),
            "function": where[0],
            "line": where[1],
            "failed": str(int(case.value(verdict, "failed task") or (verdict.figures[0].value if verdict.figures else 0))),
        },
        settings=_settings(case, cause),
        changes=(Change(kind=ChangeKind.NO_RETRIES, stage_ids=verdict.stage_ids),),
        is_alternative=False,
    )


def _kinds(case: Case, verdict: Verdict) -> list[FailureKind]:
    stages = [stage for stage in (case.run.stages if case.run else ()) if stage.stage_id in verdict.stage_ids]
    return sorted((kind for stage in stages for kind in stage.failures if kind.reason != "TaskKilled"), key=lambda kind: -kind.count)


def _place(case: Case, verdict: Verdict, kinds: list[FailureKind]) -> tuple[str, str]:
    """(the user's function, the line) that the trace ends in; the function alone where the trace has no line of the script."""
    own = {name for script in case.scripts for name in script.facts.functions}
    frames = [found for kind in kinds for found in FRAME.finditer(kind.message) if found[2] in own]
    if frames:
        return frames[-1][2], frames[-1][1]
    name = next(iter(verdict.blame.functions), "")
    return name, str(_defined_at(case, name) or "")


def _defined_at(case: Case, name: str) -> int | None:
    for script in case.scripts:
        source = case.source(script)
        for node in ast.walk(source.tree) if source and name else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node.lineno
    return None


def _error(kinds: list[FailureKind], verdict: Verdict) -> str:
    """The error in one line: the end of a trace, the beginning of any other message; of a plain log the line that it was seen in."""
    if not kinds:
        logged = verdict.summary.partition(FIRST_IN_LINE)[2].partition(": ")[2]
        return (logged or verdict.summary)[:LAST_LINE_CHARS]
    lines = [line.strip() for line in kinds[0].message.splitlines() if line.strip()]
    shown = (lines[-1] if "Traceback" in kinds[0].message or FRAME.search(kinds[0].message) else lines[0]) if lines else ""
    return (shown or kinds[0].error or kinds[0].reason)[:LAST_LINE_CHARS]


def _settings(case: Case, cause: str) -> tuple[Setting, ...]:
    wanted = [
        (name, value)
        for name, value in SETTINGS.get(cause, ())
        if not (told := case.setting(name)) or not told.isdecimal() or len(told) > 9 or int(told) < FROM_VALUE.get(name, 0)
    ]
    if cause == "fetch_failed" and case.run is not None and case.run.platform in ("yarn", "standalone"):
        wanted.append(("spark.shuffle.service.enabled", "true"))
    return tuple(changed(case, *wanted))
