"""A tuning report on the terminal: what stands in it once, in one language, and as text."""

import io
from uuid import UUID

import pytest

from contracts.tune.plan import Fix, FixKind, Risk, Setting, TuningReport
from contracts.tune.steps import Classification, Hypothesis, HypothesisFinding, KeySpot, Standing
from contracts.verdicts import Blame, ClassScore, ColumnRef, KeyStatistics, ScriptSpot, Severity, TuningClass, Verdict, VerdictKind
from workers.cli import tuning
from workers.cli.display import SafeConsole

SPOT = KeySpot(
    artefact="[bold]job.py", line=3, operation="join", text="join(b, 'k')", excerpt=("a.join(b, 'k')",), excerpt_from=3, why="Skewed."
)
KEY = KeyStatistics(column=ColumnRef(table="a", column="k"), value="", rows=60, table_rows=100, share=0.6)


def report_in(language: str, *, is_preliminary: bool = False) -> TuningReport:
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
        language=language,
        headline="Data skew: Stage 4 is skewed." if language == "en" else "数据倾斜：Stage 4。",
        classification=Classification(tuning_class=TuningClass.DATA_SKEW, scores=scores, is_preliminary=is_preliminary),
        verdicts=(skewed,),
        key_code=(SPOT, SPOT.model_copy(update={"operation": "group"})),
        hypotheses=(supposed,),
        standings=(HypothesisFinding(hypothesis_id="H1", standing=Standing.SUPPORTED, says="Supported: Stage 4 is skewed."),),
        not_read=tuple(f"noise_{number}" for number in range(50)),
    )


def printed(report: TuningReport, monkeypatch: pytest.MonkeyPatch, *, details: bool = True) -> list[str]:
    out = io.StringIO()
    monkeypatch.setattr(tuning, "console", SafeConsole(file=out, highlight=False, emoji=False, width=200))
    tuning.print_report(report, UUID(int=7), details=details)
    return out.getvalue().splitlines()


def test_the_report_begins_with_its_headline_and_says_the_class_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """T28."""
    assert printed(report_in("en"), monkeypatch)[0] == "Data skew: Stage 4 is skewed."
    assert printed(report_in("zh"), monkeypatch)[0] == "数据倾斜：Stage 4。"


def test_what_says_nothing_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """T28: no class that nothing speaks for, no line of code twice, no standing twice, no page of names."""
    lines = printed(report_in("en"), monkeypatch)

    assert not any("another problem" in line for line in lines)
    assert sum("a.join(b, 'k')" in line for line in lines) == 1
    assert sum("upported" in line for line in lines) == 1
    assert next(line for line in lines if "noise_0" in line).endswith("noise_11, …")


def test_names_from_the_bundle_are_text_and_a_spot_says_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """T28: brackets are no markup; of an empty key the quotes are seen."""
    text = "\n".join(printed(report_in("en"), monkeypatch))

    assert text.count("[bold]job.py:3") == 2
    assert "key k = '': 60 / 100 (60 %)" in text


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_brief_report_tells_the_first_fixes_in_full_and_of_the_others_what_they_are(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T28: an alternative's diff and the hypotheses wait behind `--details`, and the report says so."""
    report = report_in(language).model_copy(update={"fixes": (fix(1), fix(2, "F1"), fix(3), fix(4), fix(5))})

    text = "\n".join(printed(report, monkeypatch, details=False))

    for number, is_full in ((1, True), (2, False), (3, True), (4, True), (5, False)):
        assert [f"{part} {number}" in text for part in ("Title", "Con")] == [True, True]
        assert f"spark.x={number}" in text
        assert [mark in text for mark in (f"What {number}", f"Pro {number}", f"+b{number}", f"Check {number}")] == [is_full] * 4
    assert ("instead of F1" if language == "en" else "代替 F1") in text
    assert f"bullpen show {UUID(int=7)} --details" in text
    assert "H1" not in text
    assert "H1" in "\n".join(printed(report, monkeypatch))


def test_nothing_that_stands_in_the_brief_report_is_missing_in_the_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """T28: but where the rest is."""
    report = report_in("en").model_copy(update={"fixes": (fix(1), fix(2, "F1"))})

    brief, whole = (printed(report, monkeypatch, details=details) for details in (False, True))

    assert [line for line in brief if line not in whole and "--details" not in line] == []
    assert len(brief) < len(whole)
