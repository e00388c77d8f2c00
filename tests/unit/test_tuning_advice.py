"""Which remedies a plan has, by version, settings, sizes and class, and in which order."""

from collections.abc import Sequence

import pytest

from contracts.code import ColumnKeys, HotKey, TableFacts
from contracts.figures import FigureId
from contracts.spark import RunFacts
from contracts.statements import say
from contracts.tune.plan import Fix, FixKind, Risk, TuningPlan
from contracts.tune.steps import Experience
from contracts.verdicts import Blame, ColumnRef, Findings, KeyStatistics, ScriptSpot, Severity, TuningClass, Unit, Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind, Gain
from tests.support.advice import script_of
from tests.support.said import said as shown
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.scope.script import read_scope
from workers.engines.scripts.given import NamedScript
from workers.engines.verdicts import figure
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.plan import held_to_the_largest
from workers.kinds.tune.rules.advice.settings import setting_text
from workers.kinds.tune.rules.advice.skew_joins import salts_for
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.known_causes import UNFAMILIAR

MIB = 1 << 20
HEAVY = [300 * MIB, *[2 * MIB] * 9]
TIMES = [60_000, *[1_000] * 9]
SCRIPT = 'orders = spark.read.parquet("/w/orders")\ndim = spark.read.parquet("/w/dim")\norders.join(dim, "{k}").count()\n'
OFF = {"spark.sql.adaptive.enabled": "false"}
ON = {"spark.sql.adaptive.enabled": "true", "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "64m"}


def skewed_run(
    version: str = "3.5.1",
    *,
    column: str = "k",
    small: int = 500 * MIB,
    heavy: int = HEAVY[0],
    settings: dict[str, str] | None = None,
) -> RunFacts:
    join = plan_of(
        (0, "WholeStageCodegen (1)", {}, (2,)),
        (1, f"SortMergeJoin [{column}#1L], [{column}#2L], Inner", {}, (2,)),
        (2, f"Exchange hashpartitioning({column}#1L, 10), ENSURE_REQUIREMENTS", {"data size": 900 * MIB}, (0, 2)),
        (3, f"FileScan parquet [{column}#1L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/orders]", {}, (0,)),
        (2, f"Exchange hashpartitioning({column}#2L, 10), ENSURE_REQUIREMENTS", {"data size": small}, (1, 2)),
        (3, f"FileScan parquet [{column}#2L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/dim]", {}, (1,)),
    )
    stage = stage_of(2, TIMES, wall_ms=62_000, shuffle_read_bytes=[heavy, *HEAVY[1:]], execution_id=0)
    return run_of(stage, executions=[join], spark_version=version, configuration=settings if settings is not None else OFF)


def tables(value: str = "7", column: str = "k") -> tuple[TableFacts, ...]:
    keys = {column: ColumnKeys(distinct=1_000, top=(HotKey(value=value, rows=600, share=0.6), HotKey(value="8", rows=300, share=0.3)))}
    return (
        TableFacts(name="orders", rows=1_000, columns={column: "string"}, keys=keys),
        TableFacts(name="dim", columns={column: "string"}),
    )


def plan_for(run: RunFacts, column: str = "k", told: tuple[TableFacts, ...] | None = None) -> tuple[Findings, TuningPlan, NamedScript]:
    script = script_of(SCRIPT.replace("{k}", column))
    metadata = tables(column=column) if told is None else told
    findings = find(run, script.facts, metadata)
    return findings, advise(findings, run, [script], metadata), script


def kinds(fixes: Sequence[Fix]) -> list[str]:
    return [fix.kind.value for fix in fixes]


def test_adaptive_execution_is_advised_where_the_version_has_it_and_it_is_off() -> None:
    """T31: 3.0 brought it; where it is on and sees the partition as skewed there is nothing to switch."""
    _, modern, _ = plan_for(skewed_run("3.5.1"))
    _, old, _ = plan_for(skewed_run("2.4.8"))
    _, already, _ = plan_for(skewed_run("3.5.1", settings=ON))

    assert "skew_join" in kinds(modern.fixes)
    assert "skew_join" not in kinds(old.fixes)
    assert any("2.4.8" in shown(text) for text in old.left_out)
    assert "skew_join" not in kinds(already.fixes)
    assert any("already on" in shown(text) for text in already.left_out)


def test_a_side_over_the_limit_is_not_sent_to_every_executor() -> None:
    """T3, T31."""
    _, large, _ = plan_for(skewed_run(small=500 * MIB))
    _, small, _ = plan_for(skewed_run(small=5 * MIB))

    assert "broadcast_join" not in kinds(large.fixes)
    assert any("500 MiB" in shown(text) for text in large.left_out)
    assert "broadcast_join" in kinds(small.fixes)


def test_a_key_that_is_salted_already_stays_as_it_is() -> None:
    """T3."""
    _, plan, _ = plan_for(skewed_run(column="k_salt"), column="k_salt")

    assert "salt" not in kinds(plan.fixes)
    assert any("has a salt already" in shown(text) for text in plan.left_out)


def test_a_users_names_are_only_ever_text() -> None:
    """T31: braces are no placeholders, quotes no end of a literal."""
    value = '{0.__class__}"); import os #'
    _, plan, script = plan_for(skewed_run(), told=tables(value))

    split = next(fix for fix in plan.fixes if fix.kind == FixKind.SPLIT_HOT_KEYS)

    assert value in shown(split.what)
    assert ".isin('{0.__class__}\"); import os #', " in split.diff or '.isin("{0.__class__}\\"); import os #", ' in split.diff
    assert script.text in SCRIPT.replace("{k}", "k")


def test_the_largest_estimated_gain_comes_first_and_the_first_fixes_are_estimated_together() -> None:
    """T27."""
    findings, _, script = plan_for(skewed_run())
    asked: list[tuple[Change, ...]] = []

    def estimate(changes: tuple[Change, ...]) -> Gain:
        asked.append(changes)
        saved = 0.8 if changes[0].partitions else 0.1  # only the salt says into how many parts
        return Gain(
            before_ms=100,
            after_ms=int(100 - 100 * saved),
            low_ms=int(95 - 100 * saved),
            high_ms=int(105 - 100 * saved),
            saved_share=saved,
            method="replay",
        )

    plan = advise(findings, skewed_run(), [script], tables(), estimate=estimate)

    assert kinds(plan.fixes)[0] == "salt"
    assert plan.fixes[0].gain is not None
    assert plan.fixes[0].gain_unknown == ""
    assert plan.combined is not None
    assert asked[-1] == plan.fixes[0].changes
    assert all(fix.excludes for fix in plan.fixes)


def test_without_a_replay_a_fix_says_so() -> None:
    """T27: no figure is made up."""
    _, plan, _ = plan_for(skewed_run())

    assert all(fix.gain is None and fix.gain_unknown for fix in plan.fixes)
    assert plan.combined is None


def verdict(kind: VerdictKind, share: float, severity: Severity = Severity.PROBLEM, stage: int = 2) -> Verdict:
    return Verdict(kind=kind, severity=severity, stage_ids=(stage,), share=share, summary="Slow.")


def test_other_classes_come_last_and_only_as_problems_of_their_own() -> None:
    """T3, T4, T5: what skew brings about goes with it, and a hint of another class is no advice."""
    found = classify(
        (
            verdict(VerdictKind.DATA_SKEW, 0.5),
            verdict(VerdictKind.SPILL, 0.4),
            verdict(VerdictKind.FAILURES, 0.3, stage=9),
            verdict(VerdictKind.REDUNDANT_EXCHANGE, 0.3, Severity.HINT),
        )
    )

    plan = advise(found, skewed_run(), [])

    assert found.tuning_class is TuningClass.DATA_SKEW
    assert kinds(plan.fixes)[-1] == "fix_failures"
    assert not {"more_memory", "more_partitions", "remove_repartition"} & set(kinds(plan.fixes))


def test_scope_is_spoken_to_in_its_own_words() -> None:
    """T3, T4: no Spark setting for a job that does not run on Spark."""
    text = '@a = EXTRACT k string FROM "/a.tsv" USING Extractors.Tsv();\n@b = SELECT * FROM @a CROSS JOIN @a;\nOUTPUT @b TO "/b";\n'
    found = classify(tuple(verdict(kind, 0.3) for kind in (VerdictKind.DATA_SKEW, VerdictKind.UNPARTITIONED_JOIN)))

    plan = advise(found, None, [NamedScript("job.usql", read_scope(text).script, text)])

    assert not any(fix.configuration for fix in plan.fixes)
    told = " ".join(shown(fix.what) for fix in plan.fixes)
    assert "SKEWFACTOR" in told
    assert "BROADCASTLEFT" in told
    assert "spark." not in told


NEEDS_MORE = (VerdictKind.BROADCASTABLE_JOIN, VerdictKind.LATE_PROJECTION, VerdictKind.TINY_TASKS, VerdictKind.TOO_FEW_TASKS)
"""Their remedies are made of a plan's sizes, of named columns, of a stage's tasks: without them there is nothing to say."""


def test_every_kind_of_problem_has_a_remedy_in_both_languages() -> None:
    """T3, T4, T5: most of them even where nothing is known but the verdict."""
    for kind in VerdictKind:
        found = classify((verdict(kind, 0.5),))
        for run in (skewed_run().model_copy(update={"platform": "yarn"}), None):
            plan = advise(found, run, [])
            has_class = found.tuning_class is not TuningClass.NONE
            assert bool(plan.fixes) == has_class or kind in (*NEEDS_MORE, *UNFAMILIAR), (kind, run is None)


def test_second_attempts_of_slow_tasks_are_advised_where_spark_makes_them() -> None:
    """T31: in local mode it makes none, whatever is set."""
    found = classify((verdict(VerdictKind.STRAGGLER, 0.5),))

    on_yarn, alone = (advise(found, skewed_run().model_copy(update={"platform": where}), []) for where in ("yarn", "local"))

    assert [fix.kind for fix in on_yarn.fixes] == [FixKind.SPECULATION]
    assert alone.fixes == ()


def test_what_comes_out_of_a_shuffle_is_kept_in_as_many_partitions_as_the_slots_use() -> None:
    """T31: adaptive execution does not put the partitions of what is kept together; 200 tasks of each action ate what was saved."""
    text = "orders = spark.read.parquet('/w/o')\nper = orders.groupBy('a').count()\nper.write.parquet('/w/x')\nper.write.csv('/w/y')\n"
    found = classify((verdict(VerdictKind.RECOMPUTATION, 0.5),))

    def diff(text: str, **settings: str) -> str:
        run = skewed_run().model_copy(update={"spark_version": "3.5.1", "configuration": settings, "slots": 4})
        (fix,) = [fix for fix in advise(found, run, [script_of(text)]).fixes if fix.kind is FixKind.CACHE]
        return fix.diff

    assert "count().coalesce(12).cache()" in diff(text)
    assert "count().cache()" in diff(text, **{"spark.sql.adaptive.enabled": "false"})
    assert "count().cache()" in diff(text, **{"spark.sql.shuffle.partitions": "16"})
    assert "orderBy('a').cache()" in diff(text.replace(".count()", ".count().orderBy('a')"))
    assert "filter('a > 1').cache()" in diff(text.replace("groupBy('a').count()", "filter('a > 1')"))


def test_a_line_is_not_broadcast_when_one_of_its_executions_has_too_much_to_send() -> None:
    """The same join runs twice; only in one of the runs its small side is small."""
    spot = ScriptSpot(line=5, operation="join", text="join(visitors)", artefact="job.py")
    found = classify((verdict(VerdictKind.DATA_SKEW, 0.5), verdict(VerdictKind.DATA_SKEW, 0.2)))
    both = [one.model_copy(update={"blame": one.blame.model_copy(update={"spots": (spot,)})}) for one in found.verdicts]
    findings = found.model_copy(update={"verdicts": tuple(both)})
    draft = Draft(kind=FixKind.BROADCAST_JOIN, remedy="broadcast_hot", place=1, risk=Risk.LOW, confidence=0.9, saves=0.5)

    assert held_to_the_largest([(1, draft)], findings) == [(1, draft)]
    refused = NotAdvised(say("tune.not_advised.too_large_to_broadcast"), forbids_broadcast=True)
    assert held_to_the_largest([(0, refused), (1, draft)], findings) == [(0, refused)]


def test_partitions_are_changed_where_the_script_asks_for_them() -> None:
    """T31: what a script sets wins over the configuration of the submission."""
    text = 'spark.conf.set("spark.sql.shuffle.partitions", 4)\nspark.read.parquet("/w/orders").orderBy("a").count()\n'
    script = script_of(text)
    spilled = stage_of(2, [9_000] * 4, shuffle_read_bytes=[200 * MIB] * 4, disk_spill_bytes=400 * MIB, memory_spill_bytes=900 * MIB)
    run = run_of(spilled, spark_version="3.5.1", configuration={**OFF, "spark.sql.shuffle.partitions": "4"})
    findings = find(run, script.facts)

    fix = next(one for one in advise(findings, run, [script]).fixes if one.kind == FixKind.MORE_PARTITIONS)

    assert '+spark.conf.set("spark.sql.shuffle.partitions", 24)' in fix.diff
    assert fix.changes[0].kind is ChangeKind.PARTITIONS
    assert fix.changes[0].partitions == 24


def test_a_skewed_join_of_scope_gets_no_advice_of_spark() -> None:
    """T3: a script that is read, with the heavy keys known, is spoken to in the words of its engine."""
    text = '@a = EXTRACT k string FROM "/a.tsv" USING Extractors.Tsv();\n@c = SELECT a.k FROM @a AS a JOIN @b AS b ON a.k == b.k;\n'
    key = KeyStatistics(column=ColumnRef(table="a", column="k"), value="0", rows=60, table_rows=100, share=0.6)
    skewed = verdict(VerdictKind.DATA_SKEW, 0.5).model_copy(
        update={"blame": Blame(columns=(key.column,), keys=(key,), spots=(ScriptSpot(line=2, operation="join", text="JOIN @b"),))}
    )
    script = NamedScript("job.usql", read_scope(text).script, text)

    for language in ("en", "zh"):
        for kind in (skewed, verdict(VerdictKind.SHUFFLE_VOLUME, 0.5)):
            plan = advise(classify((kind,)), None, [script])
            texts = [text for fix in plan.fixes for text in (fix.title, fix.what, *fix.pros, *fix.cons, fix.risk_note, *fix.verify)]
            told = " ".join(shown(text, language) for text in (*texts, *plan.left_out))
            assert plan.fixes
            assert "Spark" not in told
            assert "bucketBy" not in told


def test_a_fix_names_the_experience_that_describes_it() -> None:
    """T17: of all that is known of a verdict, what is about another remedy is none of its sources."""
    plan = advise(
        find(skewed_run()),
        skewed_run(),
        [],
        experience=[
            Experience(
                experience_id=f"tune-skew/{remedy}",
                pack="tune-skew",
                title=remedy,
                tuning_class=TuningClass.DATA_SKEW,
                kinds=(VerdictKind.DATA_SKEW,),
                remedies=(remedy,),
                language="en",
                text="x",
                score=1,
            )
            for remedy in ("salt", "skew_join")
        ],
    )

    assert {fix.kind: fix.experience for fix in plan.fixes if fix.kind in ("salt", "skew_join")} == {
        FixKind.SALT: ("tune-skew/salt",),
        FixKind.SKEW_JOIN: ("tune-skew/skew_join",),
    }


def test_what_speaks_against_a_setting_stands_where_the_setting_is_proposed_and_nowhere_else() -> None:
    """T27: a partition that Spark sees as skewed anyway needs no other size of partitions."""
    size = "spark.sql.adaptive.advisoryPartitionSizeInBytes"
    against = setting_text("con", size)
    told: dict[int, tuple[bool, bool]] = {}
    for heavy in (200 * MIB, 300 * MIB):
        run = skewed_run(heavy=heavy)
        plan = advise(plan_for(run)[0], run, [])
        fix = next(fix for fix in plan.fixes if fix.kind is FixKind.SKEW_JOIN)
        told[heavy] = (size in [one.name for one in fix.configuration], against in fix.cons)

    assert told == {200 * MIB: (True, True), 300 * MIB: (False, False)}


@pytest.mark.parametrize(
    ("ratio", "slots", "salts"),
    [(3, 400, 8), (20, 400, 32), (64, 400, 64), (65, 400, 64), (5_000, 400, 64), (5_000, 10, 32), (5_000, 1, 8)],
)
def test_there_are_8_to_64_salts_and_no_more_than_the_heavy_task_or_the_slots_ask_for(ratio: float, slots: int, salts: int) -> None:
    """T3: each salt is one more copy of the other side, so the largest skew on the largest cluster gets 64."""
    findings, _, script = plan_for(skewed_run())
    verdict = findings.verdicts[0].model_copy(update={"figures": (figure(FigureId.HEAVIEST_TO_USUAL, ratio, Unit.RATIO, "the event log"),)})
    run = skewed_run().model_copy(update={"slots": slots})

    assert salts_for(Case(findings, run, [script], ()), verdict) == salts
