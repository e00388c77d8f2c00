"""Metrics of a process. They are declared here, and counted only if the process serves them (`BULLPEN_METRICS_PORT`): until
`switch_on`, counting does nothing, and prometheus_client, which takes 14 MB, is not loaded.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric as Prometheus knows it. A counter's name ends in `_total`."""

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


_DURATIONS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""Seconds. Steps by rules take milliseconds, those of models up to the step timeout of 600 s."""

STEPS = Metric("bullpen_steps_total", "counter", "Steps that this process reported.", ("role", "status"))
STEP_SECONDS = Metric("bullpen_step_duration_seconds", "histogram", "Duration of an attempt.", ("role",), _DURATIONS)
RETRIES = Metric("bullpen_step_retries_total", "counter", "Attempts that failed and are repeated.", ("role", "error"))
LEASES_LOST = Metric("bullpen_leases_lost_total", "counter", "Steps that were taken from this process while it ran them.")
LEASES_EXPIRED = Metric("bullpen_leases_expired_total", "counter", "Steps of dead or stuck workers that the sweep took back.")
RESENT = Metric("bullpen_messages_resent_total", "counter", "Messages that were sent again since the broker lost them.", ("role",))
SWEEP_FAILURES = Metric("bullpen_sweep_failures_total", "counter", "Rounds in which a part of the sweep failed.", ("part",))
TAKEN = Metric("bullpen_submissions_total", "counter", "Messages of producers.", ("source", "outcome"))
MODEL_CALLS = Metric("bullpen_model_calls_total", "counter", "Calls of models.", ("model", "outcome"))
MODEL_SECONDS = Metric("bullpen_model_call_duration_seconds", "histogram", "Duration of a model call.", ("model",), _DURATIONS)
TOKENS = Metric("bullpen_model_tokens_total", "counter", "Tokens of models.", ("model", "direction"))
COST = Metric("bullpen_model_cost_usd_total", "counter", "Cost of models in US dollars, by BULLPEN_MODEL_PRICES.", ("model",))

COUNTED = (
    STEPS, STEP_SECONDS, RETRIES, LEASES_LOST, LEASES_EXPIRED, RESENT, SWEEP_FAILURES, TAKEN, MODEL_CALLS, MODEL_SECONDS, TOKENS, COST,
)  # fmt: skip
"""What a process counts as it happens."""

QUEUE_AGE = Metric("bullpen_queue_age_seconds", "gauge", "Age of the oldest step that could be taken.", ("role",))
QUEUE_STEPS = Metric("bullpen_queue_steps", "gauge", "Steps that wait, are delayed by a retry, or run.", ("role", "state"))
ROLE_PAUSED = Metric("bullpen_role_paused", "gauge", "1 for a role that is paused or drained.", ("role",))
JOBS = Metric("bullpen_jobs", "gauge", "Jobs that have not ended.", ("status",))
HELD_BACK = Metric("bullpen_jobs_held_back", "gauge", "Jobs that wait since their owner has as many running as they may.")
QUARANTINED = Metric("bullpen_quarantine_entries", "gauge", "New entries of the quarantine.", ("source",))
UNDECIDED = Metric("bullpen_undecided_jobs", "gauge", "Jobs that wait for a coordinator for more than 10 s.")
EXPIRED = Metric("bullpen_expired_leases", "gauge", "Steps of dead workers that nobody took back for more than 10 s.")
SWEEP_LAG = Metric("bullpen_sweep_lag_seconds", "gauge", "Time since a part of the sweep last succeeded.", ("part",))
ANSWERS_WAITING = Metric("bullpen_answers_waiting", "gauge", "Answers to producers that are not delivered.", ("lane",))
ANSWERS_AGE = Metric("bullpen_answers_age_seconds", "gauge", "Age of the oldest answer that is not delivered.", ("lane",))
CIRCUITS = Metric("bullpen_model_circuit_open", "gauge", "1 for a model that is not called since it failed.", ("model",))
INTAKE_MESSAGES = Metric("bullpen_intake_messages", "gauge", "Messages of producers that are not taken.")
INTAKE_LAG = Metric("bullpen_intake_lag_seconds", "gauge", "Age of the oldest message of a producer that is not taken (Redis).")
DATABASE_UP = Metric("bullpen_database_up", "gauge", "1 if the coordinator can read the database.")

READ = (
    QUEUE_AGE, QUEUE_STEPS, ROLE_PAUSED, JOBS, HELD_BACK, QUARANTINED, UNDECIDED, EXPIRED, SWEEP_LAG, ANSWERS_WAITING, ANSWERS_AGE,
    CIRCUITS, INTAKE_MESSAGES, INTAKE_LAG, DATABASE_UP,
)  # fmt: skip
"""What a coordinator reads of the whole fleet when it is scraped. Each coordinator gives the same figures: take the maximum."""

_live: dict[str, Any] = {}


def switch_on(registry: "CollectorRegistry") -> None:
    """Count from now on, in this registry."""
    from prometheus_client import Counter, Histogram

    for metric in COUNTED:
        if metric.kind == "histogram":
            _live[metric.name] = Histogram(metric.name, metric.help, metric.labels, buckets=metric.buckets, registry=registry)
        else:
            _live[metric.name] = Counter(metric.name, metric.help, metric.labels, registry=registry)


def switch_off() -> None:
    """Count no more; for tests."""
    _live.clear()


def is_on() -> bool:
    """Whether this process counts."""
    return bool(_live)


def count(metric: Metric, amount: float = 1.0, **labels: str) -> None:
    """Add to a counter."""
    if (known := _live.get(metric.name)) is not None:
        (known.labels(**labels) if labels else known).inc(amount)


def observe(metric: Metric, value: float, **labels: str) -> None:
    """Add a value to a histogram."""
    if (known := _live.get(metric.name)) is not None:
        (known.labels(**labels) if labels else known).observe(value)
