"""Fixes that exclude each other: each says so, and no two of them are counted or let out as if both could be made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.plan import Fix, FixKind, Risk, TuningPlan
from contracts.tune.steps import Classification
from contracts.verdicts import Severity, Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind, Gain
from tests.support.said import said as shown
from tests.support.tuning import run_of, stage_of
from workers.kinds.tune.rules.advice.alternatives import first_of_each_problem, rewrite_the_same, with_alternatives
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.pairs import against_each_other
from workers.kinds.tune.rules.advice.plan import combined
from workers.kinds.tune.rules.advice.rewrites.patches import LINE, apply_diff, changed_lines, diff_of
from workers.kinds.tune.rules.by_model.fixes import with_own
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.summarise import report

TEXT = "a\nb\nc\nd\ne\nf\ng\nh\n"


def fix(number: int, new: str = "", place: int = 0, artefact: str = "job.py", **told: object) -> Fix:
    diff = diff_of("job.py", TEXT, new) if new else ""
    change = Change(kind=ChangeKind.PARTITIONS, stage_ids=(number,), partitions=8)
    gain = Gain(before_ms=100, after_ms=90, low_ms=80, high_ms=99, saved_share=0.1, method="replay")
    made = Fix(
        fix_id=f"F{number}",
        kind=FixKind.OTHER,
        title=f"t{number}",
        what="w",
        verdicts=(place,),
        risk=Risk.LOW,
        artefact=artefact,
        diff=diff,
        changes=(change,),
        gain=gain,
    )
    return made.model_copy(update=told)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a\nB\nc\nd\ne\nf\ng\nh\n", "a\nb2\nc\nd\ne\nf\ng\nh\n", True),
        ("a\nB\nC\nd\ne\nf\ng\nh\n", "a\nb\nc2\nd\ne\nf\ng\nh\n", True),
        ("a\nB\nc\nd\ne\nf\ng\nh\n", "a\nb\nC\nd\ne\nf\ng\nh\n", False),
        ("a\nb\nnew\nc\nd\ne\nf\ng\nh\n", "a\nb\nother\nc\nd\ne\nf\ng\nh\n", True),
        ("a\nb\nnew\nc\nd\ne\nf\ng\nh\n", "a\nB\nc\nd\ne\nf\ng\nh\n", True),
        ("A\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\ne\nf\ng\nH\n", False),
        ("", "A\nb\nc\nd\ne\nf\ng\nh\n", False),
    ],
)
def test_two_diffs_of_the_same_line_are_seen_and_neighbours_are_not_taken_for_one(one: str, other: str, same: bool) -> None:
    assert rewrite_the_same(fix(1, one), fix(2, other)) is same
    assert rewrite_the_same(fix(2, other), fix(1, one)) is same
    assert not rewrite_the_same(fix(1, one), fix(2, other, artefact="other.py"))


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_changed_lines_of_a_diff_are_those_outside_of_which_nothing_changes(old: list[str], new: list[str]) -> None:
    """Lines outside of the spans stand in both texts, in the same order."""
    before, after = "".join(f"{one}\n" for one in old), "".join(f"{one}\n" for one in new)
    diff = diff_of("x", before, after)

    spans = changed_lines(diff)

    changed = {number for start, end in spans for number in range(start, end)}
    removed = sum(line.startswith("-") for line in LINE.findall(diff)[2:])
    assert len(changed) == removed
    assert apply_diff(diff, before) == after
    assert bool(spans) == (before != after)


def test_the_later_of_two_that_rewrite_a_line_is_instead_of_the_first_and_both_are_never_made_together() -> None:
    first, second, third = fix(1, "a\nB\n" + TEXT[4:]), fix(2, "a\nb2\n" + TEXT[4:], place=1), fix(3, place=2)

    told = with_alternatives((first, second, third))

    assert [one.instead_of for one in told] == [(), ("F1",), ()]
    assert [one.fix_id for one in first_of_each_problem(told)] == ["F1", "F3"]


def test_two_ways_of_one_problem_say_that_one_is_enough() -> None:
    salt = fix(2, kind=FixKind.SALT, excludes=(FixKind.SKEW_JOIN,))
    aqe = fix(1, kind=FixKind.SKEW_JOIN, excludes=(FixKind.SALT,))

    assert [one.instead_of for one in with_alternatives((aqe, salt))] == [(), ("F1",)]
    assert [one.instead_of for one in with_alternatives((aqe, salt.model_copy(update={"verdicts": (1,)})))] == [(), ()]


def test_the_review_refuses_a_rewrite_of_the_same_line_that_does_not_say_so() -> None:
    """Whoever made it: rules, a model, or a person."""
    fixes = (fix(1, "a\nB\n" + TEXT[4:]), fix(2, "a\nb2\n" + TEXT[4:], place=1))

    (objection,) = against_each_other(fixes)

    assert (objection.fix_id, objection.rule) == ("F2", "overlap")
    assert "F1" in shown(objection.text)
    assert not list(against_each_other(with_alternatives(fixes)))
    assert with_own(TuningPlan(fixes=fixes[:1]), fixes[1:]).fixes[1].instead_of == ("F1",)


def test_the_figure_for_all_together_has_no_two_of_which_one_is_enough() -> None:
    told = with_alternatives((fix(1, "a\nB\n" + TEXT[4:]), fix(2, "a\nb2\n" + TEXT[4:], place=1), fix(3, place=2)))
    asked: list[tuple[Change, ...]] = []

    def estimate(changes: tuple[Change, ...]) -> Gain:
        asked.append(changes)
        return Gain(before_ms=100, after_ms=90, low_ms=80, high_ms=99, saved_share=0.1, method="replay")

    combined(Case(classify(()), run_of(stage_of(1, [1])), [], ()), told, estimate)

    assert [change.stage_ids for change in asked[0]] == [(1,), (3,)]


def test_a_report_names_no_fix_that_is_not_in_it() -> None:
    """The first one may have been refused."""
    verdicts = [Verdict(kind=VerdictKind.SPILL, severity=Severity.PROBLEM, share=0.5, summary="Spilled.")]
    later = fix(2).model_copy(update={"instead_of": ("F1",)})
    found = classify(tuple(verdicts))

    told = report(found, Classification(tuning_class=found.tuning_class, scores=found.scores), TuningPlan(fixes=(later,)), language="en")

    assert told.fixes[0].instead_of == ()
