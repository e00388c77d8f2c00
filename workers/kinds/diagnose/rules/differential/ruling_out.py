"""Phenomena that only rule other causes out: "no lock waits", 队列没有积压. They are as true of any incident without these causes, of an
unknown one too, so that a yes bears none; and "1 no" to "no lock waits" says nothing clear.

"The table has no primary key" denies as well, but what it names is what its own cause is about.
"""

from collections.abc import Sequence

from contracts.tickets import TicketEvidence
from workers.engines.denials import denies
from workers.engines.sentences import sentences
from workers.kinds.diagnose.rules.differential.concepts import concepts_of
from workers.kinds.diagnose.rules.differential.rewordings import holders_of
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import states_absence

_ITS_OWN = 0.15
"""Share of the concepts of a denial that its own cause, or what else its tickets say, names too, up to which it is about others. Of 150
denials in six histories 58 are: most rule something out, the others are error texts and "only X, all else is normal", which then count for
less and need another sign beside them."""


def ruling_out(groups: Sequence[Family], evidence: TicketEvidence) -> frozenset[str]:
    """Ids of these phenomena."""
    denials = {at for at, family in enumerate(groups) if all(text.absent for text in family.wordings)}
    if not denials:
        return frozenset()
    causes = {cause.cause_id: concepts_of(cause.description) for cause in evidence.causes}
    shown = {card.phenomenon_id: concepts_of(card.description) for family in groups for card in family.cards}
    denied = frozenset[str]().union(*(groups[at].ids for at in denials))
    of_ticket = {
        ticket.ticket_id: causes.get(ticket.cause_id, frozenset[str]()).union(
            *(concepts_of(text) for text in sentences(ticket.description) if not states_absence(text)),
            *(shown[found] for found in ticket.phenomenon_ids if found in shown and found not in denied),
        )
        for ticket in evidence.tickets
    }
    holders = holders_of(groups, evidence)
    found = [groups[at] for at in denials if _is_about_others(groups[at], [of_ticket[ticket] for ticket in holders[at]])]
    return frozenset[str]().union(*(family.ids for family in found))


def _is_about_others(family: Family, own: Sequence[frozenset[str]]) -> bool:
    """Whether none of its tickets (`own`: the concepts of each) names what it denies."""
    spoken = [frozenset(word for word in concepts_of(card.description) if not denies(word)) for card in family.cards]
    return bool(own) and all(len(words & theirs) <= _ITS_OWN * len(words) for words in spoken for theirs in own)
