"""Events in words."""

from typing import Any

from contracts.base import Json
from contracts.events import EventKind
from workers.cli.display import duration
from workers.reading.events import EventFacts


def tell(event: EventFacts) -> str:
    """An event on one line; text of others in it is not cleaned."""
    kind, stage, detail = event.kind, event.stage, event.detail
    match kind:
        case EventKind.JOB_DECIDED:
            return _decided(detail)
        case EventKind.STEP_SUCCEEDED | EventKind.STEP_FAILED:
            took = f" ({duration(detail['duration_s'])})" if "duration_s" in detail else ""
            asks = " and asks" if detail.get("outcome") == "needs_clarification" else ""
            text = detail.get("summary") or detail.get("message") or detail.get("error") or ""
            return f"{stage} {'succeeded' if kind == EventKind.STEP_SUCCEEDED else 'failed'}{asks}{took}: {text}".rstrip(": ")
        case EventKind.QUESTION_ANSWERED | EventKind.INSTRUCTION_GIVEN:
            return f"{_plain(kind)}{f' ({stage})' if stage else ''}: {detail.get('text', '')}"
        case _:
            more: list[Any] = [f"{name} {value}" for name, value in detail.items() if value not in (None, [], "")]
            return f"{_plain(kind)}{f' {stage}' if stage else ''}{': ' + ', '.join(more) if more else ''}"


def _decided(detail: Json) -> str:
    parts: list[str] = []
    if detail.get("dispatched"):
        parts.append(f"dispatched {', '.join(detail['dispatched'])}")
    if detail.get("superseded"):
        parts.append(f"superseded {detail['superseded']} steps")
    if detail.get("status"):
        parts.append(f"the job is {detail['status']}")
    if detail.get("error"):
        parts.append(str(detail["error"]))
    return f"decided ({detail.get('rule', '?')}): {'; '.join(parts) or 'nothing to dispatch'}"


def _plain(kind: str) -> str:
    return kind.replace("_", " ")
