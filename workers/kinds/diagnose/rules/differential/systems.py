"""Which system an incident is about. In a history of several systems, a question about another one is a wasted question.

A ticket's system is what its metadata says; else what its host, its text or the other tickets of its cause say. The incident's is a
distribution: naive Bayes over the words of the tickets, and much for a name that the user says.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contracts.tickets import TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.differential.naming import fleet_of, is_component, names_in
from workers.kinds.diagnose.rules.products import is_product, names_of, product_in
from workers.retrieval.tokens import tokens

NAMED = 4.0
"""Nats for a system whose name, or whose host's name, the user says."""
CERTAIN = 20.0
"""Nats for the system that the user names in answer to the question."""
_TEMPER = 0.4
_MOST_BY_WORDS = 2.5
"""Words of one text depend on each other, so that naive Bayes is too sure: its nats count less, and up to this."""
_CLEAR = 2.0
"""Nats by which the words of a ticket have to speak for one system more than for the next, to be taken for it. Without: nothing is asked of
the ticket once the system is settled, which costs less than a question about another system."""
_ITS_OWN = 0.8
"""Share of the tickets with a word that are of one system, from which the word of its name names it."""
_PART = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_WHOLE_PART = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")
_IDENTIFIER = re.compile(r"[-_.0-9]")
_NUMERONYM = re.compile(r"([a-z])([0-9]{1,2})([a-z])")


@dataclass(frozen=True)
class Systems:
    """The systems of one evidence; none if the history does not say, or has one only."""

    names: tuple[str, ...] = ()
    of_ticket: Mapping[str, str] | None = None
    """ticket_id → system, where it is known."""
    aliases: Mapping[str, frozenset[str]] | None = None
    """system → the names that mean it."""

    def __bool__(self) -> bool:
        return len(self.names) > 1

    def of_causes(self, tickets: Iterable[TicketCard]) -> dict[str, set[str]]:
        """cause_id → the systems of its tickets."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for ticket in tickets:
            if name := (self.of_ticket or {}).get(ticket.ticket_id):
                found[ticket.cause_id].add(name)
        return found

    def weigh(self, nats: Mapping[str, float], evidence: TicketEvidence) -> list[float]:
        """What is known of the system (`nats` for each), as nats for each cause of the evidence and for `none of them` at the end. A cause
        of no known system gets the mean. A cause that no ticket has is of any of the systems: it gets the mean of the likelihoods."""
        if not nats:
            return [0.0] * (len(evidence.causes) + 1)
        most = max(nats.values())
        known = {name: max(value - most, -2 * CERTAIN) for name, value in nats.items()}
        usual = math.fsum(known.values()) / len(known)
        of_causes = self.of_causes(evidence.tickets)
        found = [max((known[name] for name in of_causes.get(cause.cause_id, ())), default=usual) for cause in evidence.causes]
        return [*found, math.log(math.fsum(math.exp(value) for value in known.values()) / len(known))]


def read_systems(evidence: TicketEvidence) -> Systems:
    """The systems of the tickets."""
    tickets = evidence.tickets
    spelled: dict[str, str] = {}
    own = _as_named(tickets)
    for name in own.values():
        spelled.setdefault(name.casefold(), name)
    found = {ticket: name.casefold() for ticket, name in own.items()}
    meant = _same_systems(tickets, found)
    found = {ticket: meant.get(name, name) for ticket, name in found.items()}
    names = {name: spelled[name] for name in sorted(set(found.values()))}
    if len(names) < 2:
        return Systems()
    found |= {ticket.ticket_id: name for ticket in tickets if ticket.ticket_id not in found and (name := _by_host(ticket, names))}
    found |= _by_others([(ticket.ticket_id, ticket.cause_id) for ticket in tickets], found)
    found |= _by_fleet(tickets, found)
    found |= _by_hosts(tickets, found)
    found |= _by_words(evidence, found)
    same = {name: {name, *(other for other, kept in meant.items() if kept == name)} for name in names}
    aliases = {
        spelled[name]: frozenset({*others, *_hosts_of(name, found, tickets), *_products_of(others)}) for name, others in same.items()
    }
    return Systems(tuple(names.values()), {ticket: names[name] for ticket, name in found.items()}, aliases)


def _as_named(tickets: Sequence[TicketCard]) -> dict[str, str]:
    """ticket_id → the system as its metadata name it: the product, if a name of a system says one, else the first name. Where these tell
    no systems apart, or a ticket has none, the product that the names of its hosts say."""
    named = {ticket.ticket_id: _product_or_first(ticket) for ticket in tickets if ticket.systems}
    products = {ticket.ticket_id: product for ticket in tickets if (product := _product_of_hosts(ticket))}
    are_different = len({name.casefold() for name in named.values()}) > 1 or len(set(products.values())) < 2
    return {**products, **named} if are_different else {**named, **products}


def _product_or_first(ticket: TicketCard) -> str:
    return next((name for name in ticket.systems if product_in(name) and not is_component(name.casefold())), ticket.systems[0])


def _product_of_hosts(ticket: TicketCard) -> str | None:
    names = (*ticket.systems, *ticket.hosts)
    found = {product: name for name in reversed(names) if (product := product_in(name)) and not is_component(name.casefold())}
    product, name = next(iter(found.items())) if len(found) == 1 else (None, "")
    return name if is_product(name) else product


def _hosts_of(system: str, found: Mapping[str, str], tickets: Sequence[TicketCard]) -> set[str]:
    """Hosts, and further names, that only tickets of this system have."""
    own, others = set[str](), set[str]()
    for ticket in tickets:
        names = {name.casefold() for name in (*ticket.hosts, *ticket.systems)}
        (own if found.get(ticket.ticket_id) == system else others).update(names)
    return own - others


def _products_of(names: Iterable[str]) -> set[str]:
    """All names of the products that names of a system hold: "oracle" of `Oracle 19c RAC`."""
    products = {product for name in names if not is_component(name) and (product := product_in(name))}
    return {each for product in products for each in names_of(product)}


def _same_systems(tickets: Sequence[TicketCard], found: Mapping[str, str]) -> dict[str, str]:
    """name → the product, or the more frequent name, of the same system: one team writes the product, another the host. They are one where
    both hold the name of one product (`kafka-logs`), where the other's tickets have it among their hosts or beside their own name, or where
    they share causes."""
    often = Counter(found.values())
    labels = _labels(tickets, found)
    hosts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    causes: defaultdict[str, set[str]] = defaultdict(set)
    for ticket in tickets:
        if system := found.get(ticket.ticket_id):
            causes[ticket.cause_id].add(system)
            for host in ticket.hosts:
                hosts[host.casefold()][system] += 1
    shared = Counter((name, other) for names in causes.values() for name in names for other in names if name != other)
    meant: dict[str, str] = {}

    def product_of(name: str) -> str | None:
        return None if is_component(name) else product_in(name)

    def rank(name: str) -> tuple[bool, int, str]:
        return is_product(name), often[name], name

    for name in sorted(often, key=rank):
        parts = set[str]() if is_component(name) else set[str](_WHOLE_PART.findall(name))
        product = product_of(name)
        if same := [other for other in often if product and product == product_of(other) and rank(other) > rank(name)]:
            meant[name] = max(same, key=rank)
            continue
        if products := [other for other in often if other != name and other in parts]:
            meant[name] = products[0]
            continue
        greater = [other for other in often if rank(other) > rank(name) and other not in meant and name not in _WHOLE_PART.findall(other)]
        abbreviated = [other for other in often if other != name and any(_stands_for(part, other) for part in parts)]
        fleet = [other for other in greater if fleet_of(name) and fleet_of(name) == fleet_of(other)]
        by_host = [other for other in greater if hosts[name][other] * 2 > sum(hosts[name].values())]
        sharing = sorted((shared[name, other], other) for other in greater)[-1:]
        by_cause = [other for count, other in sharing if count * 2 >= often[name]]
        labelled = [other for other in greater if labels[name][other] * 2 > sum(labels[name].values())]
        if kept := [*abbreviated, *labelled, *by_host, *by_cause, *fleet][:1]:
            meant[name] = kept[0]
    return {name: meant.get(kept, kept) for name, kept in meant.items()}


def _labels(tickets: Sequence[TicketCard], found: Mapping[str, str]) -> defaultdict[str, Counter[str]]:
    """name → in how many tickets that are of another system it is beside that one's name: a team's word for what runs on a product."""
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket in tickets:
        system = found.get(ticket.ticket_id)
        for name in {name.casefold() for name in ticket.systems}:
            if system is not None and name != system:
                labels[name][system] += 1
    return labels


def _stands_for(part: str, name: str) -> bool:
    """Whether a part of a name is a numeronym of another name of one word: `k8s` for `kubernetes`, and not for `kafka-logs`."""
    found = _NUMERONYM.fullmatch(part)
    return found is not None and name.isalpha() and len(name) == int(found[2]) + 2 and name.startswith(found[1]) and name.endswith(found[3])


def system_of_incident(systems: Systems, evidence: TicketEvidence, texts: Sequence[str]) -> dict[str, float]:
    """system → nats for it, from what the user wrote. Empty when the history has no systems to tell apart."""
    if not systems:
        return {}
    own = {ticket: name.casefold() for ticket, name in (systems.of_ticket or {}).items()}
    stated = "\n".join(texts)
    words = _words_by_system(evidence.tickets, own)
    odds = _odds(tokens(stated), words)
    aliases = all_names(systems)
    named = names_in(stated.casefold(), aliases) or _named_by_words(stated, aliases, words)
    most = max(odds.values(), default=0.0)
    return {
        name: max(_TEMPER * (odds.get(name.casefold(), most) - most), -_MOST_BY_WORDS)
        + (NAMED if name in named and len(named) < len(systems.names) else 0.0)
        for name in systems.names
    }


def all_names(systems: Systems) -> dict[str, set[str]]:
    """system → all names that mean it, in small letters."""
    return {name: {*names_of(name), *(systems.aliases or {}).get(name, ())} for name in systems.names}


def _named_by_words(stated: str, aliases: Mapping[str, Iterable[str]], words: Mapping[str, Counter[str]]) -> set[str]:
    """The systems of which a text has a word that no other system's names have ("baggage" of `Baggage reconciliation`), and few of the
    others' tickets. Hosts are named as wholes."""
    of_name = {
        name: {word for other in others if not _IDENTIFIER.search(other) for word in tokens(other)} for name, others in aliases.items()
    }
    spoken = set(tokens(stated))
    found: set[str] = set()
    for name, own in of_name.items():
        others = set[str]().union(*(theirs for other, theirs in of_name.items() if other != name))
        for word in (own & spoken) - others:
            held = words.get(name.casefold(), Counter())[word]
            if held >= _ITS_OWN * sum(counts[word] for counts in words.values()):
                found.add(name)
    return found


def _by_host(ticket: TicketCard, names: Mapping[str, str]) -> str | None:
    """The system whose name is a part of a host's: `kafka-logs`."""
    parts = {part for host in ticket.hosts for part in _PART.findall(host.casefold())}
    found = [name for name in names if name in parts]
    return found[0] if len(found) == 1 else None


def _by_fleet(tickets: Sequence[TicketCard], found: Mapping[str, str]) -> dict[str, str]:
    """The system of the tickets without one whose hosts begin as those of one system only: `es-siem` beside `es-logs`."""
    of_fleet: defaultdict[str, set[str]] = defaultdict(set)
    for ticket in tickets:
        if ticket.ticket_id in found:
            for name in (*ticket.hosts, *ticket.systems):
                of_fleet[fleet_of(name.casefold())].add(found[ticket.ticket_id])
    of_fleet.pop("", None)
    made: dict[str, str] = {}
    for ticket in tickets:
        if ticket.ticket_id not in found:
            meant = [of_fleet.get(fleet_of(host.casefold()), set[str]()) for host in ticket.hosts]
            names = {name for found_here in meant if len(found_here) == 1 for name in found_here}
            if len(names) == 1:
                made[ticket.ticket_id] = names.pop()
    return made


def _by_hosts(tickets: Sequence[TicketCard], found: Mapping[str, str]) -> dict[str, str]:
    """The system of the tickets without one that share a host, or a label, with two or more of one system and with none of another. What
    several systems have ("oncall") says nothing."""
    holders: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket in tickets:
        if ticket.ticket_id in found:
            for host in ticket.hosts:
                holders[host.casefold()][found[ticket.ticket_id]] += 1
    made: dict[str, str] = {}
    for ticket in tickets:
        if ticket.ticket_id not in found:
            meant = [holders[host.casefold()] for host in ticket.hosts if host.casefold() in holders]
            names = {name for counts in meant if len(counts) == 1 and counts.total() > 1 for name in counts}
            if len(names) == 1:
                made[ticket.ticket_id] = names.pop()
    return made


def _by_others(keys: Sequence[tuple[str, str]], found: Mapping[str, str]) -> dict[str, str]:
    """The system of most tickets with the same key (a cause, a host), for those without one. `keys`: ticket and key."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket, key in keys:
        if ticket in found:
            votes[key][found[ticket]] += 1
    return {ticket: votes[key].most_common(1)[0][0] for ticket, key in keys if ticket not in found and votes[key]}


def _by_words(evidence: TicketEvidence, found: Mapping[str, str]) -> dict[str, str]:
    """The system of the tickets without one by their words, those of their phenomena and cause too, where these say it clearly."""
    phenomena = {card.phenomenon_id: card.description for card in evidence.phenomena}
    causes = {cause.cause_id: cause.description for cause in evidence.causes}
    texts = {
        ticket.ticket_id: [
            *tokens(ticket.description),
            *(word for each in ticket.phenomenon_ids for word in tokens(phenomena.get(each, ""))),
            *tokens(causes.get(ticket.cause_id, "")),
        ]
        for ticket in evidence.tickets
    }
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket, name in found.items():
        words[name].update({*texts.get(ticket, ()), ""})
    made: dict[str, str] = {}
    for ticket, text in texts.items():
        if ticket not in found and (odds := _odds(sorted(set(text)), words)):
            first, second = (*sorted(odds.values(), reverse=True), -math.inf)[:2]
            if first - second >= _CLEAR:
                made[ticket] = max(odds, key=odds.__getitem__)
    return made


def _words_by_system(tickets: Sequence[TicketCard], found: Mapping[str, str]) -> dict[str, Counter[str]]:
    """system → in how many of its tickets each word occurs; the number of its tickets under the empty word."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for ticket in tickets:
        if name := found.get(ticket.ticket_id):
            words[name].update({*tokens(ticket.description), ""})
    return words


def _odds(words: Sequence[str], by_system: Mapping[str, Counter[str]]) -> dict[str, float]:
    """system → nats for it by naive Bayes over the words that any of them knows (Bernoulli, present words only)."""
    known = [word for word in words if any(word in counts for counts in by_system.values())]
    return {name: sum(math.log((held[word] + 0.2) / (held[""] + 1.0)) for word in known) for name, held in by_system.items()}
