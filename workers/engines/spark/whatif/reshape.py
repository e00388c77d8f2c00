"""Changes that stay within a stage: its rows fewer, its tasks evened out or cut into another number."""

from dataclasses import replace

import numpy as np

from workers.engines.spark.whatif.assumptions import Assumptions
from workers.engines.spark.whatif.schedule import Milliseconds
from workers.engines.spark.whatif.units import Unit

STANDS_OUT = 2.0
"""To the median: a task that takes longer holds a heavy key, or is a straggler; what it takes beyond the median is its excess."""

FEW = 4
"""Of fewer tasks the median says nothing of the others: their data are taken as even."""

SPECULATION = 1.5
"""`spark.speculation.multiplier`: to the median, from where on a second attempt is made."""

MOST_PIECES = 200_000
"""Beyond it chance evens itself out."""

MOST_ENTRIES = 2_000
"""Tasks of a stage that a change cuts; more of them are bundled."""

DATA = ("shuffle_read_bytes", "shuffle_read_records", "input_bytes", "input_records")
PARTS = ("read_ms", "write_ms", "spill_ms", "computing_ms")


def rows_dropped(unit: Unit, kept: float) -> Unit:
    """All but the fixed cost falls in proportion; first from the tasks that stand out, since few rows are worth dropping but those of a
    heavy key."""
    variable = np.maximum(0.0, unit.times - unit.fixed)
    total = float(variable.sum())
    if total <= 0:
        return unit
    drop = total * (1 - kept)
    excess = _excess(variable, unit.stands_for)
    first = min(drop, float(excess.sum()))
    left = variable - (excess * first / excess.sum() if first > 0 else 0.0)
    left = left * (1 - (drop - first) / left.sum()) if left.sum() > 0 else left
    return replace(unit, times=np.minimum(unit.times, unit.fixed) + np.maximum(0.0, left), **_parts(unit, kept))


def balanced(unit: Unit, pieces: int | None, assumed: Assumptions) -> Unit:
    """Every task takes the mean. With a number of pieces (a salt's range) the excess of each task that stands out is cut into so many,
    which fall on the tasks at random: hashing is no dealing in turn, so some get two and more (balls into bins)."""
    variable = np.maximum(0.0, unit.times - unit.fixed)
    if len(variable) < 2 or variable.sum() <= 0:
        return unit
    excess = _excess(variable, unit.stands_for)
    heavy = np.flatnonzero(excess)
    rest = variable - excess
    if pieces is None or not len(heavy) or len(heavy) * pieces > MOST_PIECES:
        whole = float(rest.sum() + (excess * _cut(pieces or len(variable), assumed)).sum())
        weight = unit.stands_for / unit.stands_for.sum()
        even = whole * weight
    else:
        even = rest
        falls = np.random.default_rng(assumed.seed).choice(len(rest), size=(len(heavy), pieces), p=unit.stands_for / unit.stands_for.sum())
        np.add.at(even, falls.ravel(), np.repeat(excess[heavy] / pieces, pieces) * _cut(pieces, assumed))
    return replace(unit, times=np.minimum(unit.times, unit.fixed) + even, **_parts(unit, float(even.sum() / variable.sum())))


def in_parts(unit: Unit, parts: int, assumed: Assumptions) -> Unit:
    """The same data in `parts` tasks, each with its fixed cost. The excess of an outlier stays with one task, since more partitions do
    not cut a key."""
    count = float(unit.stands_for.sum())
    if not len(unit.times) or count <= 0:
        return unit
    variable = np.maximum(0.0, unit.times - unit.fixed)
    keeps = _excess(variable, unit.stands_for) if count >= FEW else np.zeros(len(variable))
    keeps = np.sort(keeps[keeps > 0])[::-1]
    whole = float(variable.sum() - keeps.sum()) * (parts / count) ** (1 - assumed.exponent)
    size = min(parts, max(len(unit.times), MOST_ENTRIES))
    stands_for = np.full(size, parts / size)
    fixed = float(unit.fixed.sum()) / count * stands_for
    times = whole / parts * stands_for
    np.add.at(times, np.arange(len(keeps)) % size, keeps)
    changed = replace(unit, times=times + fixed, fixed=fixed, stands_for=stands_for)
    return replace(changed, **_parts(unit, float(times.sum() / variable.sum()) if variable.sum() > 0 else 1.0))


def without_stragglers(unit: Unit) -> Unit:
    """No task takes longer than the median one, but as much as it has more data: the heaviest tasks are known by their ids."""
    if len(unit.times) < FEW:
        return unit
    middle = _median(unit.times, unit.stands_for)
    limit = middle * _heavier(unit)
    each = unit.times / np.maximum(1.0, unit.stands_for)
    capped = np.where(each > max(SPECULATION * middle, limit), np.maximum(limit, middle) * np.maximum(1.0, unit.stands_for), unit.times)
    whole = float(np.maximum(0.0, unit.times - unit.fixed).sum())
    share = float(np.maximum(0.0, capped - unit.fixed).sum()) / whole if whole > 0 else 1.0
    return replace(unit, times=capped, **_parts(unit, share))


def crowded(unit: Unit, before: Unit, slots: int, assumed: Assumptions) -> Unit:
    """Each task takes longer where more of the stage's tasks share the slots than did `before`; with fewer none gets faster. Slots that a
    change adds come with processors of their own."""
    was, now = min(slots, float(before.stands_for.sum())), min(slots, float(unit.stands_for.sum()))
    if now <= was or was <= 0:
        return unit
    factor = (now / was) ** assumed.crowding
    return replace(unit, times=unit.times * factor, fixed=unit.fixed * factor)


def _heavier(unit: Unit) -> float:
    """Data of the longest task to that of the median task, at least 1; 1 where the longest task is not among the heaviest."""
    longest = unit.facts.distributions["task_ms"].heaviest if "task_ms" in unit.facts.distributions else ()
    ratios = [1.0]
    for name in DATA:
        sizes = unit.facts.distributions.get(name)
        if sizes is not None and longest and sizes.median > 0:
            ratios += [heavy.value / sizes.median for heavy in sizes.heaviest if heavy.task_id == longest[0].task_id]
    return max(ratios)


def _excess(variable: Milliseconds, stands_for: Milliseconds) -> Milliseconds:
    """What the tasks that stand out take beyond the median."""
    middle = _median(variable, stands_for)
    return np.where((variable > STANDS_OUT * middle) & (stands_for <= 1), variable - middle, 0.0)


def _median(times: Milliseconds, stands_for: Milliseconds) -> float:
    return float(np.partition(times / np.maximum(1.0, stands_for), len(times) // 2)[len(times) // 2])


def _cut(pieces: int, assumed: Assumptions) -> float:
    return float(pieces ** (1 - assumed.exponent))


def _parts(unit: Unit, share: float) -> dict[str, float]:
    return {name: getattr(unit, name) * share for name in PARTS}
