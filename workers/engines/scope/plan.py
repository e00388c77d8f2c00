"""The operators of a plan: from Algebra.xml, from the vertex definition, or from the optimizer's trees in the internal information.

The three differ in names and nesting. What they share: an element is an operator when its tag or its id says so, and the name of what
it does is one of a few words."""

import re
from collections import Counter

from contracts.bundles import Information
from contracts.scope import PlanOperatorKind, ScopePlan, ScopePlanOperator
from contracts.statements import Join, Statement, listing, say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.scope.documents import read_document
from workers.engines.scope.record import table_name
from workers.engines.scope.sentences import what_there_is
from workers.engines.scope.tree import Node, plain
from workers.engines.scope.values import count, number, size_bytes

OPERATORS = 20_000
NAME_CHARS = 300
COLUMNS = 50
KINDS: tuple[tuple[PlanOperatorKind, tuple[str, ...]], ...] = (
    (PlanOperatorKind.CROSS, ("crossjoin", "cross", "cartesian", "fullcross")),
    (PlanOperatorKind.JOIN, ("join", "combine", "combiner")),
    (PlanOperatorKind.EXCHANGE, ("exchange", "repartition", "partition", "split", "merge", "shuffle", "distribute", "broadcast")),
    (PlanOperatorKind.AGGREGATE, ("aggregate", "grouper", "gbagg", "groupby", "grouping", "distinct")),
    (PlanOperatorKind.REDUCE, ("reduce", "reducer")),
    (PlanOperatorKind.SORT, ("sort", "sorter", "orderby", "top")),
    (PlanOperatorKind.UNION, ("union", "unionall")),
    (PlanOperatorKind.FILTER, ("filter", "filtertransformer", "where", "select", "project", "restr")),
    (PlanOperatorKind.OUTPUT, ("output", "outputter", "outputer", "write", "insert")),
    (PlanOperatorKind.EXTRACT, ("extract", "extractor", "scan", "read", "sstream", "input", "get", "tablescan", "range")),
    (PlanOperatorKind.PROCESS, ("process", "processor", "apply")),
)
"""The first kind of which a word ends or begins a part of the operator's name: `SqlHashGrouper_1`, `PhyOp_StreamGbAgg`,
`SV5_Combine`. Joins come before merges, since a merge join is not an exchange."""

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
KEYS_ARGUMENT = re.compile(r"-keys?\s{1,5}([\w.,; ]{1,500}?)(?=\s+-|$)", re.IGNORECASE)
"""In the arguments of an operator of a vertex definition."""

DIRECTIONS = re.compile(r"\s+(?:asc|desc)\b", re.IGNORECASE)
TREE_OPERATORS = ("phyop",)
KEY_FIELDS = (
    "Keys",
    "PartitionKeys",
    "PartitionBy",
    "PartitionColumns",
    "JoinKeys",
    "GroupBy",
    "By",
    "On",
    "HashKeys",
    "SortColumn",
    "SortKeys",
)
TABLE_FIELDS = ("Table", "Stream", "Source", "InputStream", "Path", "Target")


def parse_algebra(source: ArtefactSource) -> Parsed:
    """`ScopePlan`."""
    return _parsed(source)


def parse_vertex_definition(source: ArtefactSource) -> Parsed:
    """`ScopePlan`, with the memory that an instance of each vertex may use."""
    return _parsed(source, is_vertices=True)


def plan_of(root: Node, artefact: str) -> ScopePlan:
    """The operators below a root, in the order of the document."""
    operators: list[ScopePlanOperator] = []
    waiting: list[tuple[Node, str, str | None]] = [(root, "", None)]
    places: dict[str, int] = {}
    memory: dict[str, int] = {}
    while waiting and len(operators) < OPERATORS:
        node, stage, parent = waiting.pop()
        stage = _stage_of(node) or stage
        if node.key in ("inputtree", "logop"):
            continue  # the optimizer's tree before it was optimized
        limit = size_bytes(node.get("EstimatedLimitMemory", "MemoryLimit", "LimitMemory") or "?") if _stage_of(node) else None
        if limit:
            memory[stage] = limit
        if _is_operator(node):
            operator = _operator(node, stage, len(operators))
            places[operator.operator_id] = len(operators)
            operators.append(operator)
            if parent is not None and node.key in TREE_OPERATORS:  # in a tree, a child feeds its parent
                above = operators[places[parent]]
                operators[places[parent]] = above.model_copy(update={"inputs": (*above.inputs, operator.operator_id)})
            parent = operator.operator_id
        waiting.extend((child, stage, parent) for child in reversed(node.children))
    return ScopePlan(artefact=artefact, operators=tuple(operators), memory_limits=memory)


def kind_of(name: str) -> PlanOperatorKind:
    """What an operator of this name does."""
    parts = [part.lower() for part in PART.findall(name)]
    candidates = {*parts, *("".join(parts[at : at + 2]) for at in range(len(parts)))}
    return next((kind for kind, words in KINDS if candidates & set(words)), PlanOperatorKind.OTHER)


def _parsed(source: ArtefactSource, *, is_vertices: bool = False) -> Parsed:
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    plan = plan_of(read.root, source.name)
    if not plan.operators:
        return Parsed(problem=read.problem or say("scope.problem.no_operator"))
    return Parsed((plan,), plan_tells(plan), _summary(plan, is_vertices=is_vertices), read.problem)


def _summary(plan: ScopePlan, *, is_vertices: bool) -> Statement:
    n = exactly(len(plan.operators))
    counted = say("scope.vertex_operators", n=n) if is_vertices else say("scope.operators", n=n)
    kinds = Counter(operator.kind for operator in plan.operators)
    shown = what_there_is({kind: kinds[kind] for kind in PlanOperatorKind if kind is not PlanOperatorKind.OTHER})
    if not shown:
        return say("scope.summary.plan", operators=counted)
    return say("scope.summary.plan_kinds", operators=counted, kinds=listing(*shown, join=Join.PLAIN))


def plan_tells(plan: ScopePlan) -> frozenset[Information]:
    """What was found in it."""
    found = {Information.OPERATORS} if plan.operators else set[Information]()
    if any(operator.kind in (PlanOperatorKind.JOIN, PlanOperatorKind.CROSS) for operator in plan.operators):
        found.add(Information.JOIN_DETAILS)
    if any(operator.kind is PlanOperatorKind.EXCHANGE and (operator.columns or operator.partitions) for operator in plan.operators):
        found.add(Information.PARTITIONING)
    return frozenset(found)


def _stage_of(node: Node) -> str:
    """The stage or vertex that an element is, if it is one."""
    if node.key not in ("stage", "scopevertex", "vertex", "supervertex"):
        return ""
    return node.get("id", "name", "stageName", "stageId")[:NAME_CHARS]


def _is_operator(node: Node) -> bool:
    if node.key in TREE_OPERATORS:
        return True
    return node.key in ("operator", "op", "node", "physicaloperator") and bool(node.get("id", "name", "type", "className"))


def _operator(node: Node, stage: str, place: int) -> ScopePlanOperator:
    given_id, class_name = node.get("id", "operatorId"), node.get("className", "type", "kind", "operation")
    name = (class_name if kind_of(class_name) is not PlanOperatorKind.OTHER else node.get("name") or given_id or class_name).rpartition(
        "."
    )[2]
    kind = next(
        (found for label in (class_name, node.get("name"), given_id) if (found := kind_of(label)) is not PlanOperatorKind.OTHER), None
    )
    is_tree = node.key in TREE_OPERATORS
    statistics = next((child for child in node.children if child.key == "opinfo"), None)
    estimated = next(statistics.find("TableGroupProperties"), None) if statistics else None
    return ScopePlanOperator(
        operator_id=(f"{given_id}#{place}" if is_tree or not given_id else given_id)[:NAME_CHARS],
        name=(given_id if is_tree else name)[:NAME_CHARS],
        kind=kind or PlanOperatorKind.OTHER,
        stage=(stage or node.get("stage", "vertex", "stageName"))[:NAME_CHARS],
        columns=_columns(node),
        tables=tuple(table_name(table)[:NAME_CHARS] for field in TABLE_FIELDS if (table := node.get(field)))[:1],
        inputs=_ids(node, "input", "inputs"),
        outputs=_ids(node, "output", "outputs"),
        line=count(node.get("line", "scriptLine", "lineNumber") or "?") or None,
        rows=number((estimated or node).get("Card", "rows", "cardinality", "estimatedRows") or "?"),
        partitions=count(node.get("partitions", "partitionCount", "buckets") or "?"),
    )


def _columns(node: Node) -> tuple[str, ...]:
    keys = [node.get(field) for field in KEY_FIELDS]
    keys += [found[1] for found in KEYS_ARGUMENT.finditer(node.get("args", "arguments")[:5_000])]
    names = [part for text in keys for part in re.split(r"[,;&=\s]+", DIRECTIONS.sub("", text[:2_000])) if part]
    return tuple(dict.fromkeys(name.rpartition(".")[2][:NAME_CHARS] for name in names))[:COLUMNS]


def _ids(node: Node, *names: str) -> tuple[str, ...]:
    """References to other operators: `<input id="..."/>`, or `inputs="a,b"`."""
    found = [child.get("id", "ref", "operator") or child.text for child in node.children if child.key in names]
    for name in names:
        attribute = node.attributes.get(plain(name), "")
        found += [part.strip() for part in attribute[:2_000].split(",")]
    return tuple(dict.fromkeys(word[:NAME_CHARS] for word in found if word))[:200]
