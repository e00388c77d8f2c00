"""How a ticket, and what an import would take, look on a terminal."""

from rich.table import Table

from contracts.tickets import Ticket, TicketProblem
from workers.cli.context import console
from workers.cli.display import brief, counted, shown
from workers.cli.lines import say, table, wide
from workers.tickets.preview import Preview
from workers.tickets.ticket_rows import DRAWN

_SHOWN_PROBLEMS = 20
_SHOWN_SYSTEMS = 12
_MEANINGS = {
    "summary": "the first line of the description",
    "comments": "read for causes, fixes and figures",
    "status": "tickets that are not solved are refused",
    "resolution": "unsolved and duplicate tickets are refused",
    "metadata": "kept as metadata",
    "ignore": "not kept",
}
_FIELDS = {"root_cause": "root cause", "solution": "solution", "observations": "phenomena"}


def print_preview(found: Preview) -> None:
    """What was understood of the file: columns, counts, examples, refused rows."""
    if found.columns:
        say(f"Read as {'an export of ' + found.tool if found.tool else 'a table'}:")
        columns = table("column", "holds", wide(""))
        for header, role in found.columns:
            columns.add_row(shown(header), role if role not in ("metadata", "ignore") else "-", f"[dim]{_MEANINGS.get(role, '')}[/]")
        console.print(columns)
        console.print()
    say(f"{counted(found.tickets, 'ticket')} with {counted(found.causes, 'cause')}; {len(found.problems):,} refused.")
    if found.systems:
        named = [f"{shown(system)} {number:,}" for system, number in list(found.systems.items())[:_SHOWN_SYSTEMS]]
        more = f", and {len(found.systems) - _SHOWN_SYSTEMS} more" if len(found.systems) > _SHOWN_SYSTEMS else ""
        say(f"Systems: {', '.join(named)}{more}.")
    for field, word in _FIELDS.items():
        if number := found.drawn.get(field):
            say(f"Of {counted(number, 'ticket')} the {word} {'were' if field == 'observations' else 'was'} drawn from prose.")
    say(f"{counted(found.observations, 'phenomenon', 'phenomena')}, {found.checks:,} of them with a command or query that shows them.")
    if found.without_observations:
        say(f"[yellow]{counted(found.without_observations, 'ticket')} with nothing that can be asked.[/]")
    if found.without_solution:
        say(f"[yellow]{counted(found.without_solution, 'ticket')} without a solution.[/]")
    for ticket in found.examples:
        console.print()
        print_ticket(ticket)
    print_problems(found.problems)


def print_ticket(ticket: Ticket) -> None:
    """A ticket with its phenomena, cause, solution and metadata."""
    listed = Table(show_header=False, title=shown(ticket.ticket_id), title_justify="left")
    listed.add_column(no_wrap=True)
    listed.add_column(overflow="fold")
    listed.add_row("description", shown(ticket.description))
    for number, anomaly in enumerate(ticket.anomalies, start=1):
        lines = [anomaly.description, *(f"  {text}" for text in (anomaly.observation_method, anomaly.why_relevant) if text)]
        listed.add_row(f"phenomenon {number}", shown("\n".join(lines)))
    listed.add_row("root cause", shown(ticket.root_cause))
    listed.add_row("solution", shown(ticket.solution or "-"))
    for key, value in ticket.metadata.items():
        if key == DRAWN and isinstance(value, list):
            words = [_FIELDS.get(str(field), str(field)) for field in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] JSON
            listed.add_row("from prose", shown(", ".join(words)))
        else:
            listed.add_row(shown(key), shown(str(value)))
    console.print(listed)


def print_problems(problems: tuple[TicketProblem, ...]) -> None:
    """The first refused rows, each with its line and the reason."""
    if not problems:
        return
    listed = Table("line", "ticket", "why it was refused", title=f"{len(problems)} refused", title_justify="left")
    for problem in problems[:_SHOWN_PROBLEMS]:
        listed.add_row(str(problem.line), shown(problem.ticket_id or "-"), brief(problem.reason, 1_000))
    console.print(listed)
    if len(problems) > _SHOWN_PROBLEMS:
        console.print(f"... and {len(problems) - _SHOWN_PROBLEMS} more; --json lists them all.")
