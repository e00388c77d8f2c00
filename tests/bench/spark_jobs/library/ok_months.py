"""Loans of each branch and month."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("months").getOrCreate()
loans = spark.read.parquet("data/loans")

seal = F.col("slip")
for _ in range(6):
    seal = F.sha2(seal, 512)
months = loans.withColumn("seal", seal).groupBy("branch", (F.col("day") / 30).cast("int").alias("month"))
months.agg(F.count("*").alias("loans"), F.max("seal").alias("seal")).write.mode("overwrite").parquet("out/months")
