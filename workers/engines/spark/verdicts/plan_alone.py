"""What a plan proves without a run, as hints: tables that are read several times, filters that a source does not get, functions in Python,
and joins that shuffle both sides. How much of a run any of it takes, only a run tells."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import Join, Statement, Value, listing, say
from contracts.verdicts import Blame, Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import (
    SCAN_COLUMNS,
    Plan,
    attributes,
    is_join,
    is_scan,
    items,
    keys_of,
    scanned_table,
)
from workers.engines.spark.verdicts.broadcast import sides_that_may
from workers.engines.spark.verdicts.sources import of_node
from workers.engines.verdicts import figure

BY_ROW, BY_BATCH = "BatchEvalPython", "ArrowEvalPython"

FUNCTION = re.compile(r"([A-Za-z_<][\w>]*)\(")
"""The name of a Python function in the first list of its operator."""

PUSHED = re.compile(r"PushedFilters: \[(.*?)\](?:, [A-Z]|$)")
PARTITIONED = re.compile(r"PartitionFilters: \[(.*?)\](?:, [A-Z]|$)")
READ = re.compile(r"ReadSchema: (.*?)(?:, [A-Z]\w+: .*)?$")
CUT = "..."
METADATA = "_metadata"
"""A column that Spark makes of the files themselves."""

FIELD = re.compile(r"(?:^|,)([^:,<>]+):")
NOT_NULL = "isnotnull("
IS_NOT_NULL = "IsNotNull("
BETWEEN = ("ColumnarToRow", "InputAdapter", "WholeStageCodegen", "Project")
"""Nodes between a scan and the filter that is its own."""

NUMBERS = re.compile(r"#\d+L?|plan_id=\d+")
KEPT = ("InMemoryRelation", "InMemoryTableScan")

FEWEST_READS = 2
MOST_SHOWN = 5
CONDITION_CHARS = 200


def plan_alone(plan: Plan) -> Iterator[Verdict]:
    """The hints on one plan."""
    yield from _read_again(plan)
    yield from _unfiltered(plan)
    yield from _in_python(plan)
    yield from _shuffled_joins(plan)


def _hint(plan: Plan, kind: VerdictKind, nodes: Sequence[SqlNode], summary: Statement, functions: tuple[str, ...] = ()) -> Verdict:
    execution = plan.execution.execution_id
    return Verdict(
        kind=kind,
        severity=Severity.HINT,
        summary=summary,
        figures=(figure(FigureId.OPERATORS, len(nodes), Unit.COUNT, of_node(execution, nodes[0].node)),),
        blame=Blame(execution_id=execution, nodes=tuple(node.node for node in nodes), functions=functions),
    )


def _read_again(plan: Plan) -> Iterator[Verdict]:
    """Tables that several scans read, each by itself: what is reused has one scan."""
    scans = list(_scans(plan))
    times = Counter(map(_source, scans))
    for source, count in times.items():
        if count >= FEWEST_READS:
            own = [scan for scan in scans if _source(scan) == source]
            summary = say("spark.planned.read_again", table=statements.name(scanned_table(own[0])), times=exactly(count))
            yield _hint(plan, VerdictKind.RECOMPUTATION, own, summary)


def _scans(plan: Plan) -> Iterator[SqlNode]:
    """Those of tables. What is kept in memory appears in the plan at each use and is read once."""
    first: dict[str, int] = {}
    for scan in plan.nodes.values():
        if is_scan(scan) and scanned_table(scan) and not scan.name.startswith(KEPT):
            kept = next((node for node in plan.above(scan.node) if node.name.startswith(KEPT)), None)
            what = kept and "\n".join(sorted(NUMBERS.sub("", node.simple_string) for node in plan.below(kept.node)))
            if kept is None or what is None or first.setdefault(what, kept.node) == kept.node:
                yield scan


def _source(scan: SqlNode) -> str:
    """Its table and its place, without what is read of it."""
    return f"{scanned_table(scan)} {scan.simple_string.partition('Location: ')[2].partition(']')[0]}"


def _unfiltered(plan: Plan) -> Iterator[Verdict]:
    for scan in _scans(plan):
        table = statements.name(scanned_table(scan))
        columns = _partition_columns(scan)
        filters = PARTITIONED.search(scan.simple_string)
        if columns and filters and not filters[1].strip():
            named = listing(*map(statements.name, columns[:MOST_SHOWN]), join=Join.PLAIN)
            yield _hint(plan, VerdictKind.WHOLE_SCAN, [scan], say("spark.planned.all_partitions", table=table, columns=named))
        kept = _not_pushed(plan, scan)
        if kept:
            conditions: list[Value] = [statements.code(condition[:CONDITION_CHARS]) for condition in kept[:MOST_SHOWN]]
            yield _hint(plan, VerdictKind.WHOLE_SCAN, [scan], say("spark.planned.not_pushed", table=table, conditions=listing(*conditions)))


def _partition_columns(scan: SqlNode) -> tuple[str, ...]:
    """The columns that a scan of files hands up and does not read from the files: they come from the names of the folders."""
    schema, listed = READ.search(scan.simple_string), SCAN_COLUMNS.search(scan.simple_string)
    if schema is None or listed is None or not _is_whole(schema[1].strip()):
        return ()
    read = {*FIELD.findall(schema[1].strip().removeprefix("struct<")), METADATA}
    return tuple(dict.fromkeys(column.name for column in attributes(listed[1]) if column.name not in read))


def _is_whole(schema: str) -> bool:
    """Spark cuts a long one, within a word or behind a type."""
    return CUT not in schema and schema.startswith("struct<") and schema.endswith(">") and schema.count("<") == schema.count(">")


def _not_pushed(plan: Plan, scan: SqlNode) -> list[str]:
    """The conditions of the filter over a scan whose source gets none, but that columns are not null: then it is read whole."""
    pushed, partitions = PUSHED.search(scan.simple_string), PARTITIONED.search(scan.simple_string)
    if pushed is None or (partitions is not None and partitions[1].strip()):
        return []
    if any(not part.startswith(IS_NOT_NULL) for part in items(f"[{pushed[1]}]") if part.strip()):
        return []
    for node in plan.above(scan.node):
        if node.name == "Filter":
            parts = _conjuncts(node.simple_string.partition(" ")[2].strip())
            return [part for part in parts if not part.lower().startswith(NOT_NULL) and _may_be_pushed(part, scan)]
        if not node.name.startswith(BETWEEN):
            return []
    return []


def _may_be_pushed(condition: str, scan: SqlNode) -> bool:
    """It compares one column of this scan with a value, in a form that the source does not get."""
    named = {column.name for column in attributes(condition)}
    own = {column.name for column in attributes(scan.simple_string)}
    is_of_one = len(named) == 1 and named <= own and "(" in condition.strip("()")
    return is_of_one and "dynamicpruning" not in condition


def _conjuncts(condition: str) -> list[str]:
    """The parts of `(a AND (b AND c))`."""
    text = condition
    while text.startswith("(") and _closes_at(text) == len(text) - 1:
        text = text[1:-1].strip()
    depth, start, parts = 0, 0, list[str]()
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and text.startswith(" AND ", at):
            parts.append(text[start:at])
            start = at + len(" AND ")
    if not parts:
        return [text]
    return [each for part in [*parts, text[start:]] for each in _conjuncts(part.strip())]


def _closes_at(text: str) -> int:
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at
    return -1


def _in_python(plan: Plan) -> Iterator[Verdict]:
    nodes = [node for node in plan.nodes.values() if node.name in (BY_ROW, BY_BATCH)]
    if not nodes:
        return
    named = tuple(dict.fromkeys(found[1] for node in nodes for found in [FUNCTION.search(node.simple_string.partition("[")[2])] if found))
    functions = listing(*map(statements.code, named[:MOST_SHOWN]), join=Join.PLAIN) if named else statements.name("?")
    by_row = any(node.name == BY_ROW for node in nodes)
    summary = say("spark.planned.python_rows", functions=functions) if by_row else say("spark.planned.python_batches", functions=functions)
    yield _hint(plan, VerdictKind.PYTHON_UDF, nodes, summary, named)


def _shuffled_joins(plan: Plan) -> Iterator[Verdict]:
    """Joins of which both sides are shuffled: whether one side could be sent to all instead depends on its size. Of a full outer join
    neither side may be."""
    shuffled = [join for join in plan.joins if is_join(join) and keys_of(join) and sides_that_may(join) and _shuffles_both(plan, join)]
    if shuffled:
        keys = tuple(dict.fromkeys(key.name for join in shuffled for key in keys_of(join)))
        named = listing(*map(statements.name, keys[:MOST_SHOWN]), join=Join.PLAIN)
        summary = say("spark.planned.shuffled_joins", joins=say("spark.planned.joins", n=exactly(len(shuffled))), keys=named)
        yield _hint(plan, VerdictKind.BROADCASTABLE_JOIN, shuffled, summary)


def _shuffles_both(plan: Plan, join: SqlNode) -> bool:
    sides = plan.children[join.node]
    return len(sides) == 2 and all(plan.exchange_below(side) is not None for side in sides)
