"""Readings laid out by feeder, as the map wants them."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("layout").getOrCreate()

readings = spark.read.parquet("data/readings").repartition(12)
readings.write.mode("overwrite").partitionBy("feeder").parquet("out/by_feeder")
