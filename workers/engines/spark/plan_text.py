"""The text of `EXPLAIN`, in Spark's simple, extended, formatted and adaptive forms, into plans: the same nodes that an event log has,
without their numbers."""

import re
from collections.abc import Iterator

from contracts.spark import SqlExecution, SqlNode

PHYSICAL = "== Physical Plan =="
SECTION = re.compile(r"^[\s+:|-]*== (.{1,60}) ==\s*$")
FINAL = ("Final Plan", "Current Plan")
STEP = 3
"""Characters by which a child is set off from its parent."""

BRANCH = re.compile(r"^[ :+\-|]*(?:[:+]- )?(?=[*\w])")
CODEGEN = re.compile(r"^\*\s?(?:\(\d{1,6}\) )?")
NUMBERED = re.compile(r"^(.{1,200}?) \((\d{1,6})\)$")
DETAIL = re.compile(r"^\((\d{1,6})\) (\S.{0,400})$")
CONDITION = re.compile(
    r"^(Join condition|Join type|Arguments|Left keys|Right keys|Keys|Functions|Output|Condition|Location|PartitionFilters|PushedFilters"
    r"|ReadSchema)\b[^:]{0,20}: (.*)$"
)
LABELLED = ("Location", "PartitionFilters", "PushedFilters", "ReadSchema")
"""Details that the other forms name by the same words."""

CODEGEN_NOTE = re.compile(r"\s*\[codegen id : \d+\]")

NODE_CHARS = 1_000
NODES = 2_000
PLANS = 50
LINES = 20_000

FAMILIAR = ("Exchange", "HashAggregate", "SortMergeJoin", "BroadcastHashJoin", "FileScan", "Scan ", "CartesianProduct", "AdaptiveSparkPlan")
"""Operators by which a tree without a heading is known to be a plan of Spark."""


def looks_like_plan(text: str) -> bool:
    """It has the heading of a physical plan, or a tree of Spark's operators."""
    if PHYSICAL in text:
        return True
    branches = [line for line in text.split("\n", 200)[:200] if line.lstrip(" :|").startswith("+- ")]
    return len(branches) > 1 and any(name in line for line in branches for name in FAMILIAR)


def read_plans(text: str) -> tuple[SqlExecution, ...]:
    """Each physical plan of the text, in order. Never raises; lines that are no operators are passed over."""
    found: list[SqlExecution] = []
    for lines in _physical(text.split("\n", LINES)[:LINES]):
        nodes = _nodes(lines)
        if nodes and len(found) < PLANS:
            found.append(SqlExecution(execution_id=len(found), nodes=tuple(nodes)))
    return tuple(found)


def _physical(lines: list[str]) -> Iterator[list[str]]:
    """The lines of each physical plan: of an adaptive one those of the final plan, where it has one, else those of the initial plan."""
    is_open = not any(PHYSICAL in line for line in lines)
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        titled = SECTION.match(line)
        if titled is None:
            if is_open:
                parts[-1][1].append(line)
        elif titled[1] == PHYSICAL.strip("= "):
            yield from _of_one(parts)
            parts, is_open = [("", list[str]())], True
        elif is_open and not line.startswith("=="):
            parts.append((titled[1], []))  # within the tree
        else:
            is_open = False
    yield from _of_one(parts)


def _of_one(parts: list[tuple[str, list[str]]]) -> Iterator[list[str]]:
    (_, head), *versions = parts
    final = next((lines for title, lines in versions if title in FINAL), None)
    taken = [*head, *(final or (versions[0][1] if versions else []))]
    if taken:
        yield taken


def _nodes(lines: list[str]) -> list[SqlNode]:
    details = _details(lines)
    nodes: list[SqlNode] = []
    path: dict[int, int] = {}
    for line in lines:
        if not line.strip():
            if nodes:
                break  # behind the tree of the formatted form come its details
            continue
        mark = BRANCH.match(line)
        if mark is None or len(nodes) >= NODES:
            continue
        depth = mark.end() // STEP
        body = CODEGEN.sub("", line[mark.end() :].strip())[:NODE_CHARS]
        numbered = NUMBERED.match(body)
        if numbered and numbered[2] in details:
            body = f"{numbered[1]} {details[numbered[2]]}"[:NODE_CHARS]
        if not body[:1].isalpha() or (nodes and depth == 0):
            continue
        number = len(nodes)
        parent = next((path[above] for above in range(depth - 1, -1, -1) if above in path), None)
        path = {above: node for above, node in path.items() if above < depth} | {depth: number}
        nodes.append(SqlNode(node=number, parent=parent, name=_name(body), simple_string=body))
    return nodes


def _details(lines: list[str]) -> dict[str, str]:
    """Number → what the formatted form tells of the node below its tree."""
    found: dict[str, list[str]] = {}
    number = ""
    for line in lines:
        head = DETAIL.match(line)
        if head:
            number = head[1]
            found[number] = []
            continue
        detail = CONDITION.match(line) if number else None
        if detail:
            found[number].append(f"{detail[1]}: {detail[2]}" if detail[1] in LABELLED else detail[2])
        if not line.strip():
            number = ""
    return {name: ", ".join(_without_notes(parts)) for name, parts in found.items()}


def _without_notes(parts: list[str]) -> list[str]:
    return [CODEGEN_NOTE.sub("", part) for part in parts]


def _name(body: str) -> str:
    """`FileScan parquet crm.users[...]` is called `Scan parquet crm.users` in a log."""
    if body.startswith(("FileScan ", "Scan ", "BatchScan ")):
        return "Scan " + body.partition(" ")[2].partition("[")[0].strip()
    return re.split(r"[ \[(]", body, maxsplit=1)[0]
