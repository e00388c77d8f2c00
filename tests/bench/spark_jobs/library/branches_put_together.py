"""Readers of each branch in one table. After a public question: parts that are read, joined and put together in a loop."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("branches").getOrCreate()
loans = spark.read.parquet("data/loans")
readers = spark.read.parquet("data/readers")

together = None
for branch in range(24):
    part = loans.filter(F.col("branch") == branch).join(readers, "reader")
    part = part.groupBy("quarter").agg(F.count("*").alias("loans"), F.max("slip").alias("slip")).withColumn("branch", F.lit(branch))
    together = part if together is None else together.union(part)
for name in ("renewed", "lost", "damaged", "returned", "late", "waived"):
    together = together.withColumn(name, F.lit(0))
together.write.mode("overwrite").parquet("out/branches")
