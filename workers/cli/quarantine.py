"""`bullpen quarantine`: what could not be taken, and what was given up; try it again, or let it go, one by one or many at once."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from contracts.base import Json
from contracts.statements import code, count, name, passage, quote, say, share, term
from workers.blackboard.quarantine import Selection
from workers.cli.context import console, errors, find_id, print_json
from workers.cli.display import brief, short_id, shortened, shown
from workers.cli.fault_words import fix_words
from workers.cli.lines import table
from workers.cli.list_words import WORDS, ListLanguage, list_words
from workers.cli.reach import quarantine as reach
from workers.cli.reach.doing import do
from workers.cli.telling import note as print_note
from workers.cli.telling import reader, tell, words
from workers.cli.voice import age
from workers.errors import InvalidInput
from workers.operations import quarantine as operations

app = typer.Typer(add_completion=False, help="Messages that could not be processed, and steps that were given up.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Entry = Annotated[str, typer.Argument(help="The entry: its id, or at least 6 characters of its beginning or end.")]
Chosen = Annotated[str | None, typer.Argument(help="The entry: its id, or at least 6 characters of its beginning or end.")]
All = Annotated[bool, typer.Option("--all", help="All new entries that the options below choose.")]
Source = Annotated[str | None, typer.Option(help="Only entries of this queue, stream or sweep.")]
Cause = Annotated[str | None, typer.Option(help="Only entries with this cause.")]
Older = Annotated[str | None, typer.Option(help="Only entries of at least this age: 90s, 15m, 6h, 30d.")]
Newer = Annotated[str | None, typer.Option(help="Only entries of at most this age: 90s, 15m, 6h, 30d.")]
Note = Annotated[str | None, typer.Option(help="What helped, or why it is given up: `bullpen quarantine advise` will say so next time.")]

MOST_REPLAYED = 1_000
"""Entries of one bulk replay, unless --limit says otherwise."""
_AGE = re.compile(r"(\d{1,6})([smhd])")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


FIELDS = {
    "id": term("said.entry.id"),
    "state": term("lists.word.state"),
    "source": term("lists.word.origin"),
    "cause": term("lists.word.cause"),
    "message": term("lists.word.message"),
    "note": term("said.entry.note"),
    "job_id": term("said.entry.job"),
    "step_id": term("said.entry.step"),
    "body_size": term("said.entry.body_size"),
    "body_hash": term("said.entry.body_hash"),
    "created_at": term("said.entry.created"),
    "updated_at": term("said.entry.updated"),
}
"""What an entry has besides its body, in the order in which it is shown."""


class State(StrEnum):
    """What became of an entry."""

    NEW = "new"
    REPLAYED = "replayed"
    GIVEN_UP = "given_up"


def read_age(text: str | None) -> float | None:
    """`6h` → seconds. Raises `InvalidInput`."""
    if text is None:
        return None
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise InvalidInput.of(say("refused.cli.entry_age", given=quote(text[:40])))
    return int(found[1]) * _UNITS[found[2]]


def _selection(state: State | None, source: str | None, cause: str | None, older: str | None, newer: str | None) -> Selection:
    return Selection(None if state is None else state.value, source, cause, read_age(older), read_age(newer))


def _with_times(row: Json) -> Json:
    """An entry whose times are times, which a table shows as ages; a gateway sends texts."""
    return {key: datetime.fromisoformat(at) if key.endswith("_at") and isinstance(at, str) else at for key, at in row.items()}


@app.command("list")
def list_(
    state: Annotated[State | None, typer.Option(help="Only entries in this state.")] = None,
    source: Source = None,
    cause: Cause = None,
    older: Older = None,
    newer: Newer = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Largest number of entries to list.")] = 50,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """List the entries, the newest first."""
    heads = list_words(language)
    selection = _selection(state, source, cause, older, newer)
    found, total = reach.entries(selection, limit)
    rows = [_with_times(row) for row in found]
    if as_json:
        print_json(rows)
        return
    if not rows:
        chosen = any((state, source, cause, older, newer))
        tell(say("lists.no.entries_like_that") if chosen else say("lists.no.entries"))
        return
    listed = table(*heads.words("entry", "state", "origin", "cause", "size", "age"), heads.wide("message"))
    for row in rows:
        facts = [short_id(row["id"]), heads.state(row["state"]), shown(row["source"]), shown(row["cause"])]
        listed.add_row(*facts, f"{row['body_size']:,}", heads.age(row["created_at"]), brief(row["message"], 160))
    console.print(listed)
    if total > limit:
        more = {"option": code("--limit"), "command": code("bullpen quarantine groups")}
        text = say("lists.newest_entries", shown=count(limit, exact=True), total=count(total, exact=True), **more)
        print_note(text, style=None)


@app.command()
def groups(
    state: Annotated[State, typer.Option(help="Only entries in this state.")] = State.NEW,
    older: Older = None,
    newer: Newer = None,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Count the entries by source and cause, the most frequent first."""
    heads = list_words(language)
    found = do(operations.quarantine_groups, state=state.value, older_s=read_age(older), newer_s=read_age(newer))
    rows = [_with_times(row) for row in found]
    if as_json:
        print_json(rows)
        return
    if not rows:
        tell(say("lists.no.entries_in_state", state=WORDS[state]))
        return
    listed = table(*heads.words("entries", "origin", "cause", "first", "last"), heads.wide("newest_message"))
    for row in rows:
        facts = [shown(row["source"]), shown(row["cause"]), heads.age(row["first_at"]), heads.age(row["last_at"])]
        listed.add_row(f"{row['entries']:,}", *facts, brief(row["message"], 160))
    console.print(listed)


@app.command()
def show(entry: Entry, as_json: AsJson = False) -> None:
    """Show an entry with the beginning of its body."""
    row = _with_times(do(operations.quarantined, find_id(entry, "quarantine entry")))
    if as_json:
        print_json(row)
        return
    for field, title in FIELDS.items():
        if row[field] is not None:
            value = words(WORDS[row[field]]) if field == "state" and row[field] in WORDS else shown(row[field])
            console.print(f"[bold]{words(title)}[/] {value}", soft_wrap=True)
    console.print(f"[bold]{words(term('said.entry.body'))}[/]")
    console.print(shown(row["body"]), soft_wrap=True)


@app.command()
def replay(
    entry: Chosen = None,
    every: All = False,
    source: Source = None,
    cause: Cause = None,
    older: Older = None,
    newer: Newer = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Most entries of --all, the oldest first.")] = MOST_REPLAYED,
    rate: Annotated[float, typer.Option(min=0.1, max=1_000, help="Entries of --all a second at most.")] = 50.0,
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Process an entry again: a submission becomes a job, a step is replayed, a message of the fleet is sent again."""
    _check_one_way(entry, every, source, cause, older, newer)
    if entry is not None:
        found = find_id(entry, "quarantine entry")
        done = do(operations.replay_quarantined, found, note=note)
        if as_json:
            print_json({"id": found, "state": State.REPLAYED, "did": reader().plain(done.did), "job_id": done.job_id})
        else:
            tell(done.did)
        return
    with errors.status(words(say("said.entry.replaying"))) as status:
        made = reach.replay_all(
            _selection(State.NEW, source, cause, older, newer), most=limit, a_second=rate, note=note,
            progress=lambda number: status.update(words(say("said.entry.replaying_n", n=count(number, exact=True)))),
        )  # fmt: skip
    if as_json:
        print_json({"replayed": made.done, "failed": dict(made.failed), "left": made.left})
    else:
        tell(say("said.entry.replayed", n=count(made.done, exact=True)))
        for reason, number in made.failed.most_common():
            tell(say("said.entry.not", n=count(number, exact=True), reason=passage(reason)))
        if made.left:
            tell(say("said.entry.left", n=count(made.left, exact=True), option=name("--limit"), limit=count(limit, exact=True)))
    if made.failed:
        raise typer.Exit(1)


@app.command("give-up")
def give_up(
    entry: Chosen = None,
    every: All = False,
    source: Source = None,
    cause: Cause = None,
    older: Older = None,
    newer: Newer = None,
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Mark an entry as settled: it is kept until it expires, but needs no further attention."""
    _check_one_way(entry, every, source, cause, older, newer)
    if entry is not None:
        found = find_id(entry, "quarantine entry")
        do(operations.give_up_quarantined, found, note=note)
        if as_json:
            print_json({"id": found, "state": State.GIVEN_UP})
        else:
            tell(say("said.entry.given_up", entry=name(found)))
        return
    chosen = {"source": source, "cause": cause}
    number = do(operations.give_up_quarantine, **chosen, older_s=read_age(older), newer_s=read_age(newer), note=note).done
    if as_json:
        print_json({"given_up": number})
    else:
        tell(say("said.entry.given_up_n", n=count(number, exact=True)))


def _check_one_way(entry: str | None, every: bool, *chosen: str | None) -> None:
    """One entry, or --all with what chooses them. Raises `InvalidInput`."""
    if (entry is None) != every:
        raise InvalidInput.of(say("refused.cli.one_or_all"))
    if entry is not None and any(chosen):
        raise InvalidInput.of(say("refused.cli.all_without_id"))


@app.command()
def advise(entry: Entry, as_json: AsJson = False) -> None:
    """Show what helped with faults like this one before: notes of operators, replays that succeeded, stages that were done again."""
    known = do(operations.quarantine_advice, find_id(entry, "quarantine entry"))
    fault, advice = known.fault, known.advice
    if as_json:
        print_json(None if advice is None else advice.to_json())
        return
    where, message = name(fault.where), passage(shortened(fault.message, 300))
    tell(say("said.fault", error=name(fault.error), where=where, message=message))
    if advice is None:
        tell(say("said.fault.new", command=name("bullpen quarantine replay ENTRY --note '...'")))
        return
    tell(say("said.fault.known", n=count(advice.faults), confidence=share(advice.confidence), cause=name(advice.cause)))
    for fix in advice.fixes:
        tell(say("said.fault.fix", n=count(fix.times), age=age(fix.last_at), fix=fix_words(fix)), indent=2)
