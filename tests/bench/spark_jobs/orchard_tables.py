"""A cooperative of orchards: weighings of the harvest, plots, growers, frost alarms, and the lots that a cold store keeps."""

from pathlib import Path

from made_tables import Tables, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

PLOTS, GROWERS, LOTS, DAYS = 40_000, 900, 120_000, 90


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    return {
        "weighings": numbered(spark, rows).select(
            spread(PLOTS, 1).alias("plot"),
            spread(LOTS, 2).alias("lot"),
            spread(2_000, 3).alias("picker"),
            spread(DAYS * 86_400, 4).alias("second"),
            (spread(18_000, 5) + 400).alias("grams"),
            fn.concat_ws("/", fn.lit("gate"), spread(14, 6).cast("string"), fn.substring(text(), 1, 36)).alias("ticket"),
        ),
        "plots": numbered(spark, PLOTS, 2).select(
            fn.col("id").cast("int").alias("plot"),
            spread(GROWERS, 7).alias("grower"),
            fn.element_at(fn.array(*map(fn.lit, ("gala", "elstar", "conference", "plum"))), spread(4, 8) + 1).alias("fruit"),
        ),
        "growers": numbered(spark, GROWERS, 1).select(
            fn.col("id").cast("int").alias("grower"), fn.concat(fn.lit("village-"), spread(70, 9).cast("string")).alias("village")
        ),
        "frosts": numbered(spark, 400, 1).select(
            spread(30, 10).alias("valley"),
            spread(DAYS * 86_400, 11).alias("since"),
            (spread(DAYS * 86_400, 11) + 10_800).alias("until"),
        ),
        "inspections": numbered(spark, rows).select(
            fn.when(spread(100, 12) < 58, fn.lit(0)).otherwise(spread(LOTS, 13)).alias("lot"),
            spread(40, 14).alias("inspector"),
            (spread(900, 15) / 100).alias("sugar"),
            text().alias("remark"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """Nothing else."""


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    weighings = spark.read.parquet("data/weighings")
    return weighings.join(spark.read.parquet("data/plots"), "plot").groupBy("fruit").agg(fn.max("ticket"))


TABLES = Tables(
    names=("weighings", "plots", "growers", "frosts", "inspections"),
    references=(),
    made=made,
    others=others,
    warming=warming,
)
