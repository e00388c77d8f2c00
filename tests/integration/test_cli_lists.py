"""The tables that commands print: at any width, and in the reader's language."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from contracts.statements import say
from tests.support.commands import Commands, commands_on
from tests.support.databases import Databases
from tests.support.servers import Servers
from workers.cli import context

LISTS = (
    ("doctor",), ("keys", "list"), ("tools", "list"), ("audit",), ("source", "list"), ("source", "policy", "list", "shop"),
    ("logs", "list"), ("tickets", "search", "replication lag"), ("tickets", "changes"), ("tickets", "stats"), ("tickets", "reindex"),
    ("session", "list"), ("quarantine", "list"), ("quarantine", "groups"), ("catalogue", "search", "orders"),
    ("catalogue", "show", "shop.orders"), ("jobs",),
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(databases: Databases, servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The database and the home of a fleet with something in each list. The tests only read."""
    folder = tmp_path_factory.mktemp("lists")
    with (
        pytest.MonkeyPatch.context() as patch,
        databases.lend() as url,
        commands_on(url, servers.valkey.url, folder / "home", patch) as commands,
    ):
        tickets = folder / "tickets.json"
        tickets.write_text(json.dumps([{"ticket_id": "T-1", "description": "replication lag on db-2", "root_cause": "a long transaction"}]))
        commands.out("tickets", "import", tickets)
        commands.out("keys", "create", "--owner", "shop", "--label", "ci")
        commands.out("source", "add", "shop", "--sample")
        commands.out("catalogue", "import", "shop")
        commands.out("logs", "add", "shop", "--sample")
        commands.out("source", "query", "shop", "SELECT count(*) FROM orders", "--as", "default")
        commands("source", "query", "shop", "DELETE FROM orders", "--as", "default")
        yield url, folder / "home"


@pytest.fixture
def bullpen(filled: tuple[str, Path], broker_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    """Commands on that fleet."""
    url, home = filled
    with commands_on(url, broker_url, home, monkeypatch) as commands:
        yield commands


def be(patch: pytest.MonkeyPatch, width: int) -> None:
    """Make the program believe in a terminal of this width."""
    patch.setattr(context.console, "_force_terminal", True)
    patch.setattr(context.console, "_width", width)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_list_fits_a_terminal_and_keeps_its_words_whole(bullpen: Commands, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    for width in (80, 200):
        be(monkeypatch, width)
        for command in LISTS:
            printed = bullpen(*command, "--language", language).stdout
            assert printed, command
            for line in printed.splitlines():
                assert cell_len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= width, (command, width, line)


def test_what_was_run_is_read_at_the_usual_width(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement and the verdict share the room that the short columns leave."""
    be(monkeypatch, 80)

    words = re.sub(r"\x1b\[[0-9;]*m", "", bullpen.out("audit")).split()

    assert {"statement", "verdict", "refused", "DELETE", "SELECT", "count(*)"} <= set(words)


def test_the_environment_names_the_language(bullpen: Commands) -> None:
    bullpen.setenv(language="zh")

    assert "检查项" in bullpen("doctor").stdout
    assert "所有者" in bullpen.out("keys", "list")
    assert "工单" in bullpen.out("tickets", "stats")
    assert "owner" in bullpen.out("keys", "list", "--language", "en")


def test_a_command_says_what_it_did_in_the_reader_s_language(bullpen: Commands) -> None:
    bullpen.setenv(language="zh")
    job = bullpen.submit()

    assert bullpen.out("cancel", job) == "已取消。工作进程会在下一次调用之前停止。\n"
    assert bullpen.out("cancel", job) == "无需操作：任务此前已是“已取消”。\n"
    assert "（已取消）" in bullpen.fails("show", job, "--format", "md", code=5)
    assert bullpen.out("pause", "retriever") == "retriever 不再接收新步骤；运行中的会完成。`bullpen resume retriever` 可结束暂停。\n"
    assert bullpen.out("resume", "retriever") == "retriever 重新接收步骤。\n"
    assert bullpen.out("replay", "--failed") == "没有符合条件的失败步骤。\n"
    assert bullpen.out("purge", "--older-than", "30d", "--dry-run") == "将删除 0 个任务和 0 个隔离条目。\n"
    assert bullpen("source", "query", "shop", "SELECT 1 AS one", "--as", "default").stderr.startswith("1 行，用时 ")
    assert bullpen.fails("keys", "revoke", "nobody", code=4).startswith("错误：")


def test_a_command_to_copy_is_never_broken(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    job = bullpen.submit()
    bullpen.out("cancel", job)
    for width in (30, 60, 80):
        be(monkeypatch, width)
        printed = re.sub(r"\x1b\[[0-9;]*m", "", bullpen("replay", job).stdout)
        assert f"bullpen watch {job}" in printed


def test_the_json_of_a_list_is_the_same_in_every_language(bullpen: Commands) -> None:
    for command in (("keys", "list"), ("tools", "list"), ("tickets", "stats")):
        assert bullpen.json(*command, "--language", "zh") == bullpen.json(*command)


@pytest.mark.parametrize(
    ("listing", "column", "show"),
    [
        (("jobs",), "job", ("show",)), (("session", "list", "--all"), "session", ("session", "show")),
        (("tickets", "search", "replication lag"), "ticket", ("tickets", "show")),
        (("catalogue", "search", "orders"), "place", ("catalogue", "show")), (("skills", "list"), "Skill", ("skills", "show")),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)  # fmt: skip
def test_what_a_list_prints_is_taken_by_the_command_that_shows_it(
    bullpen: Commands, listing: tuple[str, ...], column: str, show: tuple[str, ...]
) -> None:
    if listing[0] in ("jobs", "session"):
        bullpen.submit("x")
    lines = bullpen.out(*listing).splitlines()
    head = next(number for number, line in enumerate(lines) if column in line.split())
    place = lines[head].index(column)
    printed = [line[place:].split("  ")[0].strip() for line in lines[head + 1 :] if line[place : place + 1].strip()]

    assert printed
    for name in printed:
        assert bullpen(*show, name).exit_code == 0, name


def test_an_error_in_the_words_of_a_kind_is_said_in_a_list(
    databases: Databases, servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that had not loaded the kind printed the codes of its texts."""
    with databases.lend() as url, commands_on(url, servers.valkey.url, tmp_path, monkeypatch) as commands:
        job = commands.submit("x")
        failed = "UPDATE jobs SET kind = 'etl', status = 'failed', finished_at = now(), error = %(error)s::jsonb WHERE id = %(id)s"
        commands.db.statement(failed, {"error": say("etl.error.specification").model_dump_json(), "id": job})
        program = [sys.executable, "-m", "workers.cli.main", "jobs"]

        done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=120)

    assert "The specification cannot be taken yet" in done.stdout
