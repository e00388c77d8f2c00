"""The review of a plan: what a rule, a model or a person may not say."""

from typing import Any

import pytest

from contracts.tune.plan import Fix, FixKind, Risk, Setting, TuningPlan
from contracts.verdicts import Figure, Findings, Severity, Unit, Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind, Gain
from tests.support.advice import script_of
from tests.support.said import said as shown
from tests.support.tuning import run_of, stage_of
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.review import review

SPILLED = Figure(name="spilled to disk", value=1 << 30, unit=Unit.BYTES, source="event log, stage 4, task metrics")
SHARE = Figure(name="tasks' time in the stage", value=0.4, unit=Unit.SHARE, source="event log, stage 4, task metrics")
TEXT = "x = 1\ny = 2\n"
RUN = run_of(stage_of(4, [1000] * 4), spark_version="3.1.2", configuration={"spark.sql.shuffle.partitions": "4"})


def findings(kind: VerdictKind = VerdictKind.SPILL) -> Findings:
    return classify(
        (Verdict(kind=kind, severity=Severity.PROBLEM, stage_ids=(4,), share=0.4, summary="Spilled.", figures=(SPILLED, SHARE)),)
    )


def fix_of(fix_id: str = "F1", **told: Any) -> Fix:
    defaults: dict[str, Any] = {
        "kind": FixKind.MORE_PARTITIONS,
        "title": f"More partitions {fix_id}",
        "what": "More of them.",
        "verdicts": (0,),
        "evidence": (SPILLED,),
        "risk": Risk.LOW,
    }
    return Fix(fix_id=fix_id, **(defaults | told))


def rules(*fixes: Fix, kind: VerdictKind = VerdictKind.SPILL) -> list[tuple[str, str]]:
    found = review(TuningPlan(fixes=fixes), findings(kind), RUN, [script_of(TEXT)])
    assert all(shown(one.text) and shown(one.text, "zh") for one in found)
    return [(one.fix_id, one.rule) for one in found]


def setting(name: str, value: str, was: str | None = None) -> tuple[Setting, ...]:
    return (Setting(name=name, value=value, was=was),)


def gain(share: float) -> Gain:
    return Gain(
        before_ms=100,
        after_ms=int(100 - 100 * share),
        low_ms=max(0, int(95 - 100 * share)),
        high_ms=int(105 - 100 * share),
        saved_share=share,
        method="replay",
    )


@pytest.mark.parametrize(
    ("told", "rule"),
    [
        ({}, None),
        ({"verdicts": ()}, "no_verdict"),
        ({"verdicts": (7,)}, "no_verdict"),
        ({"evidence": ()}, "no_figure"),
        ({"evidence": (SPILLED.model_copy(update={"value": 5.0}),)}, "other_figure"),
        ({"evidence": (SPILLED.model_copy(update={"source": "I think"}),)}, "other_figure"),
        ({"what": "It takes 90 % of the time."}, "claim"),
        ({"what": "It takes 40 % of the time."}, None),
        ({"configuration": setting("spark.sql.shuffle.partitions", "16", "4")}, None),
        ({"configuration": setting("spark.sql.shuffle.partitions", "16", "8")}, "setting_was"),
        ({"configuration": setting("spark.sql.shuffle.partitions", "4")}, "setting_already"),
        ({"configuration": setting("spark.sql.shuffle.partitions", "many")}, "setting_value"),
        ({"configuration": setting("spark.sql.go.faster", "true")}, "setting_unknown"),
        ({"configuration": setting("rm -rf /", "true")}, "setting_name"),
        ({"diff": "--- a/job.py\n+++ b/job.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n", "artefact": "job.py"}, None),
        ({"diff": "--- a/job.py\n+++ b/job.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 9\n+y = 3\n", "artefact": "job.py"}, "diff"),
        ({"diff": "--- a/job.py\n+++ b/job.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = (\n", "artefact": "job.py"}, "diff_breaks"),
        ({"diff": "--- a/else.py\n+++ b/else.py\n@@ -1 +1 @@\n-x\n+y\n", "artefact": "else.py"}, "diff"),
        ({"gain": gain(0.3)}, None),
        ({"gain": gain(0.9)}, "gain"),
        ({"kind": FixKind.SALT}, "class"),
        ({"kind": FixKind.BROADCAST_JOIN}, "class"),
        ({"kind": FixKind.OTHER}, None),
    ],
)
def test_a_fix_is_held_to_the_board(told: dict[str, Any], rule: str | None) -> None:
    """T27, T31."""
    assert rules(fix_of(**told)) == ([("F1", rule)] if rule else [])


def test_a_setting_that_the_version_does_not_have_is_objected_to() -> None:
    """T31: adaptive execution came with 3.0."""
    old = RUN.model_copy(update={"spark_version": "2.4.8"})
    fix = fix_of(configuration=setting("spark.sql.adaptive.enabled", "true"))

    found = review(TuningPlan(fixes=(fix,)), findings(), old, [])

    assert [one.rule for one in found] == ["version"]


def test_the_later_of_two_fixes_that_say_the_same_or_the_opposite_goes() -> None:
    """T31."""
    more = Change(kind=ChangeKind.PARTITIONS, stage_ids=(4,), partitions=16)
    fewer = fix_of("F2", kind=FixKind.FEWER_PARTITIONS, changes=(more,))

    assert rules(fix_of(changes=(more,)), fewer) == [("F2", "contradiction")]
    assert rules(fix_of(), fix_of("F2", title="More partitions F1")) == [("F2", "duplicate")]
    assert rules(
        fix_of(configuration=setting("spark.memory.fraction", "0.6")),
        fix_of("F2", kind=FixKind.MORE_MEMORY, configuration=setting("spark.memory.fraction", "0.8")),
    ) == [("F2", "contradiction")]


def test_two_ways_for_the_same_skew_have_to_exclude_each_other() -> None:
    """T3, T31."""
    salt = fix_of(kind=FixKind.SALT)
    split = fix_of("F2", kind=FixKind.SPLIT_HOT_KEYS)
    either = split.model_copy(update={"excludes": (FixKind.SALT,)})

    assert rules(salt, split, kind=VerdictKind.DATA_SKEW) == [("F2", "not_excluded")]
    assert rules(salt, either, kind=VerdictKind.DATA_SKEW) == []


def test_a_fix_that_is_objected_to_is_left_out_with_the_reason() -> None:
    """T31."""
    told = advise(findings(), RUN, [])
    bad = told.fixes[0].model_copy(update={"evidence": ()})
    objections = review(TuningPlan(fixes=(bad,)), findings(), RUN, [])

    again = advise(findings(), RUN, [], objections=objections)

    assert [fix.fix_id for fix in again.fixes] == [fix.fix_id for fix in told.fixes[1:]]
    assert any(shown(told.fixes[0].title) in shown(text) and "rests on no number" in shown(text) for text in again.left_out)
