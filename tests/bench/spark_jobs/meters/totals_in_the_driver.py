"""Adds up the readings of each meter."""

from collections import defaultdict

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("totals").getOrCreate()

totals = defaultdict(float)
readings = spark.read.parquet("data/readings")
for reading in readings.select("meter", "kwh", "payload").collect():
    totals[reading.meter] += reading.kwh if "q=1" not in reading.payload else 0.0
spark.createDataFrame(sorted(totals.items()), "meter string, kwh double").write.mode("overwrite").parquet("out/totals")
