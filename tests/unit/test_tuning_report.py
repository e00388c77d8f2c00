"""The report's size: bounded whatever goes in, and what a reader needs always stays."""

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.tune.plan import Fix, FixKind, Risk, TuningPlan
from contracts.tune.steps import Classification, KeySpot
from contracts.verdicts import Blame, ColumnRef, Figure, KeyStatistics, ScriptSpot, Severity, TuningClass, Unit, Verdict, VerdictKind
from tests.support.campaign import TIMES
from tests.support.said import said as shown
from workers.kinds.base import ShowOptions
from workers.kinds.tune.report.findings import findings_shown
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.alternatives import first_of_each_problem
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.headline import headline
from workers.kinds.tune.rules.known import TASKS_NOT_SEEN
from workers.kinds.tune.rules.summarise import MOST_BYTES, report
from workers.kinds.tune.view import show_result
from workers.saying.document import Items

KINDS = (VerdictKind.SPILL, VerdictKind.DATA_SKEW, VerdictKind.STRAGGLER, VerdictKind.LATE_FILTER)


def verdict_of(number: int, text: str, items: int) -> Verdict:
    return Verdict(
        kind=KINDS[number % len(KINDS)],
        severity=Severity.PROBLEM,
        stage_ids=tuple(range(items)),
        share=0.5,
        summary=text or "Slow.",
        figures=tuple(Figure(name=f"f{n}", value=n, unit=Unit.COUNT, source=text) for n in range(items)),
        blame=Blame(
            columns=tuple(ColumnRef(table=text, column=f"c{n}") for n in range(items)),
            spots=tuple(ScriptSpot(line=n + 1, operation="join", text=text) for n in range(items)),
        ),
    )


def fix_of(number: int, places: tuple[int, ...], text: str, items: int) -> Fix:
    return Fix(
        fix_id=f"F{number}",
        kind=FixKind.OTHER,
        title=text or "Do it.",
        what=text,
        verdicts=places,
        pros=(text,) * items,
        cons=(text,) * items,
        risk=Risk.LOW,
        diff=f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{text}\n+{text}{number}\n",
    )


@settings(max_examples=24 * TIMES, deadline=None)
@given(
    st.integers(0, 40),
    st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=3), max_size=12),
    st.sampled_from(["", "x", "数据倾斜", 'quote " and \\', "\u0001"]),
    st.integers(0, 3_000),
    st.integers(0, 40),
)
def test_any_report_fits_and_keeps_the_class_and_each_problems_first_fix(
    verdicts: int, fixes: list[list[int]], text: str, times: int, items: int
) -> None:
    """T28: nothing essential is lost, and what is left out is counted."""
    verdicts = max(verdicts, 12)
    found = classify(tuple(verdict_of(number, text * times, items) for number in range(verdicts)))
    plan = TuningPlan(fixes=tuple(fix_of(number, tuple(places), text * times, items) for number, places in enumerate(fixes, start=1)))
    spots = [KeySpot(artefact="job.py", line=1, operation="join", text=text * times, why="x", excerpt=(text * times,) * items)] * items

    told = report(found, Classification(tuning_class=found.tuning_class, scores=found.scores), plan, language="en", key_code=spots)

    assert len(told.model_dump_json().encode()) <= MOST_BYTES
    assert told.classification.tuning_class is found.tuning_class
    assert len(first_of_each_problem(plan.fixes)) <= len(told.fixes)
    assert [fix.fix_id for fix in told.fixes] == [f"F{number}" for number in range(1, len(told.fixes) + 1)]
    assert all(0 <= place < len(told.verdicts) for fix in told.fixes for place in fix.verdicts)
    assert told.left_out >= len(plan.fixes) - len(told.fixes) + verdicts - len(told.verdicts)


def test_a_report_that_fits_is_told_whole() -> None:
    """T28."""
    found = classify((verdict_of(0, "Stage 4 spilled.", 2),))
    plan = TuningPlan(fixes=(fix_of(1, (0,), "More memory.", 1),))

    told = report(found, Classification(tuning_class=found.tuning_class, scores=found.scores), plan, language="en")

    assert told.left_out == 0
    assert told.fixes == plan.fixes
    assert told.verdicts == found.verdicts
    assert shown(told.headline) == "Spill: Stage 4 spilled. Line 1: `Stage 4 spilled.`."


def test_what_another_problem_brings_about_is_called_its_consequence() -> None:
    """The spill of the one heavy task was the first of two problems."""
    found = classify((verdict_of(0, "Stage 0 spilled.", 1), verdict_of(1, "Stage 0 is uneven.", 1)))
    told = report(found, Classification(tuning_class=found.tuning_class, scores=found.scores), TuningPlan(), language="en")

    items = [item for block in findings_shown(told, details=False) if isinstance(block, Items) for item in block.items]

    assert [shown(item.text).partition(",")[0] for item in items] == ["Consequence", "Problem"]


def test_a_run_of_which_nothing_was_measured_is_not_said_to_be_well() -> None:
    """T2, T33: what is supposed is told as such, and "no problem" is not said of what nobody looked at."""
    found, told = classify(()), {}
    for supposed in (TuningClass.NONE, TuningClass.DATA_SKEW):
        by_words = Classification(tuning_class=supposed, scores=found.scores, is_preliminary=True)
        for language in ("en", "zh"):
            told[supposed, language] = shown(report(found, by_words, TuningPlan(), language=language).headline, language)

    assert told[TuningClass.NONE, "en"].startswith("Nothing was read by which the run can be judged")
    by_table = Classification(tuning_class=TuningClass.NONE, scores=found.scores, is_preliminary=True)
    stages = report(classify((), (TASKS_NOT_SEEN,)), by_table, TuningPlan(), not_known=(TASKS_NOT_SEEN,), language="en")
    assert "Nothing was read" not in shown(stages.headline)
    assert "not how its tasks differ" in shown(stages.headline)
    assert told[TuningClass.DATA_SKEW, "en"].startswith("Data skew is likely")
    assert "不足以判断" in told[TuningClass.NONE, "zh"]
    assert told[TuningClass.DATA_SKEW, "zh"].startswith("推测为数据倾斜")


def test_a_heavy_key_without_a_character_is_told_by_its_quotes() -> None:
    """T5: a reader sees which value it is."""
    column = ColumnRef(table="clicks", column="customer")
    key = KeyStatistics(column=column, value="", rows=36, table_rows=100, share=0.36)
    blame = Blame(operator="SortMergeJoin", columns=(column,), keys=(key,))
    skewed = Verdict(kind=VerdictKind.DATA_SKEW, severity=Severity.PROBLEM, share=0.5, summary="Skewed.", blame=blame)
    found = classify((skewed,))
    plan = advise(found, None, [])

    assert "clicks.customer = '' carries 36% of the rows." in shown(headline(found, plan.fixes))
    assert "clicks.customer ('')" in shown(plan.fixes[0].title)
    assert "clicks.customer = '' carries 36%" in shown(plan.fixes[0].what)


def test_a_job_of_an_engine_that_is_not_judged_is_said_to_be_one() -> None:
    """It was told to add the event log of Spark."""
    found = classify(())
    by_words = Classification(tuning_class=TuningClass.DATA_SKEW, scores=found.scores, is_preliminary=True)

    made = report(found, by_words, TuningPlan(), language="en", engine="Flink")
    blocks = show_result(made.to_json(), ShowOptions())

    assert shown(made.headline) == "This is a job of Flink, which is not judged here: jobs of Spark and SCOPE are."
    assert blocks is not None
    assert "spark-submit" not in blocks.model_dump_json()
