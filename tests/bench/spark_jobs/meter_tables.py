"""A power grid: readings of meters, the households behind them, outages, tariffs and alarms."""

from pathlib import Path

from made_tables import Tables, as_gzip, numbered, spread, text
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

METERS, HOUSEHOLDS, FEEDERS, DAYS, OUTAGES = 30_000, 300_000, 150, 60, 400
TARIFFS = [("night", 0, 6, 0.21), ("day", 6, 17, 0.29), ("evening", 17, 21, 0.38), ("late", 21, 24, 0.25)]
MINUTES = DAYS * 24 * 60


def meter(number: Column) -> Column:
    """The name of a meter."""
    return fn.concat(fn.lit("M"), fn.lpad(number.cast("string"), 6, "0"))


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    payload = fn.format_string("v=%d.%d;q=%d;crc=%s", spread(20, 5) + 220, spread(10, 6), spread(9, 8), fn.substring(text(), 1, 8))
    readings = numbered(spark, rows).select(
        meter(spread(METERS)).alias("meter"),
        (spread(METERS) % FEEDERS).alias("feeder"),
        fn.date_add(fn.lit("2026-01-01").cast("date"), spread(DAYS, 1)).alias("day"),
        spread(24, 2).alias("hour"),
        (spread(DAYS, 1) * 1440 + spread(24, 2) * 60 + spread(60, 3)).alias("minute"),
        (spread(5_000, 4) / 1000).alias("kwh"),
        fn.when(spread(50, 7) == 0, "gap").when(spread(50, 7) < 4, "estimated").otherwise("ok").alias("quality"),
        payload.alias("payload"),
    )
    return {
        "readings": readings,
        "meters": numbered(spark, METERS, 2).select(
            meter(fn.col("id")).alias("meter"),
            fn.concat(fn.lit("model-"), spread(12, 9).cast("string")).alias("model"),
            spread(HOUSEHOLDS, 10).alias("household"),
        ),
        "households": numbered(spark, HOUSEHOLDS, 2).select(
            fn.col("id").cast("int").alias("household"),
            fn.concat(fn.substring(text(), 1, 14), fn.lit(" street")).alias("street"),
            fn.sha2(text(), 512).alias("contract"),
        ),
        "tariffs": spark.createDataFrame(TARIFFS, "band string, from_hour int, to_hour int, price double"),
        "outages": numbered(spark, OUTAGES, 1).select(
            spread(FEEDERS, 11).alias("feeder"),
            spread(MINUTES, 12).alias("began"),
            (spread(MINUTES, 12) + 5 + spread(200, 13)).alias("ended"),
            fn.concat(fn.lit("v="), (spread(20, 14) + 220).cast("string"), fn.lit(" fault")).alias("cause"),
        ),
        "alarms": numbered(spark, rows).select(
            fn.when(spread(10, 15) < 7, fn.lit(-1)).otherwise(spread(HOUSEHOLDS)).alias("household"),
            spread(MINUTES, 16).alias("minute"),
            spread(5, 17).alias("severity"),
            text().alias("text"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """The readings as one compressed file."""
    as_gzip(spark.read.parquet(str(folder / "readings")), folder, "dump.csv.gz")


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    readings = spark.read.parquet("data/readings")
    return readings.join(spark.read.parquet("data/meters"), "meter").groupBy("model").agg(fn.max("payload"))


TABLES = Tables(
    names=("readings", "meters", "households", "tariffs", "outages", "alarms"),
    references=("meter",),
    made=made,
    others=others,
    warming=warming,
)
