"""The suite's budget: tests that work on fleets of processes are counted when they are collected."""

from dataclasses import dataclass

import pytest

from tests.support.budget import FLEETS, MOST_FLEET_TESTS, MOST_UNSTEADY, Budget, check_fleet_tests


@dataclass(frozen=True)
class Item:
    nodeid: str


def test_a_suite_with_more_fleets_than_make_check_has_time_for_is_refused() -> None:
    fleets = [Item(f"{FLEETS}test_x.py::test_{number}") for number in range(MOST_FLEET_TESTS)]

    check_fleet_tests([*fleets, *(Item(f"tests/unit/test_y.py::test_{number}") for number in range(20_000))])
    with pytest.raises(pytest.UsageError, match=f"{MOST_FLEET_TESTS + 1} tests work on a fleet"):
        check_fleet_tests([*fleets, Item(f"{FLEETS}test_z.py::test_one_more")])


def test_the_budget_counts_in_every_run(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin("budget")


@pytest.mark.parametrize(("again", "ends"), [(MOST_UNSTEADY, pytest.ExitCode.OK), (MOST_UNSTEADY + 1, pytest.ExitCode.TESTS_FAILED)])
def test_a_few_tests_may_need_a_second_look_and_more_fail_the_suite(
    pytestconfig: pytest.Config, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, again: int, ends: pytest.ExitCode
) -> None:
    budget = Budget(pytestconfig)
    for number in range(again):
        report = pytest.TestReport(f"tests/test_{number}.py", ("", None, ""), {}, "passed", None, "call")
        monkeypatch.setattr(report, "outcome", "rerun")
        budget.pytest_runtest_logreport(report)
    monkeypatch.setattr(request.session, "exitstatus", pytest.ExitCode.OK)
    monkeypatch.setattr(pytestconfig, "workeroutput", {}, raising=False)

    budget.pytest_sessionfinish(request.session)

    assert request.session.exitstatus == ends
