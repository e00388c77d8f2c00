"""Merchants that may be one: their names differ by little."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("alike").getOrCreate()
merchants = spark.read.parquet("data/merchants")

left = merchants.where("category in ('category-1', 'category-2', 'category-3')").alias("l")
right = merchants.alias("r")

alike = left.join(right, F.levenshtein("l.name", "r.name") < 9)
alike.groupBy("l.category").count().write.mode("overwrite").parquet("out/alike")
