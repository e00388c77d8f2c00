"""How full each lounge is in each minute; every stay was noted by four sensors."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("lounges").getOrCreate()
stays = spark.read.parquet("data/stays")

minutes = F.explode(F.sequence("enters", F.col("enters") + F.col("minutes")))
there = stays.select("lounge", "passenger", minutes.alias("minute")).distinct()
full = there.groupBy("lounge", "minute").agg(F.count("*").alias("guests"))
full.groupBy("lounge").agg(F.max("guests").alias("most")).write.mode("overwrite").parquet("out/lounges")
