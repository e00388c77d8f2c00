"""What bears a cause, beside the likeness of the description: how much of it was seen, and how much doubt that leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import DESCRIBED, Finding, Hypothesis
from contracts.tickets import TicketCard
from workers.kinds.diagnose.rules.differential.confidence import DOUBT
from workers.kinds.diagnose.rules.differential.opening import lacking
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.known import Known
from workers.kinds.diagnose.rules.profiles import Profile

_BY_ONE = 0.95
"""Probability from which one phenomenon that was confirmed or reported makes a cause the diagnosis; below it another one is asked. A new
cause often shares one with an old cause: of 217 openings whose cause was taken out, 5 had another one at 0.7 and more by one confirmation,
4 of them at less than this."""

_TICKETS_ALONE = 2
"""Tickets of the cause that show it then. One ticket shows what one author wrote."""


def seen_of(cause: Hypothesis, ruling_out: frozenset[str] = frozenset()) -> int:
    """How many phenomena of the cause were seen. What the description says counts only beside something that was confirmed or reported
    later: it is what made the cause near, also where somebody planted the ticket. `ruling_out`: ids of what bears no cause."""
    bearing = [found for found in cause.evidence if found.bears and found.phenomenon_id not in ruling_out]
    return len(bearing) if any(found.source != DESCRIBED for found in bearing) else 0


def is_refuted(cause: Hypothesis) -> bool:
    """Whether as much of what its tickets show was denied as was seen, or more."""
    denied = sum(found.finding is Finding.DENIED and bool(found.tickets) for found in cause.evidence)
    return denied > 0 and denied >= sum(found.bears and bool(found.tickets) for found in cause.evidence)


@dataclass(frozen=True)
class Bearing:
    """What is known of an incident, as far as it can bear a cause."""

    profile: Profile
    total_tickets: int
    """Of the whole history."""
    tickets: Sequence[TicketCard]
    groups: Sequence[Family]
    known: Known
    stated: frozenset[str]
    """Ids of the phenomena that the description says."""
    is_vague: bool
    """Whether the description resembles no ticket."""
    ruling_out: frozenset[str] = frozenset()
    """Ids of the phenomena that only rule other causes out."""

    def doubt(self, top: Hypothesis | None) -> float:
        """The least probability of `none of them`: much until something was seen, or while one phenomenon bears a cause that is not all but
        certain or that it does not tell from others; and in a short history also after that, less with each phenomenon. A description that
        is that of several old tickets, all of this cause, leaves less of it with each. Where as much of what its tickets show was denied
        as was seen, much: the incident may have the symptom and another cause."""
        if top is None:
            return DOUBT
        seen = seen_of(top, self.ruling_out)
        if is_refuted(top):
            return DOUBT
        if not self.is_seen(top) or (seen == 1 and not self._is_enough_alone(top)):
            return DOUBT ** max(self.retold(top), 1)
        return lacking(self.total_tickets) * DOUBT ** (seen - 1)

    def is_seen(self, top: Hypothesis) -> bool:
        """Whether more than the description's likeness bears a cause: something was confirmed or reported in a ticket's words (two things
        after an opening that resembles no ticket, for what leads then leads by chance)."""
        seen = seen_of(top, self.ruling_out)
        return seen > self.is_vague or (seen > 0 and self._says_more_of(top))

    def _is_enough_alone(self, top: Hypothesis) -> bool:
        """Whether the one phenomenon that was seen makes a cause the diagnosis, if that is all but certain: where the description says
        another one of it, or where no other cause shows this one, and several of its tickets do or they show nothing else."""
        if top.confidence < _BY_ONE or self._says_more_of(top):
            return top.confidence >= _BY_ONE
        own = {found.phenomenon_id for found in top.evidence if found.bears}
        shown = [family.shown for family in self.groups if not own.isdisjoint(family.ids)]
        is_its_own = all(count < 1 for causes in shown for cause, count in causes.items() if cause != top.cause_id)
        often = any(causes.get(top.cause_id, 0.0) >= _TICKETS_ALONE for causes in shown)
        has_more = any(family.shown.get(top.cause_id, 0.0) >= 1 and family.key not in self.known.found for family in self.groups)
        return is_its_own and (often or not has_more)

    def retold(self, top: Hypothesis) -> int:
        """How many tickets of the cause the whole description repeats."""
        return sum(ticket.similarity >= self.profile.strong_symptom for ticket in self.tickets if ticket.cause_id == top.cause_id)

    def _says_more_of(self, top: Hypothesis) -> bool:
        """Whether the description says another phenomenon of a cause than those that something is known of."""
        more = [family for family in self.groups if top.cause_id in family.shown and family.key not in self.known.found]
        return any(not self.stated.isdisjoint(family.ids) for family in more)
