"""Rewrites of Scala scripts: what is written as in Python is changed by the same rules, and what comes out is Scala."""

import pytest

from contracts.code import OperationKind
from contracts.tune.plan import FixKind
from contracts.verdicts import ScriptSpot, VerdictKind
from tests.support.tune_bundles import verdict_of
from tests.support.tuning import run_of, stage_of
from workers.engines.code.scala_script import read_scala
from workers.engines.code.scala_tree import ScalaTree
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.rewrites.chains import without_calls
from workers.kinds.tune.rules.advice.rewrites.joins import with_broadcast
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.classify import classify

HEAD = 'val a = spark.read.parquet("/w/a")\nval b = spark.read.parquet("/w/b")\n'


def named(text: str) -> NamedScript:
    return NamedScript("job.scala", read_scala(text), text)


def spot(script: NamedScript, kind: OperationKind) -> ScriptSpot:
    return next(spot_of(one) for one in script.facts.operations if one.kind is kind)


def changed(script: NamedScript, diff: str) -> str:
    new = apply_diff(diff, script.text)
    assert new is not None
    assert ScalaTree(new).broken_line is None
    return new


def source_of(text: str) -> Source:
    source = Source.read_scala(text)
    assert source is not None
    return source


@pytest.mark.parametrize(
    ("imports", "joined", "wanted"),
    [
        ("", 'a.join(b, "k")', 'a.join(org.apache.spark.sql.functions.broadcast(b), "k")'),
        ("import org.apache.spark.sql.functions._\n", 'a.join(b, Seq("k"))', 'a.join(broadcast(b), Seq("k"))'),
        ("import org.apache.spark.sql.functions.{sum, broadcast}\n", 'a\n  .join(b, "k")', 'a\n  .join(broadcast(b), "k")'),
        (
            "import org.apache.spark.sql.functions.sum\n",
            'a.join(b.filter("x > 1"), "k")',
            'functions.broadcast(b.filter("x > 1")), "k")',
        ),
    ],
)
def test_a_side_of_a_join_is_broadcast(imports: str, joined: str, wanted: str) -> None:
    """T31."""
    text = f'{imports}{HEAD}val c = {joined}\nc.write.parquet("/w/c")\n'
    script = named(text)

    assert wanted in changed(script, with_broadcast(script, source_of(text), spot(script, OperationKind.JOIN), of_right=True))


def test_a_repartition_is_taken_out_of_its_chain() -> None:
    """T31."""
    text = HEAD + 'val c = a\n  .filter("x > 1") // few\n  .repartition(8)\n  .groupBy("k")\n  .count()\nc.write.parquet("/w/c")\n'
    script, source = named(text), source_of(text)
    call = source.call_at(spot(script, OperationKind.REPARTITION))

    assert call is not None
    assert changed(script, without_calls(script, source, [call])) == text.replace("  .repartition(8)\n", "")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ('a.filter("x > 1").withColumn("m", f($"x"))', 'withColumn("m", f($"x")).cache()\n'),
        ('a\n  .filter("x > 1")\n  .withColumn("m", f($"x"))', '  .withColumn("m", f($"x")).cache()\n'),
        ("a.distinct", "a.distinct.coalesce(12).cache()\n"),
        ("a.map { row => f(row) }", "a.map { row => f(row) }.cache()\n"),
        ("a union b", ""),
    ],
)
def test_a_table_of_several_actions_is_kept(value: str, wanted: str) -> None:
    """T31: behind an infix call a method would belong to its last operand, so there the remedy is in words."""
    script = named(f'{HEAD}val kept = {value}\nkept.write.parquet("/w/x")\nkept.write.csv("/w/y")\n')
    run = run_of(stage_of(2, [4_000] * 4), spark_version="3.5.1", slots=4)
    again = verdict_of(VerdictKind.RECOMPUTATION, 0.5)

    (fix,) = [fix for fix in advise(classify((again,)), run, [script]).fixes if fix.kind is FixKind.CACHE]

    assert (wanted in changed(script, fix.diff)) if wanted else not fix.diff
