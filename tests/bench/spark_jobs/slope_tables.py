"""A company of ski lifts: passes at the gates, lifts, closures for wind, rented skis, and what gates and weather stations send."""

from pathlib import Path

from made_tables import Tables, as_gzip, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

PASSES, LIFTS, DAYS = 150_000, 60, 120
BULLETINS = 2_400


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    return {
        "scans": numbered(spark, rows).select(
            spread(PASSES, 1).alias("pass"),
            spread(LIFTS, 2).alias("lift"),
            spread(DAYS * 86_400, 3).alias("second"),
            (spread(400, 4) + 20).alias("waited"),
            fn.concat_ws("-", fn.lit("gate"), spread(8, 5).cast("string"), fn.substring(text(), 1, 30)).alias("gate"),
            text().alias("picture"),
            fn.sha2(fn.concat(text(), fn.lit("trace")), 256).alias("trace"),
        ),
        "passes": numbered(spark, PASSES, 4).select(
            fn.col("id").cast("int").alias("pass"),
            fn.element_at(fn.array(*map(fn.lit, ("day", "week", "season", "staff"))), spread(4, 6) + 1).alias("kind"),
            fn.concat(fn.lit("village-"), spread(300, 7).cast("string")).alias("village"),
        ),
        "lifts": numbered(spark, LIFTS, 1).select(
            fn.col("id").cast("int").alias("lift"),
            fn.concat(fn.lit("valley-"), spread(6, 8).cast("string")).alias("valley"),
            (spread(900, 9) + 150).alias("metres"),
        ),
        "closures": numbered(spark, 500, 1).select(
            fn.concat(fn.lit("wind-"), fn.col("id").cast("string")).alias("reason"),
            spread(DAYS * 86_400, 10).alias("since"),
            (spread(DAYS * 86_400, 10) + 7_200).alias("until"),
        ),
        "rentals": numbered(spark, rows).select(
            spread(PASSES, 11).alias("pass"),
            spread(4_000, 12).alias("item"),
            spread(9_000, 13).alias("cents"),
            text().alias("remark"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """What the gates send as one compressed file, and the bulletins of the weather stations."""
    sent = spark.read.parquet(str(folder / "scans")).select("lift", "second", "waited", "gate", "picture")
    as_gzip(sent, folder, "telemetry.csv.gz")
    bulletins = spark.range(0, BULLETINS * 40, 1, BULLETINS).select(
        spread(30, 14).alias("station"), spread(DAYS * 24, 15).alias("hour"), (spread(600, 16) / 10).alias("wind"), text().alias("wording")
    )
    bulletins.write.mode("overwrite").json(str(folder / "bulletins"))


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    scans = spark.read.parquet("data/scans")
    return scans.join(spark.read.parquet("data/passes"), "pass").groupBy("kind").agg(fn.max("gate"))


TABLES = Tables(
    names=("scans", "passes", "lifts", "closures", "rentals"),
    references=(),
    made=made,
    others=others,
    warming=warming,
)
