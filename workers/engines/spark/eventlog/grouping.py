"""Which files of a bundle are one log: Spark's rolling files, Databricks' hourly ones, and the attempts of one application."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from workers.engines.spark.eventlog.sources import APPSTATUS, ROLLING_PART, YARN_ATTEMPT, Head


@dataclass(frozen=True, slots=True)
class LogGroup:
    """Files that are read as one log."""

    name: str
    """The folder they lie in where they lie alone in it, else that folder and what they are called after."""
    parts: tuple[str, ...]
    """In the order of reading."""


def group_logs(heads: Sequence[Head], others: Sequence[str] = ()) -> list[LogGroup]:
    """The logs of several files among these heads, of which all are logs. A log of one file is no group. `others` are names of further
    files, whose names the groups must not take."""
    groups = [*_rolling(heads), *_databricks(heads)]
    grouped = {part for _, parts in groups for part in parts}
    groups += _attempts([head for head in heads if head.name not in grouped and not ROLLING_PART.search(head.name)])
    taken = {*others, *(head.name for head in heads)}
    folders = [_folder(parts) for _, parts in groups]
    found: list[LogGroup] = []
    for (label, parts), folder in zip(groups, folders, strict=True):
        name = folder if folder and folders.count(folder) == 1 else f"{folder}/{label}" if folder else label
        while name in taken:
            name += "+"
        taken.add(name)
        found.append(LogGroup(name, parts))
    return found


def is_marker(name: str) -> bool:
    """An empty file that Spark writes beside rolling logs to say whether the application has ended."""
    return APPSTATUS.search(name) is not None


def _folder(parts: tuple[str, ...]) -> str:
    """The deepest folder that holds them all; empty for the bundle itself."""
    folders = [part.split("/")[:-1] for part in parts]
    shared: list[str] = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join(shared)


def _rolling(heads: Sequence[Head]) -> list[tuple[str, tuple[str, ...]]]:
    """By application, its attempts together."""
    runs: defaultdict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for head in heads:
        match = ROLLING_PART.search(head.name)
        if match:
            named = YARN_ATTEMPT.search(match[2])
            runs[named[1] if named else match[2]].append((match[2], int(match[1]), head.name))
    return [(run, tuple(name for _, _, name in sorted(parts))) for run, parts in runs.items() if len(parts) > 1]


def _databricks(heads: Sequence[Head]) -> list[tuple[str, tuple[str, ...]]]:
    contexts: defaultdict[bytes, list[tuple[int, str]]] = defaultdict(list)
    for head in heads:
        if head.databricks is not None:
            contexts[head.databricks[1]].append((head.databricks[0], head.name))
    return [
        (f"eventlog-{context.decode('ascii', 'replace')}", tuple(name for _, name in sorted(parts)))
        for context, parts in contexts.items()
        if len(parts) > 1
    ]


def _attempts(heads: Sequence[Head]) -> list[tuple[str, tuple[str, ...]]]:
    """Logs of one application, each of another attempt."""
    runs: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for head in heads:
        application, attempt = head.application
        if attempt is not None:
            runs[application].append((attempt, head.name))
    return [
        (application, tuple(name for _, name in sorted(parts)))
        for application, parts in runs.items()
        if len(parts) > 1 and len({attempt for attempt, _ in parts}) == len(parts)
    ]
