"""Which workers `bullpen up` starts: one process for all roles, or with `--processes` one for each role that has work."""

import pytest

from contracts.roles import COORDINATOR, RoleName
from workers.kinds.registry import get_kind
from workers.local.fleet import idle_roles, worker_commands
from workers.roles import registry


@pytest.fixture
def only_diagnose(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in which one kind of job is installed."""
    monkeypatch.setattr(registry, "_tasks", {(RoleName.CLASSIFIER, "choose"): "x:y", **get_kind("diagnose").tasks})


@pytest.mark.usefixtures("only_diagnose")
def test_a_role_without_a_task_of_an_installed_kind_gets_no_process() -> None:
    """A worker that can never be given a step takes 90 MB for nothing."""
    assert set(worker_commands(processes=True)) == {COORDINATOR, "retriever", "diagnoser"}
    assert "architect" in idle_roles()
    assert "classifier" in idle_roles()


@pytest.mark.usefixtures("only_diagnose")
def test_the_one_process_serves_every_role_whatever_is_installed() -> None:
    """A role without work costs nothing there."""
    assert [command[-2:] for command in worker_commands().values()] == [["worker", "--all"]]


@pytest.mark.usefixtures("only_diagnose")
@pytest.mark.parametrize("processes", [False, True])
def test_scale_starts_such_a_role_nevertheless(processes: bool) -> None:
    assert {"architect-1", "architect-2"} <= set(worker_commands({"architect": 2}, processes=processes))


def test_with_every_shipped_kind_each_role_has_work() -> None:
    assert idle_roles() == []
    assert len(worker_commands(processes=True)) == 1 + len(RoleName)
