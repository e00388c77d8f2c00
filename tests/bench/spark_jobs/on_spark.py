"""Makes the tables and runs the jobs: `spark-python on_spark.py tables DIR ROWS` and `spark-python on_spark.py run DIR LOGS JOBS.json`.

Runs under an interpreter that has PySpark and knows nothing of this repository. The tables are made of row numbers by hashing, so they
are the same each time. Each job is an application of its own with an event log, in one Java machine that is warmed up first: a job of
some seconds would otherwise measure the start of Java.
"""

import json
import os
import runpy
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

CUSTOMERS, PRODUCTS, BANDS, COUNTRIES = 40_000, 4_000, 500, 20
MOST_KEYS = 3
TABLES = ("orders", "customers", "customers_wide", "products", "bands", "clicks")
PLAIN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.driver.memory": "2g",
    "spark.sql.files.maxPartitionBytes": "16m",
}
MASTER = "local[2]"


def spread(keys: int, salt: int = 0) -> Column:
    """A key with evenly spread values."""
    return fn.pmod(fn.xxhash64("id", fn.lit(salt)), fn.lit(keys)).cast("int")


def numbered(spark: SparkSession, rows: int, files: int = 8) -> DataFrame:
    """Row numbers."""
    return spark.range(0, rows, 1, files)


def make(folder: Path, rows: int) -> None:
    """All tables, and `tables.json` with their rows, columns and heaviest keys."""
    spark = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false").config("spark.driver.memory", "2g").getOrCreate()
    folder.mkdir(parents=True, exist_ok=True)
    text = fn.sha2(fn.col("id").cast("string"), 256)
    orders = numbered(spark, rows).select(
        fn.concat(fn.lit("R"), fn.col("id").cast("string")).alias("order_ref"),
        spread(CUSTOMERS).alias("customer"),
        spread(PRODUCTS, 1).alias("product"),
        (spread(100_000, 2) / 100).alias("amount"),
        spread(COUNTRIES, 3).alias("country"),
        fn.concat_ws("-", fn.substring(text, 1, 12), fn.substring(text, 13, 8)).alias("note"),
    )
    made = {
        "orders": orders,
        "customers": numbered(spark, CUSTOMERS, 2).select(
            fn.col("id").cast("int").alias("customer"), fn.substring(text, 1, 3).alias("city")
        ),
        "customers_wide": numbered(spark, CUSTOMERS * 5, 1).select(
            fn.col("id").cast("int").alias("customer_no"), fn.substring(text, 1, 3).alias("city"), fn.concat(text, text).alias("profile")
        ),
        "products": numbered(spark, PRODUCTS, 1).select(fn.col("id").cast("int").alias("product"), fn.substring(text, 1, 8).alias("title")),
        "bands": numbered(spark, BANDS, 1).select(
            fn.col("id").cast("int").alias("band"), (fn.col("id") * 2.0).alias("low"), (fn.col("id") * 2.0 + 2).alias("high")
        ),
        "clicks": numbered(spark, rows).select(
            fn.when(spread(10, 4) < 8, fn.lit(0)).otherwise(spread(CUSTOMERS)).alias("customer"), text.alias("page")
        ),
    }
    for name, table in made.items():
        table.write.mode("overwrite").parquet(str(folder / name))
    many = numbered(spark, 30_000, 1500).select((fn.col("id") % 7).alias("kind"), (fn.col("id") % 100).alias("seconds"))
    many.write.mode("overwrite").parquet(str(folder / "events_many_files"))
    plain = folder / "csv"
    orders.coalesce(1).write.mode("overwrite").option("compression", "gzip").csv(str(plain))
    shutil.copy(next(plain.glob("*.gz")), folder / "orders.csv.gz")
    shutil.rmtree(plain)
    known = {name: statistics_of(spark.read.parquet(str(folder / name))) for name in TABLES}
    (folder / "tables.json").write_text(json.dumps(known, indent=1))
    spark.stop()


def statistics_of(table: DataFrame) -> dict[str, Any]:
    """Rows, columns and, of whole numbers and references, how many values there are and the heaviest ones."""
    rows = table.count()
    found: dict[str, Any] = {"rows": rows, "columns": dict(table.dtypes)}
    for name, kind in table.dtypes:
        if kind not in ("int", "bigint") and name != "order_ref":
            continue
        found[f"distinct_{name}"] = table.select(name).distinct().count()
        top = table.groupBy(name).count().orderBy(fn.desc("count"), name).limit(MOST_KEYS).collect()
        found[f"top_{name}"] = [{"value": row[name], "rows": row["count"], "share": round(row["count"] / rows, 4)} for row in top]
    return found


def run(folder: Path, logs: Path, jobs: list[dict[str, Any]]) -> None:
    """Run each job in its turn; write what each took, as lines of JSON."""
    os.chdir(folder.parent)
    warm(logs)
    for job in jobs:
        took_s, error = run_one(job, logs / job["id"])
        print(json.dumps({"id": job["id"], "took_s": took_s, "error": error}), flush=True)


def warm(logs: Path) -> None:
    """Compile what every job needs."""
    session = session_of("warm", {}, logs / "_warm")
    for _ in range(2):
        orders = session.read.parquet("data/orders")
        orders.join(session.read.parquet("data/products"), "product").groupBy("title").agg(fn.max("note")).write.mode("overwrite").parquet(
            "out/warm"
        )
    session.stop()


def session_of(name: str, settings: dict[str, str], logs: Path) -> SparkSession:
    """A session with an event log in the folder."""
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    builder = SparkSession.builder.master(MASTER).appName(name)
    for key, value in {**PLAIN, "spark.eventLog.dir": logs.resolve().as_uri(), **settings}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def run_one(job: dict[str, Any], logs: Path) -> tuple[float, str]:
    """(seconds, the error's last line)."""
    session = session_of(job["id"], job["conf"], logs)
    session.sparkContext.setLogLevel("OFF")
    started, error = time.perf_counter(), ""
    try:
        if job["script"].endswith(".sql"):
            run_sql(session, Path(job["script"]).read_text())
        else:
            runpy.run_path(job["script"], run_name="__main__")
    except Exception:  # a job that fails is one of the cases
        error = traceback.format_exc().strip().splitlines()[-1][:200]
    took_s = round(time.perf_counter() - started, 2)
    session.stop()
    return took_s, error


def run_sql(session: SparkSession, text: str) -> None:
    """Each statement in turn, over the tables as views."""
    for name in TABLES:
        session.read.parquet(f"data/{name}").createOrReplaceTempView(name)
    for statement in filter(None, map(str.strip, text.split(";"))):
        session.sql(statement)


if __name__ == "__main__":
    if sys.argv[1] == "tables":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        run(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), json.loads(Path(sys.argv[4]).read_text()))
