"""The sets by which the review is judged: whole, and a few of their cases. `python -m tests.evals.sql_review` judges them all."""

from collections import Counter

from tests.evals.sql_review.cases import read_set
from tests.evals.sql_review.measuring import measured
from tests.support.campaign import sample

FAMILIES = {"join", "grain", "filter", "null", "time_range", "window", "late_data", "type"}


def test_the_sets_hold_what_they_are_said_to_hold() -> None:
    for name, least in (("first", 100), ("second", 40), ("third", 100), ("fourth", 60)):
        cases = read_set(name)
        defects = [case for case in cases if case.family]
        assert len({case.id for case in cases}) == len(cases)
        assert {case.family for case in defects} - {"aggregate"} == FAMILIES
        assert len(defects) >= least
        assert len(cases) - len(defects) >= least
        assert all(count <= 4 for count in Counter(case.right for case in defects).values())


def test_defects_of_each_clause_are_caught_and_the_right_statements_pass() -> None:
    cases = [case for case in read_set("first") if (case.right or case.id) in sample(["shop-01", "tpcds-04", "load-05"], every=2)]

    score = measured(cases)

    assert (score.blocked, score.missed) == ({}, [])
