"""How many readings of each kind a feeder has, as columns."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("flags").getOrCreate()

flags = spark.read.parquet("data/readings").groupBy("feeder").pivot("quality", ["ok", "estimated", "gap"]).count().na.fill(0)
flags.write.mode("overwrite").parquet("out/flags")
