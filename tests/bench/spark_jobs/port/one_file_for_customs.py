"""The authority takes one file, with a stamp on each line."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROUNDS = 7


def stamped(rows: DataFrame) -> DataFrame:
    stamp = F.col("wording")
    for _ in range(ROUNDS):
        stamp = F.sha2(F.concat(stamp, F.col("tariff")), 512)
    return rows.withColumn("stamp", stamp)


spark = SparkSession.builder.appName("customs").getOrCreate()
declarations = spark.read.parquet("data/declarations").coalesce(1)
stamped(declarations).write.mode("overwrite").option("header", "true").csv("out/customs")
