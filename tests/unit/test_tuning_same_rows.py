"""Advice and patches that would have changed the rows of the result, and what they ask for now."""

from collections.abc import Sequence

import pytest

from contracts.code import OperationKind
from contracts.spark import RunFacts, SqlExecution
from contracts.tune.plan import FixKind, Risk, TuningPlan
from contracts.verdicts import Verdict, VerdictKind
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.verdicts import judge
from workers.engines.verdicts.thresholds import MIB
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.rewrites import groups
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.findings import find

Line = tuple[int, str, dict[str, int], tuple[int, ...]]

ORDERS, CUSTOMERS = "FileScan parquet shop.orders[id#1,v#2]", "FileScan parquet shop.customers[cid#9,w#10,items#11]"
BY_ID = "Exchange hashpartitioning(id#1, 32), ENSURE_REQUIREMENTS, [plan_id=1]"
BY_CID = "Exchange hashpartitioning(cid#9, 32), ENSURE_REQUIREMENTS, [plan_id=2]"
WRITE = "WriteFiles"
S = 1_000


def exchange(depth: int, line: str, stages: tuple[int, ...], written: int = 300 * MIB) -> Line:
    return depth, line, {"shuffle bytes written": written, "data size": 2 * written}, stages


def run_with(*plans: SqlExecution) -> RunFacts:
    stages = [stage_of(number, [S] * 8) for number in (1, 2)] + [stage_of(3, [4 * S] * 8, parent_ids=(1, 2))]
    return run_of(*stages, executions=plans, wall_ms=40 * S)


def found(kind: VerdictKind, *plans: SqlExecution) -> list[Verdict]:
    return [verdict for verdict in judge(run_with(*plans)) if verdict.kind is kind]


def filtered(condition: str, *between: str) -> SqlExecution:
    """A filter over these operators, over orders (left) and customers; `v#2` is of orders, `w#10` of customers. Without a join among
    them, over customers alone."""
    depth = 1 + len(between)
    has_two = any("Join" in line or line == "Union" for line in between)
    left: list[Line] = [exchange(depth, BY_ID, (1, 3)), (depth + 1, ORDERS, {}, (1,))] if has_two else []
    return plan_of(
        (0, f"Filter {condition}", {"number of output rows": 1_000}, (3,)),
        *((at, line, {"number of output rows": 1_000_000}, (3,)) for at, line in enumerate(between, start=1)),
        *left,
        exchange(depth, BY_CID, (2, 3)),
        (depth + 1, CUSTOMERS, {}, (2,)),
    )


def join(kind: str) -> str:
    return f"SortMergeJoin [id#1], [cid#9], {kind}"


@pytest.mark.parametrize(
    ("condition", "between", "is_late"),
    [
        ("isnull(cid#9)", (join("LeftOuter"),), False),  # the everyday anti join: every order would come out
        ("(v#2 > 10)", (join("LeftOuter"),), True),
        ("(v#2 > 10)", (join("RightOuter"),), False),
        ("(w#10 > 10)", (join("RightOuter"),), True),
        ("(v#2 > 10)", (join("FullOuter"),), False),
        ("(w#10 > 10)", (join("Inner"),), True),
        ("(v#2 > 10)", (join("LeftAnti"),), True),
        ("((v#2 > 10) OR (w#10 > v#2))", (join("Inner"),), False),  # no table alone has what it looks at
        ("(v#2 > 10)", ("Union",), False),
        ("(w#10 > 10)", ("Project [cid#9, w#10]",), True),
        ("(w#10 > 10)", ("GlobalLimit 100",), False),
        ("(w#10 > 10)", ("Window [row_number() AS n#20], [cid#9], [w#10 ASC]",), False),
        ("(w#10 > 10)", ("Project [cid#9, w#10, monotonically_increasing_id() AS n#20L]",), False),
        ("(w#10 > 10)", ("HashAggregate(keys=[w#10], functions=[count(1)])",), True),
        ("(w#10 > 10)", ("HashAggregate(keys=[cid#9], functions=[first(w#10, false)])",), False),
        ("(w#10 > 10)", ("InMemoryTableScan [cid#9, w#10]",), False),  # others read what is kept
        ("((w#10 > 10) AND (rand(7) < 0.5))", ("Project [cid#9, w#10]",), False),
    ],
)
def test_a_filter_is_late_only_where_it_may_come_first(condition: str, between: Sequence[str], is_late: bool) -> None:
    """T4, T31: "put it right behind the read" was advised of a filter that makes another result there."""
    assert bool(found(VerdictKind.LATE_FILTER, filtered(condition, *between))) is is_late


def test_both_branches_of_a_union_carry_what_is_summed_above_it() -> None:
    """T4: a union calls its columns as its first child does, and "nothing uses" was said of the second one's."""

    def branch(first: int, left: int, right: int) -> list[Line]:
        amount, country, key, other = (f"{name}#{first + place}" for place, name in enumerate(("amount", "country", "id", "uid")))
        return [
            (3, f"Project [{amount}, {country}]", {}, (3,)),
            (4, f"SortMergeJoin [{key}], [{other}], Inner", {}, (3,)),
            exchange(5, f"Exchange hashpartitioning({key}, 32)", (left, 3)),
            (6, f"FileScan parquet shop.a{first}[{key},{amount}]", {}, (left,)),
            exchange(5, f"Exchange hashpartitioning({other}, 32)", (right, 3)),
            (6, f"FileScan parquet shop.b{first}[{other},{country}]", {}, (right,)),
        ]

    plan = plan_of(
        (0, "HashAggregate(keys=[country#11], functions=[sum(amount#10)])", {}, (3,)),
        exchange(1, "Exchange RoundRobinPartitioning(8), REPARTITION_BY_NUM", (3, 3)),
        (2, "Union", {}, (3,)),
        *branch(10, 1, 2),
        *branch(20, 1, 2),
    )

    assert not found(VerdictKind.LATE_PROJECTION, plan)


DISTINCT = "HashAggregate(keys=[cid#9, w#10], functions=[])"
KEPT = "InMemoryTableScan [cid#9]"
SELF = "SortMergeJoin [cid#9], [cid#30], Inner"
AGAIN = f"ReusedExchange [cid#30, w#31, items#32], {BY_CID}"
EXPLODED = "Generate explode(items#11), [cid#9, w#10], false, [item#20]"


@pytest.mark.parametrize(
    ("why", "lines"),
    [
        ("others read what is kept", [(0, "Project [cid#9]"), (1, KEPT), (2, BY_CID), (3, CUSTOMERS)]),
        ("it is read again", [(0, "Project [cid#9, w#31]"), (1, SELF), (2, BY_CID), (3, CUSTOMERS), (2, AGAIN)]),
        ("explode hands up no list", [(0, "Project [cid#9, w#10, item#20]"), (1, BY_CID), (2, EXPLODED), (3, CUSTOMERS)]),
        ("a subquery has its own columns", [(0, "Project [cid#9, w#10, items#11]"), (1, BY_CID), (2, "Filter (w#10 > Subquery s#40)"),
            (3, CUSTOMERS), (3, "Subquery s#40"), (4, ORDERS)]),
    ],
)  # fmt: skip
def test_columns_that_somebody_else_reads_or_that_are_not_carried_are_not_unused(why: str, lines: list[tuple[int, str]]) -> None:
    """T4."""
    nothing: dict[str, int] = {}
    plan = plan_of(*(exchange(depth, line, (2, 3)) if line == BY_CID else (depth, line, nothing, (3,)) for depth, line in lines))

    assert not found(VerdictKind.LATE_PROJECTION, plan), why


def joined(kind: str, left: int, right: int) -> TuningPlan:
    """A sort-merge join of sides of so many bytes, of which one task of sixteen reads 400 MiB; adaptive execution is there, and off."""
    plan = plan_of(
        (0, WRITE, {}, (3,)),
        (1, join(kind), {"number of output rows": 1_000_000}, (3,)),
        exchange(2, BY_ID, (1, 3), left),
        (3, ORDERS, {}, (1,)),
        exchange(2, BY_CID, (2, 3), right),
        (3, CUSTOMERS, {}, (2,)),
    )
    run = run_of(
        *(stage_of(number, [S] * 8) for number in (1, 2)),
        stage_of(3, [2 * S] * 15 + [120 * S], shuffle_read_bytes=[10 * MIB] * 15 + [400 * MIB]),
        executions=[plan],
        spark_version="3.5.1",
        configuration={"spark.sql.adaptive.enabled": "false"},
    )
    return advise(find(run), run, [])


@pytest.mark.parametrize(
    ("kind", "cut"),
    [  # where the heavy rows lie on the left side, on the right one, on either
        ("Inner", (True, True, True)),
        ("LeftOuter", (True, False, False)),
        ("LeftSemi", (True, False, False)),
        ("LeftAnti", (True, False, False)),
        ("RightOuter", (False, True, False)),
        ("FullOuter", (False, False, False)),
    ],
)
def test_a_join_is_cut_into_parts_only_where_no_copied_row_is_kept(kind: str, cut: Sequence[bool]) -> None:
    """T31: of a left outer join with its heavy rows on the right, copies of the left rows were advised: they are rows of the result."""
    plans = [joined(kind, *sides) for sides in ((500 * MIB, 50 * MIB), (50 * MIB, 500 * MIB), (500 * MIB, 500 * MIB))]

    for told in (FixKind.SALT, FixKind.SKEW_JOIN):
        assert [told in {fix.kind for fix in plan.fixes} for plan in plans] == list(cut)
    assert all(sum("is not proved" in said(why) for why in plan.left_out) == 2 * (not may) for plan, may in zip(plans, cut, strict=True))


@pytest.mark.parametrize(
    ("call", "second"),
    [
        ('groupBy("user")', 'parts.groupBy("user")'),
        ('groupBy(["user", "day"])', 'parts.groupBy("user", "day")'),
        ('groupBy(F.col("user"), df["day"])', 'parts.groupBy("user", "day")'),
        ('groupBy((F.col("ts") / 3600).cast("long").alias("ts"))', ""),  # hours were divided by 3600 again
        ('groupBy(F.to_date("ts").alias("day"))', ""),  # no column any more in the second stage
        ('groupBy("user.id")', ""),
        ("groupBy(keys)", ""),
        ("groupBy(*keys)", ""),
        ('groupBy("user", "user")', ""),
        ('groupBy("items")', ""),  # the aggregate has the name of the key
        ('rollup("user")', ""),  # the rows of all users together were lost
        ('cube("user")', ""),
    ],
)
def test_a_grouping_is_cut_in_two_only_by_columns(call: str, second: str) -> None:
    """T31: the second stage grouped by the expression of the first one once more."""
    text = (
        'from pyspark.sql import functions as F\ndf = spark.table("shop.events")\nkeys = ["user"]\n'
        f'out = df.{call}.agg(F.collect_list("item").alias("items"), F.max("ts").alias("salt"))\nout.write.parquet("/o")\n'
    )
    script, source = script_of(text), Source.read(text)
    spots = [spot_of(operation) for operation in script.facts.operations if operation.kind is OperationKind.GROUP]
    assert source is not None

    diffs = [groups.in_two_stages(script, source, spot, 16) for spot in spots]

    assert any(diffs) is bool(second)
    assert not second or any(f"out = {second}.agg(" in (apply_diff(diff, text) or "") for diff in diffs)
    assert not second or any('.withColumn("salt_2"' in diff for diff in diffs)  # a column has the name


def test_a_sum_is_not_cut_in_two() -> None:
    """T31: of a decimal it has a wider type than before."""
    text = 'from pyspark.sql import functions as F\nout = df.groupBy("k").agg(F.sum("price").alias("s"))\n'
    script, source = script_of(text), Source.read(text)
    assert source is not None

    assert not any(groups.in_two_stages(script, source, spot_of(operation), 8) for operation in script.facts.operations)


def in_one_task(*lines: str) -> tuple[TuningPlan, list[str]]:
    """The advice for a script that asks for one partition, and its diffs; the lines are of its plan, each over the next one."""
    stages = (stage_of(1, [S] * 8), stage_of(2, [300 * S], input_bytes=[400 * MIB], input_records=[9_000_000], output_bytes=400 * MIB))
    read: Line = (len(lines), CUSTOMERS, {}, (1,))
    plan = plan_of(*((depth, line, {"number of output rows": 9_000_000}, (2,)) for depth, line in enumerate(lines)), read)
    run = run_of(*stages, executions=[plan], slots=16, wall_ms=310 * S)
    script = script_of('a = spark.table("shop.customers")\na.coalesce(1).write.parquet("/out")\n')
    advice = advise(find(run, script.facts), run, [script])
    return advice, [fix.diff for fix in advice.fixes]


ONE, SORTED, RANGED = "Coalesce 1", "Sort [w#10 ASC NULLS FIRST], {}, 0", "Exchange rangepartitioning(w#10 ASC NULLS FIRST, 32)"


@pytest.mark.parametrize(
    ("lines", "user"),
    [
        ((WRITE, ONE), ""),
        ((WRITE, "Project [w#10]", "Filter (w#10 > 1)", ONE, "Project [w#10]"), ""),
        ((WRITE, "Project [monotonically_increasing_id() AS id#5L, w#10]", ONE), "Project"),
        ((WRITE, "Project [spark_partition_id() AS part#5, w#10]", ONE), "Project"),
        ((WRITE, SORTED.format("false"), ONE), "Sort"),
        ((WRITE, ONE, SORTED.format("true"), RANGED), "Sort"),  # one file in order would be many
        ((WRITE, "MapInPandas f(w#10), [w#20]", ONE), "MapInPandas"),
        ((WRITE, "LocalLimit 10", ONE), "LocalLimit"),
        (("Project [w#10]", ONE), "Project"),  # collected, or each partition handed to a function
    ],
)
def test_one_partition_becomes_several_only_where_nothing_relies_on_it(lines: Sequence[str], user: str) -> None:
    """T31: "The rows stay the same", with other numbers for each row, or a sorted file in parts that overlap."""
    advice, diffs = in_one_task(*lines)

    assert any("coalesce(32)" in diff for diff in diffs) is not bool(user)
    assert any(said(why) == f"More than one partition: {user} may rely on all rows lying in one partition, in their order."
               for why in advice.left_out) is bool(user)  # fmt: skip


def test_without_a_plan_the_one_partition_is_named_and_its_line_stays() -> None:
    """T31: an RDD that is numbered afterwards would have other numbers, which no plan shows."""
    stage = stage_of(2, [300 * S], input_bytes=[400 * MIB], input_records=[9_000_000], output_bytes=400 * MIB, operators=("coalesce",))
    script = script_of('a = spark.table("shop.a").rdd\na.coalesce(1).zipWithIndex().saveAsTextFile("/out")\n')
    run = run_of(stage, slots=16, wall_ms=310 * S)

    (fix,) = advise(find(run, script.facts), run, [script]).fixes

    assert (fix.kind, fix.diff, fix.risk) == (FixKind.MORE_PARTITIONS, "", Risk.MEDIUM)
    assert "unless a later step relies on all rows" in said(fix.risk_note)
