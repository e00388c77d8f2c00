"""`Chat`: one step's talk with a model. What every call goes through stands here, whichever server answers:

is the step still wanted · is there time · what does the budget leave · whose turn is it under the fleet's rate limit · the
call · what it used · again after a fault of transport · back with the error after a wrong answer · the fallback model.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from contracts.base import Contract
from contracts.reports import Usage
from workers.errors import BudgetExceeded, BullpenError, ModelAnswerUnusable, ModelRequestRefused, ModelUnavailable
from workers.llm.backend import Backend, Reply, Turn
from workers.llm.budget import Left, NoBudget, StepBudget
from workers.llm.client import Answer
from workers.llm.pricing import Prices, affordable_output, priced
from workers.llm.prompts import render_prompt, standing_text
from workers.llm.rate_limit import NoRateLimit, RateLimit
from workers.llm.repair import ask_until_valid
from workers.llm.schema import AnswerSchema, answer_schema
from workers.llm.token_count import estimate_tokens

log = structlog.get_logger()

MAX_PAUSE_S = 30.0
"""The longest wait for a server or for a turn; who has to wait longer gives the step back."""
RETRY_BASE_S = 0.5
LEAST_TIME_S = 1.0
"""A call with less time than that is not begun."""
LEAST_OUTPUT_TOKENS = 64
"""An answer that may not be longer than that is not asked for."""
_SLICE_S = 0.25
"""How often a wait looks whether the step is still wanted."""

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """What one talk may take."""

    timeout_s: float = 120.0
    """Of one call."""
    retries: int = 2
    context_tokens: int = 32_768
    """Prompt and answer together."""
    output_tokens: int = 4_000
    deadline: float = float("inf")
    """Monotonic seconds; past it no call is begun, and a call under way ends."""


def _never_stopped() -> None:
    """A talk that belongs to no step."""


class Chat:
    """Implements `ChatClient` over one backend and, when the first fails, the next."""

    def __init__(
        self,
        backends: Sequence[Backend],
        *,
        limits: ChatLimits = ChatLimits(),
        prices: Prices | None = None,
        budget: StepBudget | None = None,
        rate_limit: RateLimit | None = None,
        check_stopped: Callable[[], None] = _never_stopped,
        cache_key: str | None = None,
    ) -> None:
        """`check_stopped` raises `StepCancelled`; `cache_key` groups talks with a common beginning, on servers that ask for it."""
        self._backends = tuple(backends)
        self._limits = limits
        self._prices = prices or {}
        self._budget = budget or NoBudget()
        self._rate_limit = rate_limit or NoRateLimit()
        self._check_stopped = check_stopped
        self._cache_key = cache_key
        self._lock = threading.Lock()
        self._usage = Usage()
        self._answered_by: str | None = None

    @property
    def model(self) -> str:
        """See `ChatClient`."""
        return self._backends[0].model

    @property
    def answered_by(self) -> str | None:
        """See `ChatClient`."""
        return self._answered_by

    @property
    def context_tokens(self) -> int:
        """See `ChatClient`: the window without the answer and without what every prompt begins with. Of a small window both
        take a quarter, so that half is left for the prompt."""
        window = self._limits.context_tokens
        return max(_LEAST_DATA_TOKENS, window - self._kept_for_answer - min(_OVERHEAD_TOKENS, window // _SHARES))

    @property
    def _kept_for_answer(self) -> int:
        """Tokens that no prompt takes. An answer may be longer where its prompt is short."""
        return min(self._limits.output_tokens, self._limits.context_tokens // _SHARES)

    @property
    def usage(self) -> Usage:
        """See `ChatClient`."""
        with self._lock:
            return self._usage

    def ask(self, contract: type[C], *, prompt: str, **data: object) -> Answer[C]:
        """See `ChatClient`."""
        schema = answer_schema(contract)
        turns = (Turn("system", standing_text(schema)), Turn("user", render_prompt(prompt, data)))
        return self._ask(contract, schema, turns)

    def _ask(self, contract: type[C], schema: AnswerSchema, turns: Sequence[Turn]) -> Answer[C]:
        used = _Tally()
        shown = self._kept_for_answer // 2  # of a wrong answer; the other half is for the right one
        for place, backend in enumerate(self._backends):
            try:
                value = ask_until_valid(contract, turns, lambda talk, backend=backend: self._call(backend, schema, talk, used), shown)
            except (ModelUnavailable, ModelRequestRefused, ModelAnswerUnusable) as error:
                if place + 1 == len(self._backends):
                    raise
                log.warning("model_fallback", model=backend.model, error=type(error).__name__, next=self._backends[place + 1].model)
                continue
            with self._lock:
                self._answered_by = backend.model
            return Answer(value, used.total, backend.model)
        raise ModelUnavailable("No model is configured for this step. Set BULLPEN_MODEL.")

    def _call(self, backend: Backend, schema: AnswerSchema, turns: Sequence[Turn], used: "_Tally") -> Reply:
        """One reply, after as many tries as the limits allow."""
        prompt_tokens = sum(estimate_tokens(turn.text) for turn in turns)
        if prompt_tokens + LEAST_OUTPUT_TOKENS > self._limits.context_tokens:
            raise ModelRequestRefused(
                f"The prompt has about {prompt_tokens} tokens; the window of {backend.model} is {self._limits.context_tokens}. "
                "Raise BULLPEN_MODEL_CONTEXT_TOKENS if the model takes more."
            )
        failures = 0
        while True:
            max_tokens = self._room(backend, prompt_tokens)
            self._take_turn()
            try:
                return self._once(backend, schema, turns, max_tokens, prompt_tokens, used)
            except ModelUnavailable as error:
                failures += 1
                pause_s = _pause_s(failures, error.retry_after_s)
                if failures > self._limits.retries or pause_s > min(MAX_PAUSE_S, self._time_left_s()):
                    raise
                self._wait(pause_s)

    def _room(self, backend: Backend, prompt_tokens: int) -> int:
        """How long the answer may be. Raises `BudgetExceeded` when what is left does not pay for a call."""
        left: Left = self._budget.left(self.usage)
        room = self._limits.context_tokens - prompt_tokens - prompt_tokens // _DOUBT
        output: float = min(self._limits.output_tokens, max(room, LEAST_OUTPUT_TOKENS))
        if left.tokens is not None:
            output = min(output, left.tokens - prompt_tokens)
        if left.cost_usd is not None:
            output = min(output, affordable_output(left.cost_usd, prompt_tokens, backend.model, self._prices))
        if output < LEAST_OUTPUT_TOKENS:
            raise BudgetExceeded(left.refusal(prompt_tokens))
        return int(output)

    def _take_turn(self) -> None:
        self._check_stopped()
        most_s = min(MAX_PAUSE_S, self._time_left_s() - LEAST_TIME_S)
        if most_s < 0:
            raise ModelUnavailable("The step's deadline leaves no time for another call of a model. Raise BULLPEN_STEP_TIMEOUT_S.")
        self._wait(self._rate_limit.take(most_s))
        self._check_stopped()

    def _once(
        self, backend: Backend, schema: AnswerSchema, turns: Sequence[Turn], max_tokens: int, prompt_tokens: int, used: "_Tally"
    ) -> Reply:
        started = time.monotonic()
        spent, outcome = Usage(model_calls=1), "answered"
        try:
            timeout_s = max(LEAST_TIME_S, min(self._limits.timeout_s, self._time_left_s()))
            reply = backend.complete(turns, schema, max_tokens=max_tokens, timeout_s=timeout_s, cache_key=self._cache_key)
            said = reply.usage or Usage(input_tokens=prompt_tokens, output_tokens=estimate_tokens(reply.text))
            spent = priced(said.model_copy(update={"model_calls": 1}), backend.model, self._prices)
            return reply
        except BullpenError as error:
            outcome = type(error).__name__
            raise
        finally:
            used.total = used.total.plus(spent)
            with self._lock:
                self._usage = self._usage.plus(spent)
            log.info(
                "model_called", model=backend.model, outcome=outcome, duration_s=round(time.monotonic() - started, 3),
                input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, cost_usd=spent.cost_usd,
            )  # fmt: skip

    def _time_left_s(self) -> float:
        return self._limits.deadline - time.monotonic()

    def _wait(self, pause_s: float) -> None:
        end = time.monotonic() + pause_s
        while (rest := end - time.monotonic()) > 0:
            self._check_stopped()
            time.sleep(min(rest, _SLICE_S))


_SHARES = 4
"""A window smaller than four answers, or four times the overhead, gives either a quarter."""
_DOUBT = 8
"""The part of a prompt's estimate by which the model may count more. Servers refuse a prompt and an answer that together
might exceed the window, by their own count."""
_OVERHEAD_TOKENS = 1_500
"""Kept free for the standing instructions, the schema, and a correction."""
_LEAST_DATA_TOKENS = 256
"""A smaller window is none; a prompt that then does not fit is refused with its figures."""


@dataclass(slots=True)
class _Tally:
    """What one `ask` used."""

    total: Usage = field(default_factory=Usage)


def _pause_s(failures: int, retry_after_s: float | None) -> float:
    """Seconds before the next try: what the server says, else doubling; with jitter, so that a fleet does not come back as one."""
    if retry_after_s is not None:
        return retry_after_s + random.uniform(0.0, 0.25)
    return RETRY_BASE_S * 2 ** (failures - 1) * random.uniform(0.5, 1.0)
