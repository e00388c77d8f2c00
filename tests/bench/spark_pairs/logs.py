"""Event logs small enough to keep: what the reader of facts does not look at is left out, and what names a machine."""

import json
from pathlib import Path
from typing import Any

from backports import zstd

LEFT_OUT = (
    "SparkListenerTaskStart",
    "SparkListenerExecutorMetricsUpdate",
    "SparkListenerStageExecutorMetrics",
    "SparkListenerResourceProfileAdded",
)
SETTINGS = ("spark.sql.", "spark.master", "spark.driver.memory", "spark.memory.", "spark.app.name")
"""Beginnings of the names of settings that are kept."""

LEVEL = 19


def kept(log: Path, target: Path, folders: tuple[Path, ...]) -> None:
    """Write the log, trimmed, to `target` as zstd; the folders are renamed wherever their paths occur."""
    with zstd.open(target, "wb", level=LEVEL) as file:
        for line in log.read_text().splitlines():
            event = _trimmed(json.loads(line))
            if event is not None:
                text = json.dumps(event, separators=(",", ":"))
                for folder in folders:
                    text = text.replace(str(folder.resolve()), "/pairs")
                file.write(text.encode() + b"\n")


def _trimmed(event: dict[str, Any]) -> dict[str, Any] | None:
    name = event["Event"]
    if name in LEFT_OUT:
        return None
    if name == "SparkListenerEnvironmentUpdate":
        settings = {key: value for key, value in event["Spark Properties"].items() if key.startswith(SETTINGS) and "/" not in value}
        java = {"Java Version": event["JVM Information"]["Java Version"]}
        return {"Event": name, "JVM Information": java, "Spark Properties": settings}
    event.pop("Task Executor Metrics", None)
    event.pop("physicalPlanDescription", None)
    event.pop("User", None)
    if "Stack Trace" in (end := event.get("Task End Reason", {})):
        event["Task End Reason"] = {"Reason": end["Reason"], "Class Name": end["Class Name"]}
    for part in ("Task Info", "Executor Info"):
        if part in event:
            event[part] |= {"Host": "localhost"}
            event[part].pop("Accumulables", None)
            event[part].pop("Log Urls", None)
    if "Block Manager ID" in event:
        event["Block Manager ID"]["Host"] = "localhost"
    if "Properties" in event:
        event["Properties"] = {key: value for key, value in event["Properties"].items() if key == "spark.sql.execution.id"}
    for stage in [event["Stage Info"]] if "Stage Info" in event else event.get("Stage Infos", []):
        stage["Accumulables"] = [item for item in stage.get("Accumulables", []) if item.get("Metadata") == "sql"]
    return event
