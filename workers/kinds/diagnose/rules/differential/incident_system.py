"""Which system an incident is about, as far as its words, the user's answers and the causes that are possible say."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from contracts.diagnose.deliverables import UNASKED, AnswerReading, Hypothesis
from contracts.statements import Statement, say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.naming import named_system, whole_names_in
from workers.kinds.diagnose.rules.differential.systems import CERTAIN, all_names, read_systems, system_of_incident
from workers.kinds.diagnose.rules.products import is_product, names_of
from workers.kinds.diagnose.rules.volunteered import Fact
from workers.kinds.diagnose.rules.wording import other_system, quoted
from workers.retrieval.tokens import tokens

_POSSIBLE = 0.15
"""Probability below which a system is out of question: its phenomena are not asked."""
_ELSEWHERE = 2.0
"""Nats by which the words point to another system, from which an error text that they copy is not that of a ticket of this one."""
_LABELS = 2
"""Labels of a system that are shown beside its name."""
_OPEN = 0.95
"""Probability of the likeliest system below which the user is asked, and from which no other system's phenomena are.
Of 0.85, 0.92 and 0.95 on 106 incidents over eleven systems: 3, 2 and 1 questions about another system, for 0.1 turns."""


class IncidentSystem:
    """The systems of the history, and what the words and answers of one incident say of each."""

    def __init__(self, evidence: TicketEvidence, readings: Sequence[AnswerReading], texts: Sequence[str], named: str = "") -> None:
        """`named`: the system that the request names."""
        self._evidence = evidence
        self._systems = read_systems(evidence)
        self._of_causes = self._systems.of_causes(evidence.tickets)
        self._named: list[str] = []
        """The systems that the user named when asked for it, or to correct a question."""
        self.elsewhere = ""
        """A system that the user named last and no ticket of the history speaks of."""
        if (own := self._of_the_history(named)) is not None:
            self._named.append(own)
        self._hear_the_user(readings)
        self._nats = self._said_of_each(texts)
        whole, _ = whole_names_in("\n".join(texts).casefold(), all_names(self._systems))
        self.is_said = len(whole) == 1
        """Whether the words have the whole name of a system, and of no other: "orders is slow, mysql is fine" says neither."""
        self._shares: dict[str, float] = {}

    def _hear_the_user(self, readings: Sequence[AnswerReading]) -> None:
        for stated in (reading.system for reading in readings if reading.system):
            if (name := self._of_the_history(stated)) is not None:
                self._named.append(name)
                self.elsewhere = ""
            elif not self._is_known(stated):
                self.elsewhere = stated

    def _of_the_history(self, stated: str) -> str | None:
        """The system that a person's word for one means; None for no word, and for one that the history does not have."""
        return named_system(self._systems.names, stated, self._systems.aliases) if stated else None

    def _is_known(self, stated: str) -> bool:
        """Whether any ticket speaks of a product, or all words of another name are words of tickets."""
        texts = (text for ticket in self._evidence.tickets for text in (ticket.description, *ticket.systems, *ticket.hosts))
        written = "\n".join((*texts, *(cause.description for cause in self._evidence.causes))).casefold()
        if any(name in written for name in names_of(stated)):
            return True
        words = set[str]() if is_product(stated) else {*tokens(stated)}
        return bool(words) and words <= {*tokens(written)}

    def understood(self, readings: Sequence[AnswerReading]) -> list[Statement]:
        """How the system that the latest answer names was understood."""
        if not readings or not (stated := readings[-1].system):
            return []
        if (name := self._of_the_history(stated)) is not None:
            return [other_system(name)]
        if self.elsewhere == stated:
            return [say("diagnose.note.elsewhere", system=quoted(stated))]
        return [say("diagnose.note.no_such_system", system=quoted(stated))]

    def other_names(self) -> tuple[tuple[str, ...], ...]:
        """Further exact names of each system, in the order of their likelihood."""
        aliases = self._systems.aliases or {}
        return tuple(
            tuple(sorted({other for known in (name, *aliases.get(name, ())) for other in names_of(known)} - {name.casefold()}))
            for name in self.by_likelihood()
        )

    def labels(self) -> tuple[str, ...]:
        """What the people there call each system, in the order of their likelihood: further names that its tickets have for it."""
        of_ticket = self._systems.of_ticket or {}
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for ticket in self._evidence.tickets:
            if (system := of_ticket.get(ticket.ticket_id)) is not None:
                found[system].update(name for name in ticket.systems if not is_product(name) and name.casefold() != system.casefold())
        return tuple(", ".join(label for label, count in found[name].most_common(_LABELS) if count > 1) for name in self.by_likelihood())

    def _said_of_each(self, texts: Sequence[str]) -> dict[str, float]:
        nats = system_of_incident(self._systems, self._evidence, texts)
        for name in self._named:
            if name in nats:
                nats[name] += CERTAIN
        return nats

    def weigh(self) -> list[float]:
        """What the words and answers say of each cause, and of `none of them` at the end, in nats."""
        if self.elsewhere:
            return [-CERTAIN if self._of_causes.get(cause.cause_id) else 0.0 for cause in self._evidence.causes] + [0.0]
        return self._systems.weigh(self._nats, self._evidence)

    def is_foreign(self, fact: Fact) -> bool:
        """Whether a phenomenon that was reported unasked is known of other systems only than the one that the words point to: one error
        text ("no space left on device") is written by many."""
        if fact.source not in UNASKED or not self._nats:
            return False
        of_ticket = self._systems.of_ticket or {}
        shown = {
            of_ticket.get(ticket.ticket_id) for ticket in self._evidence.tickets if not fact.family.ids.isdisjoint(ticket.phenomenon_ids)
        }
        least = max(self._nats.values()) - _ELSEWHERE
        return bool(shown) and None not in shown and all(self._nats.get(name or "", least) < least for name in shown)

    def follow(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Take the probability of each system from those of its causes."""
        shares = dict.fromkeys(self._systems.names if self._systems else (), 0.0)
        for hypothesis in hypotheses:
            of_cause = self._of_causes.get(hypothesis.cause_id, ())
            for name in of_cause:
                if name in shares:
                    shares[name] += hypothesis.confidence / len(of_cause)
        total = sum(shares.values())
        self._shares = {name: share / total for name, share in shares.items()} if total else {}

    @property
    def is_one_of_several(self) -> bool:
        """Whether the history has several systems, any of which it may be."""
        return bool(self._shares)

    @property
    def is_settled(self) -> bool:
        """Whether the probabilities leave no other system."""
        return max(self._shares.values(), default=0.0) >= _OPEN

    @property
    def is_pointed_to(self) -> bool:
        """Whether the words or an answer point to a system."""
        return max(self._nats.values(), default=0.0) > 0

    @property
    def gain(self) -> float:
        """What knowing the system would tell, in nats."""
        return -math.fsum(share * math.log(share) for share in self._shares.values() if share > 0)

    @property
    def is_named(self) -> bool:
        """Whether the request or an answer names a system."""
        return bool(self._named or self.elsewhere)

    def is_one_of(self, causes: Sequence[Hypothesis]) -> bool:
        """Whether one system has all of these causes. A cause of no known system may be of any."""
        common: set[str] | None = None
        for cause in causes:
            if own := self._of_causes.get(cause.cause_id):
                common = set(own) if common is None else common & own
        return common is None or bool(common)

    def by_likelihood(self) -> tuple[str, ...]:
        """All systems, the likeliest first."""
        return tuple(sorted(self._shares, key=lambda name: (-self._shares[name], name)))

    def phenomena(self, *, likeliest: bool = False) -> set[str]:
        """Ids of the phenomena of tickets of the systems that are not out of question, or of the likeliest one only. What the user says it
        is, it is, however near a ticket of another system is."""
        possible = {name for name, share in self._shares.items() if share >= (_OPEN if self.is_settled else _POSSIBLE)}
        possible = self._shares.keys() & self._named[-1:] or possible
        if likeliest and possible:
            possible = {max(possible, key=lambda name: (self._shares[name], name))}
        of_ticket = self._systems.of_ticket or {}
        if self.elsewhere:
            return {found for ticket in self._evidence.tickets if ticket.ticket_id not in of_ticket for found in ticket.phenomenon_ids}
        return {
            found
            for ticket in self._evidence.tickets
            if not possible or of_ticket.get(ticket.ticket_id) in possible
            for found in ticket.phenomenon_ids
        }
