"""A city's lending library: loans, readers, books, its branches, the weeks in which fines are waived, and what the desks send."""

from pathlib import Path

from made_tables import Tables, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

READERS, BOOKS, BRANCHES, DAYS = 160_000, 20_000, 24, 365
ARRIVALS = 12
"""Files that the desks send, one after the other."""


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    return {
        "loans": numbered(spark, rows).select(
            spread(READERS, 1).alias("reader"),
            fn.when(spread(100, 2) < 45, fn.lit(3)).otherwise(spread(BOOKS, 3) + 1).alias("book"),
            spread(BRANCHES, 4).alias("branch"),
            spread(DAYS, 5).alias("day"),
            (spread(60, 6) + 1).alias("kept"),
            text().alias("slip"),
        ),
        "readers": numbered(spark, READERS, 4).select(
            fn.col("id").cast("int").alias("reader"),
            fn.concat(fn.lit("card-"), fn.col("id").cast("string")).alias("card"),
            fn.concat(fn.lit("quarter-"), spread(90, 7).cast("string")).alias("quarter"),
        ),
        "books": numbered(spark, BOOKS, 1).select(
            (fn.col("id") + 1).cast("int").alias("book"),
            fn.concat(fn.lit("subject-"), spread(30, 8).cast("string")).alias("subject"),
            fn.substring(text(), 1, 24).alias("title"),
        ),
        "branches": numbered(spark, BRANCHES, 1).select(
            fn.col("id").cast("int").alias("branch"), fn.concat(fn.lit("district-"), spread(6, 9).cast("string")).alias("district")
        ),
        "reservations": numbered(spark, rows // 2).select(
            spread(READERS, 10).alias("reader"),
            fn.when(spread(100, 11) < 45, fn.lit(3)).otherwise(spread(BOOKS, 12) + 1).alias("book"),
            spread(DAYS, 13).alias("day"),
            text().alias("wish"),
        ),
        "inquiries": numbered(spark, 4_000, 1).select(
            spread(READERS, 14).alias("reader"),
            fn.concat(fn.lit("card-"), spread(READERS, 15).cast("string")).alias("card"),
            fn.col("id").cast("int").alias("inquiry"),
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """The desk's own database, and the folder of arrivals."""
    loans = spark.read.parquet(str(folder / "loans"))
    url = f"jdbc:derby:{folder.resolve() / 'desk'};create=true"
    driver = "org.apache.derby.jdbc.EmbeddedDriver"
    spark._jvm.java.lang.System.setProperty("derby.stream.error.file", str(folder.resolve() / "derby.log"))  # type: ignore[union-attr]
    desk = loans.limit(200_000)
    desk.write.mode("overwrite").option("driver", driver).option("batchsize", "10000").jdbc(url, "loans")
    arrivals = loans.limit(ARRIVALS * 10_000).repartition(ARRIVALS)
    arrivals.write.mode("overwrite").parquet(str(folder / "arrivals"))


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    loans = spark.read.parquet("data/loans")
    return loans.join(spark.read.parquet("data/books"), "book").groupBy("subject").agg(fn.max("slip"))


TABLES = Tables(
    names=("loans", "readers", "books", "branches", "reservations", "inquiries"),
    references=("card",),
    made=made,
    others=others,
    warming=warming,
)
