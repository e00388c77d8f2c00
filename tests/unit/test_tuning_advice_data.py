"""Plans for the 16 jobs really run, and for real logs from elsewhere: the advice that must be in them, and none of another class."""

import ast
from pathlib import Path

import pytest

from contracts.tune.plan import Fix, TuningPlan
from contracts.verdicts import Severity, TuningClass
from tests.support.advice import GeneratedCase, generated_cases
from tests.support.said import said as shown
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.review import ONLY_FOR, review

LANGUAGES = ("en", "zh")

FOREIGN: dict[str, tuple[str, ...]] = {
    "data_skew": ("spill", "speculat", "retry", "redundant repartition", "garbage"),
    "excess_shuffle": ("salt", "hot key", "sentinel", "skewjoin", "speculat", "retry", "garbage"),
    "other": ("salt", "hot key", "sentinel", "skewjoin", "broadcast", "redundant repartition"),
}
"""Class → words of remedies that belong to others."""


def plan_of(case: GeneratedCase) -> TuningPlan:
    return advise(case.findings, case.run, [case.script], case.tables)


def text_of(fix: Fix) -> str:
    settings = " ".join(setting.name for setting in fix.configuration)
    texts = (fix.title, fix.what, *fix.pros, *fix.cons, fix.risk_note, *fix.verify)
    return " ".join((*map(shown, texts), fix.diff, settings)).lower()


def test_every_generated_problem_gets_the_advice_it_must_get(eval_data: Path) -> None:
    """T3, T4, T5, T31."""
    told = {case.kind: " ".join(text_of(fix) for fix in plan_of(case).fixes) for case in generated_cases(eval_data) if case.keywords}

    missing = [
        case.kind
        for case in generated_cases(eval_data)
        if case.keywords and not any(word.lower() in told[case.kind] for word in case.keywords)
    ]
    assert not missing
    assert len(told) == 10


def test_no_advice_is_of_another_class(eval_data: Path) -> None:
    """T3, T4, T5: a salt does not help against a repartition in vain."""
    for case in generated_cases(eval_data):
        for fix in plan_of(case).fixes:
            own = TuningClass(case.label)
            assert own in ONLY_FOR.get(fix.kind, {own}), (case.kind, fix.kind)
            found = [word for word in FOREIGN[case.label] if word in text_of(fix)]
            assert not found, (case.kind, fix.kind, found)


def test_a_run_without_a_problem_gets_no_fix_and_the_reason(eval_data: Path) -> None:
    """T5: advice for its own sake costs trust."""
    calm = [case for case in generated_cases(eval_data) if case.label == "none"]

    for case in calm:
        plan = plan_of(case)
        assert plan.fixes == ()
        assert plan.left_out, case.kind
    assert len(calm) == 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_passes_the_review(eval_data: Path, language: str) -> None:
    """T27, T31: what the rules say is on the board, fits the version and the script, and does not contradict itself."""
    for case in generated_cases(eval_data):
        plan = plan_of(case)
        assert review(plan, case.findings, case.run, [case.script]) == (), case.kind


@pytest.mark.parametrize("language", LANGUAGES)
def test_plans_for_real_logs_pass_the_review(eval_data: Path, language: str) -> None:
    """T5, T31: versions 1.4 to 4.1, without a script and tables."""
    advised = 0
    for path in sorted((eval_data / "spark" / "logs").iterdir()):
        run = read_run(path)
        findings = find(run)
        plan = advise(findings, run, [])
        advised += bool(plan.fixes)
        assert review(plan, findings, run, []) == (), path.name
        problems = {place for place, one in enumerate(findings.verdicts) if one.severity is Severity.PROBLEM}
        assert bool(plan.fixes) or bool(plan.left_out) or not problems, path.name
    assert advised > 10


def test_every_diff_applies_to_the_script_and_leaves_python(eval_data: Path) -> None:
    """T31."""
    diffs = 0
    for case in generated_cases(eval_data):
        for fix in plan_of(case).fixes:
            if fix.diff:
                new = apply_diff(fix.diff, case.script.text)
                assert new is not None, case.kind
                assert new != case.script.text, case.kind
                ast.parse(new)
                diffs += 1
    assert diffs >= 12


def test_the_fixes_are_said_in_both_languages(eval_data: Path) -> None:
    """T27."""
    for case in generated_cases(eval_data):
        for fix in plan_of(case).fixes:
            assert any("\u4e00" <= char <= "\u9fff" for char in shown(fix.title, "zh")), fix.title
            assert not any("\u4e00" <= char <= "\u9fff" for char in shown(fix.title)), fix.title


def test_a_sentinel_key_is_named_with_its_share_its_table_and_its_line(eval_data: Path) -> None:
    """T3, T31."""
    case = next(one for one in generated_cases(eval_data) if one.kind == "join_n")

    first = plan_of(case).fixes[0]

    assert first.kind == "filter_sentinel"
    for told in ("orders_c.customer_id = -1", "70%", "1.5 million rows", "line 5"):
        assert told in shown(first.what)
    assert "unknown" in shown(first.what)


def test_redundant_repartitions_go_and_the_one_that_is_used_stays(eval_data: Path) -> None:
    """T4, T31: without any of them the distinct and the grouping would each shuffle on their own."""
    case = next(one for one in generated_cases(eval_data) if one.kind == "repart_u")
    fix = next(fix for fix in plan_of(case).fixes if fix.kind == "remove_repartition")

    new = apply_diff(fix.diff, case.script.text)

    assert new is not None
    assert [line.strip() for line in new.splitlines() if "repartition" in line] == ['staged = staged.repartition("customer_id")']
    assert 'orders.filter("amount > 1")' in new
    assert "staged.distinct().groupBy(" in new


def test_a_list_that_is_only_measured_becomes_a_count(eval_data: Path) -> None:
    """T3, T31."""
    case = next(one for one in generated_cases(eval_data) if one.kind == "collect_s")

    first = plan_of(case).fixes[0]

    assert first.kind == "pre_aggregation"
    assert '+per_customer = orders.groupBy("customer_id").agg(F.count("payload0").alias("items"))' in first.diff
    assert 'F.col("items").cast("int").alias("n")' in first.diff
    assert [fix.kind for fix in plan_of(case).fixes[1:]] == ["two_stage_aggregation", "split_hot_keys"]


def test_a_failure_is_answered_by_what_its_error_says_and_where(eval_data: Path) -> None:
    """T5: the end of the traceback has both."""
    case = next(one for one in generated_cases(eval_data) if one.kind == "retry_u")

    (fix,) = plan_of(case).fixes

    assert "connection reset by peer: feature-store:6379" in shown(fix.what)
    assert "check (line 8)" in shown(fix.what)


def test_settings_are_told_with_what_they_were(eval_data: Path) -> None:
    """T31."""
    case = next(one for one in generated_cases(eval_data) if one.kind == "spill_u")

    told = {setting.name: (setting.was, setting.value) for fix in plan_of(case).fixes for setting in fix.configuration}

    assert told == {"spark.memory.fraction": ("0.06", "0.6"), "spark.sql.shuffle.partitions": ("4", "16")}
