"""Changes to a run, and the estimated effect of these changes from a replay."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract
from contracts.statements import Sayable


class ChangeKind(StrEnum):
    """What a fix changes in the stages of a run, for a replay."""

    BALANCE = "balance"
    """The stages' data is spread over all tasks instead of a few."""
    DROP_ROWS = "drop_rows"
    """A share of the rows no longer goes through the stages."""
    BROADCAST = "broadcast"
    """The join runs without a shuffle: the large side is joined where it is read."""
    DROP_EXCHANGE = "drop_exchange"
    """The stages that only redistribute data are removed; their readers read the stages' inputs."""
    FEWER_BYTES = "fewer_bytes"
    """A share of the shuffled bytes is no longer written and read."""
    PARTITIONS = "partitions"
    """The stages' work is divided into another number of tasks."""
    NO_RETRIES = "no_retries"
    """The attempts that failed are left out."""
    NO_SPILL = "no_spill"
    NO_GC = "no_gc"
    """GC takes its usual share of the time."""
    STRAGGLERS = "stragglers"
    """A task that took longer without having more data takes as long as the others (speculation, another host)."""
    LESS_COMPUTING = "less_computing"
    """A share of the tasks' time is no longer needed (`kept_share` remains, and a part of the rest)."""
    REMOVED = "removed"
    """The stages are not run: what they compute is there already."""
    SLOTS = "slots"
    """Another number of tasks can run at the same time."""


class Change(Contract):
    """One change to a run, for the replay to work out."""

    kind: ChangeKind
    stage_ids: tuple[int, ...] = ()
    """None stands for all stages."""
    partitions: int | None = Field(default=None, ge=1)
    """For `partitions`, their number. For `balance`, the number of parts into which heavy partitions are split, if it is fixed (the
    range of a salt)."""
    kept_share: float | None = Field(default=None, ge=0, le=1)
    """For `drop_rows`, `fewer_bytes` and `less_computing`: the share that remains."""
    slots: int | None = Field(default=None, ge=1)
    broadcast_bytes: int | None = Field(default=None, ge=0)
    """For `broadcast`: the size of the small side, as it is shuffled now."""


class Gain(Contract):
    """The estimated gain of a fix, from a replay of the run's stages with the change made. Wall-clock milliseconds."""

    before_ms: int = Field(ge=0)
    """The measured time of the run."""
    after_ms: int = Field(ge=0)
    low_ms: int = Field(ge=0)
    """The lower end of the 80 % interval."""
    high_ms: int = Field(ge=0)
    """The upper end of the interval; it may be above `before_ms`."""
    unsure_ms: int | None = Field(default=None, ge=0)
    """What the saving is unsure by, without what a run differs by from the next. None in deliverables of before: half of the interval."""
    saved_share: float
    """1 - after / before."""
    method: Sayable
    """What was replayed, and with how many slots."""
    assumptions: tuple[Sayable, ...] = ()

    @property
    def is_promised(self) -> bool:
        """It saves time, and all of its likely range does."""
        return self.saved_share > 0 and self.high_ms <= self.before_ms
