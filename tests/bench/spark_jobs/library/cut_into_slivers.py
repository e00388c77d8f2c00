"""Loans of each reader and day, over many more partitions than the data is worth."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("slivers").getOrCreate()
loans = spark.read.parquet("data/loans").filter("branch < 2")

by_day = loans.groupBy("reader", "day").agg(F.count("*").alias("loans"))
by_reader = by_day.groupBy("reader").agg(F.max("loans").alias("most"))
by_reader.write.mode("overwrite").parquet("out/slivers")
