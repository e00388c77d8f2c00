"""The suite's budget: tests that work on fleets of processes are counted when they are collected."""

from dataclasses import dataclass

import pytest

from tests.support.budget import FLEETS, MOST_FLEET_TESTS, check_fleet_tests


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
