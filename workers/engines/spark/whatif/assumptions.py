"""What a replay cannot know, as ranges: each estimate is made over many draws from them, and its interval is where most of them end."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

NOISE = 0.2
"""Standard deviation of a stage's time from run to run, in proportion: that of the median job of tests/bench/spark_pairs, on a machine
that others use."""


@dataclass(frozen=True)
class Assumptions:
    """One set of them; the values here are the middles of their ranges."""

    written_to_read: float = 1.0
    """What a byte costs to be written to what it costs to be read. Both pass serialisation, the codec and a disk or socket; 0.5 to 2."""
    record_bytes: float = 100.0
    """What a record costs, in bytes: its header, hash and comparisons are a few dozen machine words at any width; 30 to 300."""
    exponent: float = 1.0
    """Of the cost of a partition in its size: below 1 with fixed costs, above with sorting; 0.95 to 1.05."""
    gone: float = 0.5
    """The part of what a stage computes that was for the sake of its exchange (sorting, merging, hashing) and goes with it. The log has
    no time per operator, so all from none to everything is possible."""
    kept: float = 0.25
    """The part of what a stage computes that has to be done though it only redistributes; none to a half, as such a stage may hold the
    beginning of what comes next (a partial aggregation)."""
    carried: float = 0.5
    """The part of what a stage computes that grows with the width of its rows (copying, sorting, decoding); from none to everything."""
    fixed: float = 1.0
    """To the fixed cost of a task as it shows in the log; 0.5 to 2."""
    passes: float = 3.0
    """How often the small side of a join is gone through to broadcast it: fetched, built into a table, sent; 1 to 5."""
    crowding: float = 0.2
    """By which power of the number of tasks at a time a task takes longer, where a change lets more of them run at once: they share memory,
    disks and the machine's cores. Two on a core of their own hardly notice each other (0); two threads of one core take a third longer
    each (0.4)."""
    restart_ms: float = 500.0
    """What changed stages begin again with, in ms of the wall clock: planning, generating and compiling their code, loading it, and its
    first, slow passes. The log counts it as computing of the stages that go, and it does not go with them; 250 to 1000. Measured: of
    twenty fixes that were applied and run, half took 0.2 to 0.9 s longer than without it, whether the job took 2 s or 19 s."""
    noise: float = 1.0
    """To the time of the stages that the change touches."""
    seed: int = 0
    """For what falls into place by chance."""


def draws(count: int) -> Iterator[Assumptions]:
    """The middle of every range first, then `count` random draws, which are the same each time."""
    yield Assumptions()
    chance, beginnings = np.random.default_rng(20_240_101), np.random.default_rng(20_261_201)
    for number in range(1, count + 1):
        drawn = chance.random(9)
        yield Assumptions(
            written_to_read=2.0 ** (2 * drawn[0] - 1),
            record_bytes=100.0 * 10 ** (drawn[1] - 0.5),
            exponent=0.95 + 0.1 * drawn[2],
            gone=float(drawn[3]),
            fixed=2.0 ** (2 * drawn[4] - 1),
            passes=1 + 4 * drawn[5],
            noise=float(np.exp(NOISE * chance.standard_normal())),
            kept=0.5 * float(drawn[6]),
            carried=float(drawn[7]),
            crowding=0.4 * float(drawn[8]),
            restart_ms=500.0 * 2.0 ** (2 * float(beginnings.random()) - 1),
            seed=number,
        )
