"""Cases of an evaluation of `diagnose`: which ticket is hidden, what remains of the history, and what the user says first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.tickets import Ticket
from workers.errors import InvalidInput
from workers.tickets.wording import cause_id

GROUP = "symptom_group"
"""The key of a ticket's metadata that names the group of causes it is distinguished from (`--by-group`)."""

_NEVER_SHOWN = frozenset({"title", "solution", "path"})
"""Keys of the metadata that contain the answer, besides all keys with `cause` in their name."""


def cause_of(ticket: Ticket) -> str:
    """The id of its cause in the history."""
    return cause_id(ticket.root_cause, ticket.metadata)


@dataclass(frozen=True, slots=True)
class Case:
    """One incident to be diagnosed. `history` names the tickets that causes are drawn from. A hidden ticket that is among them stays
    there unless `left_out` is set: if its cause has no other ticket, a history without it could not know the answer."""

    ticket: Ticket
    opening: str
    """What the user says first."""
    history: str
    """The key of its history in `Evaluation.histories`."""
    left_out: bool
    absent: bool = False
    """Whether every ticket of its cause is left out, so that the right answer is `unknown`."""
    right: frozenset[str] | None = None
    """The causes that are right, where the ticket's own is not meant; empty: `unknown` is right."""

    @property
    def cause_id(self) -> str:
        """The cause of the ticket."""
        return cause_of(self.ticket)

    @property
    def right_causes(self) -> frozenset[str]:
        """The right answers; none: `unknown` is right."""
        if self.absent:
            return frozenset()
        return frozenset({self.cause_id}) if self.right is None else self.right


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Cases with their histories: one history of all tickets, or one for each symptom group that has cases."""

    histories: Mapping[str, tuple[Ticket, ...]]
    cases: tuple[Case, ...]
    dropped: int
    """Tickets that are not cases: without a symptom group that the history has, or without the opening."""


def make_cases(
    tickets: Sequence[Ticket], cases: Sequence[Ticket] | None = None, *, by_group: bool = False, opening: str = "description"
) -> Evaluation:
    """Every ticket as a case, or those of `cases`: incidents beside the history, or, by their ids, tickets of it.

    A hidden ticket of the history is left out of it where its cause has other tickets there; else it stays. With
    `by_group` the history of a case is that of its symptom group; tickets without one are no cases. `opening`: the
    field that the user first tells, `description` or a key of the metadata; cases without it are dropped, and counted.
    Raises `InvalidInput` when no case is left, when an id comes twice, or when the opening would tell the answer.
    """
    if "cause" in opening.casefold() or opening.casefold() in _NEVER_SHOWN:
        raise InvalidInput(f"The user cannot open with {opening!r}: it is, or tells, the answer.")
    asked = tickets if cases is None else cases
    for given in (tickets, asked):
        _refuse_twins(given)
    histories = _histories(tickets, by_group)
    causes = {name: {ticket.ticket_id: cause_of(ticket) for ticket in history} for name, history in histories.items()}
    counts = {name: Counter(held.values()) for name, held in causes.items()}
    made: list[Case] = []
    for ticket in asked:
        history = _group(ticket) if by_group else ""
        opening_text = ticket.description if opening == "description" else str(ticket.metadata.get(opening) or "")
        if history is None or history not in histories or not opening_text.strip():
            continue
        own = causes[history].get(ticket.ticket_id)
        others = counts[history][cause_of(ticket)] - (own == cause_of(ticket))
        made.append(Case(ticket, opening_text, history, left_out=own is not None and others > 0))
    if not made:
        needed = [f"a {GROUP} that the history has"] * by_group + [f"a metadata field {opening!r}"] * (opening != "description")
        raise InvalidInput(f"No case is left: no ticket has {' and '.join(needed) or 'a description'}.")
    played = {case.history for case in made}
    return Evaluation({name: history for name, history in histories.items() if name in played}, tuple(made), len(asked) - len(made))


def reworded(evaluation: Evaluation, openings: Sequence[tuple[str, str]]) -> Evaluation:
    """The cases opened in other words: one for each ticket's id and opening. Raises `InvalidInput` when no ticket has such an id."""
    cases = {case.ticket.ticket_id: case for case in evaluation.cases}
    made = tuple(replace(cases[ticket], opening=opening) for ticket, opening in openings if ticket in cases)
    if not made:
        raise InvalidInput("No opening is of a ticket that is a case. Each line needs `ticket_id` and `opening`.")
    return Evaluation(evaluation.histories, made, len(openings) - len(made))


def without_causes(evaluation: Evaluation) -> Evaluation:
    """The same cases while no ticket of their cause is in the history."""
    cases = tuple(replace(case, absent=True, left_out=False) for case in evaluation.cases)
    return Evaluation(evaluation.histories, cases, evaluation.dropped)


def _refuse_twins(tickets: Iterable[Ticket]) -> None:
    """A hidden ticket's twin would stay in the history."""
    twice = [ticket_id for ticket_id, count in Counter(ticket.ticket_id for ticket in tickets).items() if count > 1]
    if twice:
        raise InvalidInput(f"Tickets come more than once: {', '.join(twice[:3])}.")


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
