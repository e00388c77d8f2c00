"""Pieces in each tariff; the column is text."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


@F.udf("int")
def pieces_of(text):
    return int(text)


spark = SparkSession.builder.appName("pieces").getOrCreate()
counted = spark.read.parquet("data/declarations").withColumn("count", pieces_of("pieces"))
counted.groupBy("tariff").agg(F.sum("count").alias("pieces")).write.mode("overwrite").parquet("out/pieces")
