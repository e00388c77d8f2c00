"""Peaks per meter; the readings are spread by feeder first, to balance them."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("peaks").getOrCreate()

readings = spark.read.parquet("data/readings")
balanced = readings.repartition("feeder")
peaks = balanced.groupBy("meter").agg(F.max("kwh").alias("peak"), F.max_by("payload", "kwh").alias("payload"))
peaks.write.mode("overwrite").parquet("out/peaks")
