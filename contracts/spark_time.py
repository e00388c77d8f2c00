"""Where the wall time of a run went: parts that add up to it, each with its heaviest stages and their place in the script. Of a SCOPE job
only its stages are known."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.verdicts import ScriptSpot


class TimePart(StrEnum):
    """What the run did in a part of its time."""

    START = "start"
    """From the start of the application to its first stage."""
    UNLOGGED = "unlogged"
    """The same of a log that Spark compacted: what ran then is not in it."""
    DRIVER = "driver"
    """No stage was running: planning, listing files, commits, the driver's own code."""
    SCHEDULING = "scheduling"
    """A stage was submitted and none of its tasks ran; and what tasks took outside their own run."""
    IDLE_SLOTS = "idle_slots"
    """Stages were running and left slots empty: the share of the slots that had no task."""
    COMPUTING = "computing"
    """The processor time of the tasks."""
    PYTHON = "python"
    """Tasks waited for a Python process."""
    GC = "gc"
    SHUFFLE_WAIT = "shuffle_wait"
    """Tasks waited for shuffle blocks of others."""
    SHUFFLE_WRITE = "shuffle_write"
    SPILL = "spill"
    """Estimated: the bytes spilled at the speed at which the run wrote shuffle files."""
    FAILED = "failed"
    """Attempts that did not succeed."""
    BLOCKED = "blocked"
    """The rest of the tasks' time: reading and writing files, locks, a processor that others used."""


class StageTime(Contract):
    """A stage's share in a part of the time."""

    stage_id: int
    name: Text = ""
    """Where a reader knows the stage by another name than its number, as on SCOPE."""
    ms: float = Field(ge=0)
    spot: ScriptSpot | None = None
    """The first place in the script that the stage comes from; None if it is not known."""


class TimeSlice(Contract):
    """One part of the wall time."""

    part: TimePart
    ms: float = Field(ge=0)
    share: float = Field(ge=0, le=1)
    """Of the run's wall time."""
    stages: tuple[StageTime, ...] = ()
    """The heaviest stages of the part, heaviest first."""


class TaskTimes(Contract):
    """How the times of a stage's successful tasks are spread, in milliseconds. Quantiles as in `TaskDistribution`."""

    count: int = Field(ge=1)
    min: int = Field(ge=0)
    p25: int = Field(ge=0)
    median: int = Field(ge=0)
    p75: int = Field(ge=0)
    max: int = Field(ge=0)


class StageRun(Contract):
    """When a stage attempt's tasks ran, and how long each took."""

    stage_id: int
    attempt: int = Field(default=0, ge=0)
    begin_ms: int = Field(ge=0)
    """From the start of the run."""
    end_ms: int = Field(ge=0)
    tasks: TaskTimes | None = None
    """None if no task succeeded."""
    has_failed: bool = False
    spot: ScriptSpot | None = None
    """The first place in the script that the stage comes from; None if it is not known."""


class TimeAccount(Contract):
    """The wall time of a run. The slices add up to it, largest first; `stages` and `recomputed_ms` cut the same time another way."""

    wall_ms: int = Field(ge=0)
    slots: int | None = None
    slices: tuple[TimeSlice, ...] = ()
    stages: tuple[StageTime, ...] = ()
    """The stages by the wall time that is theirs; where several ran at once, each has its part by the tasks that it ran."""
    recomputed_ms: float = Field(default=0, ge=0)
    """Wall time of stages that did again what an earlier stage of the run had done."""
    recomputed: tuple[StageTime, ...] = ()
    runs: tuple[StageRun, ...] = ()
    """The stage attempts that took the most wall time, in the order in which they began."""
    runs_left_out: int = Field(default=0, ge=0)
    """Stage attempts that are not in `runs`."""
