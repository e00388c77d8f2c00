"""What an import would take from a file, for a person to look at before anything is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.statements import Quote, Statement
from contracts.tickets import Ticket, TicketProblem
from workers.tickets.columns import METADATA, Role
from workers.tickets.export_rows import UNKNOWN_STATUS
from workers.tickets.labelled import has_label_within
from workers.tickets.systems import SYSTEM, names_in
from workers.tickets.table_files import TicketFile
from workers.tickets.ticket_files import once_each
from workers.tickets.ticket_rows import drawn_of
from workers.tickets.wording import cause_id

_EXAMPLES = 3
"""Tickets that are shown as they were understood."""


@dataclass(frozen=True)
class Preview:
    """What was understood of a file."""

    encoding: str
    """In which the text was read, where the file does not say so itself."""
    tool: str | None
    columns: tuple[tuple[str, str], ...]
    """Header → the field that it holds, `metadata`, or `ignore`."""
    offers: tuple[tuple[str, str], ...]
    """Columns kept as metadata that look like a field which no column holds → that field."""
    tickets: int
    causes: int
    systems: dict[str, int]
    """System → its tickets, the most frequent first."""
    drawn: dict[str, int]
    """Field → tickets in which it was drawn from prose."""
    observations: int
    checks: int
    """Observations with a command or query that shows them."""
    without_observations: int
    """Tickets with nothing that could be asked."""
    without_solution: int
    labelled: dict[str, int]
    """Field → tickets whose text of it names another field within a line, which is left as it is."""
    unknown_states: dict[str, int]
    """State that nobody has said to be one of solved tickets → its rows, which are refused."""
    examples: tuple[Ticket, ...]
    problems: tuple[TicketProblem, ...]


def preview(file: TicketFile) -> Preview:
    """Read the whole file and count, as the import would."""
    items = [item for _, item in once_each(file.items)]
    tickets = [item for item in items if isinstance(item, Ticket)]
    problems = tuple(item for item in items if isinstance(item, TicketProblem))
    systems = Counter(name for ticket in tickets for name in names_in(ticket.metadata, SYSTEM)[:1])
    drawn = Counter(field for ticket in tickets for field in drawn_of(ticket.metadata))
    return Preview(
        encoding=file.encoding,
        tool=file.columns.tool if file.columns else None,
        columns=_columns(file),
        offers=tuple((header, role.value) for header, role in file.columns.offers()) if file.columns else (),
        tickets=len(tickets),
        causes=len({cause_id(ticket.root_cause, ticket.metadata) for ticket in tickets}),
        systems=dict(systems.most_common()),
        drawn=dict(drawn),
        observations=sum(len(ticket.anomalies) for ticket in tickets),
        checks=sum(bool(anomaly.observation_method) for ticket in tickets for anomaly in ticket.anomalies),
        without_observations=sum(not ticket.anomalies for ticket in tickets),
        without_solution=sum(not ticket.solution for ticket in tickets),
        labelled=dict(Counter(field for ticket in tickets for field in _labelled(ticket))),
        unknown_states=unknown_states(problems),
        examples=_examples(tickets),
        problems=problems,
    )


def unknown_states(problems: Sequence[TicketProblem]) -> dict[str, int]:
    """Each state that is not known, the most frequent first, with its rows."""
    states = (says.values["status"] for row in problems if isinstance(says := row.reason, Statement) and says.code == UNKNOWN_STATUS)
    return dict(Counter(state.text for state in states if isinstance(state, Quote)).most_common())


def _labelled(ticket: Ticket) -> list[str]:
    texts = {"description": ticket.description, "root_cause": ticket.root_cause, "solution": ticket.solution}
    return [field for field, text in texts.items() if has_label_within(text, field)]


def _columns(file: TicketFile) -> tuple[tuple[str, str], ...]:
    if file.columns is None:
        return ()
    held = zip(file.columns.headers, file.columns.roles, strict=True)
    named = {header: role.value if role else METADATA for header, role in held if header}
    order = [role.value for role in Role if role is not Role.IGNORE] + [METADATA, Role.IGNORE.value]
    return tuple(sorted(named.items(), key=lambda pair: order.index(pair[1])))


def _examples(tickets: Sequence[Ticket]) -> tuple[Ticket, ...]:
    """The tickets of which most had to be drawn: those are the ones to look at."""
    return tuple(sorted(tickets, key=lambda ticket: -len(drawn_of(ticket.metadata)))[:_EXAMPLES])
