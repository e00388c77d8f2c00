"""The error tree. A class carries two facts: `retryable` (what the worker does) and `http_status` (what the gateway answers).

BullpenError
├── InvalidInput               400  the caller's value is wrong
│   ├── InvalidSubmission
│   ├── InvalidPlan                 a playbook, contributed stage or request that the rules forbid
│   ├── InvalidReport               a role returned a report that its contract forbids
│   ├── AskedTooOften               a role asked although its step may not ask
│   ├── StatementRefused            a lock of a source refuses a statement: `lock` says which
│   ├── StatementFailed             the engine of a source could not run a statement
│   ├── UnsafeAccount               the account of a source could write
│   └── UnreadableLog               a run's log that is refused: `reason` says which rule
├── NotFound                   404  no such job, stage, step, request, quarantine entry
├── Conflict                   409  the state does not allow it
│   ├── StaleAttempt                another worker owns the step now
│   ├── AlreadyAnswered             another answer came first
│   └── IdempotencyConflict         same key, another body
├── Unavailable                503  a server we need does not answer; retryable
│   ├── DatabaseUnavailable
│   ├── DatabaseNotMigrated         not retryable: run `bullpen db migrate`
│   ├── SourceUnavailable           a user's database does not answer
│   ├── ToolsUnavailable            a server of tools does not answer
│   ├── StoreUnavailable            the artefact store, or the server of a bundle's URL
│   └── BrokerUnavailable
├── ToolFailed                 400  a tool's business error: calling it again would fail again
│   ├── NoTools                     a step that was given no tools called one
│   └── OutcomeUnknown              nobody knows whether a change outside was made; a person has to look
├── StepCancelled                   the step was cancelled or taken over while it ran
├── BudgetExceeded                  a job has used up its budget
├── EngineError                500  a role's engine could not do its work
│   ├── TransientError              a timeout, a 429, a 5xx: retryable
│   │   └── ModelUnavailable
│   │       └── ModelCircuitOpen    not called for a while, since it failed again and again
│   ├── ModelRequestRefused         a model's server rejects the key, the model's name, or the form of the request
│   └── ModelAnswerUnusable         a model refused, or its answers repeatedly broke their contract
│       ├── ToolLoopEnded           a model called tools without coming to an answer
│       └── ModelTooWeak            the probe saw the model fail at such a task, so that it is not asked
└── ConfigurationError         500  a setting is wrong
"""

from importlib import import_module
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:  # only names in a signature; each process would pay for the contracts of Spark runs
    from contracts.sources import Lock
    from contracts.spark import LogRefusal
    from contracts.statements import Statement


class BullpenError(Exception):
    """Base of all errors that Bullpen raises on purpose. The message names the object and what to do next."""

    retryable: bool = False
    http_status: int = 500
    says: "Statement | None" = None
    """The message where readers may speak other languages; `message_of` (workers/saying) makes the text. `str` is the text in English,
    for logs."""

    @classmethod
    def of(cls, says: "Statement") -> Self:
        """An error whose message is a statement."""
        error = cls(says.code)
        error.says = says
        return error

    def __str__(self) -> str:
        """The message in English."""
        message = super().__str__()
        if self.says is None or message != self.says.code:
            return message
        text: str = import_module("workers.saying.spans").text_of(self.says, "en")  # on first use: this module is below it
        return text


class InvalidInput(BullpenError):
    """The caller's value is wrong."""

    http_status = 400


class InvalidSubmission(InvalidInput):
    """A submission that cannot become a job."""


class InvalidPlan(InvalidInput):
    """A playbook, a contributed stage or a request that the rules forbid."""


class InvalidReport(InvalidInput):
    """A role returned a report that its contract forbids."""


class AskedTooOften(InvalidInput):
    """A role asked although its step may not ask any more."""


class UnreadableLog(InvalidInput):
    """A run's log is refused as a whole."""

    def __init__(self, reason: "LogRefusal", says: "Statement") -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.refusal = self.says = says
        """Why, and the next move."""


class StatementRefused(InvalidInput):
    """A lock between a statement and a source does not let it through."""

    def __init__(self, lock: "Lock", says: "Statement", *, nearest: tuple[str, ...] = ()) -> None:
        """`nearest`: known names that an unknown one may have meant."""
        super().__init__(says.code)
        self.says = says
        self.lock = lock
        self.nearest = nearest


class StatementFailed(InvalidInput):
    """The engine of a source could not run a statement; its own words are in the message, unless policies forbid."""


class UnsafeAccount(InvalidInput):
    """The account of a source could write, or its rights cannot be verified, and nobody insisted."""


class NotFound(BullpenError):
    """The named object does not exist."""

    http_status = 404


class Conflict(BullpenError):
    """The current state does not allow the operation."""

    http_status = 409


class StaleAttempt(Conflict):
    """Another worker owns the step now. A late report changes nothing."""


class AlreadyAnswered(Conflict):
    """Another answer came first."""


class IdempotencyConflict(Conflict):
    """The idempotency key belongs to another body."""


class Unavailable(BullpenError):
    """A server we need does not answer."""

    retryable = True
    http_status = 503


class DatabaseUnavailable(Unavailable):
    """Postgres does not answer."""


class DatabaseNotMigrated(Unavailable):
    """The schema is not the schema that this release needs."""

    retryable = False


class SourceUnavailable(Unavailable):
    """A user's database does not answer, or its URL is not in the environment of this process."""


class ToolsUnavailable(Unavailable):
    """A server of tools does not answer."""


class StoreUnavailable(Unavailable):
    """The artefact store, or the server that a bundle's URL names, does not answer."""


class BrokerUnavailable(Unavailable):
    """The broker does not answer."""


class ToolFailed(BullpenError):
    """A tool could not do what it was asked, for a reason that repeating does not change. It ends the line of work."""

    http_status = 400


class NoTools(ToolFailed):
    """A step that was given no tools called one."""


class OutcomeUnknown(ToolFailed):
    """A call that changes something outside was begun, and nobody knows whether it was done. A person looks, and replays the step."""


class StepCancelled(BullpenError):
    """The step was cancelled or taken over while it ran; stop, and report nothing."""


class BudgetExceeded(BullpenError):
    """A job has used up its budget."""


class EngineError(BullpenError):
    """A role's engine could not do its work."""


class TransientError(EngineError):
    """A timeout, a 429, a 5xx, a lost connection: trying again may help."""

    retryable = True


class ModelUnavailable(TransientError):
    """A model's server does not answer, or asks us to wait longer than we may."""

    def __init__(self, message: str, *, retry_after_s: float | None = None, timed_out: bool = False, is_busy: bool = False) -> None:
        """`retry_after_s`: how long the server asks us to wait; None if it does not say. `timed_out`: the time of a call passed without a
        complete answer. `is_busy`: it answers, and asks for patience."""
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.timed_out = timed_out
        self.is_busy = is_busy


class ModelCircuitOpen(ModelUnavailable):
    """A model that failed again and again is not called for a while."""


class ModelRequestRefused(EngineError):
    """A model's server rejects the key, the model's name, or the form of the request. Trying again changes nothing."""


class ModelAnswerUnusable(EngineError):
    """A model refused, gave an empty answer, or broke its contract in every answer."""


class ToolLoopEnded(ModelAnswerUnusable):
    """A model used up its calls, repeated itself, or sent wrong arguments again and again, and gave no answer."""


class ModelTooWeak(ModelAnswerUnusable):
    """The probe saw the model fail at this sort of task: it is not asked."""


class ConfigurationError(BullpenError):
    """A setting is wrong."""
