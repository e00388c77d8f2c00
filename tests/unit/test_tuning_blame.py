"""Where a verdict comes from, as far as the sources reach."""

from contracts.code import ScriptFacts, TableFacts
from contracts.spark import RunFacts, SqlExecution
from contracts.verdicts import Blame, Severity, Verdict, VerdictKind
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.code.python_script import read_script
from workers.engines.spark.blame import with_blame
from workers.engines.spark.verdicts.measures import Run
from workers.kinds.tune.rules.findings import NO_SCRIPT, find

MIB = 1 << 20

SCRIPT = """from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet("/w/orders")
people = spark.read.parquet("/w/people")
other = orders.join(people, "region")
joined = people.join(orders, people.id == orders.customer)
"""


def join_plan(key: str = "customer#1L") -> SqlExecution:
    def exchange(keys: str, rows: int, stages: tuple[int, ...]) -> tuple[str, dict[str, int], tuple[int, ...]]:
        return (
            f"Exchange hashpartitioning({keys}, 32), ENSURE_REQUIREMENTS",
            {"shuffle records written": rows, "data size": rows * 100},
            stages,
        )

    return plan_of(
        (0, f"SortMergeJoin [id#5L], [{key}], Inner", {}, (4,)),
        (1, "Sort [id#5L ASC NULLS FIRST], false, 0", {}, (4,)),
        (2, *exchange("id#5L", 900_000, (2, 4))),
        (3, "FileScan parquet [id#5L,name#6] Location: InMemoryFileIndex(1 paths)[file:/w/people], Format", {}, (2,)),
        (1, f"Sort [{key} ASC NULLS FIRST], false, 0", {}, (4,)),
        (2, *exchange(key, 1_500_000, (3, 4))),
        (3, "FileScan parquet [customer#1L,amount#2] Location: InMemoryFileIndex(1 paths)[file:/w/orders], Format", {}, (3,)),
    )


def skewed(*executions: SqlExecution, name: str = "save at NativeMethodAccessorImpl.java:0") -> RunFacts:
    heavy = stage_of(4, [200] * 31 + [5_000], wall_ms=8_000, shuffle_read_bytes=[3 * MIB] * 31 + [200 * MIB], name=name)
    return run_of(stage_of(2, [500]), stage_of(3, [500]), heavy, executions=executions, wall_ms=9_000)


def origin(run: RunFacts, script: ScriptFacts = NO_SCRIPT, tables: tuple[TableFacts, ...] = ()) -> Blame:
    (verdict,) = [one for one in find(run, script, tables).verdicts if one.kind is VerdictKind.DATA_SKEW]
    return verdict.blame


def test_a_skewed_stage_leads_to_its_join_and_the_join_by_the_same_keys_in_the_script() -> None:
    """T11: another join of the same tables by another key is not it."""
    blame = origin(skewed(join_plan()), read_script(SCRIPT))

    assert (blame.operator, blame.nodes) == ("SortMergeJoin", (0,))
    assert [(spot.line, spot.operation) for spot in blame.spots] == [(6, "join")]


def test_a_plan_whose_nodes_count_for_no_stage_is_that_of_the_stage_of_its_execution() -> None:
    """Logs of other engines below Spark have no counters: a repartition was offered for a join."""
    plan = join_plan()
    bare = plan.model_copy(update={"nodes": tuple(node.model_copy(update={"stage_ids": (), "metrics": ()}) for node in plan.nodes)})
    run = skewed(bare)
    heavy = run.stages[-1].model_copy(update={"execution_id": bare.execution_id})

    assert origin(run.model_copy(update={"stages": (*run.stages[:-1], heavy)})).operator == "SortMergeJoin"
    assert origin(run).operator == ""


def test_without_statistics_the_side_with_more_rows_is_named_first() -> None:
    """T11."""
    assert [(one.table, one.column) for one in origin(skewed(join_plan())).columns] == [("orders", "customer"), ("people", "id")]


def test_a_key_that_the_plan_computes_has_no_table() -> None:
    """T11: a salt, a cast."""
    assert [(one.table, one.column) for one in origin(skewed(join_plan("salt#9"))).columns] == [("people", "id"), ("", "salt")]


def test_a_statement_in_sql_that_cannot_be_read_is_the_place_where_no_call_is() -> None:
    """T11: its tables are found all the same."""
    script = read_script('spark.sql("select * from people join orders on people.id = = orders.customer")')

    assert [spot.operation for spot in origin(skewed(join_plan()), script).spots] == ["sql"]


def test_without_a_plan_the_line_of_the_action_leads_to_what_shuffles_upstream() -> None:
    """T11: RDDs and Python functions have no plan."""
    text = SCRIPT + "def f(it):\n    return it\nsums = orders.groupBy('customer').count()\nsums.rdd.mapPartitions(f).count()\n"

    blame = origin(
        skewed(name="count at /jobs/nightly.py:10"), read_script(text), (TableFacts(name="orders", columns={"customer": "bigint"}),)
    )

    assert [(spot.line, spot.operation) for spot in blame.spots] == [(10, "map"), (9, "group")]
    assert [(one.table, one.column) for one in blame.columns] == [("orders", "customer")]
    assert blame.functions == ("f",)


def test_the_text_of_a_script_is_never_more_than_data() -> None:
    """T8: marks of formats and templates pass as they are."""
    text = SCRIPT.replace('"region"', '"{region!r} {{x}} %s"')

    spots = [one.text for one in read_script(text).operations if one.line == 5]

    assert spots == ["join(people, '{region!r} {{x}} %s')"]


def test_tiny_tasks_of_rows_that_the_script_makes_come_from_where_it_cuts_them() -> None:
    """T11: the action's line, in the stage's name, is not the place that a person would change."""
    text = "sc = spark.sparkContext\nrows = sc.parallelize(range(9000), 600)\nprint(rows.map(abs).sum())\n"
    verdict = Verdict(kind=VerdictKind.TINY_TASKS, severity=Severity.PROBLEM, stage_ids=(0,), summary="Tiny.", share=0.5)

    (found,) = with_blame(Run(run_of(stage_of(0, [5] * 600, name="sum at /jobs/nightly.py:3"))), [verdict], read_script(text), ())

    assert [(spot.line, spot.operation) for spot in found.blame.spots] == [(2, "read")]
