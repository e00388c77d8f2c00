"""Verdicts on SCOPE jobs: the rules on scripts, what statistics bear, and the two samples from end to end."""

from typing import Any

import pytest

from contracts.base import Contract
from contracts.scope import (
    PlanOperatorKind,
    ScopeDataFlow,
    ScopeError,
    ScopeErrors,
    ScopeFlowEdge,
    ScopeFlowVertex,
    ScopeJobInfo,
    ScopeJobStatistics,
    ScopeMetric,
    ScopePlan,
    ScopePlanOperator,
    ScopeRuntimeStatistics,
    ScopeStage,
    ScopeTask,
    ScopeVertexRun,
)
from contracts.tune.plan import FixKind
from contracts.verdicts import ColumnRef, Severity, TuningClass, Verdict, VerdictKind
from tests.support.said import said
from tests.support.scope import sample
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.script import read_scope
from workers.engines.scope.verdicts import judge_scope
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.scope_findings import find_scope

GIB = 1 << 30
START = 'A = EXTRACT k:string FROM "/d/a.tsv" USING X();\nB = EXTRACT k:string FROM "/d/b.tsv" USING X();\n'


def verdicts(kind: VerdictKind, *facts: Contract) -> list[Verdict]:
    return [one for one in judge_scope(facts) if one.kind is kind]


def script(text: str) -> Contract:
    return read_scope(START + text, "scope.script")


def statistics(task: ScopeTask | None = None, *, metrics: tuple[ScopeMetric, ...] = (), **told: Any) -> ScopeJobStatistics:
    """A job of 1,000 s whose stage 3 took 800 s."""
    defaults: dict[str, Any] = {"duration_ms": 800_000, "tasks": 100, "usual_task_ms": 10_000}
    stages = (
        ScopeStage(stage_id="1", name="SV1_Extract", duration_ms=200_000),
        ScopeStage(stage_id="3", name="SV3_Combine", skewed_tasks=(task,) if task else (), **(defaults | told)),
    )
    return ScopeJobStatistics(artefact="JobStatistics.xml", duration_ms=1_000_000, stages=stages, metrics=metrics)


@pytest.mark.parametrize(
    ("statement", "limit", "kind"),
    [
        ("J{0} = SELECT * FROM A AS x JOIN B AS y ON x.k == y.k;\n", 5, VerdictKind.MANY_JOINS),
        ("G{0} = SELECT k FROM A GROUP BY k;\n", 3, VerdictKind.MANY_GROUPINGS),
        ("D{0} = SELECT DISTINCT k FROM A;\n", 3, VerdictKind.MANY_DISTINCTS),
        ("P{0} = PROCESS A PRODUCE k USING My.P{0}();\n", 2, VerdictKind.MANY_PROCESSORS),
    ],
)
def test_a_script_with_more_than_the_limit_is_hinted_at_with_its_lines(statement: str, limit: int, kind: VerdictKind) -> None:
    """T5: more than 5 joins, 3 GROUP BY, 3 DISTINCT, 2 processors."""
    few, many = ("".join(statement.format(at) for at in range(count)) for count in (limit, limit + 1))

    assert verdicts(kind, script(few)) == []
    found = verdicts(kind, script(many))[0]
    assert (found.severity, found.figures[0].value, found.figures[0].threshold) == (Severity.HINT, limit + 1, limit + 1)
    assert [spot.line for spot in found.blame.spots] == list(range(3, 3 + min(6, limit + 1)))
    assert said(found.figures[0].source).startswith("scope.script, lines 3, 4")


def test_a_cross_join_and_inline_code_are_hinted_at() -> None:
    """T5."""
    cross = verdicts(VerdictKind.CROSS_JOIN, script("J = SELECT * FROM A CROSS JOIN B;"))[0]
    inline = verdicts(VerdictKind.INLINE_CODE, script("#CS\npublic static int F(int x) { return x; }\n#ENDCS"))[0]

    assert [spot.line for spot in cross.blame.spots] == [3]
    assert (inline.blame.functions, inline.blame.spots[0].line, inline.severity) == (("F",), 3, Severity.HINT)


def test_a_join_by_keys_that_neither_side_is_partitioned_by_is_hinted_at() -> None:
    """T4: not when a side is partitioned by them, or is broadcast."""
    join = "J = SELECT * FROM {0} AS x INNER {1} JOIN B AS y ON x.k == y.k;"
    partitioned = "\n".join(("P = SELECT * FROM A HASH DISTRIBUTE BY k INTO 10;", join.format("P", "")))

    found = verdicts(VerdictKind.UNPARTITIONED_JOIN, script(join.format("A", "")))[0]

    assert (found.blame.spots[0].line, found.blame.columns) == (3, (ColumnRef(table="a", column="k"), ColumnRef(table="b", column="k")))
    assert verdicts(VerdictKind.UNPARTITIONED_JOIN, script(join.format("A", "BROADCASTRIGHT"))) == []
    assert verdicts(VerdictKind.UNPARTITIONED_JOIN, script(partitioned)) == []


def test_a_skewed_task_with_more_data_that_ran_longer_is_a_problem_with_its_part_of_the_jobs_time() -> None:
    """T3."""
    task = ScopeTask(task_id="7", duration_ms=710_000, read_bytes=40 * GIB)

    found = verdicts(VerdictKind.DATA_SKEW, statistics(task, read_bytes=59 * GIB + 99 * (1 << 20)))[0]

    assert (found.severity, found.share, found.stage_ids) == (Severity.PROBLEM, 0.7, (3,))
    assert {one.id: one.threshold for one in found.figures if one.threshold} == {
        "skewed_tasks": 1,
        "heaviest_task": 1 << 20,
        "heaviest_to_usual": 4,
        "time_to_usual": 2,
        "share_of_job": 0.03,
    }
    assert all(said(one.source).startswith("JobStatistics.xml") for one in found.figures)


@pytest.mark.parametrize(
    ("task", "told", "kind", "severity"),
    [
        (ScopeTask(task_id="7", duration_ms=700_000, read_bytes=GIB), {"usual_task_bytes": GIB}, VerdictKind.STRAGGLER, Severity.PROBLEM),
        (ScopeTask(task_id="7", reason="Slow machine, hardware error"), {}, VerdictKind.STRAGGLER, Severity.PROBLEM),
        (ScopeTask(task_id="7", reason="40 GB against 1 GB"), {}, VerdictKind.DATA_SKEW, Severity.PROBLEM),
        (ScopeTask(task_id="7", reason="12x the average data"), {}, VerdictKind.DATA_SKEW, Severity.PROBLEM),
        (ScopeTask(task_id="7", reason="3x the average data"), {}, VerdictKind.DATA_SKEW, Severity.HINT),
        (ScopeTask(task_id="7", reason="Data skew"), {"duration_ms": 50_000}, VerdictKind.DATA_SKEW, Severity.HINT),
        (ScopeTask(task_id="7", duration_ms=30_000, read_bytes=9 * GIB), {"usual_task_bytes": GIB}, VerdictKind.DATA_SKEW, Severity.HINT),
    ],
    ids=["even data", "machine", "sizes in words", "factor in words", "small factor", "short stage", "little time"],
)
def test_the_engines_word_is_weighed_by_what_is_told_beside_it(
    task: ScopeTask, told: dict[str, Any], kind: VerdictKind, severity: Severity
) -> None:
    """T3: a task that is called skewed may be slow for another reason, or matter little."""
    found = [one for one in judge_scope([statistics(task, **told)]) if one.stage_ids == (3,)]

    assert [(one.kind, one.severity) for one in found] == [(kind, severity)]


@pytest.mark.parametrize(
    ("task", "told"),
    [(ScopeTask(task_id="7", read_bytes=9_000), {"usual_task_bytes": 10}), (ScopeTask(task_id="7", reason="Data skew"), {"tasks": 2})],
)
def test_tiny_stages_and_stages_of_few_tasks_are_not_skewed(task: ScopeTask, told: dict[str, Any]) -> None:
    """T3."""
    assert judge_scope([statistics(task, **told)]) == ()


def flow(*edges: tuple[str, str, int]) -> ScopeDataFlow:
    names = dict.fromkeys(name for source, target, _ in edges for name in (source, target))
    return ScopeDataFlow(
        artefact="flow.json",
        vertices=tuple(ScopeFlowVertex(vertex_id=name, name=name, is_input=name.startswith("in")) for name in names),
        edges=tuple(ScopeFlowEdge(source=source, target=target, size_bytes=size) for source, target, size in edges),
    )


def test_much_more_shuffled_than_read_is_a_problem_where_the_stages_take_time() -> None:
    """T4."""
    moved = flow(("in", "SV1_Extract", 10 * GIB), ("SV1_Extract", "SV3_Combine", 20 * GIB))

    assert verdicts(VerdictKind.SHUFFLE_VOLUME, moved)[0].severity is Severity.HINT
    found = verdicts(VerdictKind.SHUFFLE_VOLUME, moved, statistics())[0]
    assert (found.severity, found.share, found.stage_ids) == (Severity.PROBLEM, 1.0, (1, 3))
    assert [(one.id, one.value, one.threshold) for one in found.figures][2] == ("shuffled_to_read", 2, 1.5)
    assert verdicts(VerdictKind.SHUFFLE_VOLUME, flow(("in", "SV1_Extract", 20 * GIB), ("SV1_Extract", "SV3_Combine", 20 * GIB))) == []


def operator(name: str, kind: PlanOperatorKind, stage: str, inputs: tuple[str, ...] = (), keys: tuple[str, ...] = ()) -> ScopePlanOperator:
    return ScopePlanOperator(operator_id=name, name=name, kind=kind, stage=stage, inputs=inputs, columns=keys)


def test_an_exchange_that_the_next_one_undoes_or_that_changes_nothing_is_redundant() -> None:
    """T4: both halves of one exchange, and a partial aggregate in between, are none."""
    exchange, join, group = PlanOperatorKind.EXCHANGE, PlanOperatorKind.JOIN, PlanOperatorKind.AGGREGATE
    undone = (
        operator("Split1", exchange, "SV1", (), ("a",)),
        operator("Merge1", exchange, "SV2", ("Split1",)),
        operator("Split2", exchange, "SV2", ("Merge1",), ("b",)),
        operator("Join", join, "SV3", ("Split2", "Other"), ("b",)),
    )
    same = (operator("Join", join, "SV3", ("x", "y"), ("b",)), operator("Split3", exchange, "SV3", ("Join",), ("b",)))
    needed = (
        operator("Join", join, "SV3", ("x", "y"), ("b",)),
        operator("LocalAggregate", group, "SV3", ("Join",), ("c",)),
        operator("Split3", exchange, "SV3", ("LocalAggregate",), ("c",)),
        operator("Aggregate", group, "SV4", ("Split3",), ("c",)),
    )

    for operators, stages in ((undone, [(1,)]), (same, [(3,)]), (needed, [])):
        plan = ScopePlan(artefact="Algebra.xml", operators=operators)
        assert [one.stage_ids for one in verdicts(VerdictKind.REDUNDANT_EXCHANGE, plan)] == stages


def test_a_small_side_that_is_shuffled_could_be_broadcast() -> None:
    """T4."""
    plan = ScopePlan(artefact="Algebra.xml", operators=(operator("Join", PlanOperatorKind.JOIN, "SV3_Combine", (), ("k",)),))
    sides = flow(("SV1_Extract", "SV3_Combine", 10 * GIB), ("SV2_Extract", "SV3_Combine", 1 << 20))
    even = flow(("SV1_Extract", "SV3_Combine", 10 * GIB), ("SV2_Extract", "SV3_Combine", 5 * GIB))

    assert [one.severity for one in verdicts(VerdictKind.BROADCASTABLE_JOIN, plan, sides, statistics())] == [Severity.PROBLEM]
    assert verdicts(VerdictKind.BROADCASTABLE_JOIN, plan, even, statistics()) == []


def test_memory_spill_and_collection_are_judged_by_vertex() -> None:
    """T2."""
    run = ScopeVertexRun(vertex="SV3_Combine", peak_memory_bytes=95, spilled_bytes=2 * GIB, input_bytes=4 * GIB, gc_share=0.4)
    facts = (
        statistics(),
        ScopeRuntimeStatistics(artefact="runtime.xml", read_as="xml", vertices=(run,)),
        ScopePlan(artefact="vertex.xml", memory_limits={"SV3_Combine": 100}),
    )

    found = {one.kind: (one.severity, one.stage_ids, one.share) for one in judge_scope(facts)}

    assert found == {
        VerdictKind.EXCEEDED_LIMIT: (Severity.PROBLEM, (3,), 0.8),
        VerdictKind.SPILL: (Severity.PROBLEM, (3,), 0.8),
        VerdictKind.GC_PRESSURE: (Severity.PROBLEM, (3,), 0.32),
    }


@pytest.mark.parametrize(
    ("metric", "severity"),
    [
        (ScopeMetric(name="PeakMemory", value="9 GB", stage="SV3_Combine", is_exceeded=True), Severity.PROBLEM),
        (ScopeMetric(name="PeakMemory", value="9 GB", is_exceeded=True), Severity.HINT),
        (ScopeMetric(name="SkewRatio", value="12", stage="SV3_Combine", is_exceeded=True), Severity.HINT),
    ],
    ids=["with its stage's time", "of the whole job", "measured elsewhere"],
)
def test_an_exceeded_metric_is_told_and_a_problem_only_with_a_part_of_the_time(metric: ScopeMetric, severity: Severity) -> None:
    """T5."""
    other = ScopeMetric(name="Tokens", value="1")

    found = verdicts(VerdictKind.EXCEEDED_LIMIT, statistics(metrics=(metric, other)))

    assert [one.severity for one in found] == [severity]


def test_an_error_that_ended_the_job_is_a_problem_and_a_timeout_of_a_skewed_stage_is_the_skews() -> None:
    """T5: the vertex timeout is a case of its own."""
    timeout = ScopeErrors(
        artefact="Error", errors=(ScopeError(error_id="VERTEX_TIMEOUT_ERROR", vertex="SV3_Combine[7]", is_timeout=True, message="m"),)
    )
    skewed = statistics(ScopeTask(task_id="7", reason="40 GB against 1 GB"))
    fine = ScopeJobInfo(artefact="JobInfo.xml", state="CompletedSuccess")

    alone = find_scope((timeout,))
    with_skew = find_scope((timeout, skewed))

    assert (alone.tuning_class, alone.verdicts[0].kind, alone.verdicts[0].share) == (TuningClass.OTHER, VerdictKind.JOB_ERROR, 1.0)
    assert with_skew.tuning_class is TuningClass.DATA_SKEW
    assert verdicts(VerdictKind.JOB_ERROR, timeout, fine)[0].severity is Severity.HINT


def test_the_skew_sample_is_skew_with_stage_line_column_and_key() -> None:
    """T2, T3."""
    findings = find_scope(*sample("scope_skew"))
    top = findings.verdicts[0]

    assert findings.tuning_class is TuningClass.DATA_SKEW
    assert [one.kind for one in findings.verdicts if one.severity is Severity.PROBLEM] == [VerdictKind.DATA_SKEW]
    assert (top.stage_ids, top.blame.spots[0].line, top.blame.operator) == ((3,), 19, "LeftOuterHashJoin")
    assert top.blame.columns[0] == ColumnRef(table="clicks", column="CustomerId")
    assert [(one.value, one.share, one.is_sentinel) for one in top.blame.keys] == [("", 0.36, True)]
    assert findings.not_known == ()


def test_the_shuffle_sample_is_excess_shuffle_with_its_exchanges_and_lines() -> None:
    """T2, T4."""
    findings = find_scope(*sample("scope_shuffle"))
    problems = [one for one in findings.verdicts if one.severity is Severity.PROBLEM]

    assert findings.tuning_class is TuningClass.EXCESS_SHUFFLE
    assert [(one.kind, one.blame.spots[0].line) for one in problems] == [
        (VerdictKind.SHUFFLE_VOLUME, 16),
        (VerdictKind.BROADCASTABLE_JOIN, 25),
        (VerdictKind.REDUNDANT_EXCHANGE, 16),
        (VerdictKind.REDUNDANT_EXCHANGE, 10),
    ]


def test_without_a_plan_the_line_is_found_by_the_stages_name_and_without_statistics_only_hints_remain() -> None:
    """T2: what is missing is told."""
    no_plan = find_scope(*sample("scope_skew", without=("Algebra.xml", "ScopeVertexDef.xml")))
    script_alone = find_scope([one for one in sample("scope_skew")[0] if type(one).__name__ == "ScopeScriptFacts"])

    assert (no_plan.tuning_class, no_plan.verdicts[0].blame.spots[0].line) == (TuningClass.DATA_SKEW, 19)
    assert (script_alone.tuning_class, {one.severity for one in script_alone.verdicts}) == (TuningClass.NONE, {Severity.HINT})
    assert [said(note).split(":")[0] for note in script_alone.not_known] == ["Job statistics", "Data flow", "Plan", "Table metadata"]


BOTH = """a = EXTRACT k:int, v:int FROM "/data/a.ss" USING DefaultTextExtractor();
b = EXTRACT k:int, w:int FROM "/data/b.ss" USING DefaultTextExtractor();
both = SELECT a.v, b.w FROM a JOIN b ON a.k == b.k;
OUTPUT both TO "/out/both.ss";"""


@pytest.mark.parametrize(
    ("words", "small", "expected"),
    [
        ("a INNER JOIN", "SV2_Extract", "BROADCASTRIGHT"),
        ("a INNER JOIN", "SV1_Extract", ""),
        ("a LEFT OUTER JOIN", "SV2_Extract", "BROADCASTRIGHT"),
        ("a LEFT OUTER JOIN", "SV1_Extract", None),
        ("@unknown AS a LEFT OUTER JOIN", "SV2_Extract", ""),
    ],
)
def test_the_hint_sends_the_side_that_was_measured_as_small(words: str, small: str, expected: str | None) -> None:
    """56 GiB were to go to every vertex, since the stream behind the other side's 38 MiB was the larger one. A side whose
    tables are not known is not said to be small."""
    text = BOTH.replace("a JOIN", words)
    read = read_scope(text, "job.script")
    sizes = {stage: 1 << 20 if stage == small else 10 * GIB for stage in ("SV1_Extract", "SV2_Extract")}
    moved = flow(*((stage, "SV3_Combine", size) for stage, size in sizes.items()))
    inputs = (
        ScopeFlowVertex(vertex_id="a", name="/data/a.ss", is_input=True),
        ScopeFlowVertex(vertex_id="b", name="/data/b.ss", is_input=True),
    )
    reads = (
        ScopeFlowEdge(source="a", target="SV1_Extract", size_bytes=20 * GIB, kind="Read"),
        ScopeFlowEdge(source="b", target="SV2_Extract", size_bytes=15 * GIB, kind="Read"),
    )
    whole = moved.model_copy(update={"vertices": (*moved.vertices, *inputs), "edges": (*moved.edges, *reads)})
    plan = ScopePlan(artefact="Algebra.xml", operators=(operator("Join", PlanOperatorKind.JOIN, "SV3_Combine", (), ("k",)),))
    facts = (plan, whole, statistics(), read)

    advised = advise(find_scope(facts), None, [NamedScript("job.script", read.script, text)], (), scope=ScopeJob(facts))

    fixes = [fix for fix in advised.fixes if fix.kind is FixKind.BROADCAST_JOIN]
    assert [("BROADCASTRIGHT" if "BROADCASTRIGHT" in fix.diff else "") for fix in fixes] == ([] if expected is None else [expected])
