"""Declared value of the boxes that were moved: both tables are large and even."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("declared").getOrCreate()
declared = spark.read.parquet("data/declarations").groupBy("box").agg(F.sum("cents").alias("cents"), F.max("wording").alias("wording"))
moved = spark.read.parquet("data/moves").groupBy("box").agg(F.count("*").alias("moves"), F.max("position").alias("position"))
declared.join(moved, "box").write.mode("overwrite").parquet("out/declared")
