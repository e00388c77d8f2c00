"""`bullpen`: the table of commands. A command's module is imported when it is run, so that `bullpen --help` is quick."""

import contextlib
import gc
import io
import os
import sys
from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from workers.cli.help_text import flowing, let_flow, load_printer
from workers.cli.leaving import leave

JOBS, REPAIR, FLEET, DATA = "Jobs", "Replay and repair", "Fleet", "Data and settings"


class Instead(StrEnum):
    """What somebody does through a gateway in the place of a command that makes sense only on the fleet's own machine."""

    HERE = "here"
    """Run it there, or this machine's own fleet."""
    MCP = "mcp"
    """The gateway serves the same."""
    CONSOLE = "console"
    """Log in with the key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A command or a group of commands: `module:name`, its line in `--help`, and the panel of that line."""

    path: str
    help: str
    panel: str
    made: bool = False
    """`path` names a function that makes the command, from what is registered."""
    on_fleet: Instead | None = None
    """Of a command that makes sense only on the fleet's own machine."""


COMMANDS: dict[str, Entry] = {
    "init": Entry("workers.cli.init:init", "Set Bullpen up for your own data, and show the first answer.", DATA, on_fleet=Instead.HERE),
    "submit": Entry("workers.cli.submit:app", "Submit a job.", JOBS),
    "jobs": Entry("workers.cli.jobs:jobs", "List jobs, the newest first.", JOBS),
    "show": Entry("workers.cli.show:show", "Show a job: its result or question, and how it came about.", JOBS),
    "watch": Entry("workers.cli.watch:watch", "Follow a job until it ends or waits for an answer.", JOBS),
    "export": Entry(
        "workers.cli.export:export", "Write a job's result to files: all rows as CSV or Parquet, charts, or the files of a package.", JOBS
    ),
    "why": Entry("workers.cli.why:why", "Show why a job or a stage is not finished yet, and what would help.", JOBS),
    "answer": Entry("workers.cli.human:answer", "Answer a question that a job waits for.", JOBS),
    "instruct": Entry("workers.cli.human:instruct", "Give a running job an instruction.", JOBS),
    "feedback": Entry("workers.cli.feedback:feedback_command", "Rate a finished job, so that the fleet learns from it.", JOBS, made=True),
    "chat": Entry("workers.cli.chat:app", "Talk with a kind of job, with follow-ups; `bullpen KIND` in short.", JOBS),
    "session": Entry("workers.cli.session:app", "Conversations: what is remembered of them, and messages to them.", JOBS),
    "cancel": Entry("workers.cli.human:cancel", "End a job with its running steps and open questions.", JOBS),
    "revise": Entry("workers.cli.human:revise", "Replace a stage's deliverable by your own version.", REPAIR),
    "unpin": Entry("workers.cli.human:unpin", "Remove your version of a stage; the current version is then the fleet's.", REPAIR),
    "replay": Entry("workers.cli.replay:replay", "Run a step, a job, or everything that failed, again.", REPAIR),
    "fork": Entry("workers.cli.replay:fork", "Copy a job and do one stage of the copy again.", REPAIR),
    "quarantine": Entry("workers.cli.quarantine:app", "Messages that could not be processed, and steps that were given up.", REPAIR),
    "up": Entry("workers.cli.up:up", "Run the whole fleet on this machine, with its servers.", FLEET, on_fleet=Instead.HERE),
    "demo": Entry("workers.cli.demo:demo", "Run a real job on a fleet started for it.", FLEET, on_fleet=Instead.HERE),
    "try": Entry("workers.cli.trying:try_kind", "Run your own kind of job in one process.", FLEET, on_fleet=Instead.HERE),
    "worker": Entry("workers.cli.fleet:worker", "Run the worker of a role, or of all roles.", FLEET, on_fleet=Instead.HERE),
    "pause": Entry("workers.cli.fleet:pause", "Stop a role's workers from taking new steps.", FLEET),
    "resume": Entry("workers.cli.fleet:resume", "Let a role's workers take steps again.", FLEET),
    "drain": Entry("workers.cli.fleet:drain", "Pause a role, and wait until none of its steps runs.", FLEET),
    "doctor": Entry("workers.cli.doctor:doctor", "Check settings, servers and workers, and show what to do next.", FLEET),
    "flower": Entry("workers.cli.flower:flower", "Run Flower, the fleet's monitor, for these settings.", FLEET, on_fleet=Instead.HERE),
    "gateway": Entry("workers.cli.gateway:gateway", "Run the gateway: HTTP, live events and the console.", FLEET, on_fleet=Instead.HERE),
    "mcp": Entry(
        "workers.cli.mcp:mcp",
        "Serve the tools of the fleet to an agent, over standard input and output (MCP).",
        FLEET,
        on_fleet=Instead.MCP,
    ),
    "console": Entry(
        "workers.cli.console:console",
        "Print an address that logs a browser in to the console.",
        FLEET,
        on_fleet=Instead.CONSOLE,
    ),
    "keys": Entry("workers.cli.keys:app", "Keys for the gateway: who may call it, for whom, and for what.", FLEET),
    "tickets": Entry("workers.cli.tickets:app", "The history of solved incidents, from which diagnoses are made.", DATA),
    "source": Entry("workers.cli.source:app", "Databases and files that jobs may query, and what each owner sees of them.", DATA),
    "spec": Entry("workers.cli.spec:app", "Specifications of tables for `etl`: new, check, show.", DATA, on_fleet=Instead.HERE),
    "catalogue": Entry("workers.cli.catalogue:app", "What is known of your data: tables, columns, values, queries, documents.", DATA),
    "audit": Entry("workers.cli.source:audit", "What was run on the sources, by whom, and the verdict of each lock.", DATA),
    "system": Entry("workers.cli.system:app", "Systems that incidents are about: what a diagnosis looks at before it asks.", DATA),
    "checks": Entry("workers.cli.own_checks:app", "What is looked up in a system, and checks of your own.", DATA),
    "secrets": Entry(
        "workers.cli.named_secrets:app",
        "URLs and keys that every process of the fleet reads by name.",
        DATA,
        on_fleet=Instead.HERE,
    ),
    "logs": Entry("workers.cli.logs:app", "Search logs by labels and texts or by LogQL, on a Loki server or in files.", DATA),
    "metrics": Entry("workers.cli.metrics:app", "Metrics servers, and PromQL on them.", DATA),
    "tools": Entry("workers.cli.tools:app", "Tools that steps may call, and the calls of a job.", DATA),
    "skills": Entry("workers.cli.skills:app", "Skill packs, and the experience that tuning advice is drawn from.", DATA),
    "eval": Entry(
        "workers.cli.evaluate:evaluation_command",
        "Measure the answers on cases whose answers are known.",
        DATA,
        made=True,
        on_fleet=Instead.HERE,
    ),
    "purge": Entry("workers.cli.ops:purge", "Delete finished jobs and settled quarantine entries older than an age.", DATA),
    "db": Entry("workers.cli.ops:db", "The database's schema.", DATA, on_fleet=Instead.HERE),
    "settings": Entry("workers.cli.ops:settings", "Print the settings in effect, with secrets hidden.", DATA),
}

EPILOG = """
Exit codes: 0 done · 1 failed · 2 wrong usage or input · 3 rows refused (tickets import) · 4 not found ·
5 not possible in the current state · 6 database or broker unavailable or not migrated, or no fleet · 7 waits for you ·
130 interrupted.

Servers are found through BULLPEN_DATABASE_URL and BULLPEN_BROKER_URL, or through a running `bullpen up`. With BULLPEN_URL and BULLPEN_KEY
set, commands reach a fleet on another machine through its gateway. A JOB is an id, or at least six characters of its beginning or end.
"""


class LazyGroup(TyperGroup):
    """Knows every command by its entry; imports the one that is run, and answers its errors."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.help, rich_help_panel=entry.panel))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command itself in the place of its stand-in. A kind that is talked to is a command of its own."""
        with importing():
            found = self._find(ctx, args)
        if isinstance(ctx.obj, Program):
            gc.freeze()  # what was imported stays, so that no later collection looks through it
            gc.enable()
            ctx.obj.ends_at_once = found[0] not in COMMANDS or not COMMANDS[found[0]].on_fleet
            if ctx.obj.ends_at_once:
                gc.set_threshold(MOST_NEW_OBJECTS)
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the table of commands."""
        load_printer()
        super().format_help(ctx, formatter)

    def _find(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            if (talk := _conversation(args[0])) is not None:
                return args[0], talk, args[1:]
            _name_submit(args[0], ctx)
        name, stand_in, rest = super().resolve_command(ctx, args)
        if name is not None and not _asks_for_help(rest):
            check_place(name)
        return name, stand_in if name is None else load_command(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an error of ours becomes one line and an exit code."""
        from workers.cli.context import answered_errors, log_to_terminal

        with answered_errors():
            if isinstance(ctx.obj, Program):
                log_to_terminal()
            return super().invoke(ctx)


def _asks_for_help(rest: list[str]) -> bool:
    return any(word in ("-h", "--help") for word in rest)


def check_place(name: str) -> None:
    """Raises `InvalidInput` for a command of the fleet's own machine when commands go through a gateway."""
    instead = COMMANDS[name].on_fleet
    if not instead or not os.environ.get("BULLPEN_URL"):
        return
    from contracts import statements
    from workers.errors import InvalidInput
    from workers.secrets import redact_url
    from workers.settings import load_settings

    url = redact_url(load_settings().url or "")
    command, gateway = statements.code(f"bullpen {name}"), statements.name(url)
    match instead:
        case Instead.HERE:
            move = statements.say("refused.cli.instead.here", setting=statements.name("BULLPEN_URL"))
        case Instead.MCP:
            move = statements.say("refused.cli.instead.mcp", address=statements.name(f"{url}/mcp/"))
        case Instead.CONSOLE:
            move = statements.say("refused.cli.instead.console", address=statements.name(f"{url}/console/"))
    raise InvalidInput.of(statements.say("refused.cli.on_fleet", command=command, url=gateway, instead=move))


def _conversation(name: str) -> Any | None:
    from workers.cli.chat import find_conversation

    return find_conversation(name)


def _name_submit(word: str, ctx: Any) -> None:
    """Raises a usage error for the name of a kind of job, which is no command: it says which command takes it."""
    from workers.kinds.registry import all_kinds

    if (kind := next((kind for kind in all_kinds() if kind.name == word), None)) is not None:
        ctx.fail(f"`{word}` is a kind of job. Submit one: {kind.example or f'bullpen submit {word} ...'}")


MOST_NEW_OBJECTS = 200_000
"""A command that is not one of the fleet's processes ends soon: the collector looks for garbage after this number of new
objects; by default after 700. That is a sixth of the CPU of `bullpen ask`. mypy does the same."""


@dataclass(slots=True)
class Program:
    """Context object of a run of our own program; tests run the app without it and keep their logging."""

    ends_at_once: bool = True
    """No command, such as help, or one that is not one of the fleet's processes: nothing in it needs Python's long way out."""


@contextlib.contextmanager
def importing() -> Generator[None]:
    """Without the collector: what is imported is no garbage, and looking through it takes a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def load_command(name: str) -> Any:
    """Import a command or group."""
    module, _, attribute = COMMANDS[name].path.partition(":")
    with importing():
        found = getattr(import_module(module), attribute)
    if COMMANDS[name].made:
        found = found()
    if not isinstance(found, typer.Typer):
        holder = typer.Typer(add_completion=False, rich_markup_mode="rich")
        holder.command(name)(found)
        found = holder
    command = let_flow(get_command(found))
    command.name = name
    return command


app = typer.Typer(
    cls=LazyGroup, name="bullpen", no_args_is_help=True, epilog=flowing(EPILOG), pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


def _version(wanted: bool) -> None:
    if wanted:
        from workers.release import RELEASE

        typer.echo(f"bullpen {RELEASE}")
        raise typer.Exit


@app.callback()
def bullpen(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """A fleet of LLM workers for data platforms: submit jobs, watch them, answer them, replay what failed."""


def main() -> None:
    """The program `bullpen`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that is not UTF-8 shows what it cannot as \uXXXX
            stream.reconfigure(errors="backslashreplace")
    from workers.cli.languages import speak_as_here

    speak_as_here()
    program = Program()
    gc.disable()  # until the command is imported
    try:
        app(prog_name="bullpen", obj=program)
    except SystemExit as ended:
        _flush()
        if program.ends_at_once and isinstance(ended.code, int):
            leave(ended.code)
        raise
    finally:
        _flush()
        gc.unfreeze()  # extensions in C++ print what they take for leaks, if their objects are not freed at the end


def _flush() -> None:
    """Write the rest of the output, unless its reader (such as `| head`) has ended."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
