"""Makes the tables and runs the jobs: `spark-python on_spark.py tables DIR ROWS SET` and
`spark-python on_spark.py run DIR LOGS JOBS.json SET`.

Runs under an interpreter that has PySpark and knows nothing of this repository but the files beside it. Each job is an application of its
own with an event log, in one Java machine that is warmed up first: a job of some seconds would otherwise measure the start of Java. A job
in Scala is run by `spark-shell`, in a machine of its own.
"""

import json
import os
import runpy
import shutil
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import airport_tables
import card_tables
import library_tables
import meter_tables
import orchard_tables
import parcel_tables
import port_tables
import shop_tables
import slope_tables
import stream_tables
from made_tables import Tables
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from scala_shell import run_scala

SETS = {
    "shop": shop_tables.TABLES,
    "meters": meter_tables.TABLES,
    "parcels": parcel_tables.TABLES,
    "cards": card_tables.TABLES,
    "streams": stream_tables.TABLES,
    "port": port_tables.TABLES,
    "orchard": orchard_tables.TABLES,
    "slopes": slope_tables.TABLES,
    "library": library_tables.TABLES,
    "airport": airport_tables.TABLES,
}
MOST_KEYS = 3
PLAIN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.driver.memory": "2g",
    "spark.sql.files.maxPartitionBytes": "16m",
}
MASTER = "local[2]"


def make(folder: Path, rows: int, tables: Tables) -> None:
    """All tables, and `tables.json` with their rows, columns and heaviest keys."""
    spark = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false").config("spark.driver.memory", "2g").getOrCreate()
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.made(spark, rows).items():
        table.write.mode("overwrite").parquet(str(folder / name))
    tables.others(spark, folder)
    known = {name: statistics_of(spark.read.parquet(str(folder / name)), tables.references) for name in tables.names}
    (folder / "tables.json").write_text(json.dumps(known, indent=1, default=str))
    spark.stop()


def statistics_of(table: DataFrame, references: tuple[str, ...]) -> dict[str, Any]:
    """Rows, columns and, of whole numbers and references, how many values there are and the heaviest ones."""
    rows = table.count()
    found: dict[str, Any] = {"rows": rows, "columns": dict(table.dtypes)}
    for name, kind in table.dtypes:
        if kind not in ("int", "bigint") and name not in references:
            continue
        found[f"distinct_{name}"] = table.select(name).distinct().count()
        top = table.groupBy(name).count().orderBy(fn.desc("count"), name).limit(MOST_KEYS).collect()
        found[f"top_{name}"] = [{"value": row[name], "rows": row["count"], "share": round(row["count"] / rows, 4)} for row in top]
    return found


def run(folder: Path, logs: Path, jobs: list[dict[str, Any]], tables: Tables) -> None:
    """Run each job in its turn; write what each took, as lines of JSON."""
    os.chdir(folder.parent)
    warm(logs, tables)
    for job in jobs:
        took_s, error = run_one(job, logs / job["id"], tables.names)
        print(json.dumps({"id": job["id"], "took_s": took_s, "error": error}), flush=True)


def warm(logs: Path, tables: Tables) -> None:
    """Compile what every job needs."""
    session = session_of("warm", {}, logs / "_warm")
    for _ in range(2):
        tables.warming(session).write.mode("overwrite").parquet("out/warm")
    session.stop()


def session_of(name: str, settings: dict[str, str], logs: Path) -> SparkSession:
    """A session with an event log in the folder."""
    builder = SparkSession.builder.master(MASTER).appName(name)
    for key, value in settings_of(settings, logs).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def settings_of(settings: dict[str, str], logs: Path) -> dict[str, str]:
    """A job's settings, and an event log in the folder, which is emptied first."""
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    return {**PLAIN, "spark.eventLog.dir": logs.resolve().as_uri(), **settings}


def run_one(job: dict[str, Any], logs: Path, views: Sequence[str]) -> tuple[float, str]:
    """(seconds, the error's last line)."""
    if job["script"].endswith(".scala"):
        return run_scala(Path(job["script"]), job["id"], MASTER, settings_of(job["conf"], logs))
    session = session_of(job["id"], job["conf"], logs)
    session.sparkContext.setLogLevel("OFF")
    started, error = time.perf_counter(), ""
    try:
        if job["script"].endswith(".sql"):
            run_sql(session, Path(job["script"]).read_text(), views)
        else:
            runpy.run_path(job["script"], run_name="__main__")
    except Exception:  # a job that fails is one of the cases
        error = traceback.format_exc().strip().splitlines()[-1][:200]
    took_s = round(time.perf_counter() - started, 2)
    session.stop()
    return took_s, error


def run_sql(session: SparkSession, text: str, views: Sequence[str]) -> None:
    """Each statement in turn, over the tables as views."""
    for name in views:
        session.read.parquet(f"data/{name}").createOrReplaceTempView(name)
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for statement in filter(None, map(str.strip, code.split(";"))):
        session.sql(statement)


if __name__ == "__main__":
    chosen = SETS[sys.argv[-1]]
    if sys.argv[1] == "tables":
        make(Path(sys.argv[2]), int(sys.argv[3]), chosen)
    else:
        run(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), json.loads(Path(sys.argv[4]).read_text()), chosen)
