"""Hypotheses: which are made, in which order, and how the evidence judges them."""

from pathlib import Path

import pytest

from contracts.bundles import ArtefactRead, Catalogue, Information
from contracts.spark import RunFacts
from contracts.tune.steps import Causes, Classification, Experience, ExperienceFound, KeyCode, KeySpot, Standing
from contracts.verdicts import Findings, Severity, TuningClass, VerdictKind
from tests.support.said import said as shown
from tests.support.tune_bundles import LOG_TELLS, findings_of, read_of, verdict_of
from tests.support.tune_generated import generated_cases
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.spark.verdicts.lost import FAMILIES
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.known_causes import CLASS_OF, KNOWN
from workers.kinds.tune.rules.refuting import numbers_of
from workers.kinds.tune.rules.standing import judge_hypotheses

EMPTY = Catalogue(bundle="test", content_hash="0")
NO_CODE, NO_EXPERIENCE = KeyCode(), ExperienceFound(query="")
LOG = read_of("log", "spark_event_log", *LOG_TELLS)
MIB = 1 << 20
LANGUAGES = ["en", "zh"]


def said(description: str) -> Classification:
    return classify_by_words(description, (), EMPTY)


def kinds_of(causes: Causes) -> list[VerdictKind]:
    return [one.kind for one in causes.hypotheses]


def prior(causes: Causes, kind: VerdictKind) -> float:
    return next((one.prior for one in causes.hypotheses if one.kind is kind), 0.0)


def supposed(description: str = "", findings: Findings | None = None, read: tuple[ArtefactRead, ...] = ()) -> Causes:
    known = classification(findings, said(description), read)
    return suppose(known, NO_CODE, NO_EXPERIENCE, findings, description)


def one_cause(kind: VerdictKind) -> Causes:
    """As if only this one had been thought of."""
    known = said("").model_copy(update={"tuning_class": CLASS_OF[kind]})
    found = suppose(known, NO_CODE, NO_EXPERIENCE, findings_of(verdict_of(kind)), "")
    return Causes(hypotheses=tuple(one for one in found.hypotheses if one.kind is kind))


def test_every_verdict_that_is_a_problem_has_a_hypothesis_in_both_languages() -> None:
    """T29: statement, ways to verify and what has to be known."""
    assert set(KNOWN) == set(CLASS_OF)
    for kind in KNOWN:
        (hypothesis,) = one_cause(kind).hypotheses
        for text in (hypothesis.statement, *hypothesis.how_to_verify):
            assert shown(text) != shown(text, "zh")
    assert all(known.needs and 0 < known.prior < 0.5 for known in KNOWN.values())


@pytest.mark.parametrize("kind", list(CLASS_OF))
def test_a_problem_that_was_found_is_the_first_hypothesis(kind: VerdictKind) -> None:
    """T29: of whatever kind it is."""
    findings = findings_of(verdict_of(kind))

    assert kinds_of(supposed(findings=findings, read=(LOG,)))[0] is kind


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        ("executors die: java.lang.OutOfMemoryError", VerdictKind.FAILURES),
        ("Full GC 频繁", VerdictKind.GC_PRESSURE),
        ("stuck at 199/200", VerdictKind.DATA_SKEW),
        ("怀疑数据倾斜", VerdictKind.DATA_SKEW),
        ("huge shuffle", VerdictKind.SHUFFLE_VOLUME),
        ("大量溢写磁盘", VerdictKind.SPILL),
        ("read timeouts, tasks are retried", VerdictKind.FAILURES),
        ("小文件太多", VerdictKind.TINY_TASKS),
        ("笛卡尔积", VerdictKind.CROSS_JOIN),
        ("executors are idle", VerdictKind.IDLE_EXECUTORS),
    ],
)
def test_the_users_words_come_first_while_nothing_is_measured(description: str, kind: VerdictKind) -> None:
    """T29: in both languages."""
    assert kinds_of(supposed(description))[0] is kind


def test_what_the_user_denies_is_less_likely_and_not_gone() -> None:
    """T29: they may have looked in the wrong place."""
    denied, silent = supposed("no skew"), supposed("")

    assert prior(denied, VerdictKind.DATA_SKEW) < prior(silent, VerdictKind.DATA_SKEW)
    assert prior(supposed("no skew", findings_of(verdict_of(VerdictKind.DATA_SKEW)), (LOG,)), VerdictKind.DATA_SKEW) > 0.5


def test_there_are_at_most_eight_likeliest_first() -> None:
    """T29."""
    found = supposed("OOM, GC, spill, shuffle, 倾斜, 超时, small files, idle executors, cross join, UDF, low parallelism").hypotheses

    assert [one.hypothesis_id for one in found] == [f"H{n}" for n in range(1, 9)]
    assert [one.prior for one in found] == sorted((one.prior for one in found), reverse=True)
    assert all(0 <= one.prior <= 1 for one in found)


def test_what_the_user_supposes_is_judged_however_unlikely_it_is_by_now() -> None:
    """T29: a user who suspects skew wants to hear that it is none."""
    findings = findings_of(verdict_of(VerdictKind.SHUFFLE_VOLUME))

    assert VerdictKind.DATA_SKEW in kinds_of(supposed("怀疑数据倾斜", findings, (LOG,)))
    assert VerdictKind.DATA_SKEW not in kinds_of(supposed("", findings, (LOG,)))


def test_code_makes_its_own_causes_likelier() -> None:
    """T4: a join, a cross join, an aggregate that collects."""

    def spot(operation: str, text: str) -> KeyCode:
        return KeyCode(spots=(KeySpot(artefact="job.py", line=3, operation=operation, text=text, why="test"),))

    def with_code(code: KeyCode) -> Causes:
        return suppose(said(""), code, NO_EXPERIENCE, None, "")

    plain = with_code(NO_CODE)
    assert prior(with_code(spot("join", "join(b, 'k')")), VerdictKind.DATA_SKEW) > prior(plain, VerdictKind.DATA_SKEW)
    assert prior(with_code(spot("join", "crossJoin(b)")), VerdictKind.CROSS_JOIN) > prior(plain, VerdictKind.CROSS_JOIN)
    assert kinds_of(with_code(spot("group", "groupByKey()")))[0] is VerdictKind.DATA_SKEW


def test_experience_makes_its_kinds_likelier_and_is_named() -> None:
    """T27."""
    item = Experience(
        experience_id="tune-other/gc",
        pack="tune-other",
        title="GC",
        tuning_class=TuningClass.OTHER,
        kinds=(VerdictKind.GC_PRESSURE,),
        language="en",
        text="",
        score=1,
    )

    found = suppose(said(""), NO_CODE, ExperienceFound(query="", items=(item,)), None, "")

    assert prior(found, VerdictKind.GC_PRESSURE) > prior(supposed(""), VerdictKind.GC_PRESSURE)
    assert {one.kind: one.experience for one in found.hypotheses}[VerdictKind.GC_PRESSURE] == ("tune-other/gc",)


def test_rules_over_scope_scripts_are_supposed_of_scope_jobs_alone() -> None:
    """T5."""
    scope = supposed("errors", read=(read_of("s", "scope_script"),))
    spark = supposed("errors", read=(read_of("s", "pyspark_script"),))

    assert prior(scope, VerdictKind.JOB_ERROR) > prior(spark, VerdictKind.JOB_ERROR)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_problem_of_its_kind_supports_a_hypothesis(language: str) -> None:
    """T29: with the verdict's figures."""
    verdict = verdict_of(VerdictKind.SPILL, share=0.42)

    (found,) = judge_hypotheses(one_cause(VerdictKind.SPILL), findings_of(verdict), [LOG])

    assert (found.standing, found.figures) == (Standing.SUPPORTED, verdict.figures)
    assert shown(found.says, language) == ("Supported: " if language == "en" else "成立：") + "Stage 4 has spill."


@pytest.mark.parametrize("kind", [kind for kind, known in KNOWN.items() if not known.of_scripts])
def test_a_hypothesis_is_refuted_once_all_that_it_needs_was_read(kind: VerdictKind) -> None:
    """T29: and open as long as a part of it was not."""
    causes, needs = one_cause(kind), KNOWN[kind].needs
    whole, part = read_of("a", "spark_event_log", *needs), read_of("a", "unknown", Information.WARNINGS, *needs[1:])

    assert judge_hypotheses(causes, findings_of(), [whole])[0].standing is Standing.REFUTED
    assert judge_hypotheses(causes, findings_of(), [part])[0].standing is Standing.OPEN
    assert judge_hypotheses(causes, None, [])[0].standing is Standing.OPEN


def even_run() -> RunFacts:
    stages = [
        stage_of(n, [200] * 8, wall_ms=400, shuffle_read_bytes=[3 * MIB] * 8, run_share=0.5, bytes_ratio=1.0, time_ratio=1.0)
        for n in (1, 2)
    ]
    return run_of(*stages, executions=[plan_of((0, "BroadcastHashJoin [k], [k]", {}, (1,)), (1, "FileScan parquet t", {}, (1,)))])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (VerdictKind.DATA_SKEW, "1 times"),
        (VerdictKind.STRAGGLER, "1 times"),
        (VerdictKind.SPILL, "0 B"),
        (VerdictKind.GC_PRESSURE, "0%"),
        (VerdictKind.FAILURES, "0 tasks"),
        (VerdictKind.TINY_TASKS, "8 tasks"),
        (VerdictKind.BROADCASTABLE_JOIN, "plans: 0"),
        (VerdictKind.REDUNDANT_EXCHANGE, "plans: 0"),
        (VerdictKind.CROSS_JOIN, "plans: 0"),
    ],
)
def test_the_number_that_refutes_is_named(kind: VerdictKind, value: str) -> None:
    """T29: with its threshold, in both languages; a cross join that no plan has is refuted though only scripts are judged for it."""
    read = [read_of("log", "spark_event_log", *LOG_TELLS, Information.SCRIPT_LOGIC)]

    for language in LANGUAGES:
        (found,) = judge_hypotheses(one_cause(kind), findings_of(), read, numbers_of(even_run()))
        assert found.standing is Standing.REFUTED
        assert found.figures[0].threshold is not None
        assert found.figures[0].value < found.figures[0].threshold
        assert language == "zh" or value in shown(found.says)


def test_a_hint_of_little_weight_refutes_and_a_heavy_one_leaves_open() -> None:
    """T29: a hint is true; it is only not much, or not certain to be a gain."""
    causes = one_cause(VerdictKind.SPILL)

    light, heavy = (findings_of(verdict_of(VerdictKind.SPILL, share, Severity.HINT)) for share in (0.012, 0.5))

    assert judge_hypotheses(causes, light, [LOG])[0].standing is Standing.REFUTED
    assert "no more than 1%" in shown(judge_hypotheses(causes, light, [LOG])[0].says)
    assert judge_hypotheses(causes, heavy, [LOG])[0].standing is Standing.OPEN


def test_a_rule_over_a_script_is_no_judgement_of_what_it_costs() -> None:
    """T29: seven joins are seven joins; whether they cost anything is another question."""
    hint = findings_of(verdict_of(VerdictKind.MANY_JOINS, 0, Severity.HINT))
    read = [read_of("s", "scope_script", Information.SCRIPT_LOGIC, Information.SHUFFLE_STATISTICS)]

    assert judge_hypotheses(one_cause(VerdictKind.MANY_JOINS), hint, read)[0].standing is Standing.OPEN
    assert judge_hypotheses(one_cause(VerdictKind.MANY_JOINS), findings_of(), read)[0].standing is Standing.REFUTED


def test_what_no_rule_of_the_engine_judges_stays_open() -> None:
    """T29: a Spark script's cross join, without a plan to count in."""
    read = [read_of("log", "spark_event_log", Information.SCRIPT_LOGIC, Information.JOIN_DETAILS)]
    keyless = run_of(stage_of(1, [200]), executions=[plan_of((0, "CartesianProduct", {}, (1,)))])

    (without,) = judge_hypotheses(one_cause(VerdictKind.CROSS_JOIN), findings_of(), read)
    (seen,) = judge_hypotheses(one_cause(VerdictKind.CROSS_JOIN), findings_of(), read, numbers=numbers_of(keyless))

    assert (without.standing, seen.standing) == (Standing.OPEN, Standing.OPEN)
    assert seen.figures[0].value == 1


def test_on_every_generated_job_the_right_hypothesis_is_supported_and_first(eval_data: Path) -> None:
    """T2, T29: and without a problem none is supported. Time that no family of problems explains may stand behind it."""
    for case in generated_cases(eval_data / "spark_generated"):
        revealed = case.reveal(("eventlog.zstd", "script.py", "tables.json"))
        known = classification(revealed.findings, said("数据倾斜"), revealed.read)
        causes = suppose(known, NO_CODE, NO_EXPERIENCE, revealed.findings, "数据倾斜")
        found = judge_hypotheses(causes, revealed.findings, revealed.read, numbers_of(revealed.run))
        supported = [one.kind for one, how in zip(causes.hypotheses, found, strict=True) if how.standing is Standing.SUPPORTED]
        of_families = {CLASS_OF[kind] for kind in supported if kind not in FAMILIES}
        assert of_families == ({case.right} - {TuningClass.NONE}), case.name
        assert of_families or not supported, case.name
        assert not supported or CLASS_OF[causes.hypotheses[0].kind] is case.right, case.name
        assert not supported or causes.hypotheses[0].kind in supported, case.name
