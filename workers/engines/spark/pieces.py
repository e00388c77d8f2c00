"""Pieces of plans of one session that do a part of each other's work: the same columns of the same tables by the same keys, where an action
that needs fewer columns or rows made Spark leave some out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.spark import SqlNode
from workers.engines.spark.plan import PROJECTIONS, is_aggregate, is_scan, items

CALL = re.compile(r"\b(?!isnotnull|isnull|cast|in|and|or|not)[a-z_]\w*\(", re.IGNORECASE)
"""Something is computed."""

LOCATION = re.compile(r"Location: .*?\]")
PARTITIONS = re.compile(r"PartitionFilters: \[[^\]]*\]")
KEYS = re.compile(r"keys?=\[[^\]]*\]")
FUNCTIONS = re.compile(r"functions=\[(.*)\]")
CONDITIONS = ("Filter", "GpuFilter")
WRAPPERS = ("WholeStageCodegen", "InputAdapter", "ColumnarToRow", "AQEShuffleRead", "QueryStage", "Sort", "Exchange", "AdaptiveSparkPlan")
"""In the names of nodes that compute nothing of their own; a sort within partitions only prepares what is above it."""


@dataclass(frozen=True)
class Step:
    """A node of a plan. The numbers of its columns stay: within a session the same number is the same column of the same table."""

    what: str
    """What has to be the same."""
    computed: frozenset[str] = frozenset()
    """Columns or functions, of which an action may need fewer."""
    conditions: frozenset[str] = frozenset()
    """What holds for its rows, of which an action may ask for more."""

    def has_all_of(self, other: "Step") -> bool:
        """It computes at least what the other one does, for at least its rows."""
        is_empty = bool(self.computed) and not other.computed
        return self.computed >= other.computed and self.conditions <= other.conditions and not is_empty


def steps_of(nodes: Iterable[SqlNode]) -> tuple[Step, ...]:
    """The nodes of a piece, from its top, that compute something; empty where no column is computed for each row."""
    found = tuple(step for node in nodes for step in [_step(node)] if step)
    return found if any(step.what == "Project" for step in found) else ()


def is_part_of(some: Sequence[Step], others: Sequence[Step]) -> bool:
    """The others have done all that these do."""
    return len(some) == len(others) and all(
        mine.what == theirs.what and theirs.has_all_of(mine) for mine, theirs in zip(some, others, strict=True)
    )


def _step(node: SqlNode) -> Step | None:
    line = node.simple_string
    if is_scan(node):
        return Step(" ".join(found[0] for form in (LOCATION, PARTITIONS) if (found := form.search(line))))
    if node.name in CONDITIONS:
        return Step("Filter", conditions=frozenset(part.strip("() ") for part in line.removeprefix(node.name).split(" AND ")))
    if node.name in PROJECTIONS:
        computed = frozenset(item for item in items(line) if CALL.search(item))
        return Step("Project", computed) if computed else None
    if is_aggregate(node):
        keys, functions = KEYS.search(line), FUNCTIONS.search(line)
        return Step(f"Aggregate {keys[0] if keys else ''}", frozenset(items(f"[{functions[1]}]") if functions else ()))
    return None if any(word in node.name for word in WRAPPERS) else Step(line)
