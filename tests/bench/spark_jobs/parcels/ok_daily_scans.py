"""Scans of each day and event."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


class Daily:
    def __init__(self, spark):
        self.spark = spark

    def run(self):
        scans = self.spark.read.parquet("data/scans")
        days = scans.groupBy(F.to_date("scanned_at").alias("day"), "event").agg(F.count("*").alias("scans"), F.sum("grams").alias("grams"))
        days.coalesce(2).write.mode("overwrite").parquet("out/daily")


Daily(SparkSession.builder.appName("daily").getOrCreate()).run()
