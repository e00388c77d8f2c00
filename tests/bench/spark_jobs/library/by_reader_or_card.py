"""Whom each inquiry is about. After a public question: a join by either of two columns."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("inquiries").getOrCreate()
inquiries = spark.read.parquet("data/inquiries")
readers = spark.read.parquet("data/readers")

found = inquiries.join(readers, (inquiries.reader == readers.reader) | (inquiries.card == readers.card))
found.groupBy("quarter").agg(F.countDistinct("inquiry").alias("inquiries")).write.mode("overwrite").parquet("out/inquiries")
