"""Spark event logs of any size, made of events in the form and of the weight that Spark 3.5 gives them."""

import random
from collections.abc import Iterator

import orjson

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

SQL = "org.apache.spark.sql.execution.ui.SparkListener"
EXECUTORS = 20
QUERY_MS = 100
TASK_ACCUMULABLES, QUERY_ACCUMULABLES = 26, 12
"""On a task of a large SQL stage, which gives it the 6 KB that it has in real logs; and on one of a tiny query, which gives it 3 KB."""

METRICS = {
    "Peak Execution Memory": 1 << 20,
    "Result Size": 4_000,
    "Executor Deserialize Time": 3,
    "Executor Deserialize CPU Time": 2_000_000,
}
PROPERTIES = {f"spark.setting.of.this.session.{number}": "some value" * 5 for number in range(40)}
"""3 KB: Spark repeats the session's settings with each job and each stage."""

DETAILS = "\n".join(
    (
        "org.apache.spark.sql.DataFrameWriter.parquet(DataFrameWriter.scala:369)",
        *(f"java.base/jdk.internal.reflect.Method{number}.invoke(Method.java:{number})" for number in range(5)),
        *(f"py4j.commands.Command{number}.execute(Command.java:{number})" for number in range(6)),
        "java.base/java.lang.Thread.run(Thread.java:1583)",
    )
)


def large_stages(size: int, seed: int = 7) -> Iterator[bytes]:
    """Lines of a log of about this number of bytes: a stage of 200 to 4,000 tasks at a time, each with SQL accumulables."""
    chance = random.Random(seed)
    written = 0
    for event in _large_stages(chance):
        line = _line(event)
        written += len(line)
        yield line
        if written >= size:
            break
    yield _line(app_end())


def tiny_queries(count: int) -> Iterator[bytes]:
    """Lines of a log with this number of SQL queries, each of one job, one stage and one task, with all their events: 27 KB."""
    yield from map(_line, _beginning())
    for number in range(count):
        yield from map(_line, _tiny_query(number))
    yield _line(app_end())


def bare_queries(count: int) -> Iterator[bytes]:
    """The same with nothing in the events that a reader could skip: 4 KB a query. No Spark writes so; it is the least favourable."""
    yield from map(_line, _beginning())
    for number in range(count):
        yield from map(_line, _bare_query(number))
    yield _line(app_end())


def _line(event: Event) -> bytes:
    return orjson.dumps(event) + b"\n"


def _beginning() -> Iterator[Event]:
    yield from (log_start(), environment(**{"spark.master": "yarn", "spark.sql.shuffle.partitions": "200"}), app_start())
    yield from (executor_added(str(number), 8) for number in range(EXECUTORS))


def _large_stages(chance: random.Random) -> Iterator[Event]:
    yield from _beginning()
    stage = task = 0
    now = START
    while True:
        count = int(200 * 20 ** chance.random())
        yield from (job_start(stage, [stage], now, execution=stage), _sql_start(stage, now, 40), stage_event(stage, count, now))
        for _ in range(count):
            yield from (_task_start(stage, task, now), _sql_task(chance, stage, task, now))
            task += 1
        now += 10_000
        yield from (stage_event(stage, count, now - 10_000, now), _sql_end(stage, now), job_end(stage, now))
        stage += 1


def _tiny_query(number: int) -> Iterator[Event]:
    now = START + number * QUERY_MS
    rdds = [_rdd(at) for at in range(4)]
    properties = PROPERTIES | {"spark.sql.execution.id": str(number), "spark.job.description": "refresh"}
    submitted = stage_event(number, 1, now, **{"RDD Info": rdds, "Details": DETAILS, "Accumulables": []})
    completed = stage_event(
        number, 1, now, now + 50, **{"RDD Info": rdds, "Details": DETAILS, "Accumulables": _accumulables(number, QUERY_ACCUMULABLES)}
    )
    task = task_end(number, number, 40, read=1_000, launched=now, executor=str(number % EXECUTORS), **METRICS)
    task["Task Info"]["Accumulables"] = _accumulables(number, QUERY_ACCUMULABLES)
    start = _sql_start(number, now, 5)
    yield start
    plan = {key: start[key] for key in ("executionId", "physicalPlanDescription", "sparkPlanInfo")}
    yield {"Event": f"{SQL}SQLAdaptiveExecutionUpdate", **plan}
    yield job_start(number, [number], now) | {"Stage Infos": [submitted["Stage Info"]], "Properties": properties}
    yield submitted | {"Properties": properties}
    yield _task_start(number, number, now)
    yield task
    yield completed
    yield {"Event": f"{SQL}DriverAccumUpdates", "executionId": number, "accumUpdates": [[number * 100, 1], [number * 100 + 1, 2]]}
    yield job_end(number, now + 60)
    yield _sql_end(number, now + 70)


def _bare_query(number: int) -> Iterator[Event]:
    now = START + number * QUERY_MS
    yield _sql_start(number, now, 5) | {"physicalPlanDescription": ""}
    yield job_start(number, [number], now, execution=number)
    yield stage_event(number, 1, now)
    yield task_end(number, number, 40, read=1_000, launched=now, executor=str(number % EXECUTORS))
    yield stage_event(number, 1, now, now + 50, Accumulables=_accumulables(number, 4))
    yield job_end(number, now + 60)
    yield _sql_end(number, now + 70)


def _sql_task(chance: random.Random, stage: int, task: int, now: int) -> Event:
    """A successful task of a SQL stage that reads and writes a shuffle."""
    duration = int(chance.lognormvariate(6, 1))
    written = {
        "Shuffle Bytes Written": chance.randrange(1 << 22),
        "Shuffle Write Time": duration * 10_000,
        "Shuffle Records Written": 1_000,
    }
    given = {"Memory Bytes Spilled": chance.choice((0, 0, 0, 1 << 26)), "Shuffle Write Metrics": written, **METRICS}
    event = task_end(stage, task, duration, read=chance.randrange(1 << 24), launched=now, executor=str(task % EXECUTORS), **given)
    event["Task Info"]["Accumulables"] = [
        item | {"Update": str(chance.randrange(1 << 20)), "Value": str(chance.randrange(1 << 30))}
        for item in _accumulables(stage, TASK_ACCUMULABLES)
    ]
    event["Task Executor Metrics"] = {f"ProcessTreeMetric{number}": chance.randrange(1 << 30) for number in range(20)}
    return event


def _accumulables(of: int, count: int) -> list[Event]:
    return [
        {
            "ID": of * 100 + number,
            "Name": "shuffle records written" if number % 2 else "internal.metrics.shuffle.read.remoteBytesReadToDisk",
            "Update": "1000",
            "Value": "1000",
            "Internal": True,
            "Count Failed Values": True,
            "Metadata": "sql",
        }
        for number in range(count)
    ]


def _rdd(number: int) -> Event:
    levels = dict.fromkeys(("Use Disk", "Use Memory", "Use Off Heap", "Deserialized"), False)
    return {
        "RDD ID": number,
        "Name": "MapPartitionsRDD",
        "Scope": f'{{"id":"{number}","name":"WholeStageCodegen ({number})"}}',
        "Callsite": "parquet at NativeMethodAccessorImpl.java:0",
        "Parent IDs": [number + 1],
        "Storage Level": levels | {"Replication": 1},
        "Barrier": False,
        "DeterministicLevel": "DETERMINATE",
        "Number of Partitions": 2,
        "Number of Cached Partitions": 0,
        "Memory Size": 0,
        "Disk Size": 0,
    }


def _task_start(stage: int, task: int, now: int) -> Event:
    """What nobody needs."""
    info = {"Task ID": task, "Index": task, "Attempt": 0, "Launch Time": now, "Executor ID": str(task % EXECUTORS), "Host": "host"}
    return {"Event": "SparkListenerTaskStart", "Stage ID": stage, "Stage Attempt ID": 0, "Task Info": info | {"Accumulables": []}}


def _sql_start(execution: int, now: int, depth: int) -> Event:
    """A plan of `depth` operators with 4 metrics each over a scan."""
    node: Event = {"nodeName": "Scan parquet", "simpleString": "Scan parquet [id#1]", "children": [], "metrics": []}
    for level in range(depth):
        metrics = [
            {"name": "number of output rows", "accumulatorId": execution * 100 + level * 2 + at, "metricType": "sum"} for at in range(4)
        ]
        node = {"nodeName": "Project", "simpleString": "Project [id#1, " + "x" * depth * 10 + "]", "children": [node], "metrics": metrics}
    return {
        "Event": f"{SQL}SQLExecutionStart",
        "executionId": execution,
        "description": "save",
        "details": DETAILS,
        "physicalPlanDescription": "== Physical Plan ==\n" * 12 * depth,
        "sparkPlanInfo": node,
        "time": now,
    }


def _sql_end(execution: int, now: int) -> Event:
    return {"Event": f"{SQL}SQLExecutionEnd", "executionId": execution, "time": now, "errorMessage": ""}
