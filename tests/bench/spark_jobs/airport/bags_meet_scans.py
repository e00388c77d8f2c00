"""Bags and boarding passes of a flight, matched as both come in."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("bags meet scans").getOrCreate()
bags = spark.readStream.schema(spark.read.parquet("data/belts_in").schema).option("maxFilesPerTrigger", 1).parquet("data/belts_in")
scans = spark.readStream.schema(spark.read.parquet("data/scans_in").schema).option("maxFilesPerTrigger", 1).parquet("data/scans_in")

loaded = bags.select("flight", "belt", "weight")
boarded = scans.filter("flight <> 7").select(F.col("flight").alias("boarded"), "gate", "minute")
matched = loaded.join(boarded, F.col("flight") == F.col("boarded"))
query = matched.writeStream.format("parquet").option("path", "out/matched").option("checkpointLocation", "out/matched_state")
query.trigger(availableNow=True).start().awaitTermination()
