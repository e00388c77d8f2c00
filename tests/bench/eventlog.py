"""How fast event logs are read, and in how much memory: `python -m tests.bench.eventlog [--sizes 100 1000] [--rounds 3]`.

Makes a log of each size in MB from events in Spark 3.5's form (a stage of 200 to 4,000 tasks at a time, SQL accumulables on
each task, now and then an adaptive plan), and reads it plain and as zstd. The floor is decompressing the same file and
`orjson.loads` of each line, in the same run. Each measurement is a process of its own, so that its peak memory is its own.
"""

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
from backports import zstd

from tests.support.eventlog import (
    START,
    Event,
    app_end,
    app_start,
    environment,
    executor_added,
    job_end,
    job_start,
    log_start,
    stage_event,
    task_end,
)
from workers.engines.tuning.eventlog import read_run

MB = 1_000_000
KIB_PER_MIB = 1024
ACCUMULABLES = 26
"""On a task of a SQL stage; gives it the 6 KB that tasks have in real logs of Spark 3."""

TARGET = 1.5
METRICS = {
    "Peak Execution Memory": 1 << 20,
    "Result Size": 4_000,
    "Executor Deserialize Time": 3,
    "Executor Deserialize CPU Time": 2_000_000,
}


def synthetic(size: int, seed: int = 7) -> Iterator[bytes]:
    """Lines of a log of about so many bytes."""
    chance = random.Random(seed)
    written = 0

    def lines(events: list[Event]) -> Iterator[bytes]:
        nonlocal written
        for event in events:
            line = json.dumps(event, separators=(",", ":")).encode() + b"\n"
            written += len(line)
            yield line

    yield from lines([log_start(), environment(**{"spark.master": "yarn", "spark.sql.shuffle.partitions": "200"}), app_start()])
    yield from lines([executor_added(str(number), 8) for number in range(20)])
    stage = task = 0
    now = START
    while written < size:
        count = int(200 * 20 ** chance.random())
        yield from lines([job_start(stage, [stage], now, execution=stage), sql_start(stage, now), stage_event(stage, count, now)])
        for _ in range(count):
            duration = int(chance.lognormvariate(6, 1))
            yield from lines([task_start(stage, task, now), sql_task(chance, stage, task, duration, now)])
            task += 1
        now += 10_000
        yield from lines([stage_event(stage, count, now - 10_000, now), sql_end(stage, now), job_end(stage, now)])
        stage += 1
    yield from lines([app_end(now)])


def sql_task(chance: random.Random, stage: int, task: int, duration: int, now: int) -> Event:
    """A successful task of a SQL stage that reads and writes a shuffle."""
    written = {
        "Shuffle Bytes Written": chance.randrange(1 << 22),
        "Shuffle Write Time": duration * 10_000,
        "Shuffle Records Written": 1_000,
    }
    given = {"Memory Bytes Spilled": chance.choice((0, 0, 0, 1 << 26)), "Shuffle Write Metrics": written, **METRICS}
    event = task_end(stage, task, duration, read=chance.randrange(1 << 24), launched=now, executor=str(task % 20), **given)
    event["Task Info"]["Accumulables"] = [
        {
            "ID": stage * 100 + number,
            "Name": "shuffle records written" if number % 2 else "internal.metrics.shuffle.read.remoteBytesReadToDisk",
            "Update": str(chance.randrange(1 << 20)),
            "Value": str(chance.randrange(1 << 30)),
            "Internal": True,
            "Count Failed Values": True,
            "Metadata": "sql",
        }
        for number in range(ACCUMULABLES)
    ]
    event["Task Executor Metrics"] = {f"ProcessTreeMetric{number}": chance.randrange(1 << 30) for number in range(20)}
    return event


def task_start(stage: int, task: int, now: int) -> Event:
    """What nobody needs."""
    info = {
        "Task ID": task,
        "Index": task,
        "Attempt": 0,
        "Launch Time": now,
        "Executor ID": str(task % 20),
        "Host": "host",
        "Accumulables": [],
    }
    return {"Event": "SparkListenerTaskStart", "Stage ID": stage, "Stage Attempt ID": 0, "Task Info": info}


def sql_start(execution: int, now: int) -> Event:
    """A plan of 40 nodes with 4 metrics each."""
    node: Event = {"nodeName": "Scan parquet", "simpleString": "Scan parquet [id#1]", "children": [], "metrics": []}
    for depth in range(40):
        metrics = [
            {"name": "number of output rows", "accumulatorId": execution * 100 + depth * 2 + at, "metricType": "sum"} for at in range(4)
        ]
        node = {"nodeName": "Project", "simpleString": "Project [id#1, " + "x" * 400 + "]", "children": [node], "metrics": metrics}
    return {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
        "executionId": execution,
        "description": "save",
        "details": "com.acme.Job.main(Job.scala:1)",
        "physicalPlanDescription": "== Physical Plan ==\n" * 500,
        "sparkPlanInfo": node,
        "time": now,
    }


def sql_end(execution: int, now: int) -> Event:
    """Its end."""
    return {
        "Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd",
        "executionId": execution,
        "time": now,
        "errorMessage": "",
    }


def floor(path: Path) -> int:
    """Decompress and parse each line."""
    lines = 0
    with zstd.open(path) if path.suffix == ".zstd" else path.open("rb") as file:
        for line in file:
            orjson.loads(line)
            lines += 1
    return lines


def ours(path: Path) -> int:
    """All facts."""
    return read_run(path).reading.lines


def measured(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    """Seconds, peak MiB and lines, from a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (work, path))


def _measure(work: Callable[[Path], int], path: Path) -> tuple[float, float, int]:
    start = time.perf_counter()
    lines = work(path)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_MIB, lines


def main() -> int:
    """Print ratios and memory; 1 when the ratio is above the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000], help="of the logs, in MB")
    parser.add_argument("--rounds", type=int, default=3)
    told = parser.parse_args()
    worst, peaks = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for size in told.sizes:
            plain, packed = Path(folder, "log"), Path(folder, "log.zstd")
            with plain.open("wb") as one, zstd.open(packed, "wb", level=1) as other:
                for line in synthetic(size * MB):
                    one.write(line)
                    other.write(line)
            for path in (plain, packed):
                rounds = [(measured(floor, path), measured(ours, path)) for _ in range(told.rounds)]
                ratio = statistics.median(mine[0] / least[0] for least, mine in rounds)
                seconds = statistics.median(mine[0] for _, mine in rounds)
                peak, lines = max(mine[1] for _, mine in rounds), rounds[0][1][2]
                worst = max(worst, ratio)
                peaks.append(peak)
                print(
                    f"{size:5} MB {path.suffix or 'plain':6} ({path.stat().st_size / MB:6.0f} MB stored, {lines:7} lines)  "
                    f"{seconds:6.2f} s  {ratio:.2f} x floor  peak {peak:.0f} MiB (floor {max(least[1] for least, _ in rounds):.0f})",
                    flush=True,
                )
            plain.unlink()
    print(f"worst ratio {worst:.2f} (target {TARGET}); peak memory {min(peaks):.0f} to {max(peaks):.0f} MiB")
    return int(worst > TARGET)


if __name__ == "__main__":
    sys.exit(main())
