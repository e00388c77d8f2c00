"""Thresholds that the verdicts of Spark and SCOPE share. A threshold of a single verdict is kept beside it."""

MIB = 1 << 20

# Skew and stragglers.
MIN_TASKS = 4
"""Below it the median is one of the extremes."""

DATA_RATIO = 4.0
"""Heaviest task to the usual one, in bytes or records. Dr. Elephant calls 4 moderate; Spark's adaptive execution splits from 5 on."""

TIME_RATIO = 2.0
"""The heaviest task has to take longer too, or nobody waits for it."""

HINT_SHARE = 0.03
"""Share of the run below which skew is real but does not matter. Other shares are upper bounds of a stage's time; this is the time that
the stage demonstrably waited, so less of it is enough."""

MIN_TASK_BYTES, MIN_TASK_RECORDS = 1 * MIB, 10_000
"""The least bytes or records of the heaviest task. Below them a ratio says nothing, since tiny stages have any ratio."""

EVEN_DATA = 2.0
"""Up to this many times the usual data a task counts as no heavier."""

# Shuffles.
INPUT_RATIO = 1.5
"""Shuffled to read, in bytes. A join or sort of all that is read shuffles it once, so about one is the price of such a job."""

MIN_SHUFFLED = 64 * MIB

SHUFFLE_PROBLEM_SHARE = 0.1
"""Of the time of the stages that write or read the shuffles."""

SIDES_RATIO = 10.0
"""How many times larger the other side of a join has to be, or nothing is saved: a broadcast is paid once an executor."""

# Memory.
SPILL_SHARE = 0.1
"""Spilled bytes to bytes read from which on a spill counts: below it only the last rows did not fit, and another size changes little."""

SPILL_BYTES = 16 * MIB

MEMORY_PROBLEM_SHARE = 0.05
"""Of the tasks' time."""

GC_SHARE = 0.1
"""Of a stage's task time. Spark's own UI marks tasks red from a tenth on."""
