"""One incident at one point of its dialogue: what is known of it, what that makes of each cause, and what is to be asked next."""

import math
from collections.abc import Sequence
from dataclasses import replace

from contracts.diagnose.deliverables import Finding, Hypothesis, ReadFinding
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.differential.askable import is_askable
from workers.kinds.diagnose.rules.differential.bearing import Bearing, is_refuted
from workers.kinds.diagnose.rules.differential.confidence import calibrated, doubted, lowered
from workers.kinds.diagnose.rules.differential.incident_system import IncidentSystem
from workers.kinds.diagnose.rules.differential.merged import alike_to, merged
from workers.kinds.diagnose.rules.differential.opening import for_history, opening
from workers.kinds.diagnose.rules.differential.ruling_out import ruling_out
from workers.kinds.diagnose.rules.differential.said import raised_causes, said_phenomena
from workers.kinds.diagnose.rules.differential.stated import facts_read
from workers.kinds.diagnose.rules.families import Family, cards_by_id
from workers.kinds.diagnose.rules.known import Dialogue, gather, observed_unasked, only_denials, read_all
from workers.kinds.diagnose.rules.posterior import Belief, believe, lowered_by
from workers.kinds.diagnose.rules.profiles import Profile
from workers.kinds.diagnose.rules.questions import choose, gain_of
from workers.kinds.diagnose.rules.volunteered import Fact

_AGAIN = 0.50
"""Likeness to a phenomenon that was asked, from which asking it asks the same again."""
_SAME = 0.35
"""Probability of being one observation with a phenomenon that was asked, from which it is not asked."""
_LIKELY = 0.7
"""The same of a phenomenon that the description says, from which it says one in another language too, whose words nobody can compare with
its own. In the description's language three of four such phenomena were not said."""
_VAGUE = 0.25
"""Probability of `none of them` by the opening from which the opening says little: it resembles no ticket."""
_IN_VAIN = 0.5
"""Probability of `none of them` from which the questions end after turns that brought nothing: all causes together are less likely."""
_RIVAL = 0.3
"""Share of the leading cause's probability from which another cause leads too: if it is of another system, the system is asked. Of 123
openings over six histories the leading cause was of the right system in 85 of 92 where no other was as near, and in 11 of 31 else."""
_FAR_MORE = 10
"""How much more the system has to tell than the best item, in nats, to be asked before any. Of 144 openings over six histories 26 are such;
the best item of these is shown by a cause with a probability of 0.15 or less."""
_LEAST_GAIN = 0.005
"""Nats of expected information from which an item is asked while no cause can be named."""
_ABOVE_PRIOR = 1.5
"""How much likelier than its prior a cause is that is named though nothing of it was seen."""
_USUAL = 0.5
"""Prior from which a cause is what most incidents have: it is worth naming as it is."""
_RULES_OUT = 0.25
"""Weight of a yes to what only rules other causes out: two to one for its cause, where what is seen of it weighs fifteen to one."""
_MANY = 4
"""Denials without a confirmation from which nothing more is asked that would only confirm."""
_RETOLD = 2
_RETOLD_BAR = 0.90
"""Tickets of a cause whose description the user repeats, and the probability, from which it is the diagnosis though nothing was confirmed.
One such ticket is an alert's text as often as an incident that came back, and somebody may have planted it."""


class CaseState:
    """One incident at one point of its dialogue."""

    def __init__(
        self,
        request: DiagnoseRequest,
        evidence: TicketEvidence,
        dialogue: Dialogue,
        profile: Profile,
        read: tuple[ReadFinding, ...] = (),
    ) -> None:
        self.dialogue = dialogue
        self.profile = profile = for_history(profile, evidence.total_tickets)
        self.readings = read_all(dialogue)
        stated = [text for reading in self.readings for text in reading.observations]
        texts = (request.description, *stated, *evidence.reported, *evidence.looked_up)
        self.lang: Lang = language_of("\n".join(texts))
        self.cause_of = {ticket.ticket_id: ticket.cause_id for ticket in evidence.tickets}
        self.evidence, self.groups, self.same = merged(evidence, profile, self.lang)
        known = gather(self.evidence, self.groups, dialogue, self.readings, texts, profile)
        self.system = IncidentSystem(self.evidence, self.readings, texts, request.system)
        self.ruling_out = ruling_out(self.groups, self.evidence)
        facts = (self._weighed(fact) for fact in known.facts if not self.system.is_foreign(fact))
        self.known = known = replace(known, facts=tuple(facts))
        begun = opening(self.evidence, request.description, profile) if self.evidence.causes else []
        is_vague = bool(begun) and begun[-1] - math.log(math.fsum(map(math.exp, begun))) > math.log(_VAGUE)
        begun = [score + nats for score, nats in zip(begun, self.system.weigh(), strict=False)]
        raised = raised_causes(self.evidence, begun, profile)
        self.stated = self._in_any_words(said_phenomena(self.evidence, self.groups, request.description, raised))
        by_model = facts_read(read, cards_by_id(self.groups), known.facts, evidence.looked_up)
        self.facts = (*known.facts, *map(self._weighed, by_model))
        self.posterior = believe(self.evidence, self.facts, profile, begun)
        self.system.follow(self.posterior.hypotheses)
        self.bearing = Bearing(
            profile, evidence.total_tickets, self.evidence.tickets, self.groups, known, self.stated, is_vague, self.ruling_out
        )
        belief = calibrated(self.posterior)
        self.belief: Belief = doubted(belief, self.bearing.doubt(belief.top))
        """By which it is chosen what to ask, and when to end."""
        self.stated_belief: Belief = self._stated_belief(belief, begun)
        """What is said of each cause, and by which one is named."""
        askable = self._askable(known.asked.ids)
        least = profile if self.leads() else replace(profile, least_gain=_LEAST_GAIN)
        chosen = choose(self.evidence, askable, self.belief, known, least, self.lang) if askable else ()
        apart = self._each_once(chosen) if self.leads() or self._could_name(chosen, begun) else ()
        self.next = apart or self._confirming()
        self.is_confirming = not apart and bool(self.next)
        """Whether what is asked next tells no causes apart: it is a last sign of the leading one, which the description may say already in
        words that nobody here understands."""

    def _weighed(self, fact: Fact) -> Fact:
        """The fact with its weight: little for a yes to what only rules other causes out."""
        if fact.finding is not Finding.CONFIRMED or self.ruling_out.isdisjoint(fact.family.ids):
            return fact
        return replace(fact, strength=min(fact.strength, _RULES_OUT))

    def _stated_belief(self, belief: Belief, begun: Sequence[float]) -> Belief:
        """The belief in which denials make no cause likelier of which nothing was seen."""
        denied = [fact for fact in self.facts if fact.source == "asked" and fact.finding is Finding.DENIED]
        if belief.top is None or not denied or self.bearing.is_seen(belief.top):
            return self.belief
        before = calibrated(believe(self.evidence, [fact for fact in self.facts if fact not in denied], self.profile, begun))
        nats = lowered_by(self.evidence, denied, self.profile)
        return lowered(doubted(before, self.bearing.doubt(before.top)), self.posterior, nats)

    def _could_name(self, asked: Sequence[Family], begun: Sequence[float]) -> bool:
        """Whether a yes to one of these, or to all, would make a cause worth naming."""
        facts = [Fact(family, family.cards[0], Finding.CONFIRMED, "asked") for family in asked]
        for confirmed in (*([fact] for fact in facts), facts):
            belief = calibrated(believe(self.evidence, [*self.facts, *confirmed], self.profile, begun))
            if belief.top is not None and belief.top.confidence >= self.profile.guess_bar:
                return True
        return False

    def _askable(self, asked: frozenset[str]) -> list[Family]:
        """The phenomena that may be asked now."""
        again = self._again(asked)
        near = self.system.phenomena()
        return [
            family
            for family in self.groups
            if self.stated.isdisjoint(family.ids)
            and again.isdisjoint(family.ids)
            and not near.isdisjoint(family.ids)
            and self.ruling_out.isdisjoint(family.ids)
            and is_askable(family)
        ]

    def _confirming(self) -> tuple[Family, ...]:
        """What would confirm the leading cause where nothing else is left to ask and nothing was seen of it: the phenomenon of it that the
        description is furthest from, of those that it has not said."""
        top = self.belief.top
        if top is None or top.confidence < self.profile.guess_bar or self.bearing.is_seen(top) or self._only_denials():
            return ()
        return tuple(family for family in self.unasked_of_top() if self.stated.isdisjoint(family.ids))[:1]

    def unasked_of_top(self) -> tuple[Family, ...]:
        """What tickets of the leading cause show in the incident's system, and nothing is known of; the furthest from the description
        first."""
        if (top := self.belief.top) is None:
            return ()
        near = self.system.phenomena(likeliest=True)
        again = self._again(self.known.asked.ids)
        own = [
            family
            for family in self.groups
            if family.shown.get(top.cause_id, 0.0) >= 1
            and not near.isdisjoint(family.ids)
            and again.isdisjoint(family.ids)
            and family.key not in self.known.found
            and self.ruling_out.isdisjoint(family.ids)
            and is_askable(family)
            and not self.known.asked.covers(family, self.profile.wording_bar)
        ]
        return tuple(sorted(own, key=lambda family: (family.similarity, family.key)))

    def system_is_open(self) -> bool:
        """Whether the user is asked which system it is, beside what is asked: once, where they named none, and the leading causes are of
        different ones and near each other. Words may point to another system than theirs, so also where nobody could tell what was asked,
        or nothing of it was so and no cause can be named."""
        if not self.may_ask_system():
            return False
        found = [finding for reading in self.readings for finding in reading.findings.values()]
        if found and (set(found) == {Finding.UNKNOWN} or (Finding.CONFIRMED not in found and not self.leads())):
            return True
        if self.system.is_pointed_to:
            return False
        top = self.belief.top
        leading = [cause for cause in self.belief.hypotheses if top and cause.confidence >= _RIVAL * top.confidence]
        return not self.system.is_one_of(leading)

    @property
    def best_gain(self) -> float:
        """What the answer to the best item would tell, in nats; 0 where nothing tells causes apart."""
        return 0.0 if self.is_confirming or not self.next else gain_of(self.next[0], self.evidence, self.belief, self.profile)

    def system_tells_most(self) -> bool:
        """Whether the system is worth a turn of its own: it is open, and tells so much more than each thing that could be asked that these
        would be taken out of the air."""
        return self.system_is_open() and self.best_gain * _FAR_MORE < self.system.gain

    def may_ask_system(self) -> bool:
        """Whether the system could still be asked: it was not, and the user has named none, neither in an answer nor in the description."""
        asked = any(question.systems for question, _ in self.dialogue)
        return self.system.is_one_of_several and not (self.system.is_named or self.system.is_said or asked)

    def was_asked(self) -> bool:
        """Whether the user was asked for anything but the system."""
        return any(not question.is_of_system_alone for question, _ in self.dialogue)

    def is_borne(self, top: Hypothesis) -> bool:
        """Whether a cause is the diagnosis."""
        if self.bearing.is_seen(top):
            return top.confidence >= self.profile.conclude_bar
        return self.bearing.retold(top) >= _RETOLD and top.confidence >= _RETOLD_BAR

    def leads(self) -> bool:
        """Whether the best cause may be named: a guess that is right one time in four is worth its reading, unless as much of what its
        tickets show was denied as was seen, or nothing makes it likelier than it is of any incident."""
        top = self.stated_belief.top
        if top is None or top.confidence < self.profile.guess_bar or is_refuted(top):
            return False
        return top.prior >= _USUAL or top.confidence >= _ABOVE_PRIOR * top.prior or self.bearing.is_seen(top)

    def _only_denials(self) -> bool:
        """Whether the answers are denials, and many."""
        found = [finding for reading in self.readings for finding in reading.findings.values()]
        observed_more = bool(observed_unasked(self.readings, self.evidence))
        return not observed_more and Finding.CONFIRMED not in found and found.count(Finding.DENIED) >= _MANY

    def is_denied(self, cause: Hypothesis) -> bool:
        """Whether all that the tickets of a cause show was denied."""
        shown = {found for ticket in self.evidence.tickets if ticket.cause_id == cause.cause_id for found in ticket.phenomenon_ids}
        return bool(shown) and shown <= {found.phenomenon_id for found in cause.evidence if found.finding is Finding.DENIED}

    def in_vain(self) -> bool:
        """Whether the latest turns brought nothing and `none of them` is likelier than all causes: more of the kind would not help."""
        return self._found_nothing() and self.belief.none >= _IN_VAIN

    def wants_words(self) -> bool:
        """Whether the user should be asked for a symptom in their own words: once, where the opening resembles no ticket, the latest turns
        brought nothing, and no cause can be named. What is asked then is taken out of the air."""
        asked = any(not question.items and not question.systems for question, _ in self.dialogue)
        return self.bearing.is_vague and not asked and not self.leads() and self._found_nothing()

    def _found_nothing(self) -> bool:
        """Whether the latest turns, since the system is known, contain no confirmation and no observation."""
        named = (at for at, reading in enumerate(self.readings, start=1) if reading.system)
        alone = (at for at, (question, _) in enumerate(self.dialogue, start=1) if question.is_of_system_alone)
        last = max((*named, *alone), default=0)
        latest = self.readings[last:][-self.profile.stuck_turns :]
        return len(latest) == self.profile.stuck_turns and not any(
            reading.observations or Finding.CONFIRMED in reading.findings.values() for reading in latest
        )

    def stuck(self) -> bool:
        """Whether the latest turns contain only denials and no observation."""
        return only_denials(self.dialogue, self.readings, self.profile.stuck_turns)

    def _each_once(self, chosen: Sequence[Family]) -> tuple[Family, ...]:
        """The phenomena of one turn without those that may be another one of it in other words."""
        kept: list[Family] = []
        for family in chosen:
            again = self._again(frozenset[str]().union(*(other.ids for other in kept)))
            if again.isdisjoint(family.ids):
                kept.append(family)
        return tuple(kept)

    def _in_any_words(self, stated: frozenset[str]) -> frozenset[str]:
        """These phenomena with those in another language that are likely the same."""
        likely = [
            family.ids
            for family in self.groups
            if any(
                chance >= _LIKELY and other in stated and not family.is_worded_in(self.lang)
                for other, chance in self.same.get(family.key, {}).items()
            )
        ]
        return stated.union(*likely)

    def _again(self, asked: frozenset[str]) -> frozenset[str]:
        """Ids of the phenomena that ask one of those given again, in other words or in another ticket's particulars."""
        likely = [
            other
            for family in self.groups
            if not asked.isdisjoint(family.ids)
            for other, chance in self.same.get(family.key, {}).items()
            if chance >= _SAME
        ]
        return alike_to(self.groups, asked, _AGAIN).union(likely)
