"""The text of `EXPLAIN`: the plan of a query as Spark prints it."""

from contracts.artefacts import PlanText
from contracts.bundles import Information
from contracts.statements import say
from workers.engines import counts
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.texts import Decoded
from workers.engines.counts import exactly
from workers.engines.spark.plan import EXCHANGES, is_join
from workers.engines.spark.plan_text import PHYSICAL, looks_like_plan, read_plans

NEAR_THE_TOP = 4_000
"""Characters before which the plan begins in a text that holds little else: a driver's log may show one too."""


def sniff_plan(text: str) -> float:
    """A tree of Spark's operators."""
    if not looks_like_plan(text):
        return 0.0
    return 0.9 if PHYSICAL not in text or text.index(PHYSICAL) < NEAR_THE_TOP else 0.4


def read_explained(name: str, text: Decoded) -> Parsed:
    """The plans. A text without one is reported as a problem."""
    plans = read_plans(text.text)
    if not plans:
        return Parsed(problem=say("artefacts.problem.no_plan"))
    nodes = [node for plan in plans for node in plan.nodes]
    joins = sum(map(is_join, nodes))
    tells = {
        Information.OPERATORS: True,
        Information.JOIN_DETAILS: joins > 0,
        Information.PARTITIONING: any("Exchange" in node.name for node in nodes),
    }
    exchanges = sum(node.name in EXCHANGES for node in nodes)
    summary = say(
        "artefacts.summary.plan",
        operators=say("artefacts.operators", n=exactly(len(nodes))),
        joins=counts.joins(joins),
        exchanges=say("artefacts.exchanges", n=exactly(exchanges)),
    )
    return Parsed(
        facts=(PlanText(name=name, executions=plans),),
        tells=frozenset(kind for kind, is_there in tells.items() if is_there),
        summary=summary,
    )
