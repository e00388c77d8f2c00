"""The pairs: what is wrong with a job, what its advised fix is, and the changes that say so to a replay.

They were fixed before the replay was written, and eight of them measured (see README in engines/spark/whatif). The changes hold what
an adviser knows from the run before and from the tables' metadata: stages, a salt's range, a key's share, how many columns are used.
"""

from dataclasses import dataclass
from pathlib import Path

from contracts.whatif import Change, ChangeKind

FIXTURES = Path(__file__).parent / "fixtures"
"""A log of each pair's run before the fix, and the times of all runs."""

MEASURED = FIXTURES / "measured.json"


@dataclass(frozen=True)
class Pair:
    """One job before and after its fix."""

    name: str
    fault: str
    fix: str
    changes: tuple[Change, ...]

    @property
    def log(self) -> Path:
        """The event log of a run before the fix."""
        return FIXTURES / f"{self.name}.zstd"


JOIN = (2,)
"""Of a join of two tables: stages 0 and 1 read them."""

READING = (1,)
"""Of one exchange: stage 0 writes it."""

PAIRS = (
    Pair(
        "skewed_join",
        "60 % of the rows of a join have one key; each joined row waits 1 ms for a service; 8 slots",
        "both sides salted by 16",
        (Change(kind=ChangeKind.BALANCE, stage_ids=JOIN, partitions=16),),
    ),
    Pair(
        "adaptive_join",
        "as skewed_join",
        "adaptive execution cuts the partition",
        (Change(kind=ChangeKind.BALANCE, stage_ids=JOIN),),
    ),
    Pair(
        "sentinel_join",
        "50 % of the rows of a join have key -1, which stands for none; each waits 1 ms; 8 slots",
        "they are left out before the join",
        (Change(kind=ChangeKind.DROP_ROWS, stage_ids=JOIN, kept_share=0.5), Change(kind=ChangeKind.BALANCE, stage_ids=JOIN)),
    ),
    Pair(
        "skewed_group",
        "70 % of the rows of a grouping have one key, are collected in one place and wait 1 ms each; 8 slots",
        "two stages: by key and a salt of 16, then by key",
        (Change(kind=ChangeKind.BALANCE, stage_ids=READING, partitions=16),),
    ),
    Pair(
        "lookup_join",
        "a join shuffles and sorts 3.5 million rows to meet 20,000",
        "the small side is broadcast",
        (Change(kind=ChangeKind.BROADCAST, stage_ids=JOIN),),
    ),
    Pair(
        "redundant_exchanges",
        "a repartition and a distinct of unique rows before a grouping",
        "both are taken out",
        (Change(kind=ChangeKind.DROP_EXCHANGE, stage_ids=(1, 2)),),
    ),
    Pair(
        "late_projection",
        "14 columns are shuffled, three of them are used",
        "only these are carried",
        (Change(kind=ChangeKind.FEWER_BYTES, stage_ids=READING, kept_share=0.1),),
    ),
    Pair(
        "tiny_tasks",
        "400,000 rows are grouped in 800 tasks",
        "4 tasks",
        (Change(kind=ChangeKind.PARTITIONS, stage_ids=READING, partitions=4),),
    ),
    Pair(
        "few_tasks",
        "all of a grouping's rows in one task, each waits 1 ms; 8 slots",
        "8 tasks",
        (Change(kind=ChangeKind.PARTITIONS, stage_ids=READING, partitions=8),),
    ),
    Pair(
        "spilling_sort",
        "two partitions that are too large for the memory are sorted by spilling",
        "16 partitions",
        (Change(kind=ChangeKind.PARTITIONS, stage_ids=READING, partitions=16), Change(kind=ChangeKind.NO_SPILL, stage_ids=READING)),
    ),
    Pair(
        "failing_tasks",
        "5 of 12 tasks, which wait for 2 s, fail after most of their work and are tried again",
        "they do not fail",
        (Change(kind=ChangeKind.NO_RETRIES),),
    ),
)
