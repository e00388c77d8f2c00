"""A turn that a model leads, judged: of what it says only that counts which the history and the person's own words bear.

A ticket exists and was shown; the tickets of a cause have that cause; a finding is quoted from the person or from what was looked up, and
its words do not say the opposite; what a closed answer says holds against the model. A diagnosis needs something that was seen and that the
cause's tickets show: a model's probability alone, or a ticket that speaks to the model, makes none.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from contracts.diagnose.deliverables import (
    DiagnoserTurn,
    Diagnosis,
    Evidence,
    Finding,
    HeardAnswer,
    HeardItem,
    HeardTurn,
    Hypothesis,
    PhenomenonItem,
    PhenomenonQuestion,
    ReadFinding,
    TurnCause,
    TurnItem,
    Verdict,
)
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.statements import Statement, count, quote, say
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.errors import BudgetExceeded, ModelAnswerUnusable
from workers.kinds.diagnose.rules.alarms import diagnose_alarm
from workers.kinds.diagnose.rules.asking_back import answering_queries
from workers.kinds.diagnose.rules.cited import described, read_findings
from workers.kinds.diagnose.rules.closed import read_parts
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.conclusion import fixes_of, solution_of
from workers.kinds.diagnose.rules.differential.askable import observed
from workers.kinds.diagnose.rules.differential.case import CaseState
from workers.kinds.diagnose.rules.differential.heard import checked_answer
from workers.kinds.diagnose.rules.differential.stated import apart, clause_of
from workers.kinds.diagnose.rules.echo import echo
from workers.kinds.diagnose.rules.known import Dialogue, heard_so_far, latest_findings, read_all, with_heard
from workers.kinds.diagnose.rules.likeness import wording
from workers.kinds.diagnose.rules.model_words import is_general, new_in_check, shown_of, step_in
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL
from workers.kinds.diagnose.rules.rar.items import own_id
from workers.kinds.diagnose.rules.replies import is_closed, read_answer
from workers.kinds.diagnose.rules.turn_brief import TurnBrief, said_by_person, sent_back, turn_brief
from workers.kinds.diagnose.rules.wording import explain, quoted, quoted_all
from workers.saying import text_of

Lead = Callable[[TurnBrief], DiagnoserTurn]
"""A model that takes the turn."""

BAR = 0.75
"""Probability from which a cause is the diagnosis, if something shows it."""
_LEAN = 0.5
"""The same from which it may be named as a guess."""
_ALONE = 0.9
"""The same from which one finding that only the model reads is enough."""
_SUREST = 0.97
_QUOTED = 200
_EMPTY = "No item has a text."
_MENDED_BY = (
    "If words of the person or of what was looked up show it, give them as a finding with its phenomenon in `shown_in`. Else ask for "
    "what would show it and not its rivals, in general words: no name, figure or time of another incident."
)
"""What the model reads behind a diagnosis that nothing shows."""
_CONFIRMING = 2
"""Phenomena that are asked where nothing shows the cause yet."""
_CITED = 5
_ALTERNATIVES = 4


def led_move(
    request: DiagnoseRequest, evidence: TicketEvidence, given: Dialogue, lead: Lead, context_tokens: int, *, may_ask: bool = True,
    session: str = "",
) -> Diagnosis | PhenomenonQuestion:  # fmt: skip
    """The next move. `session`: what it remembers for the diagnoser. Questions of the person ("why?") are answered by code, and cost no
    call. Raises what `lead` raises."""
    dialogue = with_heard(given, free_answers(given))
    if evidence.total_tickets == 0:
        return next_move(request, evidence, dialogue, may_ask=may_ask, profile=DIFFERENTIAL)
    if dialogue and read_answer(dialogue[-1][1], dialogue[-1][0]).stops:
        may_ask = False
    kept = [dialogue]

    def decide(counted: Dialogue) -> Diagnosis | PhenomenonQuestion:
        if not counted and (alarm := diagnose_alarm(request, evidence)) is not None:
            return alarm
        asks, lang = may_ask and len(counted) < request.max_turns, _language(request, counted)
        shown = turn_brief(request, evidence, counted, lang, context_tokens, may_ask=asks, session=session)
        turn = _Turn(request, evidence, counted, shown, lead(shown), may_ask=asks)
        if objection := turn.objection():  # once: what is not mended is judged as it is
            with suppress(ModelAnswerUnusable, BudgetExceeded):
                again = _Turn(request, evidence, counted, shown, lead(sent_back(shown, turn.answer, objection)), may_ask=asks)
                turn = again if again.is_of_use() or not turn.is_of_use() else turn
        kept[0] = turn.dialogue
        return turn.move()

    made = answering_queries(evidence, dialogue, decide, may_ask=may_ask)
    return made.model_copy(update={"heard": heard_so_far(kept[0])})


def free_answers(dialogue: Dialogue) -> tuple[HeardTurn, ...]:
    """The answers that are no closed form, as observations: a model reads them whole, and the history is searched for their words."""
    heard = {(each.turn, each.answer) for each in heard_so_far(dialogue)}
    return tuple(
        HeardTurn(turn=question.turn, answer=answer, remarks=(answer.strip(),))
        for question, answer in dialogue
        if answer.strip() and not is_closed(answer, question) and (question.turn, answer) not in heard
    )


def _language(request: DiagnoseRequest, dialogue: Dialogue) -> Lang:
    return language_of("\n".join((request.description, *(answer for _, answer in dialogue))))


class _Turn:
    """One turn of the model, against what is known."""

    def __init__(
        self, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, shown: TurnBrief, answer: DiagnoserTurn, *,
        may_ask: bool,
    ) -> None:  # fmt: skip
        self.request, self.evidence, self.may_ask = request, evidence, may_ask
        self.lang: Lang = _language(request, dialogue)
        self.shown, self.answer = shown, answer
        heard = self._hear(dialogue)
        self.dialogue = with_heard(dialogue, (heard,)) if heard else list(dialogue)
        texts = said_by_person(request, evidence, self.dialogue)
        self.read = read_findings(answer.findings, texts, shown.phenomena)
        self.described = described(answer.findings, texts, shown.descriptions)
        self.case = CaseState(request, evidence, self.dialogue, DIFFERENTIAL, self.read)
        self.cause_of = {ticket.ticket_id: ticket.cause_id for ticket in self.case.evidence.tickets}
        self.causes = self._causes()
        self.left_out: list[Statement] = []
        self.items = self._items() if answer.action == "ask" and may_ask else ()

    def objection(self) -> str | None:
        """Why the turn is not taken as it is, for the model. None: it is, or the person cannot be asked for what is lacking."""
        if not self.may_ask:
            return None
        if self.answer.action == "ask":
            return None if self.items else " ".join(text_of(each, "en") for each in self.left_out) or _EMPTY
        if self.answer.action != "diagnose" or (self.causes and self._is_shown(*self.causes[0])):
            return None
        reasons = [self._not_shown(self.causes[0][0]) if self.causes else say("diagnose.turn.no_ticket")]
        texts = said_by_person(self.request, self.evidence, self.dialogue)
        if unknown := [found.quote for found in self.answer.findings if clause_of(found.quote, texts) is None]:
            reasons.append(say("diagnose.turn.no_words", words=quoted_all(unknown)))
        return f"{' '.join(text_of(each, 'en') for each in reasons)} {_MENDED_BY}"

    def _not_shown(self, named: Hypothesis) -> Statement:
        return say("diagnose.turn.not_shown", cause=quoted(named.root_cause))

    def is_of_use(self) -> bool:
        """Whether it asks something that may be asked, names a cause, or says that none is known."""
        return bool(self._asked() if self.answer.action == "ask" else self.causes or self.answer.action == "unknown")

    def _asked(self) -> tuple[PhenomenonItem, ...]:
        return self.items or (self._confirming(self.causes[0][0]) if self.causes else ())

    def move(self) -> Diagnosis | PhenomenonQuestion:
        """The question, or the conclusion."""
        if self.answer.action == "ask" and self.may_ask:
            if items := self._asked():
                return self._question(items)
            raise ModelAnswerUnusable("Nothing of what the model asks may be asked: it is empty, was asked before, or has a command in it.")
        if self.answer.action == "unknown" or not self.causes:
            return self._unknown()
        named, probability = self.causes[0]
        if (
            self.answer.action == "diagnose"
            and self.may_ask
            and not self._is_shown(named, probability)
            and (items := self._confirming(named))
        ):
            self.left_out.append(self._not_shown(named))
            return self._question(items)
        if self.answer.action == "diagnose" and probability >= BAR and self._is_shown(named, probability):
            return self._concluded(Verdict.DIAGNOSED, named, probability)
        return self._concluded(Verdict.UNCERTAIN, named, probability) if probability >= _LEAN else self._unknown()

    # ---- what of the model's words counts

    def _hear(self, dialogue: Dialogue) -> HeardTurn | None:
        """What the latest answer says of the items that it answers, and of earlier ones that it corrects, where it is no closed form; the
        rest of it is an observation."""
        if not dialogue or is_closed(dialogue[-1][1], dialogue[-1][0]):
            return None
        question, answer = dialogue[-1]
        now = {item.phenomenon_id for item in question.items}
        before = [pair for key, pair in latest_findings(dialogue[:-1], read_all(dialogue[:-1])).items() if key not in now]
        places = {item.phenomenon_id: at for at, (item, _) in enumerate(before, start=1)}
        items: list[HeardItem] = []
        earlier: list[HeardItem] = []
        for found in self.answer.findings:
            what = Finding.CONFIRMED if found.present else Finding.DENIED
            if found.item > 0:
                items.append(HeardItem(number=found.item, finding=what, quote=found.quote))
                continue
            meant = (self.shown.phenomena[each.strip()].phenomenon_id for each in found.shown_in if each.strip() in self.shown.phenomena)
            earlier += [HeardItem(number=places[each], finding=what, quote=found.quote) for each in meant if each in places]
        reading = HeardAnswer(items=tuple(items[:10]), earlier=tuple(earlier[:10]), remarks=(answer.strip(),))
        heard = checked_answer(reading, question, answer, before, set(places)).turn
        return None if heard is None else heard.model_copy(update={"findings": _with_closed(heard.findings, question, answer)})

    def _causes(self) -> list[tuple[Hypothesis, float]]:
        """The causes of tickets that were shown, each once, with the model's probability."""
        by_id = {hypothesis.cause_id: hypothesis for hypothesis in self.case.belief.hypotheses}
        found: dict[str, tuple[Hypothesis, float]] = {}
        for cause in self.answer.causes:
            cause_id = self._cause_id(cause)
            if cause_id is not None and cause_id in by_id:
                found.setdefault(cause_id, (self._with_tickets(by_id[cause_id], cause), min(cause.probability, _SUREST)))
        return list(found.values())

    def _cause_id(self, cause: TurnCause) -> str | None:
        shown = [ticket.strip() for ticket in cause.tickets if ticket.strip() in self.shown.tickets]
        return next((self.cause_of[ticket] for ticket in shown if ticket in self.cause_of), None)

    def _with_tickets(self, hypothesis: Hypothesis, cause: TurnCause) -> Hypothesis:
        """Its tickets, those that the model named first."""
        named = [ticket.strip() for ticket in cause.tickets if self.cause_of.get(ticket.strip()) == hypothesis.cause_id]
        return hypothesis.model_copy(update={"ticket_ids": tuple(dict.fromkeys((*named, *hypothesis.ticket_ids)))})

    def _is_shown(self, named: Hypothesis, probability: float) -> bool:
        """Whether something that was seen speaks for a cause: an answer or the description in a ticket's words, or two things that only the
        model reads; of these one, where it is nearly sure. The description of a ticket is such a thing only beside a phenomenon."""
        seen = [found for found in named.evidence if _shows(found)]
        quotes = apart({found.quote for found in self.read if found.phenomenon_id in {each.phenomenon_id for each in seen}})
        with_descriptions = apart(quotes | {found.quote for found in self._described(named)})
        is_read = bool(quotes) and (len(with_descriptions) >= 2 or probability >= _ALONE)
        return is_read or any(found.source != "read" for found in seen)

    def _described(self, named: Hypothesis) -> tuple[Evidence, ...]:
        return tuple(found for found in self.described if set(found.tickets) <= set(named.ticket_ids))

    # ---- what the person reads

    def _items(self) -> tuple[PhenomenonItem, ...]:
        """What was not asked before, as it is put."""
        asked = {item.phenomenon_id for question, _ in self.dialogue for item in question.items}
        words = {wording(item.description).plain for question, _ in self.dialogue for item in question.items}
        made: list[PhenomenonItem] = []
        for item in self.answer.items:
            text = item.text.replace("`", "").strip()
            if not text:
                continue
            if wording(text).plain in words:
                self.left_out.append(say("diagnose.turn.asked_before", question=quoted(text)))
                continue
            if part := step_in(text, self._material()):
                self.left_out.append(say("diagnose.turn.has_command", question=quoted(text), part=quoted(part)))
                continue
            found = self._item(item, len(made) + 1)
            if found.phenomenon_id in asked:  # another side of it
                found = found.model_copy(update={"phenomenon_id": own_id(text)})
            made.append(found)
            asked.add(found.phenomenon_id)
            words.add(wording(text).plain)
        return tuple(made)

    def _item(self, item: TurnItem, number: int) -> PhenomenonItem:
        """An item as it is put. A command is shown only if the tickets or the person have its names, since a ticket may speak to the model;
        else the ticket's own check is shown."""
        card = next((self.shown.phenomena[ref.strip()] for ref in item.shown_in if ref.strip() in self.shown.phenomena), None)
        method = card.observation_method if card is not None else ""
        how, why = item.how.strip(), item.why.strip()
        if part := new_in_check(how, self._material()):
            self.left_out.append(say("diagnose.turn.how_left_out", number=count(number), part=quoted(part)))
        else:
            method = how or method
        if part := step_in(why, self._material(), explains=True):
            self.left_out.append(say("diagnose.turn.why_left_out", number=count(number), part=quoted(part)))
            why = ""
        text = item.text.replace("`", "").strip()
        key = card.phenomenon_id if card is not None else own_id(text)
        return PhenomenonItem(number=number, phenomenon_id=key, description=text, observation_method=method, why=why)

    def _confirming(self, named: Hypothesis) -> tuple[PhenomenonItem, ...]:
        """What would show a cause that nothing shows yet: phenomena of its tickets of which nothing is known. Those come first that have no
        figure and no name that the person has not; others are said to be of another incident."""
        asked = {item.phenomenon_id for question, _ in self.dialogue for item in question.items}
        known = {found.phenomenon_id for found in named.evidence if found.finding is not Finding.UNKNOWN and found.source != "alike"}
        own = [
            card
            for ticket in named.ticket_ids
            for reference, card in self.shown.phenomena.items()
            if reference.rpartition("/")[0] == ticket and card.phenomenon_id not in asked | known and observed(card.description)
        ]
        material = said_by_person(self.request, self.evidence, self.dialogue)
        texts = {card.phenomenon_id: observed(card.description) for card in own}
        general = {key for key, text in texts.items() if is_general(text, material)}
        another = {key: text_of(say("diagnose.question.of_another", phenomenon=quote(text)), self.lang) for key, text in texts.items()}
        by_id = {card.phenomenon_id: card for card in own}
        chosen = sorted(by_id, key=lambda key: key not in general)[:_CONFIRMING]
        return tuple(
            PhenomenonItem(
                number=number, phenomenon_id=key, description=texts[key] if key in general else another[key],
                observation_method=by_id[key].observation_method, why="",
            )
            for number, key in enumerate(chosen, start=1)
        )  # fmt: skip

    def _question(self, items: tuple[PhenomenonItem, ...]) -> PhenomenonQuestion:
        notes = echo(self.dialogue, self.case.readings, self.case.evidence)
        return PhenomenonQuestion(
            turn=len(self.dialogue) + 1,
            items=items,
            hypotheses=tuple(_with_probability(cause, probability) for cause, probability in self.causes),
            notes=tuple(notes),
            method=DiagnosisMethod.DIFFERENTIAL,
            reported=self.evidence.reported,
            read=self.read,
            in_own_words=True,
            left_out=tuple(self.left_out),
        )

    def _unknown(self) -> Diagnosis:
        named = [_with_probability(cause, probability) for cause, probability in self.causes]
        return self._diagnosis(Verdict.UNKNOWN, None, named)

    def _concluded(self, verdict: Verdict, named: Hypothesis, probability: float) -> Diagnosis:
        others = [_with_probability(cause, share) for cause, share in self.causes if cause.cause_id != named.cause_id]
        return self._diagnosis(verdict, _with_probability(named, probability), others)

    def _diagnosis(self, verdict: Verdict, named: Hypothesis | None, others: Sequence[Hypothesis]) -> Diagnosis:
        top = named or (others[0] if others else None)
        weighed: tuple[Evidence, ...] = top.evidence if top else ()
        shown = tuple(found for found in weighed if found.weight > 0 or _shows(found))
        speaks_for = (*shown, *self._described(named)) if named else ()
        speaks_against = tuple(found for found in weighed if found.weight < 0 and found.source != "unsaid" and not _shows(found))
        cited = tuple(ticket for ticket in named.ticket_ids if self.cause_of.get(ticket) == named.cause_id)[:_CITED] if named else ()
        explanation = explain(
            verdict, top, speaks_for=speaks_for, speaks_against=speaks_against, cited=cited, not_checked=(),
            total_tickets=self.evidence.total_tickets, measure="posterior",
        )  # fmt: skip
        solution = solution_of(named, self.case.evidence)
        words, left_out = self._words(named, solution or "")
        return Diagnosis(
            verdict=verdict,
            root_cause=named.root_cause if named else None,
            cause_id=named.cause_id if named else None,
            confidence=top.confidence if top else 0.0,
            forced=verdict is Verdict.UNCERTAIN,
            solution=solution,
            fixes=fixes_of(named, cited, self.case.evidence),
            evidence_for=speaks_for,
            evidence_against=speaks_against,
            cited_tickets=cited,
            reported=self.evidence.reported,
            alternatives=tuple(others[:_ALTERNATIVES]),
            explanation=explanation,
            turns=len(self.dialogue),
            method=DiagnosisMethod.DIFFERENTIAL,
            words=words,
            words_left_out=left_out,
        )

    def _words(self, named: Hypothesis | None, solution: str) -> tuple[str, bool]:
        """The model's summary, and whether a sentence of it is left out."""
        return shown_of(" ".join(self.answer.summary.split()), [*self._material(), solution, named.root_cause if named else ""], self.lang)

    def _material(self) -> list[str]:
        """All texts that the model was shown."""
        asked = [item.description for question, _ in self.dialogue for item in question.items]
        return [
            *said_by_person(self.request, self.evidence, self.dialogue),
            *asked,
            *self.shown.prompt["tickets"],
            self.shown.prompt["others"],
            self.request.system,
        ]


def _with_closed(found: Sequence[ReadFinding], question: PhenomenonQuestion, answer: str) -> tuple[ReadFinding, ...]:
    """The findings on the items of a question, where a clause of the answer is a closed form ("1 no") as that says."""
    closed = read_parts(answer, [item.description for item in question.items])
    by_id = {each.phenomenon_id: each for each in found}
    for item in question.items:
        if (what := closed.get(item.number)) is not None and (
            item.phenomenon_id not in by_id or by_id[item.phenomenon_id].finding is not what
        ):
            by_id[item.phenomenon_id] = ReadFinding(phenomenon_id=item.phenomenon_id, finding=what, quote=answer.strip()[:_QUOTED])
    return tuple(by_id.values())


def _shows(found: Evidence) -> bool:
    """Whether it was seen and tickets of the cause have it, however common it is elsewhere."""
    return found.finding is Finding.CONFIRMED and bool(found.tickets) and found.source != "alike"


def _with_probability(cause: Hypothesis, probability: float) -> Hypothesis:
    return cause.model_copy(update={"confidence": probability})
