"""Load of each feeder and day."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("daily").getOrCreate()

daily = spark.read.parquet("data/readings").groupBy("feeder", "day").agg(F.sum("kwh").alias("kwh"), F.count("*").alias("readings"))
daily.write.mode("overwrite").parquet("out/daily")
