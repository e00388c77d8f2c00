"""Which skill fits a message: by words, triggers and meaning; where these leave a doubt, by a model that may only name one of them."""

from collections.abc import Sequence

from pydantic import Field, create_model

from contracts.base import Contract, Text
from contracts.jobs import EngineChoice
from contracts.statements import Statement, say
from workers.engines.procedures.words import says
from workers.errors import ModelAnswerUnusable
from workers.llm.brief import Brief
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.skills import Library, Skill
from workers.skills.choosing import CHOICE, Selected, State, choose, read_answer, skills_text, vectors_of

MOST_OFFERED = 8
"""Skills that a model chooses from, the best by rules: of 209 questions the right one is among these in 206."""

SHARE_SKILLS, SHARE_WORDS = 0.6, 0.2
"""Shares of the model's window."""
SHORTEST = 4
"""The smallest number of letters of a trigger that decides alone; Chinese triggers have two characters."""

Chosen = tuple[Skill | None, Statement]


class SelectSkill(Contract):
    """The skill for a message."""

    skill_name: Text = ""
    """One of the names. Empty: no skill."""


def choose_skill(ctx: StepContext, library: Library, words: str) -> Reasoned[Chosen]:
    """The skill, and why; or no skill."""
    if not any(letter.isalpha() for letter in words):
        return Reasoned((None, say("analyze.reason.nothing_fits")), RULES)  # figures alone are for no skill
    vectors = vectors_of(library.skills, ctx.services.embedder, ctx.services.database)
    by_rules = choose(library, words, vectors)

    def with_rules() -> Chosen:
        if by_rules.skill is None and (named := by_trigger(library, words)) is not None:
            return named, say("analyze.reason.fits")
        return by_rules.skill, by_rules.reason

    def by_model(chat: ChatClient) -> Chosen:
        offered = [fit.skill for fit in by_rules.fits][:MOST_OFFERED] or list(library.skills[:MOST_OFFERED])
        contract, brief = _select_one_of(offered), Brief.of(chat)
        if len(offered) < len(library.skills):
            brief.note("skills", len(offered), len(library.skills))
        asked = chat.ask(
            contract,
            prompt="classifier/skill",
            rules="\n".join(CHOICE),
            skills=brief.text("skills", skills_text(offered), SHARE_SKILLS),
            words=brief.text("message", words, SHARE_WORDS),
            session=brief.text("session", ctx.session.context(), SHARE_WORDS),
            prompt_cuts=brief.cut_rows(),
        ).value.skill_name
        answer = read_answer(library, State(), asked)
        if answer.outcome is Selected.UNKNOWN:
            raise ModelAnswerUnusable(answer.message)
        return answer.skill, say("analyze.reason.fits") if answer.skill else say("analyze.reason.nothing_fits")

    if by_rules.is_clear and ctx.engine != EngineChoice.LLM:
        return Reasoned((by_rules.skill, by_rules.reason), RULES)
    return reason(ctx, by_model, with_rules)


def _select_one_of(offered: Sequence[Skill]) -> type[SelectSkill]:
    """The contract with the names in its schema, so that a server that enforces a schema lets a model write no other."""
    names = Field(default="", json_schema_extra={"enum": [*(skill.name for skill in offered), "none"]})
    return create_model("SelectSkill", __base__=SelectSkill, skill_name=(Text, names))


def by_trigger(library: Library, words: str) -> Skill | None:
    """The skill of the highest priority with a trigger in the message: its author said that such a message is for it."""
    able = [skill for skill in library.skills if any(_is_telling(trigger) and says(words, (trigger,)) for trigger in skill.triggers)]
    return max(able, key=lambda skill: skill.priority, default=None)


def _is_telling(trigger: str) -> bool:
    return len(trigger) >= (SHORTEST if trigger.isascii() else 2)
