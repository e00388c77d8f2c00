"""How the scans of each gate and hour are spread over the hour."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("spread").getOrCreate()
scans = spark.read.parquet("data/scans")

in_order = scans.orderBy("stamp", "mark")
by_hour = in_order.groupBy("gate", F.substring("stamp", 12, 2).alias("hour"))
spread = by_hour.agg(F.stddev(F.col("minute") % 60).alias("spread"), F.max("mark").alias("mark"), F.count("*").alias("scans"))
spread.write.mode("overwrite").parquet("out/spread")
