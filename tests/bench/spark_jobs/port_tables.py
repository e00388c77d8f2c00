"""A container port: moves of the cranes, containers, ships, the time windows of the berths, and customs declarations."""

from pathlib import Path

from made_tables import Tables, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

CONTAINERS, SHIPS, CRANES, DAYS = 150_000, 2_500, 40, 60


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    return {
        "moves": numbered(spark, rows).select(
            spread(CONTAINERS, 1).alias("box"),
            spread(SHIPS, 2).alias("ship"),
            spread(CRANES, 3).alias("crane"),
            spread(DAYS * 86_400, 4).alias("second"),
            (spread(29_000, 5) + 2_200).alias("kilograms"),
            fn.concat_ws(":", fn.lit("slot"), spread(900, 6).cast("string"), fn.substring(text(), 1, 40)).alias("position"),
        ),
        "containers": numbered(spark, CONTAINERS, 4).select(
            fn.col("id").cast("int").alias("box"),
            fn.concat(fn.lit("line-"), spread(30, 7).cast("string")).alias("line"),
            fn.element_at(fn.array(*map(fn.lit, ("20", "40", "45", "reefer"))), spread(4, 8) + 1).alias("size"),
            text().alias("seal"),
        ),
        "ships": numbered(spark, SHIPS, 1).select(
            fn.col("id").cast("int").alias("ship"), fn.concat(fn.lit("flag-"), spread(60, 9).cast("string")).alias("flag")
        ),
        "windows": numbered(spark, 500, 1).select(
            spread(12, 10).alias("berth"),
            spread(DAYS * 86_400, 11).alias("opens"),
            (spread(DAYS * 86_400, 11) + 14_400).alias("closes"),
        ),
        "declarations": numbered(spark, rows).select(
            fn.when(spread(10, 12) < 6, fn.lit("9999.99"))
            .otherwise(fn.concat(spread(9_000, 13).cast("string"), fn.lit(".10")))
            .alias("tariff"),
            spread(CONTAINERS, 14).alias("box"),
            spread(500_000, 15).alias("cents"),
            fn.when(spread(200_000, 16) == 0, fn.lit("n/a")).otherwise(spread(9_999, 17).cast("string")).alias("pieces"),
            text().alias("wording"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """Nothing else."""


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    moves = spark.read.parquet("data/moves")
    return moves.join(spark.read.parquet("data/ships"), "ship").groupBy("flag").agg(fn.max("position"))


TABLES = Tables(
    names=("moves", "containers", "ships", "windows", "declarations"),
    references=("tariff",),
    made=made,
    others=others,
    warming=warming,
)
