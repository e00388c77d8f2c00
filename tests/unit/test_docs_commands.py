"""Every command that a page shows exists, with the options that it is shown with."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from tests.unit.test_docs import PAGES, ROOT
from workers.cli.main import COMMANDS, app
from workers.kinds.registry import all_kinds, load_kinds

ENDS = {"|", "||", "&&", "<", ">", ">>", ";", "&", "…", "...", "[...]"}
"""Where a command's own words end in a line of shell."""

NOT_SHIPPED = {"naming"}
NOT_SHIPPED_OPTIONS = {"--useful"}
"""Kinds that a page writes as its example, and what they add to `feedback`."""


def shown(page: Path) -> Iterator[list[str]]:
    """The words behind `bullpen` in code blocks and code spans."""
    text = page.read_text("utf-8")
    for block in re.findall(r"^ *```(?:bash|sh|console|text)?\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        joined = block.replace("\\\n", " ")
        for line in re.findall(r"^(?:\$ )?(?: *)(?:[A-Z_]+=\S+ )*(?:\S*/)?bullpen +(.+)$", joined, re.MULTILINE):
            yield words_of(line)
    spans = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    for span in re.findall(r"`(?:export )?bullpen ([^`]+)`", spans):
        yield words_of(" ".join(span.split()))


def words_of(line: str) -> list[str]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # a quotation that a table or a line break cut
        words = line.split()
    ends = next((at for at, word in enumerate(words) if word in ENDS or word.startswith(("<", ">", "("))), len(words))
    return words[:ends]


@cache
def command_of(name: str) -> Any:
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    return root.resolve_command(root.make_context("bullpen", [name], resilient_parsing=True), [name])[1]


def fault_in(words: list[str]) -> str | None:
    """What is wrong with a command that is shown; of placeholders in capitals nothing is known."""
    if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z]+", words[0]) or words[0] in NOT_SHIPPED:
        return None
    if words[0] not in set(COMMANDS) | {kind.name for kind in all_kinds() if kind.talks}:
        return f"there is no command {words[0]}"
    command, rest = command_of(words[0]), words[1:]
    no_context: Any = None
    while isinstance(command, TyperGroup):
        if not rest or rest[0].startswith("-") or rest[0].isupper() or "|" in rest[0] or rest[0] in NOT_SHIPPED:
            return None
        if rest[0] not in command.list_commands(no_context):
            return f"{words[0]} has no {rest[0]}"
        found: Any = command.get_command(no_context, rest[0])
        command, rest = found, rest[1:]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h", *(NOT_SHIPPED_OPTIONS if words[0] == "feedback" else ())}
    wrong = [word for word in rest if re.fullmatch(r"--[a-z][\w-]*(=.*)?", word) and word.partition("=")[0] not in known]
    return f"{words[0]} has no option {wrong[0]}" if wrong else None


@pytest.fixture(autouse=True)
def kinds() -> None:
    load_kinds()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_exist_with_their_options(page: Path) -> None:
    faults = [f"bullpen {' '.join(words)}: {fault}" for words in shown(page) if (fault := fault_in(words))]

    assert faults == []


def test_commands_are_found_in_the_pages() -> None:
    """A reader that finds nothing would never fail."""
    assert sum(1 for page in PAGES for _ in shown(page)) > 250


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["nothing"], "there is no command nothing"),
        (["tickets", "burn"], "tickets has no burn"),
        (["tickets", "import", "x.csv", "--dry-run", "--twice"], "tickets has no option --twice"),
        (["submit", "diagnose", "slow", "--max-turns", "8"], None),
        (["submit", "KIND", "--nothing"], None),
    ],
)
def test_a_command_that_is_not_there_is_named(words: list[str], fault: str | None) -> None:
    assert fault_in(words) == fault
