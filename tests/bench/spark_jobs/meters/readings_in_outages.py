"""Readings that were taken during an outage."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("outages").getOrCreate()

readings = spark.read.parquet("data/readings")
outages = spark.read.parquet("data/outages").select("began", "ended", "cause")
during = readings.join(outages, (readings.minute >= outages.began) & (readings.minute < outages.ended))
during.groupBy("day", "cause").count().write.mode("overwrite").parquet("out/during")
