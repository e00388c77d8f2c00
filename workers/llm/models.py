"""The models of a process: which one a role asks, and a talk with it for each step."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from contracts.reports import Usage
from workers.blackboard.engine import Database
from workers.llm.budget import JobBudget
from workers.llm.chat import Chat, ChatLimits
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.rate_limit import FleetRateLimit
from workers.settings import Settings


@dataclass(frozen=True, slots=True)
class ForStep:
    """The step that a talk is held for."""

    job_id: UUID
    step_id: UUID
    role: str
    session_id: UUID | None
    deadline: float
    """Monotonic seconds; past it no call is begun."""
    check_stopped: Callable[[], None]
    """Raises `StepCancelled` when the step is no longer wanted."""
    used_before: Usage
    """By earlier attempts of the step."""


class Models:
    """Shared by the threads of a process; loads nothing before the first call of a model."""

    def __init__(self, settings: Settings, database: Callable[[], Database]) -> None:
        self._settings = settings
        self._database = database
        self._backends: dict[str, LangChainBackend] = {}
        self._lock = threading.Lock()

    def chat(self, step: ForStep) -> Chat | None:
        """A talk on behalf of a step; None: no model is configured for its role."""
        known = self._settings
        first = known.model_of(step.role)
        if first is None:
            return None
        names = [first] if known.model_fallback in (None, first) else [first, known.model_fallback]
        db = self._database()
        per_minute = known.model_requests_per_minute
        return Chat(
            [self._backend(name) for name in names],
            limits=ChatLimits(
                timeout_s=known.model_timeout_s,
                retries=known.model_retries,
                context_tokens=known.model_context_tokens,
                output_tokens=known.model_output_tokens,
                deadline=step.deadline,
            ),
            prices=known.model_prices,
            budget=JobBudget(db, step.job_id, step.step_id, tokens=known.job_tokens, cost_usd=known.job_cost_usd, before=step.used_before),
            rate_limit=None if per_minute is None else FleetRateLimit(db, per_minute=per_minute),
            check_stopped=step.check_stopped,
            cache_key=None if step.session_id is None else str(step.session_id),
        )

    def close(self) -> None:
        """Close every connection to a model's server."""
        with self._lock:
            for backend in self._backends.values():
                backend.close()

    def _backend(self, name: str) -> LangChainBackend:
        known = self._settings
        with self._lock:
            if name not in self._backends:
                self._backends[name] = LangChainBackend(
                    name,
                    base_url=known.model_base_url,
                    api_key=known.model_api_key,
                    temperature=known.model_temperature,
                    structured=known.model_structured,
                    stream=known.model_stream,
                )
            return self._backends[name]
