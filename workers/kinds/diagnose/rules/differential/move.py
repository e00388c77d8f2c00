"""The default method: the differential diagnosis of an incident.

1. The nearest tickets and the opening give each cause, and `none of them`, a probability before any question (opening.py).
2. Where the history has several systems and the words leave open which one it is, that is asked once (systems.py).
3. Of what the plausible causes show, the phenomena are asked whose answers tell those causes apart (information by effort), at most three
   at a time, and nothing that the opening said, that another system shows, or that nobody can answer (askable.py).
4. As soon as one cause that something bears reaches the bar it is the diagnosis. When no question is worth its effort, or no turn is left,
   the likeliest cause is named with its probability if that is worth reading. What is stated is calibrated (confidence.py).
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.diagnose.deliverables import (
    VOLUNTEERED,
    Diagnosis,
    Finding,
    Hypothesis,
    PhenomenonItem,
    PhenomenonQuestion,
    ReadFinding,
    Verdict,
)
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.statements import Statement, lines, say, sayables_in
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.conclusion import conclusion
from workers.kinds.diagnose.rules.differential.askable import is_askable, observed
from workers.kinds.diagnose.rules.differential.concepts import Concepts
from workers.kinds.diagnose.rules.differential.confidence import DOUBT, calibrated, doubted
from workers.kinds.diagnose.rules.differential.hint import Hint
from workers.kinds.diagnose.rules.differential.merged import alike_to, merged
from workers.kinds.diagnose.rules.differential.opening import for_history, lacking, opening
from workers.kinds.diagnose.rules.differential.stated import ReadOpening, facts_read, read_opening, with_reading
from workers.kinds.diagnose.rules.differential.systems import CERTAIN, Systems, named_system, read_systems, system_meant, system_of_incident
from workers.kinds.diagnose.rules.echo import echo
from workers.kinds.diagnose.rules.families import Family, cards_by_id
from workers.kinds.diagnose.rules.known import Dialogue, gather, observed_unasked, read_all
from workers.kinds.diagnose.rules.posterior import Belief, believe, priors_of
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL, Profile
from workers.kinds.diagnose.rules.questions import choose, items
from workers.kinds.diagnose.rules.volunteered import Fact
from workers.kinds.diagnose.rules.wording import cause_shares, invitation, quoted

_EXCEPTION = re.compile(r"\b[\w.$]+(?:Exception|Error):\s*")
"""The name of an exception, which says less than its message."""
_TO_CHECK = 3
"""Phenomena of the named cause that a conclusion offers to be looked at."""
_SHOWN = 5
"""Hypotheses that a question shows."""
_SAID = 0.40
"""Likeness of a phenomenon to the opening from which the opening has said it."""
_SAID_BY_TICKET = 0.33
"""The same for the phenomenon of a ticket that is nearest to the opening: it is what makes the ticket near, and was counted with it. Of
phenomena as near as that two in five were said, and of what was said two thirds are."""
_HELD = 0.5
"""Share of what a phenomenon says, by concepts, from which the opening has said it. Of 377 phenomena asked in four histories 7 of the
32 that the opening had said have it, and 3 of 345 that it had not."""
_RAISED = 2.0
"""Nats by which the opening raises the odds of a cause from which it says something of each of the cause's tickets with several phenomena:
the nearest of them. With it 73 of 90 phenomena are known as said that the openings of two histories say, and 51 without it; of 423 others
92 and 43 are passed over."""
_AGAIN = 0.50
"""Likeness to a phenomenon that was asked, from which asking it asks the same again."""
_POSSIBLE = 0.15
"""Probability below which a system is out of question: its phenomena are not asked."""
_ELSEWHERE = 2.0
"""Nats by which the words point to another system, from which an error text that they copy is not that of a ticket of this one."""
_OPEN = 0.95
"""Probability of the likeliest system below which the user is asked, and from which no other system's phenomena are.
Of 0.85, 0.92 and 0.95 on 106 incidents over eleven systems: 3, 2 and 1 questions about another system, for 0.1 turns."""
_VAGUE = 0.25
"""Probability of `none of them` by the opening from which the opening says little: it resembles no ticket."""
_IN_VAIN = 0.5
"""Probability of `none of them` from which the questions end after turns that brought nothing: all causes together are less likely."""
_MANY = 4
_EVEN = 0.5
"""Denials without a confirmation, and the probability that a guess has to have then. Of 276 dialogues over ten histories four guesses at a
cause that the history does not have fall by it, and no right one."""
_RETOLD_BAR = 0.90
"""Probability from which a cause is the diagnosis though nothing was confirmed: the description is that of an old ticket."""
_BY_ONE = 0.95
"""Probability from which one phenomenon that was confirmed or reported makes a cause the diagnosis; below it another one is asked. A new
cause often shares one with an old cause: of 217 openings whose cause was taken out, 5 had another one at 0.7 and more by one confirmation,
4 of them at less than this."""
_HOPELESS = 0.75
"""Probability of `none of them` from which nothing more is asked."""


def differential_move(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    *,
    may_ask: bool = True,
    profile: Profile = DIFFERENTIAL,
    hint: Hint | None = None,
    read: ReadOpening | None = None,
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`. Equal inputs give equal moves. `hint`: what a model says, if one was asked; `read`: a model
    that reads the description."""
    case = _Case(request, evidence, dialogue, profile, hint, read_opening(request, evidence, dialogue, read))
    if evidence.total_tickets == 0:
        return case.concluded(Verdict.UNKNOWN)
    top = case.belief.top
    if top and case.is_borne(top):
        return case.concluded(Verdict.DIAGNOSED)
    if not may_ask or len(dialogue) >= request.max_turns or (dialogue and case.belief.none >= _HOPELESS):
        return case.best_guess()
    if case.system_is_open():
        return case.ask_system()
    if case.next and not case.in_vain():
        return case.question(case.items())
    if case.leads() or case.asked_for_symptom or dialogue:
        return case.best_guess()
    return case.question(())


def _each_once(chosen: Sequence[Family]) -> tuple[Family, ...]:
    """The phenomena of one turn without those that may be another one of it in other words."""
    kept: list[Family] = []
    for family in chosen:
        again = alike_to(kept, frozenset(card.phenomenon_id for other in kept for card in other.cards), _AGAIN)
        if again.isdisjoint(family.ids):
            kept.append(family)
    return tuple(kept)


def _raised(evidence: TicketEvidence, begun: Sequence[float], profile: Profile) -> frozenset[str]:
    """The causes that the opening made much likelier than they are without it: it says something that their tickets say."""
    if not begun:
        return frozenset()
    high = max(begun)
    parts = [math.exp(score - high) for score in begun]
    total = math.fsum(parts)
    usual = priors_of(evidence.causes, profile)
    odds = ((part / max(total - part, 1e-12), prior / max(1 - prior, 1e-12)) for part, prior in zip(parts, usual, strict=True))
    raised = [now >= usual * math.exp(_RAISED) for now, usual in odds]
    return frozenset(cause.cause_id for cause, is_raised in zip(evidence.causes, raised, strict=False) if is_raised)


class _Case:
    """One incident at one point of its dialogue."""

    def __init__(
        self,
        request: DiagnoseRequest,
        evidence: TicketEvidence,
        dialogue: Dialogue,
        profile: Profile,
        hint: Hint | None = None,
        read: tuple[ReadFinding, ...] = (),
    ) -> None:
        profile = for_history(profile, evidence.total_tickets)
        self.description = request.description
        self.dialogue = dialogue
        self.hint = hint
        self.read = read
        self.profile = profile
        self.readings = read_all(dialogue)
        stated = [
            text
            for (question, _), reading in zip(dialogue, self.readings, strict=True)
            if not question.systems
            for text in reading.observations
        ]
        texts = (request.description, *stated, *evidence.reported)
        self.lang: Lang = language_of("\n".join(texts))
        self.cause_of = {ticket.ticket_id: ticket.cause_id for ticket in evidence.tickets}
        self.evidence, groups = merged(evidence, profile, self.lang)
        known = gather(self.evidence, groups, dialogue, self.readings, texts, profile)
        self.systems = read_systems(self.evidence)
        self.system_causes = self.systems.of_causes(self.evidence.tickets)
        begun = opening(self.evidence, request.description, profile) if self.evidence.causes else []
        self.systems_named = self._systems_named()
        self.system_nats = self._system_nats(texts)
        self.groups = groups
        self.known = known = replace(known, facts=tuple(fact for fact in known.facts if not self._is_foreign(fact)))
        self.is_vague = bool(begun) and begun[-1] - math.log(math.fsum(map(math.exp, begun))) > math.log(_VAGUE)
        begun = [score + nats for score, nats in zip(begun, self.systems.weigh(self.system_nats, self.evidence), strict=False)]
        self.raised = _raised(self.evidence, begun, profile)
        by_model = facts_read(read, cards_by_id(groups), known.facts)
        self.posterior = believe(self.evidence, [*known.facts, *by_model], profile, self._with_hint(begun))
        self.system_shares = self._shares()
        self.belief: Belief = calibrated(self.posterior)
        self.by_rules = calibrated(believe(self.evidence, known.facts, profile, begun)) if hint or by_model else self.belief
        """The same without what a model says."""
        self.stated = self._said(groups)
        self.belief = doubted(self.belief, self._doubt())
        self.asked_for_symptom = any(not question.items and not question.systems for question, _ in dialogue)
        askable = self._askable(groups, known.asked.ids)
        chosen = choose(self.evidence, askable, self.belief, known, profile, self.lang) if askable else ()
        self.next = _each_once(chosen) or self._confirming()

    def _system_nats(self, texts: Sequence[str]) -> dict[str, float]:
        nats = system_of_incident(self.systems, self.evidence, texts)
        for name in self.systems_named:
            if name in nats:
                nats[name] += CERTAIN
        return nats

    def _systems_named(self) -> list[str]:
        """The systems that the user named when asked for it, or to correct a question."""
        found: list[str] = []
        for (question, answer), reading in zip(self.dialogue, self.readings, strict=True):
            stated = system_meant(Systems(question.systems, {}), answer) if question.systems else reading.system
            name = named_system(self.systems, stated) if stated else None
            if name is not None:
                found.append(name)
        return found

    def _is_foreign(self, fact: Fact) -> bool:
        """Whether a phenomenon that was reported unasked is known of other systems only than the one that the words point to: one error
        text ("no space left on device") is written by many."""
        if fact.source != VOLUNTEERED or not self.system_nats:
            return False
        of_ticket = self.systems.of_ticket or {}
        shown = {
            of_ticket.get(ticket.ticket_id) for ticket in self.evidence.tickets if not fact.family.ids.isdisjoint(ticket.phenomenon_ids)
        }
        least = max(self.system_nats.values()) - _ELSEWHERE
        return bool(shown) and None not in shown and all(self.system_nats.get(name or "", least) < least for name in shown)

    def _with_hint(self, begun: list[float]) -> list[float]:
        """The scores with what the model says. It may have named a wording that is counted under another one now."""
        if self.hint is None:
            return begun
        tickets = {ticket for ticket, cause in self.cause_of.items() if cause == self.hint.cause_id}
        meant = {ticket.cause_id for ticket in self.evidence.tickets if ticket.ticket_id in tickets}
        places = [at for at, cause in enumerate(self.evidence.causes) if cause.cause_id in meant]
        return [score + self.hint.nats if at in places else score for at, score in enumerate(begun)]

    def _shares(self) -> dict[str, float]:
        """system → probability, by its causes."""
        shares = dict.fromkeys(self.systems.names if self.systems else (), 0.0)
        for hypothesis in self.posterior.hypotheses:
            of_cause = self.system_causes.get(hypothesis.cause_id, ())
            for name in of_cause:
                if name in shares:
                    shares[name] += hypothesis.confidence / len(of_cause)
        total = sum(shares.values())
        return {name: share / total for name, share in shares.items()} if total else {}

    def system_is_open(self) -> bool:
        """Whether the user should be asked which system it is: once, as soon as that is open."""
        if any(question.systems for question, _ in self.dialogue) or not self.system_shares:
            return False
        return max(self.system_shares.values()) < _OPEN or (bool(self.next) and not self._is_system_known())

    def _is_system_known(self) -> bool:
        """Whether the user has named a system, or something was seen of the leading cause. Else it may be a single cause that the opening
        resembles which has settled it."""
        top = self.belief.top
        return max(self.system_nats.values(), default=0.0) > 0 or (top is not None and self._bearing(top) > 0)

    def _askable(self, groups: Sequence[Family], asked: frozenset[str]) -> list[Family]:
        """The phenomena that may be asked now."""
        again = alike_to(groups, asked, _AGAIN)
        reported = self.stated.union(*(family.ids for family in groups if not self._read_ids.isdisjoint(family.ids)))
        near = self._of_the_system()
        return [
            family
            for family in groups
            if reported.isdisjoint(family.ids) and again.isdisjoint(family.ids) and not near.isdisjoint(family.ids) and is_askable(family)
        ]

    def _of_the_system(self, *, likeliest: bool = False) -> set[str]:
        """Ids of the phenomena of tickets of the systems that are not out of question, or of the likeliest one only. What the user says it
        is, it is, however near a ticket of another system is."""
        settled = max(self.system_shares.values(), default=0.0) >= _OPEN
        possible = {name for name, share in self.system_shares.items() if share >= (_OPEN if settled else _POSSIBLE)}
        possible = self.system_shares.keys() & self.systems_named[-1:] or possible
        if likeliest and possible:
            possible = {max(possible, key=lambda name: (self.system_shares[name], name))}
        of_ticket = self.systems.of_ticket or {}
        return {
            found
            for ticket in self.evidence.tickets
            if not possible or of_ticket.get(ticket.ticket_id) in possible
            for found in ticket.phenomenon_ids
        }

    def _confirming(self) -> tuple[Family, ...]:
        """What would confirm the leading cause where nothing else is left to ask and nothing was seen of it: the phenomenon of it that the
        description is furthest from, of those that it has not said."""
        top = self.belief.top
        if top is None or top.confidence < self.profile.guess_bar or self.is_seen(top) or self._only_denials():
            return ()
        return tuple(family for family in self._unasked_of_top() if self.stated.isdisjoint(family.ids))[:1]

    def _unasked_of_top(self) -> tuple[Family, ...]:
        """What the leading cause shows in the incident's system and nothing is known of, the furthest from the description first."""
        if (top := self.belief.top) is None:
            return ()
        near = self._of_the_system(likeliest=True)
        found = {fact.family.key for fact in self.known.facts if fact.source != "unsaid"}
        own = [
            family
            for family in self.groups
            if top.cause_id in family.shown
            and not near.isdisjoint(family.ids)
            and family.key not in found
            and is_askable(family)
            and not self.known.asked.covers(family, self.profile.wording_bar)
        ]
        return tuple(sorted(own, key=lambda family: (family.similarity, family.key)))

    @property
    def _read_ids(self) -> set[str]:
        return {found.phenomenon_id for found in self.read}

    def _said(self, groups: Sequence[Family]) -> frozenset[str]:
        """Ids of the phenomena that the opening has said, in any words."""
        cards = self.evidence.phenomena
        held = Concepts([_EXCEPTION.sub("", card.description) for card in cards]).held_by(self.description)
        near = {card.phenomenon_id for card, share in zip(cards, held, strict=True) if card.similarity >= _SAID or share >= _HELD}
        near |= self._near(_SAID_BY_TICKET)
        return frozenset(near).union(*(family.ids for family in groups if not near.isdisjoint(family.ids)))

    def _near(self, bar: float) -> set[str]:
        """Ids of the phenomena that are nearest to the opening in one of their tickets: from this likeness on, or, in a ticket with
        several whose cause the opening made likely, by likeness or by concepts at all."""
        cards = self.evidence.phenomena
        near = {card.phenomenon_id: card.similarity for card in cards}
        alike = dict(zip(near, Concepts([card.description for card in cards]).to(self.description), strict=True))
        known: set[str] = set()
        for ticket in self.evidence.tickets:
            own = [found for found in ticket.phenomenon_ids if found in near]
            if own:
                nearest = max(own, key=lambda found: (near[found], found))
                if near[nearest] >= (bar if len(own) > 1 else _SAID):  # an only phenomenon is all that could refute the ticket
                    known.add(nearest)
                if len(own) > 1 and ticket.cause_id in self.raised:
                    known.add(nearest)
                    by_concepts = max(own, key=lambda found: (alike[found], found))
                    if alike[by_concepts] and len(own) > len({nearest, by_concepts}):  # what is left could refute the ticket
                        known.add(by_concepts)
        return known

    def _doubt(self) -> float:
        """The least probability of `none of them`: much until something was seen, or while one phenomenon bears a cause that is not all but
        certain; and in a short history also after that, less with each phenomenon."""
        top = self.belief.top
        if top is None or not self.is_seen(top):
            return DOUBT
        bearing = self._bearing(top)
        if bearing == 1 and top.confidence < _BY_ONE:
            return DOUBT
        return lacking(self.evidence.total_tickets) * DOUBT ** (bearing - 1) if bearing else 0.0

    def is_seen(self, top: Hypothesis | None) -> bool:
        """Whether more than the description's likeness bears a cause: something was confirmed or reported in a ticket's words (two things
        after an opening that resembles no ticket, for what leads then leads by chance), or the whole description is a ticket's."""
        if top is None or top.symptom_similarity >= self.profile.strong_symptom:
            return True
        bearing = self._bearing(top)
        return bearing > self.is_vague or (bearing > 0 and self._says_more_of(top))

    def _says_more_of(self, top: Hypothesis) -> bool:
        """Whether the description says another phenomenon of a cause than those that something is known of."""
        found = {fact.family.key for fact in self.known.facts if fact.source != "unsaid"}
        more = [family for family in self.groups if top.cause_id in family.shown and family.key not in found]
        return any(not self.stated.isdisjoint(family.ids) for family in more)

    def is_borne(self, top: Hypothesis) -> bool:
        """Whether a cause is the diagnosis. A model's word alone never makes it one: then something has to be confirmed."""
        if not self.is_seen(top):
            return False
        if self._bearing(top):
            return top.confidence >= self.profile.conclude_bar
        alone = self.by_rules.top
        return alone is not None and alone.cause_id == top.cause_id and alone.confidence >= _RETOLD_BAR

    def _bearing(self, top: Hypothesis) -> int:
        """How many phenomena of the cause were confirmed or reported."""
        return sum(found.bears for found in top.evidence)

    def leads(self) -> bool:
        """Whether the best cause may be named: a guess that is right one time in four is worth its reading, one in two after many a no and
        nothing that was seen, unless all that its tickets show was denied."""
        top = self.belief.top
        bar = _EVEN if self._only_denials() else self.profile.guess_bar
        return top is not None and top.confidence >= bar and not self._is_denied(top)

    def _only_denials(self) -> bool:
        """Whether the answers are denials, and many."""
        found = [finding for reading in self.readings for finding in reading.findings.values()]
        observed_more = bool(observed_unasked(self.readings, self.evidence))
        return not observed_more and Finding.CONFIRMED not in found and found.count(Finding.DENIED) >= _MANY

    def _is_denied(self, cause: Hypothesis) -> bool:
        shown = {found for ticket in self.evidence.tickets if ticket.cause_id == cause.cause_id for found in ticket.phenomenon_ids}
        return bool(shown) and shown <= {found.phenomenon_id for found in cause.evidence if found.finding is Finding.DENIED}

    def in_vain(self) -> bool:
        """Whether the latest turns brought nothing and `none of them` is likelier than all causes: more of the kind would not help."""
        return self.found_nothing() and self.belief.none >= _IN_VAIN

    def found_nothing(self) -> bool:
        """Whether the latest turns contain no confirmation and no observation."""
        latest = [(question, reading) for (question, _), reading in zip(self.dialogue, self.readings, strict=True) if not question.systems][
            -self.profile.stuck_turns :
        ]
        return len(latest) == self.profile.stuck_turns and not any(
            reading.observations or Finding.CONFIRMED in reading.findings.values() for _, reading in latest
        )

    def stuck(self) -> bool:
        """Whether the latest turns contain only denials and no observation."""
        latest = list(zip(self.dialogue, self.readings, strict=True))[-self.profile.stuck_turns :]
        return len(latest) == self.profile.stuck_turns and all(
            question.items
            and not reading.observations
            and all(reading.findings.get(item.phenomenon_id) is Finding.DENIED for item in question.items)
            for (question, _), reading in latest
        )

    def items(self) -> tuple[PhenomenonItem, ...]:
        """What is asked, each in the wording that can be asked, without the figures of other incidents."""
        return self._worded_items(self.next)

    def _worded_items(self, families: Sequence[Family]) -> tuple[PhenomenonItem, ...]:
        chosen = [self._worded(family) for family in families]
        made = items(chosen, self.evidence, self.belief, self.profile, self.lang)
        return tuple(item.model_copy(update={"description": observed(item.description)}) for item in made)

    def _worded(self, family: Family) -> Family:
        """The family with its askable wordings only."""
        places = [at for at, card in enumerate(family.cards) if observed(card.description)]
        if len(places) == len(family.cards):
            return family
        return family._replace(cards=tuple(family.cards[at] for at in places), wordings=tuple(family.wordings[at] for at in places))

    def ask_system(self) -> PhenomenonQuestion:
        """Which system it is, the likeliest first."""
        names = sorted(self.system_shares, key=lambda name: (-self.system_shares[name], name))
        return self.question(()).model_copy(update={"systems": tuple(names)})

    def question(self, asked: tuple[PhenomenonItem, ...]) -> PhenomenonQuestion:
        """The next question; without items, a key symptom in free text."""
        notes = echo(self.dialogue, self.readings, self.evidence)
        if asked and self.stuck():
            notes.append(invitation())
        made = PhenomenonQuestion(
            turn=len(self.dialogue) + 1,
            items=asked,
            hypotheses=self.belief.hypotheses[:_SHOWN],
            notes=tuple(notes),
            method=DiagnosisMethod.DIFFERENTIAL,
            reported=self.evidence.reported,
        )
        return with_reading(made, self.read)

    def best_guess(self) -> Diagnosis:
        """A forced conclusion: the best cause if it leads, else unknown."""
        return self.concluded(Verdict.UNCERTAIN if self.leads() else Verdict.UNKNOWN)

    def concluded(self, verdict: Verdict) -> Diagnosis:
        """The diagnosis with this verdict, as far as tickets bear it."""
        made = conclusion(
            verdict,
            self.belief.hypotheses,
            self.evidence,
            citable=self._citable(),
            not_checked=tuple(observed(self._worded(family).card(self.lang).description) for family in self.next),
            turns=len(self.dialogue),
            to_check=self._worded_items(self.next or self._unasked_of_top()[:_TO_CHECK]),
        )
        more = [*self._what_the_model_said(), *self._what_is_open(made)]
        explanation = lines(*sayables_in(made.explanation), *more) if more else made.explanation
        return made.model_copy(update={"method": DiagnosisMethod.DIFFERENTIAL, "explanation": explanation})

    def _what_the_model_said(self) -> list[Statement]:
        """The cause that the model points to, marked as its word."""
        cause = next((found.description for found in self.evidence.causes if self.hint and found.cause_id == self.hint.cause_id), None)
        return [say("diagnose.grounds.model", cause=quoted(cause))] if cause else []

    def _what_is_open(self, made: Diagnosis) -> list[Statement]:
        """Of a conclusion that names no cause: the causes that are left, and what would help."""
        if made.verdict is not Verdict.UNKNOWN or not self.belief.hypotheses:
            return []
        left = say("diagnose.grounds.left", causes=cause_shares(self.belief.hypotheses[:2]))
        return [left] if made.not_checked else [left, say("diagnose.grounds.would_help")]

    def _citable(self) -> list[str]:
        """Tickets of the best cause, those that show confirmed phenomena first; of the wording that is named before those of others."""
        top: Hypothesis | None = self.belief.top
        if top is None:
            return []
        return sorted(top.ticket_ids, key=lambda ticket: self.cause_of.get(ticket, top.cause_id) != top.cause_id)
