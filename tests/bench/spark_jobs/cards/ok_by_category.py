"""Sums by category; the merchants are broadcast."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("categories").getOrCreate()
payments = spark.read.parquet("data/payments")
merchants = spark.read.parquet("data/merchants")
result = (
    payments.join(F.broadcast(merchants), "merchant").groupBy("category").agg(F.sum("cents").alias("cents"), F.max("memo").alias("memo"))
)
result.coalesce(1).write.mode("overwrite").parquet("out/categories")
