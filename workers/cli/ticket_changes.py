"""`bullpen tickets edit | delete | undo | changes`: a person's changes of the history, each of which can be undone."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from contracts.base import Json
from contracts.refusals import at, in_words
from contracts.statements import Value, count, passage, say
from contracts.statements import name as identifier
from contracts.tickets import Anomaly, Ticket
from contracts.wire import NotJson, read_json_text
from workers.cli.context import console, print_json
from workers.cli.display import shown
from workers.cli.feedback import ASKS
from workers.cli.lines import table
from workers.cli.list_words import WORDS, ListLanguage, ListWords, list_words
from workers.cli.reach.doing import do
from workers.cli.telling import confirmed, reader, tell
from workers.cli.ticket_preview import print_ticket
from workers.cli.voice import age
from workers.errors import InvalidInput
from workers.operations import tickets as operations

TicketId = Annotated[str, typer.Argument(help="The ticket's id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def edit(
    ticket_id: TicketId,
    description: Annotated[str | None, typer.Option(help="What was wrong.")] = None,
    root_cause: Annotated[str | None, typer.Option(help="What it was.")] = None,
    solution: Annotated[str | None, typer.Option(help="What helped.")] = None,
    add: Annotated[list[str] | None, typer.Option(help="A phenomenon to add; may be repeated.", metavar="TEXT")] = None,
    drop: Annotated[list[int] | None, typer.Option(help="The number of a phenomenon to remove; may be repeated.", metavar="N")] = None,
    as_json: AsJson = False,
) -> None:
    """Change a ticket: by options, or, without any, as JSON in your editor ($EDITOR). It counts at once, and can be undone."""
    old = do(operations.ticket, ticket_id)
    fields = {"description": description, "root_cause": root_cause, "solution": solution}
    given = {name: value for name, value in fields.items() if value is not None}
    new = _by_options(old, given, add or [], drop or []) if given or add or drop else _in_editor(old)
    if new == old:
        tell(say("said.ticket.unchanged"))
        return
    do(operations.edit_ticket, new.ticket_id, new)
    if as_json:
        print_json(new.to_json())
        return
    print_ticket(new, ListWords(reader()))
    tell(say("said.ticket.changed", command=_undone_by(ticket_id)))


def _by_options(old: Ticket, given: Json, add: list[str], drop: list[int]) -> Ticket:
    if wrong := [number for number in drop if not 1 <= number <= len(old.anomalies)]:
        raise InvalidInput.of(
            say("refused.cli.no_phenomenon", ticket=identifier(old.ticket_id), number=identifier(wrong[0]), n=count(len(old.anomalies)))
        )
    kept = [anomaly.to_json() for number, anomaly in enumerate(old.anomalies, start=1) if number not in drop]
    return _checked({**old.to_json(), **given, "anomalies": [*kept, *({"description": text} for text in add)]})


def _in_editor(old: Ticket) -> Ticket:
    text = json.dumps(old.to_json(), indent=2, ensure_ascii=False)
    edited = _edited(text)
    if edited == text:
        return old
    try:
        value = read_json_text(edited)
    except NotJson as error:
        raise InvalidInput.of(say("refused.cli.ticket_no_json", reason=passage(str(error)))) from None
    new = _checked(value)
    if new.ticket_id != old.ticket_id:
        raise InvalidInput.of(say("refused.ticket_id_changed", field=identifier("ticket_id")))
    return new


def _edited(text: str) -> str:
    """The text after the person's editor was closed."""
    program = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ticket.json"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*program, str(path)], check=True)  # noqa: S603 the person's own editor
        except (OSError, subprocess.CalledProcessError) as error:
            raise InvalidInput.of(say("refused.cli.editor", editor=identifier(program[0]), reason=passage(str(error)))) from None
        return path.read_text(encoding="utf-8")


def _checked(value: Json) -> Ticket:
    try:
        ticket = Ticket.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        wrong = at(".".join(map(str, fault["loc"])), in_words(fault))
        raise InvalidInput.of(say("refused.cli.ticket_fault", fault=wrong)) from None
    blank = next((name for name in ("description", "root_cause") if not getattr(ticket, name).strip()), None)
    if blank or any(not Anomaly.model_validate(anomaly).description.strip() for anomaly in ticket.anomalies):
        raise InvalidInput.of(say("refused.cli.ticket_blank", field=identifier(blank)) if blank else say("refused.cli.phenomenon_blank"))
    return ticket


def delete(
    ticket_id: TicketId, yes: Annotated[bool, typer.Option("--yes", help="Delete it without showing it and asking first.")] = False
) -> None:
    """Delete a ticket, and the phenomena and cause that no other ticket has. In a terminal it is shown first, and asked for."""
    if not yes and console.is_terminal and sys.stdin.isatty():
        print_ticket(do(operations.ticket, ticket_id), ListWords(reader()))
        if not confirmed(say("said.ticket.delete")):
            tell(say("said.ticket.not_deleted"))
            raise typer.Exit(ASKS)
    do(operations.delete_ticket, ticket_id)
    tell(say("said.ticket.deleted", ticket=identifier(ticket_id), command=_undone_by(ticket_id)))


def _undone_by(ticket_id: str) -> Value:
    return identifier(f"bullpen tickets undo {ticket_id}")


def undo(
    ticket_id: Annotated[
        str | None, typer.Argument(help="Undo the last change of this ticket only. Default: the last change of all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Undo the last change of the history: an import, an edit, a delete, or feedback. Repeat it to undo the change before."""
    undone = do(operations.undo_history, ticket_id=ticket_id)
    if as_json:
        print_json(dict(undone))
        return
    change: Value = WORDS.get(undone.what, identifier(undone.what))
    if ticket_id:
        change = say("said.ticket.of", change=change, ticket=identifier(ticket_id))
    gone = say("lists.tickets_of", n=count(undone.removed, exact=True))
    tell(say("said.ticket.undone", change=change, age=age(undone.at), removed=gone, restored=count(undone.restored, exact=True)))


def changes(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the changes of the history that can be undone, the newest first."""
    found = do(operations.history_changes)
    if as_json:
        print_json([dict(change) for change in found])
        return
    words = list_words(language)
    if not found:
        tell(say("lists.no.changes"))
        return
    wide = (words.wide("changed_or_deleted"), words.wide("first_ticket", share=2))
    listed = table(*words.words("what", "when", "added"), *wide, "")
    for change in found:
        cells = (words.word(change.what), words.ago(change.at), f"{change.added:,}", f"{change.replaced:,}", shown(change.example))
        listed.add_row(*cells, f"[dim]{words.word('undone')}[/]" if change.undone else "")
    console.print(listed)
