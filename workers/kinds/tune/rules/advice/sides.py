"""The two sides of a join as the plan measured them: which is the small one, and whether it fits into every executor."""

import ast
from dataclasses import dataclass

from contracts.code import OperationKind
from contracts.spark import SqlNode
from contracts.statements import Value, name, say, size
from contracts.verdicts import ScriptSpot, Verdict
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.plan import Plan, is_join, metric
from workers.engines.spark.verdicts.broadcast import SPARK_DEFAULT, broadcast_bytes, sides_that_may
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NotAdvised
from workers.kinds.tune.rules.advice.rewrites.chains import receiver
from workers.kinds.tune.rules.saying import names, stages_of

SIDES = ("left", "right")
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
SIZE_WORDS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True, slots=True)
class SmallSide:
    """The side of a join that could go to every executor."""

    tables: tuple[str, ...]
    """That it reads, by the plan."""
    memory_bytes: int
    """Bytes of its rows in memory, before Spark builds the hash table."""
    shuffled_bytes: int
    """As it is shuffled now."""


def small_side(case: Case, verdict: Verdict) -> SmallSide | None:
    """Of the first shuffled join among a verdict's operators; None where the plan does not measure it, or the kind of join
    forbids its broadcast."""
    plan = case.plan_of(verdict)
    nodes = [plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes] if plan else []
    join = next((node for node in nodes if is_join(node) and "Broadcast" not in node.name), None)
    if plan is None or join is None or len(plan.children[join.node]) != 2:
        return None
    found = [_side(plan, side) for number, side in enumerate(plan.children[join.node]) if number in sides_that_may(join)]
    return min((side for side in found if side), key=lambda side: side.memory_bytes, default=None)


def side_values(case: Case, verdict: Verdict, side: SmallSide) -> dict[str, Value]:
    """What texts name of a small side: its tables, where it is joined, its size there, and the limit."""
    return {
        "other": names(side.tables) if side.tables else name("?"),
        "stages": stages_of(verdict),
        "size": size(side.memory_bytes),
        "limit": size(broadcast_limit(case)),
    }


def too_large(values: dict[str, Value]) -> NotAdvised:
    """The small side does not fit into every executor."""
    return NotAdvised(say("tune.not_advised.too_large_to_broadcast", **values), forbids_broadcast=True)


def _side(plan: Plan, number: int) -> SmallSide | None:
    exchange: SqlNode | None = plan.exchange_below(number)
    size = metric(exchange, "data size") if exchange else None
    if exchange is None or not size:
        return None
    return SmallSide(plan.scanned(number), size, metric(exchange, "shuffle bytes written") or size)


def broadcast_limit(case: Case) -> int:
    """Bytes that may go to every executor: what the run's setting allows or its memory bears, and at least what Spark does by default."""
    limit = (case.setting(THRESHOLD) or "").strip().lower().removesuffix("b")
    number, word = (limit[:-1], SIZE_WORDS[limit[-1]]) if limit and limit[-1] in SIZE_WORDS else (limit, 1)
    by_memory = broadcast_bytes(case.run) if case.run else SPARK_DEFAULT
    return max(by_memory, int(number) * word if number.isdecimal() and len(number) < 16 else 0)


def is_right(case: Case, spot: ScriptSpot, tables: tuple[str, ...]) -> bool | None:
    """Whether these tables come from the argument of a join in the script, and not from the table it is called on; None: unknown."""
    script = case.script_at(spot)
    operation = case.operation(script, spot) if script else None
    if script is None or operation is None or operation.kind is not OperationKind.JOIN:
        return None
    by_number = {operation.number: operation for operation in script.facts.operations}
    known = [set(by_number[number].tables) for number in operation.inputs if number in by_number]
    if any(known) and len(known) != len(SIDES):
        return None
    left, right = (bool(found & set(tables)) for found in (known if any(known) else _named_as(case, script, spot)))
    return right if left != right else None


def _named_as(case: Case, script: NamedScript, spot: ScriptSpot) -> tuple[set[str], set[str]]:
    """Both sides' variables, as if each held the table of its name: what a function is handed has no other."""
    source = case.calls_of(script)
    call = source.call_at(spot) if source else None
    sides = (receiver(call), next(iter(call.args), None)) if call else (None, None)
    left, right = ({side.id} if isinstance(side, ast.Name) else set[str]() for side in sides)
    return left, right
