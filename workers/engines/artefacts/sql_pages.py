"""The page of one query in Spark's UI, copied as text: its metrics name the stage and the task of their heaviest value. They become rows of
a table of stages."""

import re
from typing import Any

from workers.engines.artefacts.headings import Heading, Measure
from workers.engines.artefacts.values import number_of

HEADED = re.compile(r"^(.{2,60}?) total \(min, med, max \(stageId: taskId\)\)$")
VALUES = re.compile(r"^(\S.{0,30}?) \((\S.{0,30}?), (\S.{0,30}?), (\S.{0,30}?) \(stage (\d{1,9})\.\d{1,4}: task \d{1,12}\)\)$")
"""Total, minimum, median, maximum, and the stage of the maximum."""

SPILLED = "spill size"
TIMES = ("time in aggregation build", "sort time", "duration", "scan time", "time to build hash map", "build side time")
"""Metrics that are times of single tasks, as far as the operator worked."""
READ = ("local bytes read", "remote bytes read")
"""What tasks read of an exchange, which they add."""
WRITTEN = "shuffle bytes written"
USUAL_TIME, MOST_TIME = "median task time (ms)", "max task time (ms)"
TIME, SIZE = Heading("duration", Measure.MS, 1), Heading("bytes", Measure.BYTES, 1)
FEWEST = 2
"""Metrics with a stage by which a text is known as such a page."""
LINES = 4_000


def query_page(text: str) -> list[tuple[int, dict[str, Any]]]:
    """(line, row) for each stage that a metric of the page names. Its times are those of the operator whose heaviest task took longest: the
    least that its tasks took. Times are in ms, sizes in bytes."""
    rows: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    found = 0
    metric = ""
    for number, line in enumerate(text.split("\n", LINES)[:LINES], start=1):
        plain = line.strip()
        headed = HEADED.match(plain)
        if headed:
            metric = headed[1].lower()
            continue
        values = VALUES.match(plain) if metric else None
        if values:
            found += 1
            lines.setdefault(values[5], number)
            _add(rows.setdefault(values[5], {"stage": values[5]}), metric, values)
        metric = metric if not plain else ""
    return [(lines[stage], row) for stage, row in rows.items()] if found >= FEWEST else []


def _add(row: dict[str, Any], metric: str, values: re.Match[str]) -> None:
    if metric in TIMES:
        median, most = (number_of(values[place], TIME) or 0.0 for place in (3, 4))
        if most > row.get(MOST_TIME, 0.0):
            row |= {USUAL_TIME: median, MOST_TIME: most}
        return
    total, median, most = (number_of(values[place], SIZE) or 0.0 for place in (1, 3, 4))
    if metric == SPILLED:
        row["disk bytes spilled"] = row.get("disk bytes spilled", 0.0) + total
    elif metric == WRITTEN:
        row["shuffle write bytes"] = row.get("shuffle write bytes", 0.0) + total
    elif metric in READ:
        for heading, amount in (("shuffle read bytes", total), ("median bytes", median), ("max bytes", most)):
            row[heading] = row.get(heading, 0.0) + amount
