"""Sums by day and currency."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("slivers").getOrCreate()
spark.conf.set("spark.sql.adaptive.enabled", "false")
spark.conf.set("spark.sql.shuffle.partitions", "1500")

payments = spark.read.parquet("data/payments")
days = payments.groupBy(F.to_date("paid_at").alias("day"), "currency")
days.agg(F.sum("cents").alias("cents")).coalesce(4).write.mode("overwrite").parquet("out/days")
