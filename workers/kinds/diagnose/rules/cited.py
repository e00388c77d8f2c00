"""Where a model says that a ticket has what the person said: references of its findings (`T-1/2`, `T-1/0` of the description), checked
against the words."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.diagnose.deliverables import Evidence, Finding, ReadFinding, TurnFinding
from contracts.tickets import PhenomenonCard
from workers.kinds.diagnose.rules.differential.stated import clause_of
from workers.kinds.diagnose.rules.rar.items import own_id
from workers.tickets.contradiction import opposed, states


def read_findings(
    findings: Sequence[TurnFinding], texts: Sequence[str], phenomena: Mapping[str, PhenomenonCard]
) -> tuple[ReadFinding, ...]:
    """Findings on phenomena by their references, each phenomenon once, quoted from these texts."""
    made: dict[str, ReadFinding] = {}
    for finding, clause, reference in _cited(findings, texts):
        card = phenomena.get(reference)
        if card is None or (opposed if finding.present else states)(clause, card.description):
            continue
        what = Finding.CONFIRMED if finding.present else Finding.DENIED
        quote = finding.quote.strip()
        made.setdefault(card.phenomenon_id, ReadFinding(phenomenon_id=card.phenomenon_id, finding=what, quote=quote))
    return tuple(made.values())


def described(findings: Sequence[TurnFinding], texts: Sequence[str], descriptions: Mapping[str, str]) -> tuple[Evidence, ...]:
    """What was said that the descriptions of tickets say too, by their ids; one for each ticket, without weight."""
    made: dict[str, Evidence] = {}
    for finding, clause, reference in _cited(findings, texts):
        ticket, _, number = reference.rpartition("/")
        text = descriptions.get(ticket) if number == "0" and finding.present else None
        if text and not opposed(clause, text):
            seen = Evidence(
                phenomenon_id=own_id(text), description=text, finding=Finding.CONFIRMED, weight=0.0, tickets=(ticket,), source="read",
                quote=finding.quote.strip(),
            )  # fmt: skip
            made.setdefault(ticket, seen)
    return tuple(made.values())


def _cited(findings: Sequence[TurnFinding], texts: Sequence[str]) -> Iterator[tuple[TurnFinding, str, str]]:
    """Each finding that is quoted from the texts, with its clause and each of its references."""
    for finding in findings:
        if (clause := clause_of(finding.quote, texts)) is not None:
            yield from ((finding, clause, reference.strip()) for reference in finding.shown_in)
