"""A fleet in which each process of some roles dies in its first step, with the answer made and not reported."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from contracts.roles import COORDINATOR, RoleName
from tests.support.fleet import FleetProcesses
from workers.kinds.registry import load_kinds


def home_of_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a fleet with a data folder of its own, which this process uses too. The kinds are loaded."""
    home = str(tmp_path / "home")
    monkeypatch.setenv("BULLPEN_HOME", home)
    load_kinds()
    return {"BULLPEN_HOME": home, "BULLPEN_EMBEDDINGS": "none"}


def start_killed_once(fleet: FleetProcesses, roles: Sequence[RoleName]) -> None:
    """Start the coordinator and these roles; the processes after the first ones live."""
    fleet.start(COORDINATOR)
    fleet.start(*roles, failpoints="before_report=exit")
    for role in roles:
        fleet.set_failpoints(role, "")
