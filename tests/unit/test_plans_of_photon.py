"""The plan as Databricks prints it: Photon's operators, and an adaptive plan that has only its initial form."""

from contracts.verdicts import VerdictKind
from tests.unit.test_tuning_plan_alone import hints
from workers.engines.spark.plan_text import read_plans

INITIAL = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- == Initial Plan ==
   ColumnarToRow
   +- PhotonResultStage
      +- PhotonProject [amount#4, region#9]
         +- PhotonBroadcastNestedLoopJoin Inner, BuildRight, ((ip#3 >= start_ip#7) AND (ip#3 <= end_ip#8))
            :- PhotonScan parquet main.web.hits[ip#3,amount#4] Format: parquet, ReadSchema: struct<ip:bigint,amount:double>
            +- PhotonShuffleExchangeSource
               +- PhotonShuffleMapStage EXECUTOR_BROADCAST, [id=#318]
                  +- PhotonShuffleExchangeSink SinglePartition
                     +- PhotonScan parquet main.web.ranges[start_ip#7,end_ip#8,region#9] Format: parquet


== Photon Explanation ==
The query is fully supported by Photon.
"""


def test_an_adaptive_plan_with_its_initial_form_alone_is_read() -> None:
    """It was read as one operator, and the report said that the plan has no join without a key."""
    (plan,) = read_plans(INITIAL)

    assert [node.name for node in plan.nodes][:4] == ["AdaptiveSparkPlan", "ColumnarToRow", "PhotonResultStage", "PhotonProject"]
    assert len(plan.nodes) == 10


def test_a_join_of_photon_without_a_key_is_named() -> None:
    assert "PhotonBroadcastNestedLoopJoin: no column has to equal another" in hints(INITIAL)[VerdictKind.CROSS_JOIN]


def test_the_final_form_goes_before_the_initial_one() -> None:
    both = INITIAL.replace("== Initial Plan ==\n", "== Final Plan ==\n   Project [a#1]\n+- == Initial Plan ==\n")

    assert [node.name for node in read_plans(both)[0].nodes] == ["AdaptiveSparkPlan", "Project"]
