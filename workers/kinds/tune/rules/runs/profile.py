"""What of a run is compared with other runs: some numbers, its stages by what they do, its joins and its settings."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from contracts.spark import RunFacts, StageStatus
from contracts.spark_time import TimePart
from contracts.statements import say
from contracts.tune.runs import RunEnd, RunLine
from contracts.verdicts import Findings, Severity, Verdict, VerdictKind
from workers.engines.spark.plan import is_join
from workers.engines.spark.verdicts.measures import wall_ms
from workers.kinds.tune.rules.judged import Judged

DIGITS = re.compile(r"\d+")
OWN = re.compile(r"^spark\.(?:app\.|driver\.(?:host|port)|executor\.id|yarn\.)")
"""Settings that differ from run to run by themselves."""

Signature = tuple[str, tuple[str, ...], int]
"""A stage by what it does: its name and operators without numbers, and the how-manieth of these it is in its run."""


@dataclass(frozen=True, slots=True)
class RunProfile:
    """A run, ready to be compared."""

    line: RunLine
    slots: int | None
    read_bytes: int
    shuffled_bytes: int
    lost_ms: int
    """Task time of attempts that did not succeed."""
    parts: Mapping[TimePart, float]
    """Milliseconds of the wall clock."""
    stages: Mapping[Signature, tuple[int, int]]
    """(number of the stage, its wall time in milliseconds)."""
    joins: Counter[str]
    """Operators that join, by name."""
    settings: Mapping[str, str]
    problems: frozenset[VerdictKind]


def profile(artefact: str, run: RunFacts, judged: Judged) -> RunProfile:
    """The profile of a run that was read and judged."""
    settings: dict[str, str] = dict(run.configuration)
    for execution in run.executions:
        settings.update(execution.configuration)
    return RunProfile(
        line=_line(artefact, run, judged.findings),
        slots=run.slots,
        read_bytes=sum(stage.input_bytes for stage in run.stages),
        shuffled_bytes=sum(stage.shuffle_write_bytes for stage in run.stages),
        lost_ms=sum(stage.lost_task_ms for stage in run.stages),
        parts={part.part: part.ms for part in judged.time.slices} if judged.time else {},
        stages=_stages(run),
        joins=Counter(DIGITS.sub("", node.name) for execution in run.executions for node in execution.nodes if is_join(node)),
        settings={key: value for key, value in settings.items() if not OWN.match(key)},
        problems=frozenset(verdict.kind for verdict in judged.findings.verdicts if verdict.severity is Severity.PROBLEM),
    )


def _line(artefact: str, run: RunFacts, findings: Findings) -> RunLine:
    problems = [verdict for verdict in findings.verdicts if verdict.severity is Severity.PROBLEM]
    end, took = _end(run), run.wall_ms or 0
    failure = next((verdict for verdict in problems if verdict.kind is VerdictKind.FAILURES), None) if end is RunEnd.FAILED else None
    worst = failure or max(problems, key=_share, default=None)
    return RunLine(
        artefact=artefact,
        app_id=run.app_id or "",
        app_name=run.app_name,
        started_at=run.started_at,
        wall_ms=run.wall_ms,
        end=end,
        tuning_class=findings.tuning_class,
        kind=worst.kind if worst else None,
        lost_ms=float(took) if end is RunEnd.FAILED else round(took * _share(worst), 1) if worst else 0.0,
        summary=worst.summary if worst else say("tune.runs.no_problem"),
    )


def _share(verdict: Verdict) -> float:
    return verdict.run_share or verdict.share


def _end(run: RunFacts) -> RunEnd:
    last = max(run.jobs, key=lambda job: (job.submitted_at or 0, job.job_id), default=None)
    if last is None or last.status is StageStatus.SUCCEEDED:
        return RunEnd.SUCCEEDED
    return RunEnd.FAILED if last.status is StageStatus.FAILED else RunEnd.UNFINISHED


def _stages(run: RunFacts) -> dict[Signature, tuple[int, int]]:
    seen: defaultdict[tuple[str, tuple[str, ...]], int] = defaultdict(int)
    found: dict[Signature, tuple[int, int]] = {}
    for stage in run.stages:
        plain = DIGITS.sub("", stage.name), tuple(sorted({DIGITS.sub("", operator) for operator in stage.operators}))
        found[(*plain, seen[plain])] = (stage.stage_id, wall_ms(stage) if stage.first_launch_at is not None else 0)
        seen[plain] += 1
    return found
