"""A carrier of parcels: scans on the way, the parcels, their senders, depots, zones by weight, and claims."""

from pathlib import Path

from made_tables import Tables, as_gzip, numbered, spread, text
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

PARCELS, SENDERS, DEPOTS, DAYS = 200_000, 20_000, 240, 90
ZONES = [("letter", 0, 500, 2.1), ("small", 500, 2_000, 4.9), ("medium", 2_000, 10_000, 7.2), ("large", 10_000, 31_500, 12.8)]


def tracking(number: Column) -> Column:
    """The number on a label."""
    return fn.concat(fn.lit("P"), fn.lpad(number.cast("string"), 9, "0"), fn.lit("DE"))


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    scans = numbered(spark, rows).select(
        tracking(spread(PARCELS)).alias("tracking"),
        spread(DEPOTS, 1).alias("depot"),
        fn.timestamp_seconds(fn.lit(1_767_225_600) + spread(DAYS * 86_400, 2)).alias("scanned_at"),
        fn.element_at(fn.array(*map(fn.lit, ("in", "sorted", "out", "delivered"))), spread(4, 3) + 1).alias("event"),
        spread(31_000, 4).alias("grams"),
        fn.concat_ws("/", fn.lit("lane"), spread(40, 5).cast("string"), fn.substring(text(), 1, 24)).alias("device"),
    )
    return {
        "scans": scans,
        "parcels": numbered(spark, PARCELS, 4).select(
            tracking(fn.col("id")).alias("tracking"),
            spread(SENDERS, 6).alias("sender"),
            spread(DEPOTS, 7).alias("home_depot"),
        ),
        "senders": numbered(spark, SENDERS, 2).select(
            fn.col("id").cast("int").alias("sender"),
            fn.concat(fn.lit("Shop "), fn.substring(text(), 1, 9)).alias("name"),
            fn.concat(fn.lit("tier-"), spread(4, 8).cast("string")).alias("tier"),
        ),
        "depots": numbered(spark, DEPOTS, 1).select(
            fn.col("id").cast("int").alias("depot"), fn.concat(fn.lit("region-"), spread(9, 9).cast("string")).alias("region")
        ),
        "zones": spark.createDataFrame(ZONES, "zone string, from_grams int, to_grams int, price double"),
        "claims": numbered(spark, rows).select(
            fn.when(spread(20, 10) < 13, fn.lit("UNKNOWN")).otherwise(tracking(spread(PARCELS, 11))).alias("tracking"),
            spread(90_000, 12).alias("cents"),
            spread(6, 13).alias("reason"),
            text().alias("letter"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """The scans as one compressed file."""
    as_gzip(spark.read.parquet(str(folder / "scans")), folder, "partner_feed.csv.gz")


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    scans = spark.read.parquet("data/scans")
    return scans.join(spark.read.parquet("data/depots"), "depot").groupBy("region").agg(fn.max("device"))


TABLES = Tables(
    names=("scans", "parcels", "senders", "depots", "zones", "claims"),
    references=("tracking",),
    made=made,
    others=others,
    warming=warming,
)
