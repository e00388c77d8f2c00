"""Which of a model's drafts is shown, and whether it counts as verified."""

import pytest

from contracts.queries import Aggregate, Measure, QueryPlan, Selected, Source
from workers.kinds.ask.rules.drafts import Judged, Tried, agree, is_ordered, judged

PLAN = QueryPlan(sources=(Source(table="halls", alias="halls"),), selected=(Selected(value=Measure(aggregate=Aggregate.COUNT)),))
SEVEN, EIGHT, NONE = (("7",),), (("8",),), ()


def best(*tried: Tried) -> Judged:
    found = judged(tried)
    assert found is not None
    return found


def test_two_drafts_that_agree_are_verified_and_the_plan_among_them_is_kept() -> None:
    found = best(Tried("plan", SEVEN, plan=PLAN), Tried("statement", SEVEN))

    assert (found.sql, found.is_verified, found.plan) == ("plan", True, PLAN)


def test_a_plan_without_the_order_that_the_statement_has_is_not_taken() -> None:
    found = best(Tried("plan", SEVEN, plan=PLAN), Tried("statement", SEVEN, is_ordered=True))

    assert (found.sql, found.is_verified, found.plan) == ("statement", True, None)


def test_where_none_agree_a_statement_with_nothing_against_it_is_shown_with_another_result() -> None:
    tried = Tried("plan", SEVEN, plan=PLAN), Tried("doubtful", EIGHT, ("the number 3 is not used",)), Tried("statement", (("9",),))

    found = best(*tried)

    assert (found.sql, found.is_verified, found.other) == ("statement", False, "plan")


@pytest.mark.parametrize("rows", [NONE, (("null",),), (("", ""),)])
def test_a_result_without_anything_verifies_nothing(rows: tuple[tuple[str, ...], ...]) -> None:
    assert not best(Tried("a", rows), Tried("b", rows)).is_verified


def test_a_doubt_about_what_is_shown_verifies_nothing() -> None:
    assert not best(Tried("a", SEVEN, ("the number 3 is not used",)), Tried("b", SEVEN, ("the number 3 is not used",))).is_verified


def test_two_of_three_that_agree_win_and_the_other_is_shown_beside_them() -> None:
    found = best(Tried("a", SEVEN), Tried("b", EIGHT), Tried("c", EIGHT))

    assert (found.sql, found.is_verified, found.other) == ("b", True, "a")


def test_most_drafts_must_agree_and_two_at_least() -> None:
    a, b, c = Tried("a", SEVEN), Tried("b", EIGHT), Tried("c", (("9",),))

    assert [agree(tried) for tried in ([], [a], [a, b], [a, a], [a, b, b], [a, b, c, b])] == [False, False, False, True, True, False]


def test_without_a_draft_there_is_nothing() -> None:
    assert judged([]) is None


@pytest.mark.parametrize(("sql", "expected"), [("SELECT a FROM t ORDER BY a", True), ("SELECT a FROM t", False), ("SELECT (", False)])
def test_an_order_is_seen(sql: str, expected: bool) -> None:
    assert is_ordered(sql, "duckdb") is expected
