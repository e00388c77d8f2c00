"""A tuning report as a document: how much it shows, what is only data, and what version 0.1 stored."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from contracts.spark_time import StageTime, TimeAccount
from contracts.tune.plan import Fix, FixKind, Risk, Setting, TuningReport
from contracts.tune.steps import Classification, Hypothesis, HypothesisFinding, KeySpot, Standing
from contracts.verdicts import Blame, ClassScore, ColumnRef, KeyStatistics, ScriptSpot, Severity, TuningClass, Verdict, VerdictKind
from workers.kinds.base import ShowOptions
from workers.kinds.registry import load_kinds
from workers.kinds.tune.view import show_result
from workers.saying.markdown import to_markdown
from workers.saying.terminal import to_lines
from workers.saying.web_page import to_html

OLD = Path(__file__).with_name("tuning_report_0_1.json")
JOB = UUID(int=7)
SPOT = KeySpot(
    artefact="[bold]job.py", line=3, operation="join", text="join(b, 'k')", excerpt=("a.join(b, 'k')",), excerpt_from=3, why="Skewed."
)
KEY = KeyStatistics(column=ColumnRef(table="a", column="k"), value="", rows=60, table_rows=100, share=0.6)

load_kinds(())


def report(*fixes: Fix) -> TuningReport:
    skewed = Verdict(
        kind=VerdictKind.DATA_SKEW,
        severity=Severity.PROBLEM,
        share=0.5,
        summary="Stage 4 is skewed.",
        blame=Blame(spots=(ScriptSpot(line=3, operation="join", text="join(b, 'k')"),), keys=(KEY,)),
    )
    scores = (ClassScore(tuning_class=TuningClass.DATA_SKEW, score=0.5), ClassScore(tuning_class=TuningClass.OTHER, score=0))
    supposed = Hypothesis(
        hypothesis_id="H1",
        kind=VerdictKind.DATA_SKEW,
        tuning_class=TuningClass.DATA_SKEW,
        statement="A few keys carry most rows.",
        how_to_verify=(),
        needs=(),
        prior=0.5,
    )
    return TuningReport(
        language="en",
        headline="Data skew: Stage 4 is skewed.",
        classification=Classification(tuning_class=TuningClass.DATA_SKEW, scores=scores),
        verdicts=(skewed,),
        key_code=(SPOT, SPOT.model_copy(update={"operation": "group"})),
        hypotheses=(supposed,),
        standings=(HypothesisFinding(hypothesis_id="H1", standing=Standing.SUPPORTED, says="Supported: Stage 4 is skewed."),),
        fixes=fixes,
        not_read=tuple(f"noise_{number}" for number in range(50)),
    )


def fix(number: int, *instead_of: str) -> Fix:
    return Fix(
        fix_id=f"F{number}",
        kind=FixKind.OTHER,
        title=f"Title {number}",
        what=f"What {number}",
        verdicts=(0,),
        pros=(f"Pro {number}",),
        cons=(f"Con {number}",),
        risk=Risk.LOW,
        diff=f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b{number}\n",
        configuration=(Setting(name="spark.x", value=str(number), was="0"),),
        verify=(f"Check {number}",),
        gain_unknown=f"Unknown {number}",
        instead_of=instead_of,
    )


def printed(made: TuningReport, language: str = "en", *, details: bool = True, width: int = 200) -> list[str]:
    document = show_result(made.to_json(), ShowOptions(JOB, details))
    assert document is not None
    return [line.plain for line in to_lines(document, language, width)]


def test_what_says_nothing_is_not_shown() -> None:
    """T28: no class that nothing speaks for, no line of code twice, no standing twice, no page of names."""
    lines = printed(report())

    assert not any("another problem" in line for line in lines)
    assert sum("a.join(b, 'k')" in line for line in lines) == 1
    assert sum("upported" in line for line in lines) == 1
    assert next(line for line in lines if "noise_0" in line).endswith("noise_11, …")


def test_names_from_the_bundle_are_text_and_a_spot_says_its_script() -> None:
    """T28: brackets are no markup; of an empty key the quotes are seen."""
    text = "\n".join(printed(report()))

    assert text.count("[bold]job.py:3") == 2
    assert "Key: k = '': 60 of 100 rows (60%)" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_brief_report_shows_the_first_fixes_in_full_and_of_the_others_what_they_are(language: str) -> None:
    """T28: one fix a cause; an alternative is a line below it. Diffs and hypotheses wait behind `--details`, and the report says so."""
    made = report(fix(1), fix(2, "F1"), fix(3), fix(4), fix(5))

    text = "\n".join(printed(made, language, details=False))

    for number, is_full in ((1, True), (2, False), (3, True), (4, True), (5, False)):
        is_alternative = number == 2
        assert f"Title {number}" in text
        assert [f"Con {number}" in text, f"spark.x={number}" in text] == [not is_alternative] * 2
        assert [mark in text for mark in (f"What {number}", f"Pro {number}", f"+b{number}", f"Check {number}")] == [is_full] * 4
    assert ("Or instead: F2" if language == "en" else "也可以改用：F2") in text
    assert "bullpen show 000000000007 --details" in text
    assert "H1" not in text
    assert "H1" in "\n".join(printed(made, language))


def test_nothing_of_the_brief_report_is_missing_in_the_whole_one() -> None:
    """T28: but where the rest is."""
    made = report(fix(1), fix(2, "F1"))

    brief, whole = (printed(made, details=details) for details in (False, True))

    assert [line for line in brief if line not in whole and "--details" not in line and "job.py" not in line] == ["Or instead: F2 Title 2"]
    assert len(brief) < len(whole)


def test_a_hint_of_almost_no_time_is_in_the_details_alone() -> None:
    (problem,) = report().verdicts
    small = problem.model_copy(update={"severity": Severity.HINT, "share": 0.0004, "summary": "Stage 19 is tiny.", "blame": Blame()})
    larger = small.model_copy(update={"share": 0.02, "summary": "Stage 20 is small."})
    made = report().model_copy(update={"verdicts": (small, larger)})

    brief, whole = ("\n".join(printed(made, details=details)) for details in (False, True))

    assert ["Stage 19" in brief, "Stage 20" in brief] == [False, True]
    assert ["Stage 19" in whole, "Stage 20" in whole] == [True, True]


def test_of_a_scope_job_the_longest_stages_stand_first() -> None:
    """T5, T19: its statistics have no parts of the time, but they have stages."""
    account = TimeAccount(wall_ms=100_000, stages=(StageTime(stage_id=3, name="SV3_Combine", ms=82_000),))
    made = report().model_copy(update={"time": account})

    for details in (False, True):
        lines = printed(made, details=details)
        place = next(number for number, line in enumerate(lines) if line.startswith("Where the time went"))
        assert lines[place + 1] == "By stage, as far as it kept slots busy: stage SV3_Combine 82%."


def test_what_is_not_a_report_is_left_to_others() -> None:
    assert show_result({"root_cause": "disk"}, ShowOptions()) is None


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("details", [False, True])
def test_a_report_of_version_0_1_is_still_shown_in_every_medium(language: str, details: bool) -> None:
    """Its sentences are shown as they are; headings and labels are in the reader's language."""
    content = json.loads(OLD.read_text("utf-8"))

    document = show_result(content, ShowOptions(JOB, details))

    assert document is not None
    headline = content["headline"]
    assert headline in "\n".join(line.plain for line in to_lines(document, language, 2_000))
    assert ("What to do" if language == "en" else "建议") in to_markdown(document, language)
    assert "visitor_id" in to_html(document, language)


def lines(shown: TuningReport) -> str:
    document = show_result(shown.to_json(), ShowOptions())
    assert document is not None
    return "\n".join(line.plain for line in to_lines(document, "en", 100))


def test_a_job_that_nobody_measured_is_not_said_to_have_no_problem() -> None:
    """T1: the title was "no dominating problem". What its lines may lead to, and how to measure it, are there instead."""
    unmeasured = report().model_copy(
        update={"classification": Classification(tuning_class=TuningClass.NONE, scores=(), is_preliminary=True), "verdicts": ()}
    )

    text = lines(unmeasured)

    assert text.startswith("Tuning report: no run was measured")
    assert "job.py:3 `join(b, 'k')`: Skewed." in text
    assert "spark.eventLog.enabled=true" in text
    assert "Not read, since they are not known as files of a run or tell none of its figures: noise_0" in text


def test_another_problem_is_named_in_the_title_and_every_problem_of_a_fix_is_listed() -> None:
    """T2, T29: a reader found "another problem" above, and below a fix for finding 3 of 1."""
    kinds = (VerdictKind.FAILURES, VerdictKind.SPILL, VerdictKind.GC_PRESSURE)
    severities = (Severity.PROBLEM, Severity.HINT, Severity.HINT)
    found = [
        Verdict(kind=kind, severity=severity, share=0.2, summary=f"It is {kind}.") for kind, severity in zip(kinds, severities, strict=True)
    ]
    fix = Fix(fix_id="F1", kind=FixKind.LESS_GARBAGE, title="Less.", what="Do.", verdicts=(2,), risk=Risk.LOW)
    other = Classification(tuning_class=TuningClass.OTHER, scores=())

    text = lines(report(fix).model_copy(update={"verdicts": tuple(found), "classification": other}))

    assert text.startswith("Tuning report: garbage collection")  # as the first fix and the first sentence
    assert "1. Problem, failures and retries" in text
    assert "3. Hint, garbage collection" in text
    assert "2. Hint" not in text


def test_a_log_without_a_run_has_no_share_of_it_and_leaves_the_script_its_hints() -> None:
    """T5: a driver's log tells errors, and nothing of the time."""
    said = Verdict(kind=VerdictKind.FAILURES, severity=Severity.PROBLEM, share=1.0, summary="The log reports out of memory (4 lines).")
    of_log = report().model_copy(update={"verdicts": (said,), "key_code": (SPOT,)})

    shown = "\n".join(printed(of_log, details=False))

    assert "100%" not in shown
    assert "What the script may lead to" in shown
    assert "job.py:3" in shown
