"""The one reasoning step of a role: by a model, or by its rules, behind the same contract."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import structlog

from contracts.jobs import EngineChoice
from workers.errors import BudgetExceeded, ConfigurationError, EngineError
from workers.roles.base import StepContext

if TYPE_CHECKING:
    from workers.llm.client import ChatClient

log = structlog.get_logger()

RULES = "rules"
_SHOWN_CHARACTERS = 400

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reasoned(Generic[T]):
    """What came out, who reasoned (`rules`, or a model's name), and what a reader of the report should know of it."""

    value: T
    engine: str
    notes: tuple[str, ...] = ()


def reason(ctx: StepContext, by_model: "Callable[[ChatClient], T]", by_rules: Callable[[], T]) -> Reasoned[T]:
    """By the step's engine: `rules` never asks a model; `llm` never falls back, and its errors pass; `auto` asks the model
    where there is one, and goes by the rules, with a note, when that fails in any way.

    Hand `engine` and `notes` on to the report. `by_model` checks what it is told against what it knows, and raises
    `ModelAnswerUnusable` when the answer does not stand.
    """
    if ctx.engine == EngineChoice.RULES:
        return Reasoned(by_rules(), RULES)
    chat = ctx.chat
    if chat is None:
        if ctx.engine == EngineChoice.LLM:
            raise ConfigurationError(f"Engine `llm` needs a model for stage {ctx.stage}. Set BULLPEN_MODEL, or use `auto` or `rules`.")
        return Reasoned(by_rules(), RULES)
    try:
        value = by_model(chat)
    except (EngineError, BudgetExceeded, ConfigurationError) as error:
        if ctx.engine == EngineChoice.LLM:
            raise
        log.warning("rules_stepped_in", model=chat.model, error=type(error).__name__)
        note = f"The model {chat.model} did not help, so the rules did the reasoning: {error}"
        return Reasoned(by_rules(), RULES, (note[:_SHOWN_CHARACTERS],))
    engine = chat.answered_by or RULES
    notes = (f"The model {chat.model} failed; {engine} answered in its place.",) if engine not in (chat.model, RULES) else ()
    return Reasoned(value, engine, notes)
