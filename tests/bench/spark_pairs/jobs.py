"""The Spark jobs of the pairs, before and after their fix: `spark-python jobs.py PAIR DATA LOGS ROUNDS`.

Runs under an interpreter that has PySpark and knows nothing of this repository. What a pair reads is made of row numbers by hashing,
so it is the same each time. Every run is an application of its own, with one action and an event log, in a Java machine that lives
through all rounds: the first round warms it and is not counted, as a short job would else measure the start of Java.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

Settings = dict[str, str]
Job = Callable[[SparkSession, str, bool], None]

MASTER = "local[2]"
BASE: Settings = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "16",
    "spark.driver.memory": "3g",
    "spark.ui.enabled": "false",
    "spark.sql.files.maxPartitionBytes": "16m",
}

SALTS = 16
WIDE = 12
"""Text columns of a wide row."""


WAIT = "reflect('java.lang.Thread', 'sleep', 1L)"
"""A service that answers after a millisecond. Where a fix changes how many tasks work at a time, tasks wait instead of computing: on a
machine that others use as well, the processor would answer to their load and not to the fix."""


def numbered(spark: SparkSession, rows: int) -> DataFrame:
    """Rows with an id, and `dice`: evenly spread over 0 to 999, the same each time."""
    return spark.range(0, rows, 1, 8).withColumn("dice", fn.pmod(fn.xxhash64("id"), fn.lit(1000)).cast("int"))


def mostly(share: float, hot: int, keys: int) -> Column:
    """A key that is `hot` in so much of the rows and one of `keys` others in the rest."""
    return fn.when(fn.col("dice") < int(share * 1000), hot).otherwise(spread(keys) + 1).cast("int")


def texts(count: int) -> list[Column]:
    """Columns of text, different in each row."""
    return [fn.sha2(fn.concat_ws("-", fn.lit(number), "id"), 256).alias(f"c{number}") for number in range(count)]


def spread(keys: int) -> Column:
    """A key with evenly spread values."""
    return fn.pmod(fn.hash("id"), fn.lit(keys))


def store(frame: DataFrame, data: str, name: str) -> None:
    """Write a table of the pair."""
    frame.write.mode("overwrite").parquet(f"{data}/{name}")


def table(spark: SparkSession, data: str, name: str, columns: str) -> DataFrame:
    """Read it; the columns are given, so that Spark needs no job to find them."""
    return spark.read.schema(columns).parquet(f"{data}/{name}")


def drain(frame: DataFrame) -> None:
    """The action: every row is made, none is kept."""
    frame.write.format("noop").mode("overwrite").save()


ORDERS = "id long, customer int, note string"
CUSTOMERS = "customer int, city string"


def orders_data(spark: SparkSession, data: str, share: float, hot: int, rows: int) -> None:
    orders = numbered(spark, rows).withColumn("customer", mostly(share, hot, 20_000))
    store(orders.select("id", "customer", fn.sha2(fn.col("id").cast("string"), 256).alias("note")), data, "orders")
    customers = spark.range(-1, 20_001, 1, 2).select(
        fn.col("id").cast("int").alias("customer"), fn.md5(fn.col("id").cast("string")).alias("city")
    )
    store(customers, data, "customers")


def requests_data(spark: SparkSession, data: str) -> None:
    orders_data(spark, data, 0.6, 0, 16_000)


def skewed_join(spark: SparkSession, data: str, fixed: bool) -> None:
    """60 % of the orders are one customer's, and each joined row waits for a service. The fix salts both sides."""
    orders, customers = table(spark, data, "orders", ORDERS), table(spark, data, "customers", CUSTOMERS)
    if fixed:
        orders = orders.withColumn("salt", spread(SALTS))
        customers = customers.withColumn("salt", fn.explode(fn.sequence(fn.lit(0), fn.lit(SALTS - 1))))
    joined = orders.join(customers, ["customer", "salt"] if fixed else ["customer"])
    drain(joined.select("id", "city", fn.expr(WAIT).alias("answer")))


def adaptive_join(spark: SparkSession, data: str, fixed: bool) -> None:
    """The same join; the fix is in the settings: adaptive execution cuts the skewed partition."""
    del fixed
    skewed_join(spark, data, fixed=False)


def sentinel_data(spark: SparkSession, data: str) -> None:
    orders_data(spark, data, 0.5, -1, 16_000)


def sentinel_join(spark: SparkSession, data: str, fixed: bool) -> None:
    """Half of the orders have customer -1, which stands for none. The fix leaves them out before the join."""
    orders, customers = table(spark, data, "orders", ORDERS), table(spark, data, "customers", CUSTOMERS)
    if fixed:
        orders = orders.where("customer <> -1")
    drain(orders.join(customers, "customer").select("id", "city", fn.expr(WAIT).alias("answer")))


def group_data(spark: SparkSession, data: str) -> None:
    store(numbered(spark, 16_000).select("id", mostly(0.7, 0, 100).alias("account")), data, "bookings")


def skewed_group(spark: SparkSession, data: str, fixed: bool) -> None:
    """70 % of the bookings are one account's, collected in one place where a service is asked about each. The fix does so by account
    and salt, then adds up."""
    bookings = table(spark, data, "bookings", "id long, account int")
    ask = fn.expr(f"aggregate(ids, 0L, (sum, one) -> sum + length({WAIT}))")
    if not fixed:
        drain(bookings.groupBy("account").agg(fn.collect_list("id").alias("ids")).select("account", ask.alias("total")))
        return
    salted = bookings.withColumn("salt", spread(SALTS))
    parts = salted.groupBy("account", "salt").agg(fn.collect_list("id").alias("ids")).select("account", ask.alias("part"))
    drain(parts.groupBy("account").agg(fn.sum("part").alias("total")))


def lookup_data(spark: SparkSession, data: str) -> None:
    orders_data(spark, data, 0.0, 0, 3_500_000)


def lookup_join(spark: SparkSession, data: str, fixed: bool) -> None:
    """A large table joined with a small one by shuffling and sorting both. The fix broadcasts the small one."""
    orders, customers = table(spark, data, "orders", ORDERS), table(spark, data, "customers", CUSTOMERS)
    drain(orders.join(fn.broadcast(customers) if fixed else customers, "customer").select("id", "note", "city"))


def visits_data(spark: SparkSession, data: str) -> None:
    rows = numbered(spark, 1_200_000)
    store(
        rows.select("id", spread(300_000).alias("page"), fn.md5(fn.col("id").cast("string")).alias("tag")),
        data,
        "visits",
    )


def redundant_exchanges(spark: SparkSession, data: str, fixed: bool) -> None:
    """Rows that are unique already are repartitioned and made distinct before they are grouped. The fix groups them at once."""
    visits = table(spark, data, "visits", "id long, page int, tag string")
    if not fixed:
        visits = visits.repartition(16).distinct()
    drain(visits.groupBy("page").agg(fn.count("*").alias("visits"), fn.max("tag").alias("last")))


def wide_data(spark: SparkSession, data: str) -> None:
    store(
        numbered(spark, 300_000).select(spread(150_000).alias("device"), fn.col("id").alias("at"), *texts(WIDE)),
        data,
        "wide",
    )


def late_projection(spark: SparkSession, data: str, fixed: bool) -> None:
    """The last whole row of each device is found, and one column of it is used. The fix carries that column alone."""
    names = [f"c{number}" for number in range(WIDE)]
    rows = table(spark, data, "wide", "device int, at long, " + ", ".join(f"{name} string" for name in names))
    carried = names[:1] if fixed else names
    drain(rows.groupBy("device").agg(fn.max(fn.struct("at", *carried)).alias("last")).select("device", "last.c0"))


def tiny_data(spark: SparkSession, data: str) -> None:
    store(numbered(spark, 400_000).select("id", spread(200_000).alias("account")), data, "bookings")


def tiny_tasks(spark: SparkSession, data: str, fixed: bool) -> None:
    """Little data; the number of its partitions is in the settings."""
    del fixed
    drain(table(spark, data, "bookings", "id long, account int").groupBy("account").agg(fn.max("id")))


def few_data(spark: SparkSession, data: str) -> None:
    orders_data(spark, data, 0.0, 0, 7_000)


def few_tasks(spark: SparkSession, data: str, fixed: bool) -> None:
    """All the waiting for a service in one task, on eight slots. The number of partitions is in the settings."""
    del fixed
    last = table(spark, data, "orders", ORDERS).groupBy("customer").agg(fn.max("id").alias("last"), fn.count("*").alias("orders"))
    drain(last.select("customer", fn.expr(WAIT).alias("answer"), "last", "orders"))


def spilling_data(spark: SparkSession, data: str) -> None:
    store(
        numbered(spark, 400_000).select(spread(300_000).alias("device"), fn.col("id").alias("at"), *texts(4)),
        data,
        "wide",
    )


def spilling_sort(spark: SparkSession, data: str, fixed: bool) -> None:
    """Rows numbered within each device, with too little memory for partitions of that size. More of them are in the settings."""
    del fixed
    rows = table(spark, data, "wide", "device int, at long, c0 string, c1 string, c2 string, c3 string")
    drain(rows.withColumn("place", fn.row_number().over(Window.partitionBy("device").orderBy(fn.desc("at")))))


def failing_tasks(spark: SparkSession, data: str, fixed: bool) -> None:
    """Twelve tasks that wait for a service, of which five break off after most of it when they are tried first. The fix is in their
    code."""
    del data

    def ask(part: int, _: Iterable[int]) -> Iterator[int]:
        breaks = not fixed and part % 5 in (1, 3) and TaskContext.get().attemptNumber() == 0
        time.sleep(1.6 if breaks else 2.0)
        if breaks:
            raise ConnectionError("the service closed the connection")
        yield part

    spark.sparkContext.parallelize(range(12), 12).mapPartitionsWithIndex(ask).count()


def nothing(spark: SparkSession, data: str) -> None:
    del spark, data


MADE: dict[str, tuple[Callable[[SparkSession, str], None], Job]] = {
    "skewed_join": (requests_data, skewed_join),
    "adaptive_join": (requests_data, adaptive_join),
    "sentinel_join": (sentinel_data, sentinel_join),
    "skewed_group": (group_data, skewed_group),
    "lookup_join": (lookup_data, lookup_join),
    "redundant_exchanges": (visits_data, redundant_exchanges),
    "late_projection": (wide_data, late_projection),
    "tiny_tasks": (tiny_data, tiny_tasks),
    "few_tasks": (few_data, few_tasks),
    "spilling_sort": (spilling_data, spilling_sort),
    "failing_tasks": (nothing, failing_tasks),
}
"""By pair: what writes its data, and its job."""

ADAPTIVE: Settings = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8k",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "8k",
}
SMALL: Settings = {"spark.driver.memory": "1g", "spark.memory.fraction": "0.1"}

SETTINGS: dict[str, tuple[Settings, Settings]] = {
    "adaptive_join": ({}, ADAPTIVE),
    "tiny_tasks": ({"spark.sql.shuffle.partitions": "800"}, {"spark.sql.shuffle.partitions": "4"}),
    "few_tasks": ({"spark.sql.shuffle.partitions": "1"}, {"spark.sql.shuffle.partitions": "8"}),
    "spilling_sort": (SMALL | {"spark.sql.shuffle.partitions": "2"}, SMALL | {"spark.sql.shuffle.partitions": "16"}),
}
"""Where they differ from BASE: before, after."""

MASTERS = dict.fromkeys(("skewed_join", "adaptive_join", "sentinel_join", "skewed_group", "few_tasks"), "local[8]") | {
    "failing_tasks": "local[4,4]"
}
"""Where it differs from MASTER."""


def session(pair: str, mode: str, logs: Path | None) -> SparkSession:
    """A session with the pair's settings; only runs leave an event log."""
    builder: Any = SparkSession.builder.appName(f"{pair} {mode}").master(MASTERS.get(pair, MASTER))
    settings = BASE | SETTINGS.get(pair, ({}, {}))[mode == "after"] | {"spark.eventLog.enabled": str(logs is not None).lower()}
    if logs:
        logs.mkdir(parents=True)
        settings["spark.eventLog.dir"] = logs.resolve().as_uri()
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main() -> None:
    """Data, if there are none; then the rounds, before and after in an order that is drawn again each time."""
    pair, data, logs, rounds = sys.argv[1:]
    write, job = MADE[pair]
    if not Path(data).exists():
        Path(data).mkdir(parents=True)
        spark = session(pair, "data", None)
        write(spark, data)
        spark.stop()
    chance = random.Random(pair)
    for number in range(int(rounds) + 1):
        for mode in chance.sample(("before", "after"), 2):
            spark = session(pair, mode, Path(logs, f"{mode}-{number}"))
            job(spark, data, mode == "after")
            spark.stop()
        print(os.getloadavg()[0], flush=True)


if __name__ == "__main__":
    main()
