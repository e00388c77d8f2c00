"""One case, played as a dialogue against a real history in Postgres: the same search and the same engine as in the fleet."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import Ticket, TicketEvidence
from workers.blackboard.engine import Database
from workers.errors import InvalidInput
from workers.kinds.diagnose.evaluation.cases import Case, cause_of
from workers.kinds.diagnose.evaluation.user import Seen, User
from workers.kinds.diagnose.rules.search_terms import search_terms, systems_named
from workers.llm import Embedder
from workers.saying import text_of
from workers.tickets import gather_evidence, import_tickets
from workers.tickets.tickets import delete_ticket

Dialogue = list[tuple[PhenomenonQuestion, str]]
Mover = Callable[[DiagnoseRequest, TicketEvidence, Dialogue], Diagnosis | PhenomenonQuestion]
"""A method of diagnosis: the next question, or the diagnosis."""

_STUCK = 40
"""Questions after which a method that does not conclude is stopped."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """One question that was put, and whether it was worth it."""

    text: str
    present: bool
    tells: bool
    """Of the two likeliest causes then, one has tickets that show it and the other has not."""
    other_system: bool
    stated: bool
    """The user's first words said it already."""
    again: bool
    """The user was asked for it before, in any words."""
    about: str
    """What the user calls it."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one case."""

    ticket_id: str
    right_cause: str
    ranked: tuple[str, ...]
    """Causes as the result ranks them, the named one first; empty when the verdict is `unknown` and there is no other."""
    named: str | None
    """The cause that was named; None: `unknown`."""
    confidence: float
    """Of the cause ranked first, named or not; 0 when none is ranked."""
    verdict: str
    turns: int
    questions: int
    """Phenomena asked."""
    repeated: int
    false_citations: int
    """Cited tickets that are not in the history, or have another cause than the named cause (another wording of the right one is not
    another cause); 1 when a cause is named and none is cited."""
    turn_ms: tuple[float, ...]
    """Milliseconds of each turn: search and engine."""
    right_causes: tuple[str, ...] = ()
    """Every wording of the right cause; none: `unknown` is right."""
    asked: tuple[AskedItem, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the history has the cause."""
        return bool(self.right_causes)

    @property
    def best_is_right(self) -> bool:
        """Whether the likeliest cause is the right one, named or not: what the confidence speaks of."""
        return not set(self.ranked[:1]).isdisjoint(self.right_causes)

    @property
    def top1(self) -> bool:
        """Whether the right cause was named, or none where there is none."""
        return self.named in self.right_causes if self.right_causes else self.named is None

    @property
    def top3(self) -> bool:
        """Whether it is among the first three."""
        return not set(self.ranked[:3]).isdisjoint(self.right_causes)


class History:
    """A ticket history in a database of its own. Raises `InvalidInput` for tickets that an import would refuse."""

    def __init__(self, db: Database, embedder: Embedder | None, tickets: Sequence[Ticket]) -> None:
        self.database = db
        self._embedder = embedder
        self._tickets = {ticket.ticket_id: ticket for ticket in tickets}
        self.causes: Mapping[str, str] = {ticket.ticket_id: cause_of(ticket) for ticket in tickets}
        report = import_tickets(db, embedder, enumerate(tickets, start=1), strict=True, embed_s=None)
        if report.problems:
            first, reason = report.problems[0].ticket_id, text_of(report.problems[0].reason, "en")
            raise InvalidInput(f"{len(report.problems)} tickets cannot be imported, the first {first}: {reason}.")

    def holds(self, ticket: Ticket) -> bool:
        """Whether it is a ticket of this history."""
        return ticket.ticket_id in self.causes

    @contextmanager
    def without(self, *tickets: str) -> Generator[None, None, None]:
        """The history while the tickets with these ids are not in it."""
        for ticket in tickets:
            delete_ticket(self.database, ticket, self._embedder)
        try:
            yield
        finally:
            for ticket in tickets:
                self._put(self._tickets[ticket])

    def of_cause(self, cause_id: str) -> tuple[str, ...]:
        """The ids of the cause's tickets."""
        return tuple(ticket for ticket, cause in self.causes.items() if cause == cause_id)

    @contextmanager
    def withholding(self, ticket: Ticket) -> Generator[None, None, None]:
        """The history while the description of the ticket with this id is not in it, only its phenomena."""
        own = self._tickets[ticket.ticket_id]
        self._put(own.model_copy(update={"description": "-"}))
        try:
            yield
        finally:
            self._put(own)

    def _put(self, ticket: Ticket) -> None:
        import_tickets(self.database, self._embedder, [(1, ticket)], strict=True)

    def evidence(self, description: str, dialogue: Dialogue) -> TicketEvidence:
        """What the retriever gathers after this dialogue."""
        observations, confirmed = search_terms(dialogue)
        return gather_evidence(self.database, self._embedder, description, observations, confirmed, systems=systems_named(dialogue))


def play(case: Case, history: History, move: Mover, user: User, *, max_turns: int, withhold: bool = False) -> Played:
    """The whole dialogue of one case, the hidden ticket left out of the history if the case says so. `withhold`: where it
    stays, its description does not, so that the user's first words are nowhere in the history."""
    if case.absent:
        gone = history.of_cause(case.cause_id)
        with history.without(*gone):
            return _play(case, history, move, user, max_turns, frozenset(gone))
    if case.left_out:
        with history.without(case.ticket.ticket_id):
            return _play(case, history, move, user, max_turns, frozenset({case.ticket.ticket_id}))
    if withhold and history.holds(case.ticket):
        with history.withholding(case.ticket):
            return _play(case, history, move, user, max_turns, frozenset())
    return _play(case, history, move, user, max_turns, frozenset())


def _play(case: Case, history: History, move: Mover, user: User, max_turns: int, hidden: frozenset[str]) -> Played:
    request = DiagnoseRequest(description=case.opening, max_turns=max_turns)
    dialogue: Dialogue = []
    times: list[float] = []
    asked: list[AskedItem] = []
    while len(dialogue) <= _STUCK:
        began = time.perf_counter()
        evidence = history.evidence(case.opening, dialogue)
        made = move(request, evidence, dialogue)
        times.append((time.perf_counter() - began) * 1000)
        if isinstance(made, Diagnosis):
            return _result(case, history, made, dialogue, user, times, hidden, asked)
        known = len(user.seen)
        dialogue.append((made, user.answer(made)))
        asked += _asked(made, evidence, user.seen[known:])
    raise AssertionError(f"Case {case.ticket.ticket_id} did not end after {_STUCK} questions.")


def _asked(question: PhenomenonQuestion, evidence: TicketEvidence, seen: Sequence[Seen]) -> Iterator[AskedItem]:
    cards = {card.phenomenon_id: card for card in evidence.phenomena}
    first = [hypothesis.cause_id for hypothesis in question.hypotheses[:2]]
    for item, what in zip(question.items, seen, strict=False):
        card = cards.get(item.phenomenon_id)
        tells = card is not None and len({cause in card.cause_tickets for cause in first}) == 2
        yield AskedItem(item.description, what.present, tells, what.other_system, what.stated, what.again, what.about)


def _result(
    case: Case,
    history: History,
    made: Diagnosis,
    dialogue: Dialogue,
    user: User,
    times: list[float],
    hidden: frozenset[str],
    asked: Sequence[AskedItem],
) -> Played:
    named = made.cause_id if made.root_cause else None
    ranked = [named] if named else []
    ranked += [hypothesis.cause_id for hypothesis in made.alternatives]
    wordings = case.right_causes if made.cause_id in case.right_causes else {made.cause_id}
    others = made.alternatives[0].confidence if made.alternatives else 0.0
    return Played(
        ticket_id=case.ticket.ticket_id,
        right_cause=case.cause_id,
        ranked=tuple(dict.fromkeys(ranked)),
        named=named,
        confidence=made.confidence if named else others,
        verdict=made.verdict.value,
        turns=len(dialogue),
        questions=sum(len(question.items) for question, _ in dialogue),
        repeated=user.repeated,
        false_citations=sum(
            ticket in hidden or history.causes.get(ticket) is None or history.causes[ticket] not in wordings
            for ticket in made.cited_tickets
        )
        + (named is not None and not made.cited_tickets),
        turn_ms=tuple(round(spent, 2) for spent in times),
        right_causes=tuple(sorted(case.right_causes)),
        asked=tuple(asked),
    )
