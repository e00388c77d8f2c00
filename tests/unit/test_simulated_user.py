"""The simulated user confirms what stands in their ticket, denies all else, and tells nothing more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Finding
from tests.support.incident_cases import asking, ticket
from workers.kinds.diagnose.evaluation.user import SimulatedUser, grams, share
from workers.kinds.diagnose.rules.replies import read_answer

CPU = "CPU usage of the host is above 90 %"
LOCK = "Sessions wait for a lock on table orders"
ORDERS = ticket("T-1", "Stale statistics", CPU, LOCK)


def answers(user: SimulatedUser, *phenomena: str) -> list[Finding]:
    """What the engine reads from the user's reply."""
    question = asking(*phenomena)
    reading = read_answer(user.answer(question), question)
    assert not reading.problems
    assert not reading.observations
    return [reading.findings[item.phenomenon_id] for item in question.items]


def test_the_user_confirms_their_own_phenomena_and_denies_others() -> None:
    """D14."""
    user = SimulatedUser(ORDERS)

    assert user.answer(asking(CPU, "The disk of the standby is full", LOCK)) == "1 yes 2 no 3 yes"


def test_case_and_white_space_make_no_difference() -> None:
    assert answers(SimulatedUser(ORDERS), "cpu  usage of the\nHOST is above 90 %") == [Finding.CONFIRMED]


@pytest.mark.parametrize(
    ("asked", "finding"),
    [
        pytest.param("abcdefgh12345678", Finding.DENIED, id="6 of 14"),
        pytest.param("abcdefgh1234567", Finding.DENIED, id="6 of 13"),
        pytest.param("abcdefgh123456", Finding.CONFIRMED, id="6 of 12"),
    ],
)
def test_half_of_the_3_grams_is_enough_and_less_is_not(asked: str, finding: Finding) -> None:
    """D14."""
    user = SimulatedUser(ticket("T-1", "cause", "abcdefghijklmnopqrstuvwxyz"))

    assert answers(user, asked) == [finding]


def test_the_3_grams_may_stand_in_several_phenomena_of_the_ticket() -> None:
    """D14. The ticket's own phenomena are taken together."""
    user = SimulatedUser(ticket("T-1", "cause", "abcdefghijklmnopqrst", "0123456789 and more of it"))

    assert answers(user, "abcdefgh 01234567 ") == [Finding.CONFIRMED]


@pytest.mark.parametrize(("asked", "finding"), [("abcde", Finding.DENIED), ("  abcde  ", Finding.DENIED), ("abcdef", Finding.CONFIRMED)])
def test_a_question_of_under_six_characters_is_denied(asked: str, finding: Finding) -> None:
    """D14."""
    assert answers(SimulatedUser(ticket("T-1", "cause", "abcdefgh")), asked) == [finding]


def test_a_question_that_names_several_phenomena_is_denied() -> None:
    """D14."""
    assert answers(SimulatedUser(ORDERS), f"{CPU}; {LOCK}") == [Finding.DENIED]


def test_two_wordings_of_one_phenomenon_are_not_several() -> None:
    user = SimulatedUser(ticket("T-1", "cause", CPU, f"{CPU}!"))

    assert answers(user, f"{CPU}!") == [Finding.CONFIRMED]


def test_a_user_without_phenomena_denies_everything() -> None:
    user = SimulatedUser(ticket("T-1", "cause"))

    assert answers(user, CPU, CPU) == [Finding.DENIED, Finding.DENIED]


def test_title_root_cause_solution_path_and_description_are_never_confirmed() -> None:
    """D14."""
    hidden = ticket("T-9", "Stale planner statistics", CPU, description="The night load runs long", title="Bloated heap", path="a/b/c.md")
    user = SimulatedUser(hidden)
    told = (hidden.ticket_id * 3, hidden.root_cause, hidden.solution, hidden.description, "Bloated heap", "a/b/c.md")

    assert answers(user, *told) == [Finding.DENIED] * len(told)


@given(st.lists(st.sampled_from([CPU, LOCK, "canary", ORDERS.root_cause, ORDERS.solution, ""]), max_size=6))
def test_the_user_says_numbers_and_yes_or_no_and_nothing_else(phenomena: list[str]) -> None:
    """D14."""
    said = SimulatedUser(ORDERS).answer(asking(*phenomena))

    assert set(said.split()) <= {"1", "2", "3", "4", "5", "6", "yes", "no"} or said == "don't know"


def test_a_chinese_ticket_is_answered_for_in_chinese() -> None:
    user = SimulatedUser(ticket("T-1", "统计信息过期", "数据库主机CPU使用率超过90%", description="夜间跑批之后查询变慢"))

    assert user.answer(asking("数据库主机CPU使用率超过90%", "备机磁盘空间已经用满")) == "1 确认 2 否定"
    assert answers(user, "数据库主机CPU使用率超过90%", "备机磁盘空间已经用满") == [Finding.CONFIRMED, Finding.DENIED]


def test_asked_for_a_key_symptom_the_user_knows_none() -> None:
    """D14. They give their opening and answers, and volunteer nothing."""
    user = SimulatedUser(ORDERS)

    assert user.answer(asking()) == "don't know"
    assert not read_answer("don't know", asking()).observations


def test_whoever_overlooks_everything_denies_everything_and_a_seed_says_what() -> None:
    """D14."""
    phenomena = [f"{letter * 12} number {letter}" for letter in "abcdefghijklmnopqrst"]
    incident = ticket("T-1", "cause", *phenomena)

    def half(seed: int) -> list[Finding]:
        return answers(SimulatedUser(incident, overlook=0.5, seed=seed), *phenomena)

    assert set(answers(SimulatedUser(incident, overlook=1.0), *phenomena)) == {Finding.DENIED}
    assert set(half(1)) == {Finding.CONFIRMED, Finding.DENIED}
    assert half(1) == half(1)
    assert half(1) != half(2)


def repeated(*phenomena: str, hidden: tuple[str, ...] = (CPU, LOCK), overlook: float = 0.0) -> int:
    """Repetitions counted when these are asked one after another."""
    user = SimulatedUser(ticket("T-1", "cause", *hidden), overlook=overlook)
    for text in phenomena:
        user.answer(asking(text))
    return user.repeated


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        pytest.param((CPU, LOCK), 0, id="different phenomena"),
        pytest.param((CPU, CPU), 1, id="the same"),
        pytest.param((CPU, "usage of the host is above 90 %"), 1, id="in other words"),
        pytest.param((CPU, CPU.upper(), LOCK, CPU), 2, id="each time"),
        pytest.param((CPU, LOCK, f"{CPU} {LOCK}"), 1, id="both at once, after both"),
        pytest.param((CPU, f"{CPU} {LOCK}"), 0, id="both at once, one of them new"),
        pytest.param((f"{CPU} {LOCK}", CPU), 1, id="one of them, after both at once"),
        pytest.param(("The disk is full", "The disk is full"), 1, id="the same words about what is not there"),
        pytest.param(("The disk is full", "The network is down"), 0, id="different things that are not there"),
    ],
)
def test_repetitions_are_judged_by_the_hidden_tickets_phenomena(asked: tuple[str, ...], count: int) -> None:
    """D14."""
    assert repeated(*asked) == count


def test_two_wordings_of_one_phenomenon_in_the_ticket_are_one_cluster() -> None:
    """D14."""
    assert repeated(CPU, f"The {CPU}", hidden=(CPU, f"The {CPU}")) == 1


def test_a_repetition_counts_though_the_user_overlooked_the_phenomenon() -> None:
    """D14."""
    assert repeated(CPU, CPU, overlook=1.0) == 1


def test_grams_are_three_characters_and_of_a_shorter_text_itself() -> None:
    assert grams("A b\tCd") == {"abc", "bcd"}
    assert grams("ab") == {"ab"}
    assert grams("  ") == frozenset()
    assert share(frozenset(), grams("abc")) == 0.0
