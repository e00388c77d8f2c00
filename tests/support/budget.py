"""Keeps `make check` from growing, on any machine: what costs most is counted, and what was used is printed.

A test that works on a fleet of processes takes 2 to 60 seconds, and one or two run at once; all others take 30 ms on average.
So the number of such tests is what the length of the suite follows, and it has a budget. A budget of seconds would be one of the
machine's speed and load.
"""

import resource
from collections.abc import Iterable
from typing import Protocol

import pytest

from tests.support.campaign import IS_LONG

FLEETS = "tests/acceptance/"

MOST_FLEET_TESTS = 134
"""Of the short form. With 136 of them the suite took 21 minutes on two cores."""

MOST_UNSTEADY = 3
"""Tests that may fail and then pass when `--reruns` plays them again: what a busy machine does to one, and a defect does to many."""

_USED = "cpu_s"


class Collected(Protocol):
    """A test, as far as it is counted."""

    @property
    def nodeid(self) -> str:
        """Its path and name."""
        ...


def check_fleet_tests(items: Iterable[Collected]) -> None:
    """Raises `UsageError` when there are more tests on fleets than the budget has."""
    number = sum(item.nodeid.startswith(FLEETS) for item in items)
    if number > MOST_FLEET_TESTS:
        raise pytest.UsageError(
            f"{number} tests work on a fleet of processes ({FLEETS}), and `make check` has time for {MOST_FLEET_TESTS}. Put the new case "
            "into a test that has such a fleet, test it in one process (workers/app/in_process.py), or leave it to `make nightly`. Raise "
            "MOST_FLEET_TESTS only with a measurement of the whole suite on two cores."
        )


def cpu_s() -> float:
    """CPU seconds of this process and of the children that it has waited for."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Budget:
    """The plugin. Processes of xdist hand what they used to the one that prints it."""

    def __init__(self, config: pytest.Config) -> None:
        """One for each process."""
        self._config = config
        self._of_others = 0.0
        self._unsteady: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """After other plugins have left out what this run does not want."""
        if not IS_LONG:
            config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("nightly")])
            items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        if not config.getoption("--hypothesis-profile", default=None):  # the long forms may take as long as they need
            check_fleet_tests(items)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Servers and fleets of this process have ended by now."""
        if len(self._unsteady) > MOST_UNSTEADY and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        handed: dict[str, object] | None = getattr(self._config, "workeroutput", None)
        if handed is not None:
            handed[_USED] = cpu_s()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """A process of xdist has ended."""
        self._of_others += float(getattr(node, "workeroutput", {}).get(_USED, 0.0))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts what is played again. Of a process of xdist, its controller hears as well."""
        if str(report.outcome) == "rerun":  # of pytest-rerunfailures, unknown to the type
            self._unsteady.append(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line: it tells a slow machine from a suite that has grown. And what was played again, which nobody should overlook."""
        if self._config.getoption("--collect-only"):
            return
        for test in self._unsteady:
            terminalreporter.write_line(f"UNSTEADY {test}: it failed and was played again; make it hold on a busy machine.", yellow=True)
        fleets = sum(
            report.nodeid.startswith(FLEETS)
            for outcome in ("passed", "failed")
            for report in terminalreporter.stats.get(outcome, ())
            if isinstance(report, pytest.TestReport)
        )
        minutes = (self._of_others or cpu_s()) / 60
        terminalreporter.write_line(f"CPU: {minutes:.1f} minutes. Tests on fleets of processes: {fleets} of at most {MOST_FLEET_TESTS}.")
