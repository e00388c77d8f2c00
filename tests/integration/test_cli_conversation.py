"""`bullpen ask` without a message, typed into a real terminal: questions with their follow-ups, line by line."""

import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS
from tests.support.databases import Databases
from tests.support.remote import RemoteFleet, remote_fleet
from tests.support.servers import Servers
from workers.app.services import ProcessServices
from workers.catalogue import offer_sample

ROOT = Path(__file__).parents[2]
UP = "\x1b[A"
LONG_S = 240.0
"""For one answer, on the slowest machine."""


@pytest.fixture(scope="module")
def fleet(servers: Servers, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteFleet]:
    servers.flush_broker()
    with databases.lend() as url, remote_fleet(url, servers.valkey.url, tmp_path_factory.mktemp("fleet")) as running:
        services = ProcessServices(running.settings)
        offer_sample(services.database, running.settings.data_dir)
        services.close()
        yield running


class Terminal:
    """A command in a terminal of 100 columns."""

    def __init__(self, fleet: RemoteFleet, home: Path, *arguments: str) -> None:
        environment = {
            **os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40", "BULLPEN_URL": fleet.url, "BULLPEN_KEY": fleet.key,
            "BULLPEN_HOME": str(home), "BULLPEN_DATABASE_URL": NOWHERE_POSTGRES, "BULLPEN_BROKER_URL": NOWHERE_REDIS,
        }  # fmt: skip
        self._own, theirs = pty.openpty()
        command = [sys.executable, "-m", "workers.cli.main", *arguments]
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment, start_new_session=True
        )  # fmt: skip
        os.close(theirs)

    def until_asked(self) -> str:
        """What it writes until it waits for a line."""
        seen, ends = "", time.monotonic() + LONG_S
        while not seen.rstrip("\x1b[0m").endswith("> ") and time.monotonic() < ends:
            seen += os.read(self._own, 65_536).decode("utf-8", "replace")
        return seen

    def type(self, line: str) -> str:
        """Type a line; what it writes until it waits for the next one."""
        os.write(self._own, f"{line}\n".encode())
        return self.until_asked()

    def leave(self, word: str = "/quit") -> int:
        """Type the word that leaves; the exit code."""
        os.write(self._own, f"{word}\n".encode())
        code = self._process.wait(LONG_S)
        os.close(self._own)
        return code


def test_a_conversation_is_typed_with_follow_ups_and_remembers_its_lines(fleet: RemoteFleet, tmp_path: Path) -> None:
    """S22: a follow-up means the question before it; an error does not end the conversation; the arrow key brings back a line of the last
    one."""
    first = Terminal(fleet, tmp_path, "ask", "--source", "shop")
    assert "/quit leaves" in first.until_asked()

    helped, unknown = first.type("/help"), first.type("/hlep")
    planned = first.type("How many orders per month in 2025?")
    months = first.type("yes, run it")
    refused = first.type("delete all orders")
    first.type("and by channel?")
    channels = first.type("run it")

    assert "/new begins another conversation" in helped
    assert "There is no /hlep" in unknown
    assert "GROUP BY" in planned
    assert "plan/2 version 1" not in planned
    assert "2025-12" not in planned
    assert "2025-12" in months
    assert "2025-12" not in refused
    assert "store" in channels
    assert first.leave() == 0

    again = Terminal(fleet, tmp_path, "ask", "--follow")
    again.until_asked()
    assert "and by channel?" in again.type(UP + UP)
    assert again.leave("exit") == 0
    assert (tmp_path / "chat-history").stat().st_mode & 0o077 == 0
