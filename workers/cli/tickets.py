"""`bullpen tickets`: the history of solved incidents that diagnoses are made from."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.cells import cell_len
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

from contracts.statements import Statement, code, count, name, quote, say, seconds, term
from contracts.tickets import ImportReport
from workers.cli.context import console, errors, print_json
from workers.cli.display import brief, shown
from workers.cli.feedback import ASKS
from workers.cli.lines import print_line, table
from workers.cli.list_words import WORDS, ListLanguage, ListWords, list_words
from workers.cli.reach import tickets as reach
from workers.cli.reach.doing import do
from workers.cli.telling import confirmed, note, tell, tell_encoding, warn
from workers.cli.telling import words as in_words
from workers.cli.ticket_changes import changes, delete, edit, undo
from workers.cli.ticket_mapping import import_lines, print_command, print_shape, template
from workers.cli.ticket_preview import print_preview, print_problems, print_ticket
from workers.errors import InvalidInput, ModelAnswerUnusable, ModelRequestRefused, ModelUnavailable
from workers.kinds.registry import load_kinds, sample_history
from workers.operations import tickets as operations
from workers.settings import load_settings
from workers.tickets.columns import Role
from workers.tickets.preview import Preview, preview
from workers.tickets.search import TicketHit
from workers.tickets.shape import Shape, shape_of

if TYPE_CHECKING:
    from workers.tickets.orders import Plan
    from workers.tickets.proposing import Proposal

FAILED, REFUSED = 1, 3
"""Exit codes of an import: all rows were refused, or some."""

PROGRESS = {
    "Reading": term("said.progress.reading"),
    "Tickets": term("said.progress.tickets"),
    "Vectors": term("said.progress.vectors"),
}
"""What is being done, by the word that the history gives."""
_PROGRESS_FROM = 500
_TABLE_FROM = 110
"""Columns of a terminal from which tickets are a table: a narrower one leaves a description 20 of them."""
_ID_WIDTH = 40
"""Columns that an id gets at least if it needs them; a longer one is folded, never cut: it is what the next command takes."""

app = typer.Typer(add_completion=False, help="The history of solved incidents, from which diagnoses are made.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("import")
def import_(
    file: Annotated[Path | None, typer.Argument(help="JSON, JSON lines, CSV, Excel or Markdown, or a folder of postmortems.")] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Import the tickets that ship, to try it; `bullpen tickets undo` removes them.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing if any row has a problem.")] = False,
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=FIELD",
            help=f"What a column holds, one of {', '.join(Role)}; or STATE=solved, PATH=records, LINE=header, SIGN=delimiter. "
            "May be repeated.",
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the file. Default: recognised from its text.")] = "",
    engine: Annotated[
        Literal["auto", "rules", "llm"],
        typer.Option(
            "--engine",
            help="`auto`: a configured model is asked what the fields of a file mean whose form is not known. `rules`: no model is asked. "
            "`llm`: it also reads causes, fixes and phenomena in prose.",
        ),
    ] = "auto",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be understood.")] = False,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Import tickets: new tickets are added, changed tickets (same ticket_id) are replaced, equal ones do not change.

    A ticket has ticket_id, description, root_cause, and may have solution, anomalies (also called phenomena or symptoms: a
    list of objects with description, observation_method and why_relevant, or free text) and metadata; other columns are
    kept as metadata. CSV exports of Jira and ServiceNow, and the JSON of Jira, ServiceNow, GitHub, PagerDuty and Zendesk, are
    read by their usual fields, in English and Chinese, comments included; a folder of Markdown files by their headings. --map
    names other columns, and paths in JSON and XML of any form; --dry-run shows what was understood before anything is stored.
    What the fields of an unknown form mean a configured model says, with --map arguments to look at and to confirm; without one,
    the fields are shown. Phenomena are drawn from prose where no column lists them. Exit code 0: all rows were imported. 3: rows
    were refused; the other rows were imported, except with --strict. 7: a mapping was only shown. With --engine llm a model reads
    causes, fixes and phenomena in that prose too; only words of the ticket are taken.
    `bullpen --help` lists the other exit codes.
    """
    if (file is None) is not sample:
        raise InvalidInput.of(
            say("refused.cli.one_file", command=code("bullpen tickets import FILE"), sample=code("bullpen tickets import --sample"))
        )
    file, words, pairs = file or _sample(), list_words(language), list(mapping or [])
    reading = reach.Reading(_say_plan) if engine == "llm" else None
    is_known = bool(pairs) or reach.is_understood(file, encoding)
    if not is_known and (proposal := _ask_model(file, encoding, engine, cause_later=reading is not None)) is not None:
        pairs, is_known = list(proposal.pairs), True
        if not dry_run:
            _show(proposal.seen, file, pairs, words, encoding=encoding, engine=engine, strict=strict, as_json=as_json)
            if as_json or not console.is_terminal or not sys.stdin.isatty() or not confirmed(say("lists.import.sure")):
                raise typer.Exit(ASKS)
    if dry_run:
        found = preview(reach.opened_file(file, pairs, encoding=encoding, reading=reading))
        _show(found, file, pairs, words, encoding=encoding, engine=engine, strict=strict, as_json=as_json, with_shape=not is_known)
        refused, taken = bool(found.problems), found.tickets
    else:
        bar = _progress(_PROGRESS_FROM)
        report, waiting = reach.import_file(file, pairs, encoding=encoding, strict=strict, reading=reading, bar=bar)
        _tell_import(report, waiting, file, words, strict=strict, encoding=encoding, as_json=as_json)
        refused, taken = bool(report.problems), 0 if strict and report.problems else report.imported + report.updated + report.unchanged
    if reading is not None:
        _say_read(reading)
    if not is_known and not as_json and not taken and (shape := _shape(file, encoding)) is not None:
        print_shape(shape, file, words, encoding=encoding, strict=strict)
    if refused:
        raise typer.Exit(REFUSED if taken or strict else FAILED)


def _ask_model(file: Path, encoding: str, engine: str, *, cause_later: bool) -> "Proposal | None":
    """What the model makes of a file whose form is not known, where one may be asked."""
    model = None if engine == "rules" else reach.mapping_model()
    if model is None:
        return None
    note(say("lists.import.asks", file=name(file.name), model=name(model)))
    try:
        proposal = reach.proposed(file, encoding, cause_later=cause_later)
    except InvalidInput:  # its rows say what is wrong with it
        return None
    except (ModelAnswerUnusable, ModelUnavailable, ModelRequestRefused) as error:
        if engine == "llm":
            raise
        warn(say("lists.import.no_answer", reason=quote(str(error))))
        return None
    if proposal is None or proposal.objection:
        warn(say("lists.import.no_mapping") if proposal is None else say("lists.import.doubt", objection=quote(proposal.objection)))
    return proposal


def _shape(file: Path, encoding: str) -> Shape | None:
    """The shape of a file; None: it cannot be read at all, which was said."""
    with suppress(InvalidInput):
        return shape_of(file, encoding)
    return None


def _say_plan(plan: "Plan") -> None:
    """What a model will read in the file; on standard error, beside a result in JSON."""
    if plan.tickets:
        note(_planned(plan), style=None)


def _say_read(reading: reach.Reading) -> None:
    """What a model read, and where it is seen."""
    if reading.unread:
        warn(say("lists.import.unread", n=count(len(reading.unread), exact=True), ticket=name(reading.unread[0])))
    if reading.read:
        causes = count(sum("root_cause" in fields for fields in reading.read.values()), exact=True)
        fixes = count(sum("solution" in fields for fields in reading.read.values()), exact=True)
        seen = count(sum("observations" in fields for fields in reading.read.values()), exact=True)
        command = name(f"bullpen tickets show {next(iter(reading.read))}")
        numbers = {"causes": causes, "fixes": fixes, "seen": seen, "command": command}
        note(say("lists.import.read", n=count(len(reading.read), exact=True), **numbers), style=None)


def _sample() -> Path:
    """The first history that an installed kind ships."""
    load_kinds(load_settings().extensions)
    shipped = sample_history()
    if shipped is None:
        raise InvalidInput.of(say("refused.cli.no_sample_history"))
    return shipped


def _show(
    found: Preview, file: Path, mapping: list[str], words: ListWords, *, encoding: str, engine: str, strict: bool, as_json: bool,
    with_shape: bool = False,
) -> None:  # fmt: skip
    """A preview: nothing is stored, and no database is needed. `with_shape`: JSON has the fields of the file and a mapping to fill in."""
    if as_json:
        value = asdict(found)
        listed = {"examples": [ticket.to_json() for ticket in found.examples], "problems": [row.to_json() for row in found.problems]}
        shape = _shape(file, encoding) if with_shape else None
        more = {} if shape is None else {"shape": asdict(shape), "template": template(shape)}
        print_json(words.voice.json({**value, **listed, "map": mapping, **more}))
    else:
        if found.encoding and not encoding:
            tell_encoding(file.name, found.encoding)
        print_preview(found, words)
        lines = import_lines(file, mapping, encoding=encoding, engine=engine, strict=strict)
        if not found.tickets:
            return
        if len(lines) == 1:
            tell(say("lists.import.nothing_yet", command=name(lines[0])))
        else:
            tell(say("lists.import.so"))
            print_command(lines)


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="What was observed, in any words.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most tickets to show.")] = 10,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Find the tickets whose symptoms are nearest to a text. Root causes and solutions are shown, never searched."""
    words, hits = list_words(language), do(operations.tickets, text, limit=limit)
    if as_json:
        print_json([hit.to_json() for hit in hits])
        return
    if not hits:
        tell(say("lists.no.tickets", command=code("bullpen tickets stats")))
        return
    if console.is_terminal and console.width < _TABLE_FROM:
        _print_hits(hits, words)
        return
    ticket = Column(words.word("ticket"), overflow="fold", min_width=max(min(len(shown(hit.ticket_id)), _ID_WIDTH) for hit in hits))
    places_by = (Column(heading, min_width=cell_len(heading), justify="right") for heading in words.words("by_meaning", "by_words"))
    listed = table(ticket, words.word("score"), *places_by, words.wide("description"), words.wide("root_cause"))
    for hit in hits:
        places = [str(rank) if rank else "-" for rank in (hit.vector_rank, hit.text_rank)]
        listed.add_row(shown(hit.ticket_id), f"{hit.score:.3f}", *places, brief(hit.description, 120), brief(hit.root_cause, 120))
    console.print(listed)


def _print_hits(hits: Sequence[TicketHit], words: ListWords) -> None:
    """For a narrow terminal: each ticket in lines of its own."""
    for hit in hits:
        places = (f"{words.word(by)} {rank or '-'}" for by, rank in (("by_meaning", hit.vector_rank), ("by_words", hit.text_rank)))
        print_line(f"[bold]{shown(hit.ticket_id)}[/]  [dim]{words.word('score')} {hit.score:.3f} · {' · '.join(places)}[/]")
        print_line(brief(hit.description, 160), indent=2)
        print_line(f"{words.voice.head(WORDS['root_cause'])}{brief(hit.root_cause, 120)}", indent=2, style="green")


@app.command()
def show(
    ticket_id: Annotated[str, typer.Argument(help="The ticket's id.")], language: ListLanguage = "en", as_json: AsJson = False
) -> None:
    """Show a ticket as it was imported."""
    ticket = do(operations.ticket, ticket_id)
    if as_json:
        print_json(ticket.to_json())
        return
    print_ticket(ticket, list_words(language))


@app.command("read")
def read_(
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Most tickets to read.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Read them without asking first.")] = False,
    background: Annotated[
        bool, typer.Option("--background", help="Only order it: the fleet reads while no job has work, and this command ends.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Have the model read the prose of the history: causes, fixes, phenomena and checks that no column lists, in the tickets' own words.

    What it will take is shown first, and is the most that it takes. A text is read once, whenever its ticket comes in again; an order that
    was interrupted goes on in a running fleet, or with the same command. `bullpen tickets undo` takes it back. Exit code 7: it was only
    shown.
    """
    plan = reach.reading_plan(limit)
    if not plan.tickets:
        _finish(as_json, {**asdict(plan), "order": None}, say("lists.read.nothing", n=count(plan.read, exact=True)))
        return
    if not as_json:
        tell(_planned(plan))
    if not yes:
        if as_json:
            print_json({**asdict(plan), "order": None})
            raise typer.Exit(ASKS)
        if not console.is_terminal or not sys.stdin.isatty():
            tell(say("lists.read.not_yet", option=name("--yes")))
            raise typer.Exit(ASKS)
        if not confirmed(say("lists.read.sure")):
            raise typer.Exit(ASKS)
    reach.order_reading(plan)
    if background:
        _finish(as_json, {**asdict(plan), "order": "open"}, say("lists.read.ordered", command=code("bullpen tickets read")))
        return
    with _progress(_PROGRESS_FROM) as bar:
        task, last = bar.add_task(in_words(PROGRESS["Tickets"]), total=plan.tickets), None
        for last in reach.read_ordered():
            bar.update(task, completed=last.tickets_read)
    if last is None:
        return
    numbers = {"n": count(last.tickets_read, exact=True), "changed": count(last.changed or 0, exact=True)}
    done = say("lists.read.done", **numbers, tokens=count(last.tokens_used, exact=True), command=code("bullpen tickets undo"))
    _finish(as_json, {**asdict(plan), "order": asdict(last)}, done)
    if last.useless and not as_json:
        warn(say("lists.read.useless", n=count(last.useless, exact=True)))
    if last.problem and not as_json:
        warn(say("lists.read.stopped", reason=quote(last.problem)))


def _planned(plan: "Plan") -> Statement:
    """What it takes: tickets, tokens, and the price where the model has one."""
    price = say("lists.read.price", usd=name(f"{plan.cost_usd:.2f}")) if plan.cost_usd is not None else say("lists.read.no_price")
    return say(
        "lists.read.plan", n=count(plan.tickets, exact=True), model=name(plan.model), tokens=count(plan.tokens, exact=True),
        most=count(plan.most_tokens, exact=True), price=price,
    )  # fmt: skip


def _finish(as_json: bool, value: dict[str, Any], text: Statement) -> None:
    if as_json:
        print_json(json.loads(json.dumps(value, default=str)))
    else:
        tell(text)


for command in (edit, delete, undo, changes):
    app.command()(command)


@app.command("reindex")
def reindex_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """Derive everything from the tickets again: phenomena, causes, counts, words, links, vectors.

    Every import keeps these up to date, so this changes something only after a release that reads tickets differently, after a
    change of the embedding model, or in a database that was edited by hand. Searches meanwhile use the old state.
    """
    with _progress(_PROGRESS_FROM) as progress:
        task = progress.add_task(in_words(PROGRESS["Reading"]), total=None)

        def update(what: str, done: int, total: int | None) -> None:
            progress.update(task, description=in_words(PROGRESS.get(what, what)), completed=done, total=total)

        report = do(operations.reindex_history, tell=update)
    if as_json:
        print_json(report.to_json())
        return
    words = list_words(language)
    tickets = say("lists.tickets_of", n=count(report.tickets, exact=True))
    tell(say("lists.tickets_read", n=tickets, time=seconds(report.duration_s)))
    found = {what: number for what, number in report.differed.items() if number}
    if not found:
        tell(say("lists.nothing_differed"))
        return
    listed = table(*words.words("what", "differed"))
    for what, number in found.items():
        listed.add_row(words.word(what.replace(" ", "_")), f"{number:,}")
    console.print(listed)


@app.command()
def stats(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """Count the tickets, their causes and phenomena, and the vectors of each embedding model."""
    counts = do(operations.history)
    if as_json:
        print_json(counts)
        return
    words = list_words(language)
    listed = table(*words.words("what", "number"))
    for what, number in counts.items():
        word, _, model = what.partition(" ")
        listed.add_row(f"{words.word(word)} {shown(model)}".rstrip(), f"{number:,}")
    console.print(listed)


def _progress(rows: int) -> Progress:
    """A bar on stderr, where it does not get into what is piped; none for a short import or without a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        disable=rows < _PROGRESS_FROM or not errors.is_terminal,
    )


def _tell_import(report: ImportReport, waiting: int, file: Path, words: ListWords, *, strict: bool, encoding: str, as_json: bool) -> None:
    if as_json:
        print_json(words.voice.json(report.to_json()))
        return
    if report.encoding and not encoding:
        tell_encoding(file.name, report.encoding)
    if report.id_column:
        option = name("--map COLUMN=ticket_id")
        tell(say("lists.import.id_column", column=name(report.id_column), option=option), style="yellow")
    if strict and report.problems:
        tell(say("lists.import.strict", option=name("--strict")))
    else:
        numbers = (count(number, exact=True) for number in (report.imported, report.updated, report.unchanged))
        imported, updated, unchanged = numbers
        tell(say("lists.import.done", imported=imported, updated=updated, unchanged=unchanged))
    print_problems(report.problems, words)
    if waiting:
        tell(say("lists.import.waiting", n=count(waiting, exact=True), command=code("bullpen tickets reindex")))
