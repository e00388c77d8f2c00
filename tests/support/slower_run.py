"""A later run of the same application, made from the event log of a real one: everything takes some times as long."""

import json
from pathlib import Path
from typing import Any, cast

from backports import zstd

TIMES = ("Timestamp", "Launch Time", "Finish Time", "Submission Time", "Completion Time", "time")
DURATIONS = ("Executor Run Time", "Executor Deserialize Time")


def slower_run(log: Path, target: Path, *, times: float, later_ms: int, app_id: str) -> Path:
    """Write the log of a run that began `later_ms` after the one in `log` and took `times` as long."""
    events = [json.loads(line) for line in zstd.decompress(log.read_bytes()).splitlines()]
    start = next(event["Timestamp"] for event in events if event["Event"] == "SparkListenerApplicationStart")
    for event in events:
        if event["Event"] == "SparkListenerApplicationStart":
            event["App ID"] = app_id
        _stretch(event, start, times, later_ms)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(json.dumps(event) + "\n" for event in events))
    return target


def _stretch(value: Any, start: int, times: float, later_ms: int) -> None:
    if isinstance(value, dict):
        event = cast("dict[str, Any]", value)
        for name, item in event.items():
            if name in TIMES and isinstance(item, int) and item > 0:
                event[name] = round(start + (item - start) * times + later_ms)
            elif name in DURATIONS:
                event[name] = round(item * times)
            else:
                _stretch(item, start, times, later_ms)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            _stretch(item, start, times, later_ms)
