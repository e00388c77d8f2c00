"""Changes to a run, and what a replay of the run with them estimates."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract
from contracts.statements import Sayable


class ChangeKind(StrEnum):
    """What a fix does to the stages of a run, in the terms of a replay."""

    BALANCE = "balance"
    """The stages' data spread over their tasks instead of lying on few of them."""
    DROP_ROWS = "drop_rows"
    """A share of the rows no longer goes through the stages."""
    BROADCAST = "broadcast"
    """The join of the stages runs without shuffling: the large side is joined where it is read."""
    DROP_EXCHANGE = "drop_exchange"
    """The stages that only redistribute are gone; what reads them reads what they read."""
    FEWER_BYTES = "fewer_bytes"
    """A share of the shuffled bytes is no longer written and read."""
    PARTITIONS = "partitions"
    """The stages' work cut into another number of tasks."""
    NO_RETRIES = "no_retries"
    """Attempts that failed are not made."""
    NO_SPILL = "no_spill"
    NO_GC = "no_gc"
    """GC takes the share of time that is usual."""
    STRAGGLERS = "stragglers"
    """A task that took longer for no more data takes as long as the others (speculation, another host)."""
    SLOTS = "slots"
    """Another number of tasks runs at the same time."""


class Change(Contract):
    """One change to a run, for the replay to work out."""

    kind: ChangeKind
    stage_ids: tuple[int, ...] = ()
    """None: all."""
    partitions: int | None = Field(default=None, ge=1)
    """Of `partitions`; of `balance` into how many parts the heavy ones are cut, where that is fixed (a salt's range)."""
    kept_share: float | None = Field(default=None, ge=0, le=1)
    """Of `drop_rows` and `fewer_bytes`: what is left."""
    slots: int | None = Field(default=None, ge=1)
    broadcast_bytes: int | None = Field(default=None, ge=0)
    """Of `broadcast`: the small side, as it is shuffled now."""


class Gain(Contract):
    """What a fix is estimated to bring, by a replay of the run's stages with the change made. Wall clock, milliseconds."""

    before_ms: int = Field(ge=0)
    """As measured."""
    after_ms: int = Field(ge=0)
    low_ms: int = Field(ge=0)
    """The best of the likely ends (80 %)."""
    high_ms: int = Field(ge=0)
    """The worst of them; may be above `before_ms`."""
    saved_share: float
    """1 - after / before."""
    method: Sayable
    """What was replayed, on how many slots."""
    assumptions: tuple[Sayable, ...] = ()
