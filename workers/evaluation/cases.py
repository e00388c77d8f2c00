"""Cases of an evaluation of `diagnose`: which ticket is hidden, what remains of the history, and what the user says first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contracts.diagnosis import Ticket
from workers.errors import InvalidInput
from workers.knowledge.wording import cause_id

GROUP = "symptom_group"
"""The key of a ticket's metadata that says which causes are told apart with it (`--by-group`)."""


def cause_of(ticket: Ticket) -> str:
    """The id of its cause in the history."""
    return cause_id(ticket.root_cause, ticket.metadata)


@dataclass(frozen=True, slots=True)
class Case:
    """One incident to be diagnosed. `history` names the tickets that causes are drawn from, the hidden one among them
    unless `left_out`: its cause has no other ticket, and a history without it could not know the answer."""

    ticket: Ticket
    opening: str
    """What the user says first."""
    history: str
    """The key of its history in `Evaluation.histories`."""
    left_out: bool

    @property
    def cause_id(self) -> str:
        """The right answer."""
        return cause_of(self.ticket)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Cases with their histories: one of all tickets, or one a symptom group."""

    histories: Mapping[str, tuple[Ticket, ...]]
    cases: tuple[Case, ...]


def make_cases(
    tickets: Sequence[Ticket], cases: Sequence[Ticket] | None = None, *, by_group: bool = False, opening: str = "description"
) -> Evaluation:
    """Every ticket as a case, or those of `cases`: incidents beside the history, or, by their ids, tickets of it.

    A hidden ticket of the history is left out of it where its cause has other tickets there; else it stays. With
    `by_group` the history of a case is that of its symptom group; tickets without one are no cases. `opening`: the
    field that the user first tells, `description` or a key of the metadata; cases without it are dropped.
    Raises `InvalidInput` when no case is left.
    """
    histories = _histories(tickets, by_group)
    counts = {name: Counter(cause_of(ticket) for ticket in history) for name, history in histories.items()}
    known = {ticket.ticket_id for ticket in tickets}
    made: list[Case] = []
    for ticket in tickets if cases is None else cases:
        history = _group(ticket) if by_group else ""
        said = ticket.description if opening == "description" else str(ticket.metadata.get(opening) or "")
        if history is None or history not in histories or not said.strip():
            continue
        left_out = ticket.ticket_id in known and counts[history][cause_of(ticket)] > 1
        made.append(Case(ticket, said, history, left_out))
    if not made:
        raise InvalidInput(f"No case is left: {'no ticket has a ' + GROUP if by_group else 'no ticket could be read'}.")
    return Evaluation(histories, tuple(made))


def _histories(tickets: Iterable[Ticket], by_group: bool) -> dict[str, tuple[Ticket, ...]]:
    if not by_group:
        return {"": tuple(tickets)}
    groups: defaultdict[str, list[Ticket]] = defaultdict(list)
    for ticket in tickets:
        if (group := _group(ticket)) is not None:
            groups[group].append(ticket)
    return {group: tuple(members) for group, members in groups.items()}


def _group(ticket: Ticket) -> str | None:
    value = ticket.metadata.get(GROUP)
    return value if isinstance(value, str) and value.strip() else None
