"""An executed plan as a tree that can be asked: which operator works by which columns, of which table, over which exchange."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from contracts.spark import SqlExecution, SqlNode
from workers.engines.scripts.words import table_of

ATTRIBUTE = re.compile(r"([A-Za-z_][\w.$]*|`[^`]+`)#(\d+)")
"""`customer_id#1L`: a column's name, and the number that tells it from others of the same name."""

HIDDEN_FIELDS = re.compile(r"\.\.\. \d+ more fields")
CUT_AT = 1_000
"""Characters a node's line is cut at by the reader: what stands behind is not known."""

SCAN_TABLE = re.compile(r"^(?:File)?(?:Photon)?Scan (?:\w+ )?([\w.`]+\.[\w`]+)\s*\[")
SCAN_LOCATION = re.compile(r"Location: \w+(?:\(\d+ paths?\))?\[([^\],]+)")
SCAN_COLUMNS = re.compile(r"^[^\[]*\[([^\]]*)\]")
EXCHANGE_KEYS = re.compile(r"(hashpartitioning|rangepartitioning)\((.*?), \d+\)")
BRACKETED = re.compile(r"\[([^\[\]]*)\]")
AGGREGATE_KEYS = re.compile(r"keys?=\[(.*?)\], functions=\[")
AGGREGATE_FUNCTIONS = re.compile(r"functions=\[(.*)\]")

EXCHANGES = ("Exchange", "ShuffleExchange", "GpuColumnarExchange", "ColumnarExchange", "PhotonShuffleExchangeSource")
"""Spark's own, its GPU plugin's, Gluten's and Photon's."""

EXPLICIT = ("REPARTITION", "RoundRobinPartitioning", "REBALANCE")
"""What the line of an exchange says that the script asked for."""

PROJECTIONS = ("Project", "GpuProject")

ROW_FILTERS = ("Filter", "GpuFilter")

ROW_WISE = (*PROJECTIONS, *ROW_FILTERS, "Generate", "InputAdapter", "AdaptiveSparkPlan", "AQEShuffleRead", "ColumnarToRow")
CODEGEN, QUERY_STAGE = "WholeStageCodegen", "QueryStage"
"""A part of the names of nodes that only wrap others."""

BY_PLACE = ("monotonically_increasing_id(", "spark_partition_id(", "rand(", "randn(", "uuid(", "shuffle(")
"""Functions that give a row another value where it lies elsewhere, or beside other rows."""

EITHER_SIDE = ("Inner", "Cross")
LEFT_SIDE = ("RightOuter",)
RIGHT_SIDE = ("LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin")


@dataclass(frozen=True)
class Attribute:
    """A column within one plan."""

    name: str
    number: int


@lru_cache(maxsize=4096)
def attributes(text: str) -> tuple[Attribute, ...]:
    """Those named in a text, each once."""
    return tuple(dict.fromkeys(Attribute(name.strip("`").rsplit(".", 1)[-1], int(number)) for name, number in ATTRIBUTE.findall(text)))


class Plan:
    """The plan of one execution. Nodes are named by their numbers."""

    def __init__(self, execution: SqlExecution) -> None:
        self.execution = execution
        self.nodes = {node.node: node for node in execution.nodes}
        self.children: dict[int, list[int]] = {number: [] for number in self.nodes}
        for node in execution.nodes:
            if node.parent is not None and node.parent in self.children:
                self.children[node.parent].append(node.node)

    @cached_property
    def is_whole(self) -> bool:
        """Every line tells all of its columns."""
        return not self.execution.nodes_left_out and not any(
            HIDDEN_FIELDS.search(node.simple_string)
            or (len(node.simple_string) >= CUT_AT and not is_scan(node))
            or (is_scan(node) and "]" not in node.simple_string)
            for node in self.nodes.values()
        )

    @cached_property
    def exchanges(self) -> tuple[SqlNode, ...]:
        """The shuffles, without broadcasts."""
        return tuple(node for node in self.nodes.values() if node.name in EXCHANGES)

    @cached_property
    def joins(self) -> tuple[SqlNode, ...]:
        """All joins but those by broadcast."""
        return tuple(node for node in self.nodes.values() if is_join(node) and "Broadcast" not in node.name)

    @cached_property
    def tables(self) -> dict[int, str]:
        """A column's number → the table it was scanned from."""
        scans = [node for node in self.nodes.values() if is_scan(node)]
        return {column.number: scanned_table(node) for node in scans for column in self.output(node.node)}

    def above(self, number: int) -> Iterator[SqlNode]:
        """The nodes over it, nearest first."""
        parent = self.nodes[number].parent
        while parent is not None and parent in self.nodes:
            yield self.nodes[parent]
            parent = self.nodes[parent].parent

    def below(self, number: int) -> Iterator[SqlNode]:
        """The nodes under it, any order."""
        waiting = list(self.children[number])
        while waiting:
            node = self.nodes[waiting.pop()]
            yield node
            waiting += self.children[node.node]

    def scanned(self, number: int) -> tuple[str, ...]:
        """The tables under a node."""
        return tuple(sorted({scanned_table(node) for node in [self.nodes[number], *self.below(number)] if is_scan(node)} - {""}))

    def exchange_below(self, number: int) -> SqlNode | None:
        """The exchange that feeds a side of a join: down to it there is one way only."""
        while True:
            node = self.nodes[number]
            if node.name in EXCHANGES:
                return node
            if len(self.children[number]) != 1 or is_join(node):
                return None
            number = self.children[number][0]

    def readers(self, exchange: SqlNode) -> tuple[int, ...]:
        """The stages that read an exchange: the first of those that count for it writes."""
        return exchange.stage_ids[1:]

    def output(self, number: int) -> frozenset[Attribute]:
        """The columns a node hands up."""
        return self._outputs[number]

    @cached_property
    def _outputs(self) -> dict[int, frozenset[Attribute]]:
        found: dict[int, frozenset[Attribute]] = {}
        for number in sorted(self.nodes, reverse=True):  # children have higher numbers
            node = self.nodes[number]
            inner = [found[child] for child in self.children[number]]
            if is_scan(node):
                listed = SCAN_COLUMNS.search(node.simple_string)
                found[number] = frozenset(attributes(listed[1])) if listed else frozenset()
            elif node.name in PROJECTIONS or is_aggregate(node):
                expressions = items(keys_text(node) if is_aggregate(node) else node.simple_string)
                found[number] = frozenset(attribute for expression in expressions for attribute in attributes(expression)[-1:])
            elif node.name == "Generate" and (lists := BRACKETED.findall(node.simple_string)):
                found[number] = frozenset(attributes(", ".join(lists[-2:])))
            elif not is_join(node) or any(kind in node.simple_string for kind in ("LeftSemi", "LeftAnti")):
                found[number] = inner[0] if inner else frozenset()  # a union calls its columns as its first child does
            else:
                found[number] = frozenset[Attribute]().union(*inner)
        return found


def is_scan(node: SqlNode) -> bool:
    """It reads a table."""
    return node.name.startswith(("Scan", "FileScan", "BatchScan", "GpuScan", "GpuBatchScan", "PhotonScan", "Range", "LocalTableScan"))


def is_join(node: SqlNode) -> bool:
    """Of any kind."""
    return "Join" in node.name or node.name.endswith("CartesianProduct")


def is_aggregate(node: SqlNode) -> bool:
    """Hash, sort or object aggregate, of Spark, GPU or Photon."""
    return node.name.endswith("Aggregate")


def is_partial_limit(node: SqlNode) -> bool:
    """The first rows of each group within a partition, before the rows of a group meet: it takes any distribution."""
    return node.name == "WindowGroupLimit" and node.simple_string.rstrip().endswith("Partial")


def is_by_row(node: SqlNode) -> bool:
    """It makes the same of a row whichever rows are before and beside it."""
    is_one = node.name in ROW_WISE or node.name.startswith(CODEGEN) or node.name.endswith(QUERY_STAGE)
    return is_one and not any(function in node.simple_string for function in BY_PLACE)


def is_window(node: SqlNode) -> bool:
    """A window function, or its limit."""
    return "Window" in node.name


def is_sort(node: SqlNode) -> bool:
    """Local or global."""
    return node.name in ("Sort", "GpuSort")


def is_global(sort: SqlNode) -> bool:
    """The sort orders the whole result, and not only what is in one partition."""
    return sort.simple_string.rstrip().endswith("true, 0")


def is_partial(node: SqlNode) -> bool:
    """An aggregate of what is in one partition: it asks for no distribution."""
    found = AGGREGATE_FUNCTIONS.search(node.simple_string)
    return is_aggregate(node) and bool(found and "partial_" in found[1])


def is_distinct(node: SqlNode) -> bool:
    """An aggregate that computes nothing: `distinct`."""
    return is_aggregate(node) and "functions=[]" in node.simple_string


def is_explicit(exchange: SqlNode) -> bool:
    """The script asked for it."""
    return any(word in exchange.simple_string for word in EXPLICIT)


def is_range(exchange: SqlNode) -> bool:
    """It serves a global sort."""
    return "rangepartitioning" in exchange.simple_string


def keys_text(node: SqlNode) -> str:
    """The part of an aggregate's line that names its keys."""
    found = AGGREGATE_KEYS.search(node.simple_string)
    return found[1] if found else ""


def keys_of(node: SqlNode) -> tuple[Attribute, ...]:
    """The columns a join, aggregate, window, sort or exchange works by."""
    line = node.simple_string
    if node.name in EXCHANGES:
        found = EXCHANGE_KEYS.search(line)
        return attributes(found[2]) if found else ()
    if is_aggregate(node):
        return attributes(keys_text(node))
    groups = BRACKETED.findall(line)
    if is_join(node):
        return tuple(dict.fromkeys(attribute for group in groups[:2] for attribute in attributes(group)))
    if is_window(node):
        named = [group for group in groups if attributes(group) and " AS " not in group and "(" not in group]
        return attributes(named[0]) if named else ()
    return attributes(groups[0]) if groups else ()


def items(text: str) -> Iterator[str]:
    """The expressions of a list, which may have commas in parentheses: `Project [a#1, cast((b#2 * 3.0) as int) AS c#4]`."""
    inner = text.partition("[")[2].rpartition("]")[0] if "[" in text and text.rstrip().endswith("]") else text
    depth, start = 0, 0
    for at, char in enumerate(inner):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield inner[start:at].strip()
            start = at + 1
    if inner[start:].strip():
        yield inner[start:].strip()


def scanned_table(node: SqlNode) -> str:
    """A scan's table by its own name, or the last part of its path; empty when the line tells neither."""
    named = SCAN_TABLE.match(node.simple_string)
    if named:
        return named[1].replace("`", "").rsplit(".", 1)[-1]
    place = SCAN_LOCATION.search(node.simple_string)
    return table_of(place[1]) if place else ""


def metric(node: SqlNode, name: str) -> int | None:
    """A number of the node, by Spark's name for it."""
    return next((metric.value for metric in node.metrics if metric.name == name), None)
