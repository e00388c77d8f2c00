"""How a stage's tasks are spread, as other tools write it: the History Server's `taskMetricsDistributions`, the table of metrics of a stage
in Spark's UI as it is copied, and the report of sparkMeasure. Each becomes a row with headings that a table of stages has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from workers.engines.artefacts.stage_tasks import flat_task, spread_of, tasks_within

DISTRIBUTIONS = "taskMetricsDistributions"
MEDIAN, HEAVIEST = 0.5, 1.0

MOST_TIME = "max task time (ms)"
USUAL_TIME = "median task time (ms)"

TIMES = ("duration", "executorRunTime")
DATA = (
    ("shuffleReadMetrics", "readBytes", "bytes", "shuffleReadBytes"),
    ("inputMetrics", "bytesRead", "bytes", "inputBytes"),
    ("shuffleReadMetrics", "readRecords", "records", "shuffleReadRecords"),
    ("inputMetrics", "recordsRead", "records", "inputRecords"),
)
"""Group and name of a distribution, its unit, and the stage's own sum: what the stage reads most of counts."""

LINES = 400
"""Of a copied page that are looked at."""

STAGE_TITLE = re.compile(r"Details for Stage (\d{1,9})\b")
TASKS_TITLE = re.compile(r"Summary Metrics for (?:(\d{1,9}) )?Completed Tasks")
COLUMNS_OF_UI = ("metric", "min", "25th percentile", "median", "75th percentile", "max")
METRICS_OF_UI: Mapping[str, tuple[str, str]] = {
    "duration": (USUAL_TIME, MOST_TIME),
    "shuffle read size / records": ("median shuffle read", "max shuffle read"),
    "input size / records": ("median input", "max input"),
    "spill (disk)": ("", "disk bytes spilled"),
    "spill (memory)": ("", "memory bytes spilled"),
}
"""Row of the copied table → headings of its median and its maximum. What the heaviest task spilled is the least that the stage did,
and counts where the page has no total."""

TOTALS_OF_UI: Mapping[str, str] = {
    "total time across all tasks": "total task time",
    "input size / records": "input",
    "shuffle read size / records": "shuffle read",
    "shuffle write size / records": "shuffle write",
    "spill (memory)": "memory bytes spilled",
    "spill (disk)": "disk bytes spilled",
}
"""Line above the copied table, `Name: value` → heading of the stage's total."""

GAPS = re.compile(r"\t| {2,}")

SPARK_MEASURE = re.compile(r"^(\w{3,60}) => (\d{1,18})\b", re.MULTILINE)
MEASURED: Mapping[str, str] = {
    "elapsedTime": "duration (ms)",
    "stageDuration": "duration (ms)",
    "numTasks": "tasks",
    "executorRunTime": "executor run time (ms)",
    "jvmGCTime": "jvm gc time (ms)",
    "recordsRead": "records read",
    "bytesRead": "bytes read",
    "bytesWritten": "bytes written",
    "shuffleTotalBytesRead": "shuffle read bytes",
    "shuffleBytesWritten": "shuffle write bytes",
    "memoryBytesSpilled": "memory bytes spilled",
    "diskBytesSpilled": "disk bytes spilled",
}
FEWEST_MEASURED = 4
STAGE_MEASURED = re.compile(r"^Stage (\d{1,9}) => (\d{1,18})\b", re.MULTILINE)
"""A stage and its duration in ms, below the sums."""
ALL_STAGES = "all"
"""In place of a stage's name: sums over all of them."""

NEARLY_ALL = 0.95
"""Of the duration of all stages: sums of all are those of the one that took so much."""


def with_distributions(body: dict[str, Any]) -> dict[str, Any]:
    """A stage of the History Server with its median and its heaviest task as columns, and one of its tasks with its metrics as columns; any
    other object as it is."""
    spread = body.get(DISTRIBUTIONS)
    if not isinstance(spread, dict):
        tasks = tasks_within(body)
        return body | spread_of(tasks) if tasks else flat_task(body)
    of = cast("dict[str, Any]", spread)
    quantiles = _numbers(of.get("quantiles"))
    if MEDIAN not in quantiles or HEAVIEST not in quantiles:
        return body
    places = quantiles.index(MEDIAN), quantiles.index(HEAVIEST)
    found = dict(body)
    times = next((values for name in TIMES if (values := _numbers(of.get(name)))), list[float]())
    _add(found, times, places, USUAL_TIME, MOST_TIME)
    for unit in ("bytes", "records"):
        sizes = [(_number(body.get(total)), group, name) for group, name, measure, total in DATA if measure == unit]
        _, group, name = max(sizes)
        inner = of.get(group)
        values = _numbers(cast("dict[str, Any]", inner).get(name)) if isinstance(inner, dict) else []
        _add(found, values, places, f"median {unit}", f"max {unit}")
    return found


def _add(found: dict[str, Any], values: Sequence[float], places: tuple[int, int], usual: str, most: str) -> None:
    if len(values) > max(places):
        found |= {usual: values[places[0]], most: values[places[1]]}


def _numbers(value: object) -> list[float]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [float(item) for item in items if isinstance(item, int | float) and not isinstance(item, bool)]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def copied_stages(text: str) -> list[tuple[int, dict[str, Any]]]:
    """(line, row) of each table of metrics that a page of Spark's UI shows of a stage, and of a report of sparkMeasure."""
    return [*_of_ui(text), *_of_spark_measure(text)]


def _of_ui(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    stage, tasks, row, at = "", None, dict[str, Any](), 0
    totals: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n", LINES)[:LINES], start=1):
        line = line.strip()[:500]
        titled = STAGE_TITLE.search(line)
        if titled:
            if row:
                yield at, row
            stage, tasks, row, totals = titled[1], None, {}, {}
        counted = TASKS_TITLE.search(line)
        tasks = counted[1] if counted and counted[1] else tasks
        label, colon, value = line.partition(": ")
        if colon and not row and (heading := TOTALS_OF_UI.get(label.lower())):
            totals[heading] = value
        cells = [cell.strip() for cell in GAPS.split(line)]
        if tuple(cell.lower() for cell in cells) == COLUMNS_OF_UI:
            if row and at:
                yield at, row
            row, at = {"stage": stage or "?", "tasks": tasks, **totals}, number
        elif row and len(cells) == len(COLUMNS_OF_UI) and (named := METRICS_OF_UI.get(cells[0].lower())):
            row |= {heading: cells[place] for heading, place in zip(named, (3, 5), strict=True) if heading and heading not in totals}
    if row and at and len(row) > 2:
        yield at, row


def without_pages(text: str) -> str:
    """The text without what `copied_stages` reads of pages of the UI."""
    kept: list[str] = []
    is_page = False
    for line in text.split("\n"):
        cells = [cell.strip().lower() for cell in GAPS.split(line.strip()[:500])]
        if STAGE_TITLE.search(line) or TASKS_TITLE.search(line) or tuple(cells) == COLUMNS_OF_UI:
            is_page = True
        elif is_page and len(cells) > 1 and len(cells) != len(COLUMNS_OF_UI):
            is_page = False  # another table begins
        if not is_page:
            kept.append(line)
    return "\n".join(kept)


def _of_spark_measure(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    found = {MEASURED[name]: int(value) for name, value in SPARK_MEASURE.findall(text[: 1 << 16]) if name in MEASURED}
    if len(found) >= FEWEST_MEASURED:
        yield text[: text.find(" => ")].count("\n") + 1, {"stage": _longest_of(text, found.get("duration (ms)", 0)), **found}


def _longest_of(text: str, whole_ms: int) -> str:
    """What the sums are of: the one stage that took nearly all of the time, else all."""
    took = [(int(ms), stage) for stage, ms in STAGE_MEASURED.findall(text[: 1 << 16])]
    longest, stage = max(took, default=(0, ""))
    return stage if longest > NEARLY_ALL * max(whole_ms, sum(ms for ms, _ in took)) else ALL_STAGES
