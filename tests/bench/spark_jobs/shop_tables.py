"""A shop: orders, customers, products, and the clicks of a web site."""

from pathlib import Path

from made_tables import Tables, as_gzip, numbered, spread, text
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

CUSTOMERS, PRODUCTS, BANDS, COUNTRIES = 40_000, 4_000, 500, 20


def made(spark: SparkSession, rows: int) -> dict[str, DataFrame]:
    """As `Tables.made`."""
    orders = numbered(spark, rows).select(
        fn.concat(fn.lit("R"), fn.col("id").cast("string")).alias("order_ref"),
        spread(CUSTOMERS).alias("customer"),
        spread(PRODUCTS, 1).alias("product"),
        (spread(100_000, 2) / 100).alias("amount"),
        spread(COUNTRIES, 3).alias("country"),
        fn.concat_ws("-", fn.substring(text(), 1, 12), fn.substring(text(), 13, 8)).alias("note"),
    )
    return {
        "orders": orders,
        "customers": numbered(spark, CUSTOMERS, 2).select(
            fn.col("id").cast("int").alias("customer"), fn.substring(text(), 1, 3).alias("city")
        ),
        "customers_wide": numbered(spark, CUSTOMERS * 5, 1).select(
            fn.col("id").cast("int").alias("customer_no"),
            fn.substring(text(), 1, 3).alias("city"),
            fn.concat(text(), text()).alias("profile"),
        ),
        "products": numbered(spark, PRODUCTS, 1).select(
            fn.col("id").cast("int").alias("product"), fn.substring(text(), 1, 8).alias("title")
        ),
        "bands": numbered(spark, BANDS, 1).select(
            fn.col("id").cast("int").alias("band"), (fn.col("id") * 2.0).alias("low"), (fn.col("id") * 2.0 + 2).alias("high")
        ),
        "clicks": numbered(spark, rows).select(
            fn.when(spread(10, 4) < 8, fn.lit(0)).otherwise(spread(CUSTOMERS)).alias("customer"), text().alias("page")
        ),
    }


def others(spark: SparkSession, folder: Path) -> None:
    """A table of many small files, and the orders as one compressed file."""
    many = numbered(spark, 30_000, 1500).select((fn.col("id") % 7).alias("kind"), (fn.col("id") % 100).alias("seconds"))
    many.write.mode("overwrite").parquet(str(folder / "events_many_files"))
    as_gzip(spark.read.parquet(str(folder / "orders")), folder, "orders.csv.gz")


def warming(spark: SparkSession) -> DataFrame:
    """As `Tables.warming`."""
    orders = spark.read.parquet("data/orders")
    return orders.join(spark.read.parquet("data/products"), "product").groupBy("title").agg(fn.max("note"))


TABLES = Tables(
    names=("orders", "customers", "customers_wide", "products", "bands", "clicks"),
    references=("order_ref",),
    made=made,
    others=others,
    warming=warming,
)
