"""Conversations typed into a real terminal: `bullpen ask` line by line, and a requirement from its question to its package."""

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from tests.support.commands import NOWHERE_POSTGRES, NOWHERE_REDIS
from tests.support.databases import Databases
from tests.support.remote import RemoteFleet, remote_fleet
from tests.support.servers import Servers
from workers.app.services import ProcessServices
from workers.catalogue import offer_sample
from workers.cli.watch import WAITS

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


@pytest.fixture(autouse=True)
def no_command_is_left() -> Iterator[None]:
    """A test that fails in the middle of a conversation ends its command, or the next one fails with it."""
    yield
    for terminal in Terminal.opened:
        terminal.end()
    Terminal.opened.clear()


class Terminal:
    """A command in a terminal."""

    opened: ClassVar[list["Terminal"]] = []

    def __init__(self, fleet: RemoteFleet, home: Path, *arguments: str, columns: int = 100) -> None:
        environment = {
            **os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LINES": "40", "BULLPEN_URL": fleet.url, "BULLPEN_KEY": fleet.key,
            "BULLPEN_HOME": str(home), "BULLPEN_DATABASE_URL": NOWHERE_POSTGRES, "BULLPEN_BROKER_URL": NOWHERE_REDIS,
        }  # fmt: skip
        self._own, theirs = pty.openpty()
        command = [sys.executable, "-m", "workers.cli.main", *arguments]
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment, start_new_session=True
        )  # fmt: skip
        os.close(theirs)
        Terminal.opened.append(self)

    def end(self) -> None:
        """Stop it, if it has not ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(LONG_S)
            os.close(self._own)

    def until_asked(self) -> str:
        """What it writes until it waits for a line."""
        seen, ends = "", time.monotonic() + LONG_S
        while not seen.rstrip("\x1b[0m").endswith("> ") and time.monotonic() < ends:
            seen += os.read(self._own, 65_536).decode("utf-8", "replace")
        return seen

    def until_it_ends(self) -> tuple[int, str]:
        """The exit code, and all that it writes, without what moves the cursor."""
        seen, ends = b"", time.monotonic() + LONG_S
        while time.monotonic() < ends:
            try:
                part = os.read(self._own, 65_536)
            except OSError:  # the command has closed the terminal
                break
            seen += part
        code = self._process.wait(LONG_S)
        os.close(self._own)
        return code, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[^\n]*\r(?!\n)", "", seen.decode("utf-8", "replace")).replace("\r\n", "\n")

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
    one; who wants to see each statement first says so and runs it with a word."""
    first = Terminal(fleet, tmp_path, "ask", "--source", "shop")
    assert "/quit leaves" in first.until_asked()

    helped, unknown = first.type("/help"), first.type("/hlep")
    months = first.type("How many orders per month in 2025?")
    refused = first.type("delete all orders")
    channels = first.type("and by channel?")

    assert "/new begins another conversation" in helped
    assert "There is no /hlep" in unknown
    assert "2025-12" in months
    assert "plan/2 version 1" not in months
    assert "2025-12" not in refused
    assert "store" in channels
    assert first.leave() == 0

    again = Terminal(fleet, tmp_path, "ask", "--follow", "--strategy", "confirm")
    again.until_asked()
    planned = again.type(UP + UP)
    assert "and by channel?" in planned
    assert "GROUP BY" in planned
    assert "store" not in planned
    assert "store" in again.type("yes, run it")
    assert again.leave("exit") == 0
    assert (tmp_path / "chat-history").stat().st_mode & 0o077 == 0


REQUIREMENT = "Build region_revenue: revenue per region in 2026; partition_by: day; schedule: 0 6 * * *"


def test_a_requirement_is_typed_answered_and_changed_until_there_is_a_package(fleet: RemoteFleet, tmp_path: Path) -> None:
    """E18: the question names the command that answers it; a free text that is no choice is asked about again; a change of mind is a
    version of the request."""
    code, asked = Terminal(fleet, tmp_path, "submit", "etl", REQUIREMENT, "--source", "shop", "--wait", columns=80).until_it_ends()
    job = re.search(r"bullpen answer (\w+)", asked)
    assert job is not None, asked
    again = Terminal(fleet, tmp_path, "answer", job[1], "the first day", "--watch", columns=200).until_it_ends()
    done = Terminal(fleet, tmp_path, "answer", job[1], "region", "--watch", columns=80).until_it_ends()
    request = tmp_path / "request.json"
    request.write_text(
        json.dumps({"kind": "etl", "requirement": "Build region_orders: number of orders per region in 2026.", "source": "shop"})
    )
    revised = Terminal(fleet, tmp_path, "revise", job[1], "input", str(request), columns=80).until_it_ends()
    shown = Terminal(fleet, tmp_path, "watch", job[1], columns=80).until_it_ends()

    assert code == WAITS
    assert "no column day" in asked
    assert max(map(len, asked.splitlines())) <= 80
    assert again[0] == WAITS
    assert "Your answer “the first day” changed nothing" in again[1]
    assert (done[0], revised[0], shown[0]) == (0, 0, 0)
    assert "region_revenue is done" in done[1]
    assert "region_orders is done" in shown[1]
    assert "region_revenue" not in shown[1].partition("region_orders is done")[2]


def test_a_requirement_in_chinese_is_answered_by_number(fleet: RemoteFleet, tmp_path: Path) -> None:
    text = "建立 region_orders：2026年每个地区的订单数；partition_by：month"
    code, asked = Terminal(fleet, tmp_path, "submit", "etl", text, "--source", "shop", "--wait", columns=200).until_it_ends()
    job = re.search(r"bullpen answer (\w+)", asked)
    assert job is not None, asked
    done = Terminal(fleet, tmp_path, "answer", job[1], "1", "--watch", columns=200).until_it_ends()

    assert code == WAITS
    assert "month" in asked
    assert done[0] == 0
    assert "region_orders 已完成" in done[1]
