"""`bullpen chat KIND`, in short `bullpen KIND`: a conversation with a kind of job, a message at a time or line by line."""

import contextlib
import re
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID, uuid4

import typer
from typer.main import get_command

from contracts.base import Json, stands_alone
from contracts.statements import code, names, quote, say, sentences, term
from contracts.statements import name as identifier
from workers.cli.context import console, errors, find_id
from workers.cli.forms import options_of, read_form, with_options
from workers.cli.reach.doing import do
from workers.cli.reach.talks import begin, do_as, own
from workers.cli.requests import build_request
from workers.cli.submit import KindsOfJobs
from workers.cli.telling import note, reader
from workers.coordinator.playbooks import find_playbook
from workers.errors import BullpenError, InvalidInput
from workers.kinds.base import Kind
from workers.kinds.registry import find_kind, load_kind
from workers.saying import message_of
from workers.settings import load_settings

LEAVE = frozenset({"/quit", "/exit", "/q", "quit", "exit", "退出"})
HELP = frozenset({"/help", "/?", "help", "?", "帮助"})
OF_SESSIONS = ("/compress", "/compact")
"""Commands that the conversation itself carries out."""
ABOUT = term("said.chat.about")
HISTORY = "chat-history"
"""File in the data folder: lines that were typed, for the arrow keys."""


def talk(
    kind: str,
    about: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]", help="The message. Without one: a conversation, line by line.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "--continue", "-f", help="Go on with your last conversation of this kind.")] = False,
    within: Annotated[
        str | None, typer.Option("--in", metavar="SESSION", help="Go on with this conversation: its id, or 6 characters or more of it.")
    ] = None,
    owner: Annotated[str | None, typer.Option(help="Who speaks. Default: `default`; at a gateway, the owner of the key.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the output of `bullpen show`.")] = False,
    *,
    values: Json,
) -> None:
    """Talk with a kind of job."""
    options = {name: getattr(value, "value", value) for name, value in values.items()}
    alone = "" if about else _said_by_options(kind, options)
    session = find_id(within, "session") if within else _last(kind, owner) if follow or alone else None
    conversation = Conversation(kind, owner, options, session)
    if about or alone:
        raise typer.Exit(conversation.send(" ".join(about or ()) or alone, as_json=as_json))
    if not errors.is_terminal:
        raise InvalidInput.of(say("refused.cli.no_terminal", command=code(f'bullpen {kind} "..."')))
    _chat(conversation)


def _said_by_options(kind: str, options: Json) -> str:
    """The words of a request whose options say all: they change the last answer. Empty: none of them does so. Raises `InvalidInput`."""
    form = find_playbook(kind).request
    if not any(
        value is not None and name in form.model_fields and stands_alone(form.model_fields[name]) for name, value in options.items()
    ):
        return ""
    return str(getattr(read_form(form, {**options, "kind": kind}), find_playbook(kind).words))


class Conversation:
    """Messages of one session: an answer where a job waits for one, else a new job."""

    def __init__(self, kind: str, owner: str | None, options: Json, session: UUID | None) -> None:
        self._kind, self._owner, self._options = kind, owner, options
        self._session = session

    def begin_again(self) -> None:
        """Let the next message be the first of another session."""
        self._session = None

    def send(self, text: str, *, as_json: bool = False) -> int:
        """Send a message, wait, and print what it led to; the exit code."""
        if self._session is None:
            session = uuid4()
            job_id = begin(session, self._owner, build_request(self._kind, [text], None, [], self._options))
            self._session = session
        else:
            given = {name: value for name, value in self._options.items() if value is not None}
            from workers.operations.sessions import say as say_to  # a first message needs nothing of earlier ones

            taken = do_as(self._owner, say_to, self._session, text, kind=self._kind, fields=given)
            if taken.job_id is None:
                return 0
            job_id = taken.job_id
        from workers.cli.watch import wait_job  # while the fleet works already

        return wait_job(job_id, as_json=as_json)


def _last(kind: str, owner: str | None) -> UUID | None:
    """The newest session of an owner whose last job is of this kind."""
    from workers.operations.sessions import sessions

    found = do(sessions, owner=own(owner), everything=True, limit=50)
    return next((session.id for session in found if session.kind == kind), None)


def _chat(conversation: Conversation) -> None:
    history = _history()
    note(term("said.chat.begin"))
    try:
        while True:
            try:
                line = console.input("[bold cyan]> [/]").strip()
            except (EOFError, KeyboardInterrupt):
                console.print()
                return
            if line.lower() in LEAVE:
                return
            if line and not _carried_out(conversation, line):
                try:
                    conversation.send(line)
                except BullpenError as error:  # the conversation goes on
                    errors.print(message_of(error, reader().language), style="red", soft_wrap=True, markup=False)
    finally:
        _keep(history)


def _carried_out(conversation: Conversation, line: str) -> bool:
    """Whether the line is a command of the terminal, and no message. An unknown command is no message either."""
    word = line.split()[0].lower()
    if line.lower() in HELP:
        note(ABOUT)
    elif word == "/new":
        conversation.begin_again()
        note(term("said.chat.new"))
    elif re.fullmatch(r"/[a-z]+", word) and word not in OF_SESSIONS:
        note(sentences(say("said.chat.no_command", word=identifier(word)), ABOUT))
    else:
        return False
    return True


def _history() -> Path:
    """Load the lines of earlier conversations, where the platform has line editing."""
    path = load_settings().data_dir / HISTORY
    with contextlib.suppress(ImportError, OSError):
        import readline

        readline.read_history_file(path)
    return path


def _keep(path: Path) -> None:
    with contextlib.suppress(ImportError, OSError):
        import readline

        readline.set_history_length(1_000)
        path.touch(mode=0o600)
        readline.write_history_file(path)


class KindsToTalkTo(KindsOfJobs):
    """A subcommand for each kind that is talked to."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The kinds, by name."""
        return [name for name in super().list_commands(ctx) if (kind := find_kind(name)) is not None and kind.talks]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command that talks with one kind. Raises `InvalidInput` naming the kinds that can be talked to."""
        load_kind(cmd_name, load_settings().extensions)
        kind = find_kind(cmd_name)
        if kind is not None and not kind.talks and kind.example:
            there = names(self.list_commands(ctx))
            raise InvalidInput.of(say("refused.cli.no_talk_of_job", kind=quote(kind.name), there=there, example=code(kind.example)))
        if kind is None or not kind.talks:
            raise InvalidInput.of(say("refused.cli.no_talk", kind=quote(cmd_name[:80]), there=names(self.list_commands(ctx))))
        return conversation_command(kind)


def conversation_command(kind: Kind) -> Any:
    """`bullpen chat KIND`."""
    options = options_of(kind.playbook.request, leave_out=("kind", kind.playbook.words), panel=f"Options of {kind.name}")
    text = f"{kind.summary}\n\nWithout a text it is a conversation, line by line. --follow goes on with the last one."
    holder = typer.Typer(add_completion=False, rich_markup_mode="rich")
    holder.command(kind.name)(with_options(talk, options, text, fixed={"kind": kind.name}))
    command = get_command(holder)
    command.name = kind.name
    command.short_help = kind.summary
    return command


def find_conversation(name: str) -> Any | None:
    """The command `bullpen NAME` for a kind that is talked to; None: no such kind."""
    load_kind(name, load_settings().extensions)
    kind = find_kind(name)
    return conversation_command(kind) if kind is not None and kind.talks else None


app = typer.Typer(
    add_completion=False,
    cls=KindsToTalkTo,
    name="chat",
    no_args_is_help=True,
    help="Talk with a kind of job: messages, answers, follow-ups.",
)


@app.callback()
def group() -> None:
    """Talk with a kind of job: messages, answers, follow-ups. `bullpen KIND` is short for `bullpen chat KIND`."""
