"""Commands that reach one fleet in two ways: over its servers, and through its gateway."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contracts.access import Scope
from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS, Commands
from tests.support.gateway import served, working
from workers.app import fleet_models
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.cli import context
from workers.gateway.access.keys import create_key
from workers.settings import Settings

OWNER = "default"
_MOVING = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|min|秒|分钟)(?= |\b|前|,|\.)|\d+\.\d{3,}|\d{4}-\d\d-\d\dT[\d:.+]+|[\s─━]+")
"""What two runs of one command need not have in common: ages, durations, and the widths of the columns that hold them."""


@dataclass(frozen=True, slots=True)
class RemoteFleet:
    """A fleet whose jobs are run as they come, with a gateway on a port of its own."""

    settings: Settings
    url: str
    key: str


@contextmanager
def remote_fleet(database_url: str, broker_url: str, home: Path) -> Generator[RemoteFleet]:
    """The fleet, for as long as the block runs."""
    settings = Settings(
        database_url=database_url, broker_url=broker_url, home=home, embeddings="none", extensions=("tests.support.noop",),
        retry_base_s=0.01, retry_max_s=0.02,
    )  # fmt: skip
    with working(settings) as services, served(ProcessServices(settings, slots=6)) as url:
        yield RemoteFleet(settings, url, key_of(services.database, OWNER))


def key_of(db: Database, owner: str, *scopes: Scope) -> str:
    """The text of a new key."""
    return create_key(db, owner, scopes=scopes or (Scope.ADMIN,))[1]


class BothWays:
    """Runs commands near (database and broker) and far (the gateway alone)."""

    def __init__(self, fleet: RemoteFleet, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._fleet, self._monkeypatch = fleet, monkeypatch
        self._commands = Commands(monkeypatch)
        self._home = home
        monkeypatch.setattr(fleet_models, "PING_S", 0.1)

    @property
    def near(self) -> Commands:
        """On the fleet's own machine."""
        known = self._fleet.settings
        for name in ("URL", "KEY"):
            self._monkeypatch.delenv(f"BULLPEN_{name}", raising=False)
        self._commands.setenv(
            database_url=known.database_url or "", broker_url=known.broker_url or "", home=str(known.home),
            extensions="tests.support.noop", embeddings="none",
        )  # fmt: skip
        return self._commands

    @property
    def far(self) -> Commands:
        """On another machine, whose own servers, if it had any, do not answer."""
        return self.as_key(self._fleet.key)

    def as_key(self, key: str) -> Commands:
        """As `far`, with this key."""
        self._commands.setenv(
            url=self._fleet.url, key=key, database_url=NOWHERE_POSTGRES, broker_url=NOWHERE_REDIS, home=str(self._home),
            extensions="tests.support.noop", embeddings="none",
        )  # fmt: skip
        return self._commands

    def same(self, *arguments: object, code: int = 0) -> str:
        """What a command prints far; it must be what it prints near."""
        far = self.far.out(*arguments, code=code)
        near = self.near.out(*arguments, code=code)
        assert settled(far) == settled(near)
        return far


def settled(text: str) -> str:
    """An output without what differs from one run to the next."""
    return _MOVING.sub(" ", text)


@contextmanager
def both_ways(fleet: RemoteFleet, home: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[BothWays]:
    """Commands of both kinds."""
    yield BothWays(fleet, home, monkeypatch)
    context.forget()


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all commands below one: `source policy set`."""
    below = getattr(command, "commands", None)
    if not below:
        yield " ".join(path)
        return
    for name, child in below.items():
        yield from leaves(child, (*path, name))
