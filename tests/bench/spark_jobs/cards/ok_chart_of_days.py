"""A chart's figures: sixty rows come to the driver."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("chart").getOrCreate()
days = spark.read.parquet("data/payments").groupBy(F.to_date("paid_at").alias("day")).agg(F.sum("cents").alias("cents"))
frame = days.orderBy("day").toPandas()
print(frame.tail())
