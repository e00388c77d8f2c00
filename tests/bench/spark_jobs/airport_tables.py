"""An airport: scans of boarding passes, bags, tickets, flights, the weather at its terminals, stays in its lounges, and what comes in."""

import json
from pathlib import Path

from made_tables import Tables, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

PASSENGERS, FLIGHTS, GATES, TERMINALS, LOUNGES = 300_000, 40_000, 60, 6, 12
DAYS, MINUTES = 365, 525_600
READINGS = 4_380
"""Of each terminal: one every two hours."""
STAYS, SENSORS = 25_000, 4
"""Each stay is noted by every sensor."""
NEW_YEAR = 1_704_067_200


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    stay = fn.col("id") % STAYS
    return {
        "scans": numbered(spark, 2 * rows)
        .select(
            spread(PASSENGERS, 1).alias("passenger"),
            fn.when(spread(100, 2) < 2, fn.lit(7)).otherwise(spread(FLIGHTS, 3)).alias("flight"),
            spread(GATES, 4).alias("gate"),
            spread(MINUTES, 5).alias("minute"),
            text().alias("mark"),
        )
        .withColumn("stamp", fn.date_format(fn.timestamp_seconds(NEW_YEAR + 60 * fn.col("minute")), "yyyy-MM-dd HH:mm:ss")),
        "bags": numbered(spark, rows + rows // 5).select(
            spread(FLIGHTS, 6).alias("flight"),
            fn.when(spread(100, 7) < 15, spread(PASSENGERS, 8)).alias("passenger"),
            spread(18, 9).alias("belt"),
            (spread(3_200, 10) / 100).alias("weight"),
            text().alias("tag"),
        ),
        "tickets": numbered(spark, rows).select(
            spread(PASSENGERS, 11).alias("passenger"), spread(DAYS, 12).alias("day"), spread(400, 13).alias("fare"), text().alias("code")
        ),
        "passengers": numbered(spark, PASSENGERS, 4).select(
            fn.col("id").cast("int").alias("passenger"),
            fn.concat(fn.lit("country-"), spread(90, 14).cast("string")).alias("country"),
            text().alias("card"),
        ),
        "flights": numbered(spark, FLIGHTS).select(
            fn.col("id").cast("int").alias("flight"),
            fn.concat(fn.lit("airline-"), spread(35, 15).cast("string")).alias("airline"),
            spread(TERMINALS, 16).alias("terminal"),
            spread(GATES, 17).alias("gate"),
            spread(MINUTES, 18).alias("leaves"),
            fn.when(spread(10, 19) > 0, spread(240, 20)).alias("delay"),
            fn.when(spread(10, 21) > 6, fn.substring(text(), 1, 16)).alias("remark"),
        ),
        "readings": numbered(spark, TERMINALS * READINGS, 2).select(
            (fn.col("id") % TERMINALS).cast("int").alias("terminal"),
            (fn.floor(fn.col("id") / TERMINALS) * 120).cast("int").alias("read"),
            spread(60, 22).alias("wind"),
            spread(40, 23).alias("rain"),
        ),
        "stays": numbered(spark, STAYS * SENSORS, SENSORS).select(
            fn.pmod(fn.xxhash64(stay, fn.lit(24)), fn.lit(PASSENGERS)).cast("int").alias("passenger"),
            fn.pmod(fn.xxhash64(stay, fn.lit(25)), fn.lit(LOUNGES)).cast("int").alias("lounge"),
            fn.pmod(fn.xxhash64(stay, fn.lit(26)), fn.lit(MINUTES)).cast("int").alias("enters"),
            (fn.pmod(fn.xxhash64(stay, fn.lit(27)), fn.lit(90)) + 60).cast("int").alias("minutes"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """The manifest, which is one JSON document, and the folders of what comes in."""
    bags, scans = spark.read.parquet(str(folder / "bags")), spark.read.parquet(str(folder / "scans"))
    lines = bags.limit(600_000).select(fn.to_json(fn.struct("*")).alias("line")).toLocalIterator()
    (folder / "manifest.json").write_text(json.dumps([json.loads(row.line) for row in lines], indent=1))
    bags.limit(640_000).repartition(8).write.mode("overwrite").parquet(str(folder / "bags_in"))
    bags.limit(24_000).repartition(6).write.mode("overwrite").parquet(str(folder / "belts_in"))
    scans.limit(24_000).repartition(6).write.mode("overwrite").parquet(str(folder / "scans_in"))
    spark.read.parquet(str(folder / "readings")).limit(6_400).repartition(80).write.mode("overwrite").parquet(str(folder / "readings_in"))


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    scans = spark.read.parquet("data/scans")
    return scans.join(spark.read.parquet("data/flights"), "flight").groupBy("airline").agg(fn.max("mark"))


TABLES = Tables(
    names=("scans", "bags", "tickets", "passengers", "flights", "readings", "stays"),
    references=("country", "airline"),
    made=made,
    others=others,
    warming=warming,
)
