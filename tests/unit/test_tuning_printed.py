"""A tuning report on the terminal: what stands in it once, in one language, and as text."""

import io

import pytest

from contracts.tuning_plan import TuningReport
from contracts.tuning_steps import Classification, Hypothesis, HypothesisFinding, KeySpot, Standing
from contracts.tuning_verdicts import Blame, ClassScore, ColumnRef, KeyStatistics, ScriptSpot, Severity, TuningClass, Verdict, VerdictKind
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


def printed(report: TuningReport, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    out = io.StringIO()
    monkeypatch.setattr(tuning, "console", SafeConsole(file=out, highlight=False, emoji=False, width=200))
    tuning.print_report(report)
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
