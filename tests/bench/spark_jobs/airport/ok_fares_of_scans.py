"""Scans beside the ticket of that passenger and day: two large tables, joined by both keys."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("fares of scans").getOrCreate()
scans = spark.read.parquet("data/scans").withColumn("day", F.floor(F.col("minute") / 1440).cast("int"))
tickets = spark.read.parquet("data/tickets")

beside = scans.join(tickets, ["passenger", "day"], "left")
beside.select("passenger", "day", "gate", "mark", "fare", "code").write.mode("overwrite").parquet("out/fares")
