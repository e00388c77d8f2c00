"""The reasoning step of a role: by a model or by its rules, with the same contract."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from contracts.jobs import EngineChoice
from contracts.statements import Sayable, name, quote, say
from workers.errors import BudgetExceeded, ConfigurationError, EngineError, ModelTooWeak
from workers.loggers import get_logger
from workers.roles.base import StepContext

if TYPE_CHECKING:
    from workers.llm.client import ChatClient

log = get_logger(__name__)

RULES = "rules"
_SHOWN_CHARACTERS = 1_000
"""Of an error in a note: the longest one of a model names the fault after its first 100 characters and ends within these."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reasoned(Generic[T]):
    """The result, who reasoned (`rules`, or a model's name), and notes for the reader of the report."""

    value: T
    engine: str
    notes: tuple[Sayable, ...] = ()


def reason(ctx: StepContext, by_model: "Callable[[ChatClient], T]", by_rules: Callable[[], T]) -> Reasoned[T]:
    """Reason with the step's engine. `rules` never asks a model. `llm` never falls back to the rules, and its errors propagate. `auto` asks
    the model if one is configured; if that fails in any way, it uses the rules and adds a note.

    Pass `engine` and `notes` to the report. `by_model` checks the answer against the step's data, and raises
    `ModelAnswerUnusable` if the check fails.
    """
    if ctx.engine == EngineChoice.RULES:
        return Reasoned(by_rules(), RULES)
    chat = ctx.chat
    if chat is None:
        if ctx.engine == EngineChoice.LLM:
            raise ConfigurationError(f"Engine `llm` needs a model for stage {ctx.stage}. Set BULLPEN_MODEL, or use `auto` or `rules`.")
        return Reasoned(by_rules(), RULES)
    read_before = set(ctx.reads)
    try:
        value = by_model(chat)
    except (EngineError, BudgetExceeded, ConfigurationError) as error:
        ctx.reads.intersection_update(read_before)  # what only a model that failed was shown has no effect
        if ctx.engine == EngineChoice.LLM:
            raise
        log.warning("rules_stepped_in", model=chat.model, error=type(error).__name__)
        if isinstance(error, ModelTooWeak) and error.says is not None:
            return Reasoned(by_rules(), RULES, (error.says,))
        note = say("fleet.note.rules", model=name(chat.model), error=quote(str(error)[:_SHOWN_CHARACTERS]))
        return Reasoned(by_rules(), RULES, (note,))
    engine = chat.answered_by or RULES
    is_other = engine not in (chat.model, RULES)
    return Reasoned(value, engine, (_other_model(chat, engine),) if is_other else ())


def _other_model(chat: "ChatClient", engine: str) -> Sayable:
    """The note that the fallback answered, and why."""
    if chat.fell_back is None:
        return say("fleet.note.other_model", model=name(chat.model), other=name(engine))
    why = quote(chat.fell_back[:_SHOWN_CHARACTERS])
    return say("fleet.note.other_model_since", model=name(chat.model), other=name(engine), error=why)
