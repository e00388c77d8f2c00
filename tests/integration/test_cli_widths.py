"""What commands print on a terminal: wrapped at words at any width, in any language, whatever the text of others holds."""

from uuid import UUID

import pytest
from rich.cells import cell_len

from tests.support.commands import Commands
from workers.blackboard.engine import jsonb
from workers.cli import context

ENGLISH = "The nightly load of the warehouse took four hours longer than on any day of the last month, and dashboards were empty. " * 3
CHINESE = "昨天夜里的数仓加载比上个月任何一天都多用了四个小时,早上的报表全是空的,请帮忙看看是哪一步变慢了。" * 4
HOSTILE = "a\x1b[31mred\x1b]0;title\x07 [bold]b[/bold] [/] ‮ " + "x" * 300

WIDTHS = (80, 100, 200)
COMMANDS = ("jobs", "show", "why")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> "Terminal":
    return Terminal(monkeypatch)


class Terminal:
    """Makes the program believe in a terminal of a width."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def be(self, width: int) -> None:
        self._patch.setattr(context.console, "_force_terminal", True)
        self._patch.setattr(context.console, "_width", width)


def asked(bullpen: Commands, text: str) -> UUID:
    """A job of that text whose question is long as well."""
    job = bullpen.ran("--set", "plan.s2.ask=1", text)
    bullpen.db.statement(
        "UPDATE requests SET payload = payload || %(more)s WHERE job_id = %(id)s",
        {"id": job, "more": jsonb({"text": text, "guidance": text, "choices": ["yes", "no"]})},
    )
    bullpen.db.statement("UPDATE steps SET summary = %(text)s WHERE job_id = %(id)s", {"id": job, "text": text})
    return job


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("text", [ENGLISH, CHINESE, HOSTILE.replace("\x00", "")], ids=["english", "chinese", "hostile"])
def test_lines_are_no_wider_than_the_terminal(bullpen: Commands, terminal: Terminal, width: int, text: str) -> None:
    job = asked(bullpen, text)
    terminal.be(width)

    for command in COMMANDS:
        for line in bullpen.out(*([command] if command == "jobs" else [command, job])).splitlines():
            assert cell_len(line) <= width or "bullpen answer" in line, (command, line)


@pytest.mark.parametrize("width", WIDTHS)
def test_words_are_kept_whole(bullpen: Commands, terminal: Terminal, width: int) -> None:
    job = asked(bullpen, ENGLISH)
    known = set(ENGLISH.split())
    terminal.be(width)

    question = bullpen.out("show", job).partition("question")[2].partition("How it came about")[0]

    printed = [word for line in question.splitlines()[1:] if line.startswith("  ") and ":" not in line for word in line.split()]
    assert len(printed) > 20
    assert set(printed) <= known


@pytest.mark.parametrize("width", WIDTHS)
def test_a_list_of_jobs_is_a_line_each_and_squeezes_no_column(bullpen: Commands, terminal: Terminal, width: int) -> None:
    jobs = [asked(bullpen, ENGLISH), bullpen.ran(CHINESE, "--owner", "somebody-with-a-name")]
    terminal.be(width)

    _, *lines = bullpen.out("jobs").splitlines()

    assert [line.split()[:3] for line in lines] == [
        [str(jobs[1])[-12:], "noop", "succeeded"], [str(jobs[0])[-12:], "noop", "waiting_human"],
    ]  # fmt: skip
    assert "somebody-with-a-name  昨天夜里" in lines[0]
    assert "default               The nightly" in lines[1]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_plan_of_forty_stages_is_a_line_each(bullpen: Commands, terminal: Terminal, width: int) -> None:
    job = bullpen.submit("x")
    bullpen.db.statement(
        "INSERT INTO stages (job_id, name, position, role, task, needs, optional, params) "
        "SELECT %(id)s, 'stage_' || n, 10 + n, 'analyst', 'noop', ARRAY['input'], false, '{}' FROM generate_series(1, 33) n",
        {"id": job},
    )
    terminal.be(width)

    lines = [line for line in bullpen.out("show", job, "--steps").splitlines() if line.startswith(("stage_", "s1 ", "s2 "))]

    assert len(lines) == 35
    assert all("missing" in line for line in lines)


def test_a_file_to_edit_is_printed_as_it_is(bullpen: Commands, terminal: Terminal) -> None:
    """A comment was wrapped, so that what was copied from the screen was broken YAML."""
    spec = f"target: t  # {'in the order of the query ' * 5}"
    job = asked(bullpen, f"To edit:\n{spec}\nmode: upsert")
    terminal.be(40)

    assert f"  {spec.rstrip()}" in [line.rstrip() for line in bullpen.out("show", job).splitlines()]


def test_a_command_to_be_copied_is_never_wrapped(bullpen: Commands, terminal: Terminal) -> None:
    job = asked(bullpen, "why?")
    terminal.be(40)

    assert f'bullpen answer {str(job)[-12:]} "yes"' in bullpen.out("show", job).splitlines()
