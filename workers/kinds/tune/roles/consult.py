"""The steps of `tune` as a model thinks them: a digest of the case goes into a prompt, and what comes back is judged by the engine."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from contracts.base import Contract
from contracts.bundles import Information
from contracts.statements import Statement
from contracts.tune.answers import CausesAnswer, ClassAnswer, CodeAnswer, PlanAnswer, ReadingAnswer, ReviewAnswer
from contracts.tune.plan import FixKind, OrderedBy, TuningPlan
from contracts.tune.steps import Causes, Classification, Evidence, ExperienceFound, InformationCheck, KeyCode
from contracts.verdicts import Findings
from workers.errors import ModelRequestRefused
from workers.kinds.tune.rules.advice import Objection
from workers.kinds.tune.rules.advice.case import Case as Facts
from workers.kinds.tune.rules.by_model.classes import judge_class
from workers.kinds.tune.rules.by_model.digest import (
    Digest,
    causes_digest,
    class_digest,
    code_digest,
    plan_digest,
    reading_digest,
    review_digest,
)
from workers.kinds.tune.rules.by_model.fixes import own_fixes, with_own
from workers.kinds.tune.rules.by_model.hypotheses import judge_causes
from workers.kinds.tune.rules.by_model.lines import judge_lines
from workers.kinds.tune.rules.by_model.objections import RULES, judge_objections
from workers.kinds.tune.rules.by_model.reading import judge_reading
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.known import Known
from workers.kinds.tune.rules.known_causes import KNOWN
from workers.kinds.tune.rules.recommend.choosing import MOST
from workers.llm.client import ChatClient

KINDS = ", ".join(kind.value for kind in KNOWN)
INFORMATION = ", ".join(information.value for information in Information)
FIX_KINDS = ", ".join(kind.value for kind in FixKind)
REMARKS = 3
REMARK_CHARS = 500
"""The last words of an operator, within the room that the instructions leave."""
SESSION_CHARS = 1_500
"""What the session remembers, within the same room."""

C = TypeVar("C", bound=Contract)


class Consult:
    """A step's talk with a model. Each question raises what `ChatClient.ask` raises, and `ModelRequestRefused` when the model's window
    has no room for the case."""

    def __init__(self, description: str, language: str, session: str = "") -> None:
        """`session`: what it remembers for the step's role."""
        self.notes: list[Statement] = []
        """What of the answers was not taken, for the report of the step."""
        self._description = description
        self._language = language
        self._session = clipped(session, SESSION_CHARS)

    def _note(self, notes: Sequence[Statement]) -> None:
        self.notes += notes

    def classify(self, chat: ChatClient, known: Known, findings: Findings, by_rules: Classification) -> Classification:
        """THINK 1: the class."""
        digest = class_digest(known, findings, by_rules, self._description, self._language, chat.context_tokens)
        answer = self._ask(chat, ClassAnswer, "classifier/tuning", digest)
        found, notes = judge_class(answer, by_rules, findings, digest.numbers, self._description)
        self._note(notes)
        return found

    def find_code(self, chat: ChatClient, facts: Facts, by_rules: KeyCode, classified: Classification) -> KeyCode:
        """THINK 2: the code."""
        digest = code_digest(facts, by_rules, classified, self._description, self._language, chat.context_tokens)
        answer = self._ask(chat, CodeAnswer, "analyst/tuning-code", digest)
        found, notes = judge_lines(answer, by_rules, facts, digest)
        self._note(notes)
        return found

    def check(
        self, chat: ChatClient, evidence: Evidence, causes: Causes, unread: Sequence[Unread], by_rules: InformationCheck
    ) -> InformationCheck:
        """THINK 4: whether enough is known, and what to read if not."""
        digest = reading_digest(evidence, causes, unread, self._description, self._language, chat.context_tokens)
        answer = self._ask(chat, ReadingAnswer, "file-recommender/tuning-reading", digest, most=MOST)
        found, notes = judge_reading(answer, by_rules, evidence, unread, digest)
        self._note(notes)
        return found

    def suppose(self, chat: ChatClient, facts: Facts, by_rules: Causes, classified: Classification, experience: ExperienceFound) -> Causes:
        """THINK 3: the causes that experience leads to."""
        digest = causes_digest(facts, by_rules, classified, experience.items, self._description, self._language, chat.context_tokens)
        answer = self._ask(chat, CausesAnswer, "diagnoser/tuning-causes", digest, kinds=KINDS, information=INFORMATION)
        found, notes = judge_causes(answer, by_rules, experience.items)
        self._note(notes)
        return found

    def plan(
        self,
        chat: ChatClient,
        facts: Facts,
        advise: Callable[[Sequence[str]], TuningPlan],
        after: int,
        classified: Classification,
        evidence: Evidence,
        causes: Causes,
        experience: ExperienceFound,
        remarks: Sequence[str] = (),
    ) -> TuningPlan:
        """THINK 5: the solution. `advise` makes the rules' plan in an order of its fixes; own ones are numbered behind `after`.
        `remarks`: what an operator says of an earlier plan."""
        by_rules = advise(())
        digest = plan_digest(
            facts, by_rules, classified, evidence, causes, experience.items, self._description, self._language, chat.context_tokens
        )
        answer = self._ask(
            chat,
            PlanAnswer,
            "diagnoser/tuning-plan",
            digest,
            kinds=FIX_KINDS,
            remarks="\n".join(clipped(remark, REMARK_CHARS) for remark in remarks[-REMARKS:]),
        )
        own, notes = own_fixes(answer, by_rules.fixes, facts, digest, experience.items, after)
        self._note(notes)
        order = [fix_id.strip() for fix_id in answer.order]
        plan = with_own(advise(order), own)
        has_ranked = len({fix.fix_id for fix in by_rules.fixes} & set(order)) > 1
        return plan.model_copy(update={"ordered_by": OrderedBy.MODEL}) if has_ranked else plan

    def review(self, chat: ChatClient, facts: Facts, plan: TuningPlan, by_rules: Sequence[Objection]) -> tuple[Objection, ...]:
        """The rules' objections, and behind them those that a model adds."""
        digest = review_digest(facts, plan, self._language, chat.context_tokens)
        answer = self._ask(chat, ReviewAnswer, "reviewer/tuning", digest, rules=tuple(RULES.items()))
        added, notes = judge_objections(answer, plan.fixes, by_rules, digest)
        self._note(notes)
        return (*by_rules, *added)

    def _ask(self, chat: ChatClient, contract: type[C], prompt: str, digest: Digest, **more: Any) -> C:
        if not digest.is_enough:
            raise ModelRequestRefused(
                f"The window of {chat.model} leaves {chat.context_tokens} tokens for a prompt, too few for what was found. "
                "Raise BULLPEN_MODEL_CONTEXT_TOKENS if the model takes more, or take a model with a larger window."
            )
        return chat.ask(contract, prompt=prompt, **digest.for_prompt(self._session), **more).value
