"""Consumption by the meter's model; the meters are broadcast by Spark itself."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("models").getOrCreate()

readings = spark.read.parquet("data/readings")
meters = spark.read.parquet("data/meters").select("meter", "model")
readings.join(meters, "meter").groupBy("model").sum("kwh").write.mode("overwrite").parquet("out/by_model")
