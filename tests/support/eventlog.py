"""Spark event logs made by hand: events as Spark writes them, and the block formats of its JVM codecs."""

import json
import struct
from collections.abc import Iterable
from typing import Any

import cramjam
import lz4.block

START = 1_700_000_000_000
"""When the application starts, Unix ms."""

STACK = "\n".join(
    ("org.apache.spark.rdd.RDD.map(RDD.scala:1)", "com.acme.Job$.main(Job.scala:42)", "java.base/java.lang.Thread.run(Thread.java:1)")
)

Event = dict[str, Any]


def log_start(version: str = "3.5.1") -> Event:
    return {"Event": "SparkListenerLogStart", "Spark Version": version}


def environment(**properties: str) -> Event:
    return {"Event": "SparkListenerEnvironmentUpdate", "JVM Information": {"Java Version": "17.0.1"}, "Spark Properties": properties}


def app_start(app_id: str = "app-20240101000000-0001", attempt: str | None = None) -> Event:
    start = {"Event": "SparkListenerApplicationStart", "App Name": "nightly", "App ID": app_id, "Timestamp": START, "User": "etl"}
    return start | ({"App Attempt ID": attempt} if attempt else {})


def app_end(at: int = START + 60_000) -> Event:
    return {"Event": "SparkListenerApplicationEnd", "Timestamp": at}


def executor_added(executor_id: str, cores: int, at: int = START) -> Event:
    return {
        "Event": "SparkListenerExecutorAdded",
        "Timestamp": at,
        "Executor ID": executor_id,
        "Executor Info": {"Host": f"host-{executor_id}", "Total Cores": cores},
    }


def job_start(job_id: int, stage_ids: list[int], at: int = START, execution: int | None = None) -> Event:
    properties = {} if execution is None else {"spark.sql.execution.id": str(execution)}
    return {"Event": "SparkListenerJobStart", "Job ID": job_id, "Submission Time": at, "Stage IDs": stage_ids, "Properties": properties}


def job_end(job_id: int, at: int, result: str = "JobSucceeded") -> Event:
    return {"Event": "SparkListenerJobEnd", "Job ID": job_id, "Completion Time": at, "Job Result": {"Result": result}}


def stage_event(
    stage_id: int, tasks: int, submitted: int, completed: int | None = None, parents: Iterable[int] = (), attempt: int = 0, **more: Any
) -> Event:
    """Submitted, or completed when an end is given."""
    info: Event = {
        "Stage ID": stage_id,
        "Stage Attempt ID": attempt,
        "Stage Name": f"save at Job.scala:{stage_id}",
        "Number of Tasks": tasks,
        "RDD Info": [{"RDD ID": 1, "Name": "MapPartitionsRDD", "Scope": '{"id":"7","name":"Exchange"}'}],
        "Parent IDs": list(parents),
        "Details": STACK,
        "Submission Time": submitted,
        **more,
    }
    if completed is None:
        return {"Event": "SparkListenerStageSubmitted", "Stage Info": info}
    return {"Event": "SparkListenerStageCompleted", "Stage Info": info | {"Completion Time": completed}}


def task_end(
    stage_id: int,
    task_id: int,
    duration: int,
    *,
    read: int = 0,
    attempt: int = 0,
    launched: int = START,
    executor: str = "1",
    reason: Event | None = None,
    **metrics: Any,
) -> Event:
    """A task that succeeded, unless another reason is given."""
    end = reason or {"Reason": "Success"}
    return {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": stage_id,
        "Stage Attempt ID": attempt,
        "Task Type": "ShuffleMapTask",
        "Task End Reason": end,
        "Task Info": {
            "Task ID": task_id,
            "Index": task_id,
            "Attempt": 0,
            "Launch Time": launched,
            "Executor ID": executor,
            "Host": f"host-{executor}",
            "Speculative": False,
            "Finish Time": launched + duration,
            "Failed": end["Reason"] not in ("Success", "TaskKilled"),
            "Killed": end["Reason"] == "TaskKilled",
            "Accumulables": [{"ID": 1, "Name": "internal.metrics.executorRunTime", "Update": duration, "Value": 10, "Internal": True}],
        },
        "Task Metrics": {
            "Executor Run Time": duration - 1,
            "Executor CPU Time": duration * 1_000_000,
            "JVM GC Time": 2,
            "Memory Bytes Spilled": 0,
            "Disk Bytes Spilled": 0,
            "Shuffle Read Metrics": {
                "Remote Bytes Read": read // 2,
                "Local Bytes Read": read - read // 2,
                "Total Records Read": read // 10,
            },
            **metrics,
        },
    }


def small_run(app_id: str = "app-20240101000000-0001", attempt: str | None = None) -> list[Event]:
    """One job of two stages, the second reading a shuffle of which one task gets nearly all."""
    return [
        log_start(),
        environment(**{"spark.master": "yarn"}),
        app_start(app_id, attempt),
        executor_added("1", 4),
        job_start(0, [0, 1], START + 1_000),
        stage_event(0, 3, START + 1_000),
        *(task_end(0, task, 100 * (task + 1), launched=START + 1_000) for task in range(3)),
        stage_event(0, 3, START + 1_000, START + 1_400),
        stage_event(1, 4, START + 1_500, parents=[0]),
        *(task_end(1, 3 + task, 50 + 10 * task, read=1_000 + task, launched=START + 1_500) for task in range(3)),
        task_end(1, 6, 5_000, read=90_000, launched=START + 1_500),
        stage_event(1, 4, START + 1_500, START + 6_500, parents=[0]),
        job_end(0, START + 6_600),
        app_end(START + 7_000),
    ]


def databricks_start(part: int, context: int = 42) -> Event:
    return {
        "Event": "DBCEventLoggingListenerMetadata",
        "Spark Version": "3.5.0",
        "Timestamp": START,
        "Rollover Number": part,
        "SparkContext Id": context,
    }


def to_bytes(events: Iterable[Event]) -> bytes:
    """As Spark writes them: no spaces, a line each."""
    return b"".join(json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events)


def lz4_blocks(data: bytes, size: int = 1 << 12) -> bytes:
    """lz4-java's LZ4BlockOutputStream; every third block stored as it is, as it does where compression does not help."""
    out = b""
    for number, at in enumerate(range(0, len(data), size)):
        block = data[at : at + size]
        stored = block if number % 3 == 2 else lz4.block.compress(block, store_size=False)
        method = 0x10 if number % 3 == 2 else 0x20
        out += b"LZ4Block" + struct.pack("<BIII", method | 6, len(stored), len(block), 0) + stored
    return out + b"LZ4Block" + struct.pack("<BIII", 0x10, 0, 0, 0)


def snappy_blocks(data: bytes, size: int = 1 << 12) -> bytes:
    """snappy-java's SnappyOutputStream."""
    blocks = (bytes(cramjam.snappy.compress_raw(data[at : at + size])) for at in range(0, len(data), size))
    return b"\x82SNAPPY\x00" + struct.pack(">II", 1, 1) + b"".join(struct.pack(">I", len(block)) + block for block in blocks)


def lzf_blocks(data: bytes, size: int = 1 << 12) -> bytes:
    """Ning's LZF, its blocks of literal runs only or stored."""
    out = b""
    for number, at in enumerate(range(0, len(data), size)):
        block = data[at : at + size]
        if number % 2:
            out += b"ZV\x00" + struct.pack(">H", len(block)) + block
        else:
            runs = b"".join(bytes([len(run) - 1]) + run for run in (block[i : i + 32] for i in range(0, len(block), 32)))
            out += b"ZV\x01" + struct.pack(">HH", len(runs), len(block)) + runs
    return out
