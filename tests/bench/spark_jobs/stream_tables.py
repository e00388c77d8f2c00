"""A service of films: what was played, the viewers, the titles, advertisements and ratings."""

from pathlib import Path

from made_tables import Tables, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

VIEWERS, TITLES, DEVICES, DAYS = 120_000, 9_000, 12, 45


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    return {
        "plays": numbered(spark, rows).select(
            spread(VIEWERS, 1).alias("viewer"),
            fn.when(spread(100, 2) < 55, fn.lit(7)).otherwise(spread(TITLES, 3) + 1).alias("title"),
            spread(DEVICES, 4).alias("device"),
            (spread(DAYS * 1440, 5)).alias("minute"),
            spread(7_200, 6).alias("seconds"),
            text().alias("trace"),
        ),
        "viewers": numbered(spark, VIEWERS, 2).select(
            fn.col("id").cast("int").alias("viewer"),
            fn.concat(fn.lit("plan-"), spread(5, 7).cast("string")).alias("plan"),
            fn.concat(fn.lit("city-"), spread(400, 8).cast("string")).alias("city"),
        ),
        "titles": numbered(spark, TITLES, 1).select(
            (fn.col("id") + 1).cast("int").alias("title"),
            fn.concat(fn.lit("genre-"), spread(24, 9).cast("string")).alias("genre"),
            fn.substring(text(), 1, 20).alias("name"),
        ),
        "spots": numbered(spark, 600, 1).select(
            fn.col("id").cast("int").alias("spot"),
            spread(DAYS * 1440, 10).alias("begins"),
            (spread(DAYS * 1440, 10) + 30).alias("ends"),
        ),
        "ratings": numbered(spark, rows // 2).select(
            spread(VIEWERS, 11).alias("viewer"),
            (spread(TITLES, 12) + 1).alias("title"),
            spread(5, 13).alias("stars"),
            text().alias("remark"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """Nothing else."""


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    plays = spark.read.parquet("data/plays")
    return plays.join(spark.read.parquet("data/titles"), "title").groupBy("genre").agg(fn.max("trace"))


TABLES = Tables(names=("plays", "viewers", "titles", "spots", "ratings"), references=(), made=made, others=others, warming=warming)
