"""The processes that `bullpen up` forks from itself: each is a command of its own, and what several need is imported here, once."""

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from workers.cli import context, main
from workers.local.group import arguments_of


def load_members(commands: Iterable[str]) -> None:
    """Import what these commands need, before the first of them is forked."""
    with main.importing():
        for command in commands:
            import_module(main.COMMANDS[command].path.partition(":")[0])


def run_member(command: Sequence[str]) -> int:
    """In a fork of `bullpen up`: be this command, as if it had been executed. Its exit code."""
    context.forget()
    context.write_elsewhere()
    sys.argv = ["bullpen", *arguments_of(command)]
    main.main()
    return 0
