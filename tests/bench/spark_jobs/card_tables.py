"""Payments by card: the payments, the cards, the merchants, rates of exchange, and disputes."""

from pathlib import Path

from made_tables import Tables, as_gzip, numbered, spread, text
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

CARDS, MERCHANTS, CATEGORIES, DAYS = 150_000, 12_000, 30, 60
CURRENCIES = ("EUR", "CHF", "SEK", "PLN", "CZK", "DKK", "HUF", "RON")


def number_of(card: Column) -> Column:
    """What is printed on a card."""
    return fn.concat(fn.lit("5412-"), fn.lpad(card.cast("string"), 12, "0"))


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    payments = numbered(spark, rows).select(
        number_of(spread(CARDS)).alias("card"),
        spread(MERCHANTS, 1).alias("merchant"),
        fn.timestamp_seconds(fn.lit(1_767_225_600) + spread(DAYS * 86_400, 2)).alias("paid_at"),
        spread(90_000, 3).alias("cents"),
        fn.element_at(fn.array(*map(fn.lit, CURRENCIES)), spread(len(CURRENCIES), 4) + 1).alias("currency"),
        fn.concat_ws(" ", fn.substring(text(), 1, 8), fn.substring(text(), 9, 10), fn.substring(text(), 19, 14)).alias("memo"),
    )
    return {
        "payments": payments,
        "cards": numbered(spark, CARDS, 4).select(
            number_of(fn.col("id")).alias("card"),
            fn.concat(fn.lit("country-"), spread(25, 5).cast("string")).alias("country"),
            fn.concat(text(), text()).alias("profile"),
        ),
        "merchants": numbered(spark, MERCHANTS, 2).select(
            fn.col("id").cast("int").alias("merchant"),
            fn.concat(fn.lit("Shop "), fn.substring(text(), 1, 12)).alias("name"),
            fn.concat(fn.lit("category-"), spread(CATEGORIES, 6).cast("string")).alias("category"),
        ),
        "rates": spark.range(len(CURRENCIES)).select(
            fn.element_at(fn.array(*map(fn.lit, CURRENCIES)), (fn.col("id") + 1).cast("int")).alias("currency"),
            ((fn.col("id") + 1) / 7).alias("rate"),
        ),
        "disputes": numbered(spark, rows).select(
            fn.when(spread(10, 7) < 6, fn.lit(0)).otherwise(spread(MERCHANTS, 8) + 1).alias("merchant"),
            number_of(spread(CARDS, 9)).alias("card"),
            spread(90_000, 10).alias("cents"),
            text().alias("letter"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """The payments as one compressed file."""
    as_gzip(spark.read.parquet(str(folder / "payments")), folder, "acquirer.csv.gz")


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    payments = spark.read.parquet("data/payments")
    return payments.join(spark.read.parquet("data/merchants"), "merchant").groupBy("category").agg(fn.max("memo"))


TABLES = Tables(
    names=("payments", "cards", "merchants", "rates", "disputes"),
    references=("card",),
    made=made,
    others=others,
    warming=warming,
)
