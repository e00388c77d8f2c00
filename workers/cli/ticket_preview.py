"""How a ticket, and what an import would take, look on a terminal."""

from collections.abc import Iterator

from rich.table import Table

from contracts.statements import Join, Statement, count, listing, name, quote, say
from contracts.tickets import Ticket, TicketProblem
from workers.cli.context import console
from workers.cli.display import brief, shown
from workers.cli.lines import table, wide
from workers.cli.list_words import WORDS, ListWords
from workers.cli.telling import tell
from workers.tickets.columns import SOLVED
from workers.tickets.preview import Preview, unknown_states
from workers.tickets.ticket_rows import COMMENTS, DRAWN

_SHOWN_PROBLEMS = 20
_SHOWN_SYSTEMS = 12
_MEANINGS = {
    "summary": say("lists.import.means.summary"),
    "comments": say("lists.import.means.comments"),
    "status": say("lists.import.means.status"),
    "resolution": say("lists.import.means.resolution"),
    "metadata": say("lists.import.means.metadata"),
    "ignore": say("lists.import.means.ignore"),
}
_KEYS = {"status": WORDS["state"], "system": WORDS["system"], COMMENTS: WORDS["comments"]}
"""Metadata under names of ours."""
_FIELDS = {"root_cause": WORDS["root_cause"], "solution": WORDS["solution"], "observations": WORDS["phenomena"]}


def print_preview(found: Preview, words: ListWords) -> None:
    """What was understood of the file: columns, counts, examples, refused rows."""
    if found.columns:
        tell(say("lists.import.tool", tool=name(found.tool)) if found.tool else say("lists.import.table"))
        columns = table(words.word("column"), words.word("holds"), wide(""))
        for header, role in found.columns:
            means = words(_MEANINGS[role]) if role in _MEANINGS else ""
            columns.add_row(shown(header), role if role not in ("metadata", "ignore") else "-", f"[dim]{means}[/]")
        console.print(columns)
        for header, role in found.offers:
            tell(say("lists.import.offer", column=name(header), field=name(role), option=name(f'--map "{header}={role}"')), style="yellow")
        console.print()
    tickets = say("lists.tickets_of", n=count(found.tickets, exact=True))
    causes = say("lists.import.causes", n=count(found.causes, exact=True))
    tell(say("lists.import.would", tickets=tickets, causes=causes, refused=count(len(found.problems), exact=True)))
    if found.systems:
        named = [_sized(system, number) for system, number in list(found.systems.items())[:_SHOWN_SYSTEMS]]
        more = len(found.systems) - _SHOWN_SYSTEMS
        rest = [say("refused.row.more", n=count(more, exact=True))] if more > 0 else []
        tell(say("lists.import.systems", systems=listing(*named, *rest, join=Join.PLAIN)))
    for line in _drawn(found):
        tell(line)
    tell(say("lists.import.checks", n=count(found.observations, exact=True), checks=count(found.checks, exact=True)))
    for number, code in ((found.without_observations, say("lists.import.unasked")), (found.without_solution, say("lists.import.unsolved"))):
        if number:
            of = say("lists.tickets_of", n=count(number, exact=True))
            tell(say("lists.import.lacking", tickets=of, what=code), style="yellow")
    for field, number in found.labelled.items():
        of = say("lists.tickets_of", n=count(number, exact=True))
        tell(say("lists.import.labelled", tickets=of, field=name(field)), style="yellow")
    for ticket in found.examples:
        console.print()
        print_ticket(ticket, words)
    print_problems(found.problems, words)


def _drawn(found: Preview) -> Iterator[Statement]:
    """How many tickets have a field that no column had."""
    tickets = {field: say("lists.tickets_of", n=count(number, exact=True)) for field, number in found.drawn.items() if number}
    if "root_cause" in tickets:
        yield say("lists.import.drawn.root_cause", tickets=tickets["root_cause"])
    if "solution" in tickets:
        yield say("lists.import.drawn.solution", tickets=tickets["solution"])
    if "observations" in tickets:
        yield say("lists.import.drawn.observations", tickets=tickets["observations"])


def _sized(system: str, number: int) -> Statement:
    """A system with the number of its tickets."""
    return say("lists.import.system", system=name(system), n=count(number, exact=True))


def print_ticket(ticket: Ticket, words: ListWords) -> None:
    """A ticket with its phenomena, cause, solution and metadata."""
    listed = Table(show_header=False, title=shown(ticket.ticket_id), title_justify="left")
    listed.add_column(no_wrap=True)
    listed.add_column(overflow="fold")
    listed.add_row(words.word("description"), shown(ticket.description))
    for number, anomaly in enumerate(ticket.anomalies, start=1):
        lines = [anomaly.description, *(f"  {text}" for text in (anomaly.observation_method, anomaly.why_relevant) if text)]
        listed.add_row(words(say("said.ticket.phenomenon", number=count(number, exact=True))), shown("\n".join(lines)))
    listed.add_row(words.word("root_cause"), shown(ticket.root_cause))
    listed.add_row(words.word("solution"), shown(ticket.solution or "-"))
    for key, value in ticket.metadata.items():
        if key == DRAWN and isinstance(value, list):
            fields = (_FIELDS.get(str(field), name(field)) for field in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] JSON
            listed.add_row(words.word("from_prose"), words(listing(*fields, join=Join.PLAIN)))
        else:
            listed.add_row(words(_KEYS[key]) if key in _KEYS else shown(key), shown(str(value)))
    console.print(listed)


def print_problems(problems: tuple[TicketProblem, ...], words: ListWords) -> None:
    """The first refused rows, each with its line and the reason."""
    if not problems:
        return
    for state, number in unknown_states(problems).items():
        rows, option = say("lists.tickets_of", n=count(number, exact=True)), name(f'--map "{state}={SOLVED}"')
        tell(say("lists.import.unknown_state", state=quote(state), tickets=rows, option=option), style="yellow")
    title = words(say("lists.import.refused", n=count(len(problems), exact=True)))
    listed = Table(*words.words("line", "ticket", "why_refused"), title=title, title_justify="left")
    for problem in problems[:_SHOWN_PROBLEMS]:
        listed.add_row(str(problem.line), shown(problem.ticket_id or "-"), brief(words.voice.plain(problem.reason), 1_000))
    console.print(listed)
    if len(problems) > _SHOWN_PROBLEMS:
        tell(say("lists.import.more", n=count(len(problems) - _SHOWN_PROBLEMS, exact=True), option=name("--json")))
