"""`Chat`: one step's conversation with a model. Every call goes through these stages, with every backend:

check that the step is not cancelled · check the deadline · check the budget · ask the circuit breaker · wait for the fleet's rate limit ·
call the model · record the usage · retry after a transport error · repair an invalid answer · use the fallback model.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from contracts.base import Contract, Json
from contracts.reports import Usage
from contracts.statements import code, say
from contracts.statements import name as identifier
from workers import metrics
from workers.blackboard.journal import ANSWERED, Journal
from workers.errors import (
    BudgetExceeded,
    BullpenError,
    ModelAnswerUnusable,
    ModelRequestRefused,
    ModelTooWeak,
    ModelUnavailable,
    StepCancelled,
)
from workers.llm.backend import Backend, Reply, StreamingBackend, Turn
from workers.llm.budget import Left, NoBudget, StepBudget
from workers.llm.circuits import Circuits, Gate, NoCircuits
from workers.llm.client import Answer, Tools, Worked
from workers.llm.journaled import as_request, as_turns, kept_error, read_reply_json, reply_json
from workers.llm.pricing import Prices, affordable_output, priced
from workers.llm.probe_figures import FailedTasks
from workers.llm.prompts import render_prompt, standing_text
from workers.llm.rate_limit import NoRateLimit, RateLimit
from workers.llm.reading import is_cut_in_reasoning, read_reply
from workers.llm.recording import Tape
from workers.llm.repair import AS_CALLS, AS_JSON, ask_until_valid
from workers.llm.schema import AnswerSchema, answer_schema
from workers.llm.token_count import estimate_tokens
from workers.llm.tool_steps import AS_ONE_OBJECT, how_to_answer, said_in
from workers.llm.words import Words
from workers.llm.work import ToolLoop
from workers.loggers import get_logger
from workers.tracing import add_content, add_usage, model_span

log = get_logger(__name__)

MAX_PAUSE_S = 30.0
"""Longest wait for a server or for the rate limit. A step that would wait longer is returned to the queue."""
RETRY_BASE_S = 0.5
"""Pause before the first retry; it doubles with each retry."""
LEAST_TIME_S = 1.0
"""A call is not started when less time than this is left."""
LEAST_OUTPUT_TOKENS = 64
"""A call is not started when the answer may not have at least this length: no contract fits into fewer tokens."""
PROBE_COMMAND = "bullpen eval model"
"""What measures a model again."""
STOPPED = "Interrupted"
"""Outcome of a call that ended with an error that is not a `BullpenError`."""
_SLICE_S = 0.25
"""Interval in which a wait checks whether the step was cancelled."""

C = TypeVar("C", bound=Contract)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """Limits of one conversation."""

    timeout_s: float = 120.0
    """Seconds for one call."""
    first_timeout_s: float = 30.0
    """Seconds for a call to a server that has not answered lately, and may hang."""
    retries: int = 2
    context_tokens: int = 32_768
    """Size of the model's window: prompt and answer together."""
    output_tokens: int = 4_000
    """Of an answer, without the reasoning before it."""
    reasoning_tokens: int = 16_000
    """Beside the answer's, for a model that reasons."""
    deadline: float = float("inf")
    """Monotonic time in seconds. No call starts after it, and a running call ends at it."""


def _never_stopped() -> None:
    """The check of a conversation that belongs to no step."""


class Chat:
    """Implements `ChatClient` with a list of backends: if one fails, the next is used."""

    def __init__(
        self,
        backends: Sequence[Backend],
        *,
        limits: ChatLimits = ChatLimits(),
        prices: Prices | None = None,
        budget: StepBudget | None = None,
        rate_limit: RateLimit | None = None,
        circuits: Circuits | None = None,
        check_stopped: Callable[[], None] = _never_stopped,
        cache_key: str | None = None,
        native_tools: bool | Callable[[], bool] = False,
        may_trace: bool = False,
        journal: Journal | None = None,
        settings: Json | None = None,
        tape: Tape | None = None,
        job: str = "",
        on_words: Callable[[str, bool], None] | None = None,
        failed: FailedTasks | None = None,
    ) -> None:
        """`check_stopped` raises `StepCancelled`. `cache_key` groups conversations with a common prefix, for servers that use it.
        `native_tools`: `work` uses the server's own tool calls; a function finds out with the first work. `may_trace`: LangSmith may be
        sent prompts. `journal`: keeps the calls of a step, and knows those of its earlier attempts. `settings`: what else decides about an
        answer, such as the temperature. `tape`: a recording of answers, in which `job` names the job.
        `on_words`: hears the words of an answer while it is written, and whether they are its first. `failed`: what the probe saw models
        fail at, which they are not asked."""
        self._backends = tuple(backends)
        self._limits = limits
        self._prices = prices or {}
        self._budget = budget or NoBudget()
        self._rate_limit = rate_limit or NoRateLimit()
        self._circuits = circuits or NoCircuits()
        self._check_stopped = check_stopped
        self._cache_key = cache_key
        self._native_tools = native_tools
        self._may_trace = may_trace
        self._journal = journal
        self._settings = settings or {}
        self._tape = tape
        self._job = job
        self._on_words = on_words
        self._failed = failed
        self._lock = threading.Lock()
        self._usage = Usage()
        self._answered_by: str | None = None
        self._fell_back: str | None = None

    @property
    def model(self) -> str:
        """See `ChatClient`."""
        return self._backends[0].model

    @property
    def answered_by(self) -> str | None:
        """See `ChatClient`."""
        return self._answered_by

    @property
    def fell_back(self) -> str | None:
        """See `ChatClient`."""
        return self._fell_back

    @property
    def context_tokens(self) -> int:
        """See `ChatClient`: the window minus the room for the answer with its reasoning and for the text that every prompt begins with.
        In a small window each of the two takes a quarter, so that half is left for the prompt. Whether a model reasons makes no
        difference: a prompt stays as it is when that is found out."""
        window = self._limits.context_tokens
        return max(_LEAST_DATA_TOKENS, window - self._kept_for_answer - min(_OVERHEAD_TOKENS, window // _SHARES))

    @property
    def _kept_for_answer(self) -> int:
        """Tokens reserved for the answer and its reasoning. They may be longer if the prompt is short."""
        return min(self._limits.output_tokens + self._limits.reasoning_tokens, self._limits.context_tokens // _SHARES)

    @property
    def usage(self) -> Usage:
        """See `ChatClient`."""
        with self._lock:
            return self._usage

    def ask(
        self, contract: type[C], *, prompt: str, prompt_cuts: Sequence[Json] = (), say_field: str | None = None, **data: object
    ) -> Answer[C]:
        """See `ChatClient`."""
        schema = answer_schema(contract)
        turns = (Turn("system", standing_text(schema)), Turn("user", render_prompt(prompt, {"how_to_answer": AS_ONE_OBJECT, **data})))
        return self._ask(contract, schema, turns, _Tally(prompt, tuple(prompt_cuts), say_field))

    def _ask(self, contract: type[C], schema: AnswerSchema, turns: Sequence[Turn], used: "_Tally") -> Answer[C]:
        value = self._ask_until(lambda reply: read_reply(reply, contract), schema, turns, used)
        return Answer(value, used.total, self._backends[used.place].model)

    def work(
        self,
        contract: type[C],
        *,
        tools: Tools,
        prompt: str,
        must_call: bool = False,
        prompt_cuts: Sequence[Json] = (),
        say_field: str | None = None,
        **data: object,
    ) -> Worked[C]:
        """See `ChatClient`."""
        native = self._takes_native_calls()
        request = render_prompt(prompt, {"how_to_answer": how_to_answer(native=native), **data})
        used = _Tally(prompt, tuple(prompt_cuts), say_field)

        def ask(read: Callable[[Reply], T], schema: AnswerSchema, turns: Sequence[Turn]) -> T:
            return self._ask_until(read, schema, turns, used)

        room = self._limits.context_tokens - self._kept_for_answer
        loop = ToolLoop(contract, tools, ask, self._check_tool_call, room=room, must_call=must_call, native=native)
        if native:
            from workers.llm.native import run_native

            value = run_native(loop, request, model=self.model, may_trace=self._may_trace)
        else:
            value = loop.run(request)
        return Worked(value, used.total, self._backends[used.place].model, tuple(loop.answers))

    def _takes_native_calls(self) -> bool:
        """Which driver works: found out once a step, and the same in all its attempts."""

        def find_out() -> bool:
            return self._native_tools() if callable(self._native_tools) else self._native_tools

        return find_out() if self._journal is None else self._journal.frozen("native", find_out)

    def _check_tool_call(self) -> None:
        """The checks before a tool call: cancelled, deadline, budget."""
        self._check_stopped()
        if self._time_left_s() < LEAST_TIME_S:
            raise ModelUnavailable("The step's deadline leaves no time for another tool call. Raise BULLPEN_STEP_TIMEOUT_S.")
        left = self._budget.left(self.usage)
        if any(rest is not None and rest <= 0 for rest in (left.tokens, left.cost_usd)):
            raise BudgetExceeded(left.refusal(0))

    def _ask_until(self, read: Callable[[Reply], T], schema: AnswerSchema, turns: Sequence[Turn], used: "_Tally") -> T:
        """The first answer that `read` takes, of the first model that gives such an answer. A model that failed is not asked again in
        the same conversation."""
        shown = self._kept_for_answer // 2  # tokens of an invalid answer in the repair prompt; the other half is for the new answer
        while used.place < len(self._backends):
            backend = self._backends[used.place]
            try:
                self._check_able(backend, used.purpose)
                value = ask_until_valid(
                    read, turns, lambda talk, backend=backend: self._call(backend, schema, talk, used), shown,
                    again=AS_CALLS if schema.functions else AS_JSON,
                )  # fmt: skip
            except (ModelUnavailable, ModelRequestRefused, ModelAnswerUnusable) as error:
                if used.place + 1 == len(self._backends):
                    raise
                used.place += 1
                with self._lock:
                    self._fell_back = str(error)
                log.warning("model_fallback", model=backend.model, error=type(error).__name__, next=self._backends[used.place].model)
                continue
            with self._lock:
                self._answered_by = backend.model
            return value
        raise ModelUnavailable("No model is configured for this step. Set BULLPEN_MODEL.")

    def _check_able(self, backend: Backend, prompt: str) -> None:
        """Raise `ModelTooWeak` for a prompt of a sort that the probe saw the model fail at."""
        if self._failed is not None and self._failed.has(backend, prompt):
            raise ModelTooWeak.of(
                say("refused.model.weak", model=identifier(backend.model), task=code(prompt), command=code(PROBE_COMMAND))
            )

    def _call(self, backend: Backend, schema: AnswerSchema, turns: Sequence[Turn], used: "_Tally") -> Reply:
        """One reply: of an earlier attempt of the step where the journal has it, else of the model."""
        if self._journal is None:
            return self._tried(backend, schema, turns, used)
        self._check_stopped()
        call = self._journal.model_call(as_request(used.purpose, backend.model, turns, schema, self._settings, used.left_out))
        if call.answer is not None:
            reply = read_reply_json(call.answer)
            if (heard := self._words(used)) is not None:
                heard(said_in(reply))
            return reply
        if call.error is not None:
            raise kept_error(*call.error)
        if call.is_edited:
            turns = as_turns(turns, call.request)
        started, before = time.monotonic(), used.total
        answer, outcome, message = None, STOPPED, ""
        try:
            reply = self._tried(backend, schema, turns, used)
            answer, outcome = reply_json(reply), ANSWERED
            return reply
        except BullpenError as error:
            outcome, message = type(error).__name__, str(error)
            raise
        finally:
            if outcome != StepCancelled.__name__:
                duration_ms = round((time.monotonic() - started) * 1000)
                spent = used.total.minus(before)
                self._journal.end(call, answer=answer, outcome=outcome, message=message, used=spent, duration_ms=duration_ms)

    def _tried(self, backend: Backend, schema: AnswerSchema, turns: Sequence[Turn], used: "_Tally") -> Reply:
        """One reply of the model, with as many retries as the limits allow; asked for once more, with more room, where it was cut off
        within the model's reasoning."""
        prompt_tokens = sum(estimate_tokens(turn.text) for turn in turns)
        if prompt_tokens + LEAST_OUTPUT_TOKENS > self._limits.context_tokens:
            raise ModelRequestRefused(
                f"The prompt has about {prompt_tokens} tokens; the window of {backend.model} is {self._limits.context_tokens}. "
                "Raise BULLPEN_MODEL_CONTEXT_TOKENS if the model takes more."
            )
        reasoning = self._limits.reasoning_tokens if backend.reasons else 0
        reply, room = self._sent(backend, schema, turns, prompt_tokens, reasoning, used)
        if not is_cut_in_reasoning(reply):
            return reply
        reasoning += self._limits.reasoning_tokens
        if self._room(backend, prompt_tokens, reasoning) <= room:
            return reply
        log.info("model_reasoning_cut", model=backend.model, room=room)
        return self._sent(backend, schema, turns, prompt_tokens, reasoning, used)[0]

    def _sent(
        self, backend: Backend, schema: AnswerSchema, turns: Sequence[Turn], prompt_tokens: int, reasoning: int, used: "_Tally"
    ) -> tuple[Reply, int]:
        """A reply, and the room in tokens that it had. `reasoning`: tokens beside the answer's."""
        failures = 0
        while True:
            max_tokens = self._room(backend, prompt_tokens, reasoning)
            gate = self._circuits.enter(backend.server, backend.model)
            self._take_turn()
            try:
                with model_span(backend.model, backend.server) as span:
                    return self._once(backend, schema, turns, max_tokens, prompt_tokens, used, gate, span), max_tokens
            except ModelUnavailable as error:
                failures += 1
                pause_s = _pause_s(failures, error.retry_after_s)
                if failures > self._limits.retries or pause_s > min(MAX_PAUSE_S, self._time_left_s()):
                    raise
                self._wait(pause_s)

    def _room(self, backend: Backend, prompt_tokens: int, reasoning: int) -> int:
        """Allowed length of the answer and of the reasoning before it, in tokens. Raises `BudgetExceeded` if the remaining budget does not
        cover a call."""
        left: Left = self._budget.left(self.usage)
        room = self._limits.context_tokens - prompt_tokens - prompt_tokens // _DOUBT
        output: float = min(self._limits.output_tokens + reasoning, max(room, LEAST_OUTPUT_TOKENS))
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
            raise ModelUnavailable("The step's deadline leaves no time for another model call. Raise BULLPEN_STEP_TIMEOUT_S.")
        self._wait(self._rate_limit.take(most_s))
        self._check_stopped()

    def _once(
        self,
        backend: Backend,
        schema: AnswerSchema,
        turns: Sequence[Turn],
        max_tokens: int,
        prompt_tokens: int,
        used: "_Tally",
        gate: Gate,
        span: Any,
    ) -> Reply:
        started = time.monotonic()
        spent, outcome = Usage(model_calls=1), "answered"
        most_s = self._limits.timeout_s if gate.is_known else min(self._limits.timeout_s, self._limits.first_timeout_s)
        timeout_s = max(LEAST_TIME_S, min(most_s, self._time_left_s()))
        try:
            if self._tape is not None and self._tape.plays:
                reply = self._tape.play(self._job, used.purpose, turns, schema)
            else:
                reply = self._complete(backend, turns, schema, max_tokens, timeout_s, used)
                if self._tape is not None:
                    self._tape.keep(self._job, used.purpose, turns, schema, backend.model, reply)
            usage = reply.usage or Usage(input_tokens=prompt_tokens, output_tokens=estimate_tokens(reply.text))
            spent = usage.model_copy(update={"model_calls": 1})
            self._circuits.answered(backend.server, backend.model)
            add_content(span, [{"role": turn.speaker, "parts": [{"type": "text", "content": turn.text}]} for turn in turns], reply.text)
            return reply
        except BullpenError as error:
            outcome = type(error).__name__
            self._tell_circuit(backend, error, gate, in_full=timeout_s >= most_s)
            raise
        finally:
            spent = priced(spent, backend.model, self._prices)
            used.total = used.total.plus(spent)
            with self._lock:
                self._usage = self._usage.plus(spent)
            duration_s = time.monotonic() - started
            add_usage(span, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, outcome=outcome)
            metrics.count(metrics.MODEL_CALLS, model=backend.model, outcome=outcome)
            metrics.observe(metrics.MODEL_SECONDS, duration_s, model=backend.model)
            metrics.count(metrics.TOKENS, spent.input_tokens, model=backend.model, direction="in")
            metrics.count(metrics.TOKENS, spent.output_tokens, model=backend.model, direction="out")
            metrics.count(metrics.COST, spent.cost_usd, model=backend.model)
            log.info(
                "model_called", model=backend.model, outcome=outcome, duration_s=round(duration_s, 3),
                input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, cost_usd=spent.cost_usd,
            )  # fmt: skip

    def _complete(
        self, backend: Backend, turns: Sequence[Turn], schema: AnswerSchema, max_tokens: int, timeout_s: float, used: "_Tally"
    ) -> Reply:
        """Make the call; with its words said on the way, where somebody hears them and the server can."""
        heard = self._words(used)
        if heard is None or not isinstance(backend, StreamingBackend):
            return backend.complete(turns, schema, max_tokens=max_tokens, timeout_s=timeout_s, cache_key=self._cache_key)
        return backend.stream(turns, schema, max_tokens=max_tokens, timeout_s=timeout_s, cache_key=self._cache_key, on_text=heard)

    def _words(self, used: "_Tally") -> Callable[[str], None] | None:
        """Where the pieces of an answer go. A new answer starts over: the one before could not be used."""
        say = self._on_words
        if say is None or used.say_field is None:
            return None
        begun: list[bool] = []

        def on_words(text: str) -> None:
            say(text, not begun)
            begun.append(True)

        return Words(used.say_field, on_words).feed

    def _tell_circuit(self, backend: Backend, error: BullpenError, gate: Gate, *, in_full: bool) -> None:
        """How a call ended. A timeout that the step's deadline cut short says nothing about the server."""
        if isinstance(error, ModelRequestRefused):
            self._circuits.answered(backend.server, backend.model)
        elif isinstance(error, ModelUnavailable) and (in_full or not error.timed_out):
            self._circuits.failed(backend.server, backend.model, error, gate, backend.is_there)

    def _time_left_s(self) -> float:
        return self._limits.deadline - time.monotonic()

    def _wait(self, pause_s: float) -> None:
        end = time.monotonic() + pause_s
        while (rest := end - time.monotonic()) > 0:
            self._check_stopped()
            time.sleep(min(rest, _SLICE_S))


_SHARES = 4
"""The answer and the overhead each take at most one part in this number of the window."""
_DOUBT = 8
"""One part in this number of a prompt's estimated tokens is kept as a margin, since the server counts with its own tokenizer. Servers
refuse a request whose prompt and answer together might exceed the window."""
_OVERHEAD_TOKENS = 1_500
"""Tokens kept free for the standard instructions, the schema, and a repair prompt."""
_LEAST_DATA_TOKENS = 256
"""The smallest size that is reported for a prompt's data. A prompt that then does not fit the window is refused with the figures."""


@dataclass(slots=True)
class _Tally:
    """Usage of one conversation, its prompt, and the place of the model that it is held with."""

    purpose: str = ""
    left_out: tuple[Json, ...] = ()
    say_field: str | None = None
    total: Usage = field(default_factory=Usage)
    place: int = 0


def _pause_s(failures: int, retry_after_s: float | None) -> float:
    """Seconds before the next try: the server's `retry-after`, else a doubling pause. Jitter spreads the retries of a fleet."""
    if retry_after_s is not None:
        return retry_after_s + random.uniform(0.0, 0.25)
    return RETRY_BASE_S * 2 ** (failures - 1) * random.uniform(0.5, 1.0)
