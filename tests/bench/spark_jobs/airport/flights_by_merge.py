"""Scans by airline and gate; the hint is from a year in which the table of flights was long."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("airlines of scans").getOrCreate()
scans = spark.read.parquet("data/scans")
flights = spark.read.parquet("data/flights").select("flight", "airline")

flown = scans.join(flights.hint("merge"), "flight")
by_airline = flown.groupBy("airline", "gate").agg(F.count("*").alias("scans"), F.max("mark").alias("mark"), F.max("stamp").alias("last"))
by_airline.write.mode("overwrite").parquet("out/flown")
