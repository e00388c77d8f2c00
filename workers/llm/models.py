"""The models of a process: which model a role asks, and a conversation with it for each step."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.reports import Usage
from workers.blackboard.engine import Database
from workers.blackboard.journal import Journal
from workers.llm.budget import JobBudget, TokenBudget
from workers.llm.chat import Chat, ChatLimits
from workers.llm.circuits import FleetCircuits
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.probe_figures import FailedTasks
from workers.llm.probing import takes_native_calls, try_model
from workers.llm.rate_limit import FleetRateLimit
from workers.llm.recording import tape_of
from workers.llm.server_memory import ServerMemory
from workers.llm.vendors import VendorBackend, vendor_of
from workers.secrets import redact_url
from workers.settings import Settings


@dataclass(frozen=True, slots=True)
class ForStep:
    """The step that a conversation belongs to."""

    job_id: UUID
    step_id: UUID
    role: str
    session_id: UUID | None
    deadline: float
    """Monotonic time in seconds. No call starts after it."""
    check_stopped: Callable[[], None]
    """Raises `StepCancelled` if the step was cancelled."""
    used_before: Usage
    """Usage of the step's earlier attempts."""
    journal: Journal | None = None
    asks_weak: bool = True
    """The models are asked also what the probe saw them fail at: no rules may work in their place."""
    on_words: Callable[[str, bool], None] | None = None
    """Hears the words of an answer while it is written."""


class Models:
    """Shared by the threads of a process. Loads no client before the first call of a model."""

    def __init__(self, settings: Settings, database: Callable[[], Database]) -> None:
        self._settings = settings
        self._database = database
        self._backends: dict[str, LangChainBackend | VendorBackend] = {}
        self._lock = threading.Lock()

    def chat(self, step: ForStep) -> Chat | None:
        """A conversation for a step. None if no model is configured for its role."""
        known = self._settings
        if known.model_of(step.role) is None:
            return None
        budget = JobBudget(
            self._database(), step.job_id, step.step_id, tokens=known.job_tokens, cost_usd=known.job_cost_usd, before=step.used_before
        )
        session = None if step.session_id is None else str(step.session_id)
        circuits = FleetCircuits(self._database(), first_timeout_s=known.model_first_timeout_s)
        return self._open(
            step.role, circuits=circuits, deadline=step.deadline, budget=budget, check_stopped=step.check_stopped, cache_key=session,
            journal=step.journal, job=str(step.job_id), on_words=step.on_words,
            failed=None if step.asks_weak else FailedTasks(self._database),
        )  # fmt: skip

    def without_job(self, role: str, *, tokens: int | None = None) -> Chat:
        """A conversation that belongs to no job, without a deadline; with `tokens`, it raises `BudgetExceeded` before a call that these do
        not cover. A call fails if no model is configured for the role."""
        return self._open(role, budget=None if tokens is None else TokenBudget(tokens))

    def only(self, model: str) -> Chat:
        """A conversation with one model by name, which belongs to no job and has no fallback."""
        return self._open("", names=(model,))

    def server_of(self, model: str) -> str:
        """The address of a model's server, without secrets."""
        return self._backend(model).server

    def try_out(self, model: str) -> str:
        """The text with which a model answers one small call, outside of any job. Raises `ModelUnavailable` or `ModelRequestRefused`."""
        return try_model(self._backend(model))

    def _open(self, role: str, *, names: Sequence[str] = (), deadline: float = float("inf"), **more: Any) -> Chat:
        known = self._settings
        per_minute = known.model_requests_per_minute
        wanted = names or (known.model_of(role), known.model_fallback)
        backends = [self._backend(name) for name in dict.fromkeys(wanted) if name is not None]
        return Chat(
            backends,
            limits=ChatLimits(
                timeout_s=known.model_timeout_s,
                first_timeout_s=known.model_first_timeout_s,
                retries=known.model_retries,
                context_tokens=self._window(backends),
                output_tokens=known.model_output_tokens,
                reasoning_tokens=known.model_reasoning_tokens,
                deadline=deadline,
            ),
            prices=known.model_prices,
            settings={"temperature": known.model_temperature, "structured": known.model_structured},
            native_tools=self._native_tools(backends, known.model_tools),
            may_trace=known.langsmith,
            tape=tape_of(known),
            rate_limit=None if per_minute is None else FleetRateLimit(self._database(), per_minute=per_minute),
            **more,
        )

    def _window(self, backends: Sequence[LangChainBackend | VendorBackend]) -> int:
        """Tokens of a prompt and its answer: as it is set, else as the servers tell it, the smallest of them."""
        known = self._settings
        if "model_context_tokens" in known.model_fields_set:
            return known.model_context_tokens
        declared = [window for backend in backends if (window := backend.window()) is not None]
        return min(declared, default=known.model_context_tokens)

    def _native_tools(self, backends: Sequence[LangChainBackend | VendorBackend], how: str) -> bool | Callable[[], bool]:
        """Whether the server's own tool calls are used; a function: to be found out when the first tools are used."""
        if (
            how == "structured"
            or (how == "auto" and self._settings.model_replay is not None)
            or any(isinstance(backend, VendorBackend) for backend in backends)
        ):
            return False
        return how == "native" or (lambda: all(takes_native_calls(self._database(), backend) for backend in backends))

    def close(self) -> None:
        """Close every connection to a model's server."""
        with self._lock:
            for backend in self._backends.values():
                backend.close()

    def _backend(self, name: str) -> LangChainBackend | VendorBackend:
        with self._lock:
            if name not in self._backends:
                self._backends[name] = self._make(name)
            return self._backends[name]

    def _make(self, name: str) -> LangChainBackend | VendorBackend:
        known = self._settings
        vendor = vendor_of(name)
        if vendor is not None:
            own = {"base_url": known.model_servers.get(name), "api_key": known.model_keys.get(name)}
            return VendorBackend(name, vendor, temperature=known.model_temperature, **own)
        base_url, api_key = known.server_of(name)
        return LangChainBackend(
            name,
            base_url=base_url,
            api_key=api_key,
            temperature=known.model_temperature,
            structured=known.model_structured,
            stream=known.model_stream,
            may_trace=known.langsmith,
            memory=ServerMemory(self._database, redact_url(base_url), name),
        )
