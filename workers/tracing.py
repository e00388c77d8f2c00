"""Traces by OpenTelemetry: off unless `BULLPEN_OTEL` is set, and an extra (`bullpen-fleet[otel]`). Until `start_tracing` a span costs a
comparison, and nothing of OpenTelemetry is loaded.

Celery's messages carry the trace, so that a job's way through the queues is one trace; statements of Postgres have no parameters. Where the
spans go, and how many are sampled, say OpenTelemetry's own variables (`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`).
"""

import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from workers.errors import ConfigurationError
from workers.extras import install_command
from workers.secrets import hide_in_text

SPAN_CALL = "chat"
"""Name of a model call's span before the model's name, by the conventions for generative AI."""

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's own variable: whether spans hold prompts and answers."""

_tracer: Any = None


def start_tracing(role: str) -> None:
    """Send spans of this process from now on. Raises `ConfigurationError` if the extra is not installed."""
    global _tracer
    try:
        trace, sdk, export, resources, otlp = (_load(name) for name in _MODULES)
        celery, psycopg = (_load(f"opentelemetry.instrumentation.{name}") for name in ("celery", "psycopg"))
    except ImportError as error:
        raise ConfigurationError(f"BULLPEN_OTEL is set, but {error.name} is not installed. Run `{install_command('otel')}`.") from None
    made = sdk.TracerProvider(resource=resources.Resource.create({"service.name": f"bullpen-{role}"}))
    made.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
    trace.set_tracer_provider(made)
    celery.CeleryInstrumentor().instrument(tracer_provider=made)
    psycopg.PsycopgInstrumentor().instrument(tracer_provider=made)
    _tracer = trace.get_tracer("bullpen")


_MODULES = (
    "opentelemetry.trace",
    "opentelemetry.sdk.trace",
    "opentelemetry.sdk.trace.export",
    "opentelemetry.sdk.resources",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
)


def _load(name: str) -> Any:
    return import_module(name)


@contextmanager
def model_span(model: str, server: str) -> Generator[Any]:
    """The span of a model call, or None without tracing. `add_content` gives it the prompt and the answer, where wanted."""
    if _tracer is None:
        yield None
        return
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, "server.address": server}
    with _tracer.start_as_current_span(f"{SPAN_CALL} {model}", attributes=attributes, record_exception=False) as span:
        yield span


def add_usage(span: Any, *, input_tokens: int, output_tokens: int, outcome: str) -> None:
    """What a call used, and how it ended."""
    if span is not None:
        span.set_attribute("gen_ai.usage.input_tokens", input_tokens)
        span.set_attribute("gen_ai.usage.output_tokens", output_tokens)
        span.set_attribute("bullpen.outcome", outcome)


def add_content(span: Any, messages: list[dict[str, Any]], answer: str) -> None:
    """What was asked and answered, where the operator wants it (`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`)."""
    if span is not None and os.environ.get(CAPTURE, "").lower() == "true":
        span.set_attribute("gen_ai.input.messages", hide_in_text(json.dumps(messages, ensure_ascii=False)))
        reply = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
        span.set_attribute("gen_ai.output.messages", hide_in_text(json.dumps(reply, ensure_ascii=False)))


def tool_span(tool: str, *, outcome: str, duration_ms: int, call: int, place: int) -> None:
    """The span of a tool's call, made of its row in the journal when it has ended."""
    if _tracer is None:
        return
    ended = time.time_ns()
    attributes = {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "bullpen.outcome": outcome, "bullpen.call": call,
        "bullpen.place": place,
    }  # fmt: skip
    span = _tracer.start_span(f"execute_tool {tool}", start_time=ended - duration_ms * 1_000_000, attributes=attributes)
    span.end(ended)


def add_step(**ids: str | int) -> None:
    """Name the step in the span of its task."""
    if _tracer is not None:
        _load("opentelemetry.trace").get_current_span().set_attributes({f"bullpen.{name}": value for name, value in ids.items()})
