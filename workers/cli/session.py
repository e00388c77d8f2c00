"""`bullpen session`: the conversations that jobs belong to, what is remembered of them, and messages to them."""

import sys
from typing import Annotated
from uuid import UUID

import typer

from contracts.sessions import Compression, MessageKind, MessageTaken, SessionMemory
from contracts.statements import Statement, code, count, name, passage, say, sentences, term
from workers.cli.context import console, find_id, print_json
from workers.cli.display import brief, short_id, shown
from workers.cli.lines import print_line, table, wide
from workers.cli.list_words import ListLanguage, list_words
from workers.cli.reach.doing import do
from workers.cli.reach.talks import do_as
from workers.cli.telling import followed, note, reader, tell, words
from workers.operations import sessions as operations
from workers.sessions.fitting import size as bytes_of

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Conversations: what is remembered of them, and messages to them.",
    rich_markup_mode="rich",
)

Session = Annotated[str, typer.Argument(help="The session: its id, or 6 characters or more of its beginning or end.")]
Owner = Annotated[str | None, typer.Option(help="Whose session it is. Default: `default`; at a gateway, the owner of the key.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_command(
    owner: Annotated[str | None, typer.Option(help="Only sessions of this owner.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also sessions of a single job.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 50,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """List conversations, the newest first."""
    heads = list_words(language)
    found = do(operations.sessions, owner=owner, everything=everything, limit=limit)
    if as_json:
        print_json(found)
        return
    if not found:
        tell(say("lists.no.sessions", option=code("--all")))
        return
    listed = table(*heads.words("session", "owner", "jobs", "last_kind", "changed", "state"))
    for session in found:
        waits = say("lists.waits_for", n=count(session.waiting))
        state = heads(waits) if session.waiting else heads.word("running" if session.live else "ended")
        facts = [short_id(session.id), brief(session.owner, 20), str(session.jobs), brief(session.kind or "", 16)]
        listed.add_row(*facts, heads.age(session.updated_at), state)
    console.print(listed)


@app.command("show")
def show_command(session: Session, owner: Owner = None, as_json: AsJson = False) -> None:
    """Show what is remembered: what was asked, decided and selected, and what each role did."""
    memory = do_as(owner, operations.memory, _session(session))
    if as_json:
        print_json({"bytes": bytes_of(memory), **memory.to_json()})
    else:
        _show(memory)


@app.command("clear")
def clear_command(session: Session, owner: Owner = None, as_json: AsJson = False) -> None:
    """Forget what was said. The jobs stay; later jobs of the session no longer see their results."""
    found = _session(session)
    do_as(owner, operations.forget, found)
    if as_json:
        print_json({"session_id": found, "cleared": True})
    else:
        tell(say("said.session.cleared", command=name(f"bullpen jobs --session {found}")))


@app.command("say")
def say_command(
    session: Session,
    text: Annotated[str, typer.Argument(help="The message; - reads standard input. `/compress [ROLE]` compresses the memory.")],
    owner: Owner = None,
    kind: Annotated[str | None, typer.Option(help="The kind of a new job. Default: that of the session's last job.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say something: the answer to its open question, an instruction to its running job, or a new job."""
    message = sys.stdin.read() if text == "-" else text
    taken = do_as(owner, operations.say, _session(session), message, kind=kind)
    if as_json:
        print_json(taken.to_json())
    else:
        _tell(taken)


def _session(text: str) -> UUID:
    return find_id(text, "session")


def _tell(taken: MessageTaken) -> None:
    job = short_id(taken.job_id)
    match taken.kind:
        case MessageKind.ANSWER:
            tell(say("said.answered", question=name(taken.request_id)))
        case MessageKind.INSTRUCTION:
            tell(say("said.session.instruction", job=name(job)))
        case MessageKind.JOB:
            console.print(str(taken.job_id), soft_wrap=True)
            note(sentences(say("said.session.job"), followed(taken.job_id)))
        case MessageKind.COMPRESSED:
            for done in taken.compressions:
                tell(_compressed(done))
            if not taken.compressions:
                tell(say("said.session.nothing"))


def _compressed(done: Compression) -> Statement:
    turns = {"role": name(done.role), "n": count(done.turns, exact=True)}
    if done.done:
        return say("said.session.compressed", engine=name(done.engine), **turns)
    return say("said.session.not_compressed", reason=passage(done.reason), **turns)


def _show(memory: SessionMemory) -> None:
    if memory.asked:
        heads = (term("fleet.jobs.job"), term("fleet.jobs.kind"), term("fleet.show.status"))
        listed = table(*map(words, heads), wide(words(term("said.session.asked"))))
        for asked in memory.asked:
            listed.add_row(short_id(asked.job_id), brief(asked.kind, 16), reader().state(asked.status), shown(asked.title))
        console.print(listed)
    for decided in memory.decided:
        answer = passage(decided.answer)
        if decided.question:
            tell(say("said.session.decided", question=passage(decided.question), answer=answer))
        else:
            tell(say("said.session.instructed", text=answer))
    for place in memory.selected:
        tell(say("said.session.selected", place=name(place)))
    for role, known in memory.roles.items():
        print_line(f"[bold]{shown(role)}[/]")
        if known.summary:
            print_line(shown(known.summary), indent=2)
        for turn in known.turns:
            tell(say("saying.labelled", label=name(turn.stage), value=passage(turn.summary)), indent=2)
    note(say("said.bytes", n=count(bytes_of(memory), exact=True)))
