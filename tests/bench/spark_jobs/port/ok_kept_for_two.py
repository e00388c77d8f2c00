"""Weights of the lines, kept for the two files that are made of them."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("weights").getOrCreate()
moves = spark.read.parquet("data/moves").join(F.broadcast(spark.read.parquet("data/containers").select("box", "line")), "box")
weights = moves.groupBy("line", "crane").agg(F.sum("kilograms").alias("kilograms"), F.max(F.sha2("position", 256)).alias("mark")).cache()
weights.write.mode("overwrite").parquet("out/weights")
weights.where("kilograms > 100000").write.mode("overwrite").csv("out/heavy")
weights.unpersist()
