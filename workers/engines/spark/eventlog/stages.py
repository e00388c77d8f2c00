"""What is known of a stage attempt while the log is read, and the contract it becomes."""

import re
from array import array
from dataclasses import dataclass, field
from functools import lru_cache

from contracts.spark import BytesSource, FailureKind, StageFacts, StageStatus
from workers.engines.spark.eventlog.events import Accumulable, StageInfo, TaskEnd, TaskEndReason
from workers.engines.spark.eventlog.parsing import operators_of, text_of
from workers.engines.spark.eventlog.tasks import MEASURED, StageTasks

SQL_METADATA = "sql"
SUCCESS = "Success"
KILLED = "TaskKilled"
DONE_FIRST = ("another attempt succeeded", "Stage finished")
"""Why Spark kills a copy that was in vain, and not with its job; older logs give no reason."""


FOREIGN_FRAME = re.compile(
    r"^\s*(?:at )?(?:[\w.@-]+/)?(?:org\.apache\.(?:spark|hadoop|hive)|java|javax|jdk|sun|scala|py4j|com\.sun|com\.databricks)\."
)
"""A frame of Spark, the JVM, Scala or the bridge to Python, rather than of the user."""

FRAMES = 5
STACKS_REMEMBERED, STACK_CHARS = 64, 1 << 14
"""Programs run the same lines again and again; longer stacks are not remembered."""

FRAME_CHARS = 300
OPERATORS = 30
NAME_CHARS = 200
MESSAGE_CHARS = 500
TRACEBACK = "Traceback (most recent call last)"
FAILURE_KINDS = 10
NS_PER_MS = 1_000_000

NOT_PLAIN = {"cpu_ns", "shuffle_write_ns", "peak_memory_bytes"}
PLAIN_SUMS = tuple(name for name in MEASURED if name not in NOT_PLAIN)
"""Sums of the tasks' numbers that are fields of `StageFacts` as they are."""


@dataclass
class Stage:
    """One attempt of one stage."""

    stage_id: int
    attempt: int
    name: str = ""
    planned_tasks: int | None = None
    parent_ids: tuple[int, ...] = ()
    operators: tuple[str, ...] = ()
    call_site: tuple[str, ...] = ()
    submitted_at: int | None = None
    completed_at: int | None = None
    is_open: bool = True
    """The log has no end of this attempt yet."""
    failure: str | None = None
    execution_id: int | None = None
    failed_tasks: int = 0
    killed_tasks: int = 0
    speculative_tasks: int = 0
    copies_in_vain: int = 0
    copies_in_vain_ms: int = 0
    """Copies by speculation that Spark killed: what they copied was done first."""
    lost_task_ms: int = 0
    took_ms: int = 0
    """All its task attempts together."""
    failures: dict[tuple[str, str], tuple[int, str, str]] = field(default_factory=dict[tuple[str, str], tuple[int, str, str]])
    """Reason and error → how often, and the first message: its beginning, and its end where it is longer."""
    tasks: StageTasks = field(default_factory=StageTasks)
    accumulators: "array[int]" = field(default_factory=lambda: array("q"))
    accumulated: "array[int]" = field(default_factory=lambda: array("q"))
    """The SQL metrics that its tasks have counted in, and their values when it ended."""

    @property
    def key(self) -> tuple[int, int]:
        """What tells it from others."""
        return self.stage_id, self.attempt

    def describe(self, info: StageInfo) -> None:
        """Take what an event of the stage says; the later event wins where both do. `msgspec.DecodeError` when it is damaged; then
        nothing was taken."""
        operators = self.operators or tuple(dict.fromkeys(name[:NAME_CHARS] for name in operators_of(info.rdds)))[:OPERATORS]
        call_site = self.call_site or user_frames(text_of(info.details))
        self.operators, self.call_site = operators, call_site
        self.name = info.name[:MESSAGE_CHARS] or self.name
        self.planned_tasks = info.tasks if info.tasks is not None else self.planned_tasks
        self.parent_ids = tuple(info.parents) if info.parents else self.parent_ids
        self.submitted_at = info.submitted_at if info.submitted_at is not None else self.submitted_at
        self.completed_at = info.completed_at if info.completed_at is not None else self.completed_at
        self.failure = info.failure[:MESSAGE_CHARS] if info.failure else self.failure

    def count(self, accumulables: list[Accumulable], at_most: int) -> None:
        """Take the SQL metrics as the stage leaves them."""
        del self.accumulators[:], self.accumulated[:]
        for item in accumulables:
            if item.metadata == SQL_METADATA and item.id is not None and len(self.accumulators) < at_most:
                try:
                    pair = array("q", (item.id, int(bytes(item.value).strip(b'" '))))
                except (ValueError, OverflowError):
                    continue
                self.accumulators.append(pair[0])
                self.accumulated.append(pair[1])

    def fail_task(self, event: TaskEnd) -> None:
        """Count a task attempt that did not succeed."""
        end = event.end or TaskEndReason()
        self.failed_tasks += 1
        is_killed = end.reason == KILLED or bool(event.info.killed)
        self.killed_tasks += is_killed
        lost_ms = max(0, event.info.finished_at - event.info.launched_at)
        if is_killed and event.info.speculative and (not end.kill_reason or any(why in end.kill_reason for why in DONE_FIRST)):
            self.copies_in_vain += 1
            self.copies_in_vain_ms += lost_ms
        self.lost_task_ms += lost_ms
        self.took_ms += lost_ms
        key = ((end.reason or "unknown")[:NAME_CHARS], (end.class_name or end.kill_reason or end.loss_reason or "")[:MESSAGE_CHARS])
        count, message, tail = self.failures.get(key, (0, "", ""))
        if count or len(self.failures) < FAILURE_KINDS:
            reason = "" if message else end.description or end.message or ""
            rest = reason[-MESSAGE_CHARS:] if len(reason) > MESSAGE_CHARS else ""
            self.failures[key] = (count + 1, message or telling_part(reason), tail or rest)

    @property
    def status(self) -> StageStatus:
        """How it ended."""
        if self.failure:
            return StageStatus.FAILED
        return StageStatus.UNFINISHED if self.is_open else StageStatus.SUCCEEDED

    def facts(self, job_ids: tuple[int, ...], all_run_ms: int) -> StageFacts:
        """The contract; its tasks have been folded. `all_run_ms` is that of all stages."""
        tasks, spread = self.tasks, self.tasks.distributions
        source = BytesSource.NONE
        if tasks.sums["shuffle_read_bytes"]:
            source = BytesSource.SHUFFLE
        elif tasks.sums["input_bytes"]:
            source = BytesSource.INPUT
        weights = spread.get(f"{'shuffle_read' if source is BytesSource.SHUFFLE else 'input'}_bytes")
        longest, usual = (spread["task_ms"].max, spread["task_ms"].median) if "task_ms" in spread else (0, 0)
        return StageFacts(
            stage_id=self.stage_id,
            attempt=self.attempt,
            name=self.name,
            status=self.status,
            failure=self.failure,
            call_site=self.call_site,
            operators=self.operators,
            parent_ids=self.parent_ids,
            job_ids=job_ids,
            execution_id=self.execution_id,
            submitted_at=self.submitted_at,
            completed_at=self.completed_at,
            first_launch_at=tasks.first_launch_at,
            last_finish_at=tasks.last_finish_at,
            planned_tasks=self.planned_tasks,
            succeeded_tasks=tasks.count,
            failed_tasks=self.failed_tasks,
            killed_tasks=self.killed_tasks,
            speculative_tasks=self.speculative_tasks,
            copies_in_vain=self.copies_in_vain,
            copies_in_vain_ms=self.copies_in_vain_ms,
            lost_task_ms=self.lost_task_ms,
            failures=tuple(
                FailureKind(reason=reason, error=error, message=message, tail=tail, count=count)
                for (reason, error), (count, message, tail) in sorted(self.failures.items(), key=lambda item: -item[1][0])
            ),
            cpu_ms=tasks.sums["cpu_ns"] // NS_PER_MS,
            shuffle_write_ms=tasks.sums["shuffle_write_ns"] // NS_PER_MS,
            peak_memory_bytes=tasks.peaks["peak_memory_bytes"],
            distributions=spread,
            run_share=round(tasks.sums["run_ms"] / all_run_ms, 4) if all_run_ms > 0 else 0,
            time_ratio=round(longest / max(usual, 1), 2) if tasks.count else None,
            bytes_source=source,
            bytes_ratio=round(weights.max / weights.median, 2) if weights and weights.median and source is not BytesSource.NONE else None,
            **{name: tasks.sums[name] for name in PLAIN_SUMS},
        )


def user_frames(details: str) -> tuple[str, ...]:
    """The frames of a stack that are the user's own; without any, the innermost frame, which is the action on the data."""
    return _frames(details) if len(details) <= STACK_CHARS else _frames.__wrapped__(details)


@lru_cache(maxsize=STACKS_REMEMBERED)
def _frames(details: str) -> tuple[str, ...]:
    frames = [line.strip()[:FRAME_CHARS] for line in details.splitlines() if line.strip()]
    own = [frame for frame in frames if not FOREIGN_FRAME.match(frame)]
    return tuple(own[:FRAMES] or frames[:1])


def telling_part(message: str) -> str:
    """The beginning of an error's message; the end of a Python traceback, which holds the user's line and the error itself."""
    return message.rstrip()[-MESSAGE_CHARS:] if TRACEBACK in message[:MESSAGE_CHARS] else message[:MESSAGE_CHARS]
