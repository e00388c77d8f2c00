"""`bullpen tickets`: the history of solved incidents that diagnoses are made from."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from contracts.tickets import ImportReport
from workers.cli.context import console, database, errors, print_json
from workers.cli.display import brief, shown
from workers.cli.lines import table, wide
from workers.llm import Embedder, load_embedder
from workers.settings import load_settings
from workers.tickets import count_history, count_waiting, delete_ticket, import_tickets, read_tickets, reindex, search_tickets, show_ticket

REFUSED = 3
"""Exit code of an import that refused rows."""

_SHOWN_PROBLEMS = 20
_PROGRESS_FROM = 500
_ID_WIDTH = 40
"""Columns that an id gets at least if it needs them; a longer one is folded, never cut: it is what the next command takes."""

app = typer.Typer(help="The history of solved incidents, from which diagnoses are made.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="JSON, JSON lines or CSV; UTF-8 or GB18030.")],
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing if any row has a problem.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import tickets: new tickets are added, changed tickets (same ticket_id) are replaced, equal ones do not change.

    A ticket has ticket_id, description, root_cause, and may have solution, anomalies (also called phenomena or symptoms: a
    list of objects with description, observation_method and why_relevant, or free text) and metadata; other columns are
    kept as metadata. Exit code 0: all rows were imported. 3: rows were refused; the other rows were imported, except with --strict.
    `bullpen --help` lists the other exit codes.
    """
    db = database()
    items = list(read_tickets(file))
    embedder = _embedder()
    with _progress(len(items)) as progress:
        task = progress.add_task("Importing", total=len(items))
        report = import_tickets(db, embedder, items, strict=strict, progress=lambda done: progress.update(task, completed=done))
    if as_json:
        print_json(report.to_json())
    else:
        _tell(report, strict)
        if embedder and (waiting := count_waiting(db, embedder)):
            console.print(
                f"{waiting:,} texts have no vector yet and are found by their words. A running fleet makes their vectors in the "
                "background; `bullpen tickets reindex` makes them now."
            )
    if report.problems:
        raise typer.Exit(REFUSED)


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="What was observed, in any words.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="Most tickets to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find the tickets whose symptoms are nearest to a text. Root causes and solutions are shown, never searched."""
    hits = search_tickets(database(), _embedder(), text, limit)
    if as_json:
        print_json([hit.to_json() for hit in hits])
        return
    if not hits:
        console.print("No ticket is similar. `bullpen tickets stats` shows how many there are.")
        return
    ticket = Column("ticket", overflow="fold", min_width=max(min(len(shown(hit.ticket_id)), _ID_WIDTH) for hit in hits))
    places_by = (Column(heading, min_width=len(heading), justify="right") for heading in ("by meaning", "by words"))
    listed = table(ticket, "score", *places_by, wide("description"), wide("root cause"))
    for hit in hits:
        places = [str(rank) if rank else "-" for rank in (hit.vector_rank, hit.text_rank)]
        listed.add_row(shown(hit.ticket_id), f"{hit.score:.3f}", *places, brief(hit.description, 120), brief(hit.root_cause, 120))
    console.print(listed)


@app.command()
def show(ticket_id: Annotated[str, typer.Argument(help="The ticket's id.")], as_json: AsJson = False) -> None:
    """Show a ticket as it was imported."""
    ticket = show_ticket(database(), ticket_id)
    if as_json:
        print_json(ticket.to_json())
        return
    table = Table(show_header=False, title=shown(ticket.ticket_id), title_justify="left")
    table.add_row("description", shown(ticket.description))
    for number, anomaly in enumerate(ticket.anomalies, start=1):
        lines = [anomaly.description, *(f"  {text}" for text in (anomaly.observation_method, anomaly.why_relevant) if text)]
        table.add_row(f"phenomenon {number}", shown("\n".join(lines)))
    table.add_row("root cause", shown(ticket.root_cause))
    table.add_row("solution", shown(ticket.solution or "-"))
    for key, value in ticket.metadata.items():
        table.add_row(shown(key), shown(str(value)))
    console.print(table)


@app.command()
def delete(ticket_id: Annotated[str, typer.Argument(help="The ticket's id.")]) -> None:
    """Delete a ticket, and the phenomena and cause that no other ticket has."""
    delete_ticket(database(), ticket_id, _embedder())
    console.print(f"Ticket {shown(ticket_id)} is deleted.")


@app.command("reindex")
def reindex_(as_json: AsJson = False) -> None:
    """Derive everything from the tickets again: phenomena, causes, counts, words, links, vectors.

    Every import keeps these up to date, so this changes something only after a release that reads tickets differently, after a
    change of the embedding model, or in a database that was edited by hand. Searches meanwhile use the old state.
    """
    with _progress(_PROGRESS_FROM) as progress:
        task = progress.add_task("Reading", total=None)
        report = reindex(
            database(), _embedder(), progress=lambda what, done, total: progress.update(task, description=what, completed=done, total=total)
        )
    if as_json:
        print_json(report.to_json())
        return
    console.print(f"{report.tickets} tickets read, in {report.duration_s:.1f} s.")
    found = {what: number for what, number in report.differed.items() if number}
    if not found:
        console.print("Nothing differed: what is derived was that of the tickets.")
        return
    table = Table("what", "rows that differed")
    for what, number in found.items():
        table.add_row(what, f"{number:,}")
    console.print(table)


@app.command()
def stats(as_json: AsJson = False) -> None:
    """Count the tickets, their causes and phenomena, and the vectors of each embedding model."""
    counts = count_history(database())
    if as_json:
        print_json(counts)
        return
    table = Table("what", "number")
    for what, number in counts.items():
        table.add_row(what, f"{number:,}")
    console.print(table)


def _embedder() -> Embedder | None:
    return load_embedder(load_settings())


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


def _tell(report: ImportReport, strict: bool) -> None:
    if strict and report.problems:
        console.print("Nothing was imported: --strict takes every row or none.")
    else:
        console.print(f"{report.imported} imported, {report.updated} updated, {report.unchanged} unchanged.")
    if report.problems:
        table = Table("line", "ticket", "why it was refused", title=f"{len(report.problems)} refused", title_justify="left")
        for problem in report.problems[:_SHOWN_PROBLEMS]:
            table.add_row(str(problem.line), shown(problem.ticket_id or "-"), shown(problem.reason))
        console.print(table)
        if len(report.problems) > _SHOWN_PROBLEMS:
            console.print(f"... and {len(report.problems) - _SHOWN_PROBLEMS} more; --json lists them all.")
