"""A step's talk with a model: opened when its role first asks, and credited to the step however that ends."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.reports import Report, Usage
from workers.app.leases import Held
from workers.app.services import ProcessServices
from workers.blackboard.journal import Journal
from workers.blackboard.live import ANSWER_DELTA
from workers.blackboard.steps import Claim, StepResult
from workers.errors import StepCancelled
from workers.settings import Settings

if TYPE_CHECKING:  # a step by rules opens no talk
    from workers.llm.chat import Chat

RULES_SHARE = 0.1
RULES_MOST_S = 30.0
"""The end of a step's time that a model may not use, so that rules can still step in: a share of it, not more than this."""


class StepChat:
    """One of these a step."""

    def __init__(self, services: ProcessServices, held: Claim, lease: Held, journal: Journal) -> None:
        self._services = services
        self._held = held
        self._lease = lease
        self._journal = journal
        self._before = Usage.model_validate(held.used)
        self._lock = threading.Lock()
        self._opened = False
        self._chat: Chat | None = None

    def open(self) -> "Chat | None":
        """The talk; None when the step works by rules, or its role has no model."""
        with self._lock:
            if not self._opened:
                self._chat = self._open()
                self._opened = True
            return self._chat

    def used(self) -> Json | None:
        """What all attempts of the step used so far, as it is written; None when nothing was."""
        return _written(self._total(Usage()))

    def credited(self, result: StepResult, done: Report[Any] | None = None) -> StepResult:
        """The result with the actual usage, and with the engine that reasoned if the role does not name it."""
        answered_by = None if self._chat is None else self._chat.answered_by
        engine = done.engine if done is not None and "engine" in done.model_fields_set else answered_by or result.engine
        total = self._total(Usage() if done is None else done.usage)
        return replace(result, usage=_written(total), engine=engine)

    def _say(self, words: str, is_first: bool) -> None:
        first = {"first": True} if is_first else {}
        self._services.live.send(self._held.job_id, ANSWER_DELTA, {"step_id": str(self._held.step_id), "text": words, **first})

    def _total(self, reported: Usage) -> Usage:
        """The usage counted by the chat client, which includes failed calls. A role's report counts only if it made no calls."""
        talked = Usage() if self._chat is None else self._chat.usage
        return self._before.plus(talked if talked.model_calls else reported)

    def _open(self) -> "Chat | None":
        from workers.llm.models import ForStep

        held = self._held
        engine = engine_of(held, self._services.settings)
        if engine == EngineChoice.RULES:
            return None
        if held.attempt > 1 and (paid := self._journal.paid).model_calls > self._before.model_calls:
            self._before = paid  # the attempt before was killed: only the journal knows what it used
        return self._services.models.chat(
            ForStep(
                job_id=held.job_id,
                step_id=held.step_id,
                role=held.role,
                session_id=held.session_id,
                deadline=self._lease.deadline - min(RULES_MOST_S, RULES_SHARE * held.timeout_s),
                check_stopped=check_stopped_of(held, self._lease),
                used_before=self._before,
                journal=self._journal,
                asks_weak=engine == EngineChoice.LLM,
                on_words=self._say,
            )
        )


def check_stopped_of(held: Claim, lease: Held) -> Callable[[], None]:
    """The check that a step makes before each call. It raises `StepCancelled`."""

    def check_stopped() -> None:
        if lease.lost or time.monotonic() > lease.deadline:
            raise StepCancelled(f"Step {held.step_id} was cancelled or taken over.")

    return check_stopped


def engine_of(held: Claim, settings: Settings) -> EngineChoice:
    """Who reasons: the job's word, and the deployment's where the job leaves it open."""
    return settings.engine if held.engine == EngineChoice.AUTO else held.engine


def _written(usage: Usage) -> Json | None:
    return usage.model_dump(mode="json", exclude_defaults=True) or None
