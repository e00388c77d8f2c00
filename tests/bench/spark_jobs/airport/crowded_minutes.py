"""How many other flights leave within three minutes of those of each gate."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("crowded minutes").getOrCreate()
flights = spark.read.parquet("data/flights").select("flight", "leaves", "gate").repartition(8)
others = spark.read.parquet("data/flights").select(F.col("flight").alias("other"), F.col("leaves").alias("other_leaves"))

pairs = flights.join(others, F.col("flight") != F.col("other"))
close = pairs.filter(F.abs(F.col("leaves") - F.col("other_leaves")) <= 3)
close.groupBy("gate").agg(F.count("*").alias("pairs")).write.mode("overwrite").parquet("out/crowded")
