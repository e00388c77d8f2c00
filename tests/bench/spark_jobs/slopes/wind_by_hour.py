"""Strongest wind of each hour, from the bulletins of the stations."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("wind").getOrCreate()
bulletins = spark.read.schema("station int, hour int, wind double, wording string").json("data/bulletins")

by_hour = bulletins.groupBy("hour").agg(F.max("wind").alias("wind"), F.countDistinct("station").alias("stations"))
by_hour.write.mode("overwrite").parquet("out/wind_by_hour")
